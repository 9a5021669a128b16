"""Strategies for Hypothesis: clusters, histories, faults and schedules for tests of your own, and a state machine.

They make what the suite of pytest makes, by the same functions: only the chance is Hypothesis'. What each is for says
docs/reference/strategies.md.
"""

from quorate.strategies.clusters import replications, topologies
from quorate.strategies.histories import faults, histories, schedules
from quorate.strategies.holding import hold
from quorate.strategies.machine import LogMachine, machine_of
from quorate.suite.planning import Focus
from quorate.suite.steps import Plan, plan_of, text_of

__all__ = [
    "Focus",
    "LogMachine",
    "Plan",
    "faults",
    "histories",
    "hold",
    "machine_of",
    "plan_of",
    "replications",
    "schedules",
    "text_of",
    "topologies",
]
