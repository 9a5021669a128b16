"""Replay: is a recorded trace a behaviour of the machine? Each event is a step with named guards, or is refused."""

from reference_impl.replay.guard import Guard
from reference_impl.replay.machine import GUARDS, Refusal, TraceChecker

__all__ = ["GUARDS", "Guard", "Refusal", "TraceChecker"]
