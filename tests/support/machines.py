"""Machines for tests of single steps: five nodes without locations, records on three of them, the correct decisions."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from reference_impl.kernel.step import Moment, Note, Send, Stepped
from reference_impl.log.context import LogContext
from reference_impl.log.quorums import Quorums
from spec.log.topology import Topology

S = TypeVar("S")

NOW: Final = Moment(1_000_000, 1)
EVERYONE: Final = frozenset(range(5))


def machine_of(nodes: int = 5, copies: int = 3) -> LogContext:
    """The protocol on a flat cluster."""
    replication = {"node": copies}
    return LogContext(Quorums(Topology.flat(nodes).parameters(), replication), replication, clients=2)


def taken(stepped: Stepped[S]) -> tuple[S, list[Any], list[dict[str, Any]]]:
    """The state, the messages sent and the events recorded of a step that must be enabled."""
    assert stepped is not None
    state, effects = stepped
    sent = [effect.message for effect in effects if isinstance(effect, Send)]
    return state, sent, [effect.event for effect in effects if isinstance(effect, Note)]


def kinds_of(events: list[dict[str, Any]]) -> list[int]:
    """The kinds of events, in order."""
    return [event["kind"] for event in events]
