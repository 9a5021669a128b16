"""Refinement of delivery in runs: a follower that is shown every step of a simulated machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from reference_impl.kernel.simulator import Transition
from reference_impl.log.context import LogContext
from reference_impl.refinement.delivery.broken import Broken
from reference_impl.refinement.delivery.copysets import Groups
from reference_impl.refinement.delivery.following import Refused, begun, follow
from reference_impl.refinement.delivery.texts import LogDelivery
from spec.protocols.delivery_forms import InTransit

ACTIONS: Final = tuple(clause.name for clause in InTransit.of_kind("action"))
"""What may happen in the text."""

CONCERNED: Final = frozenset({"storage", "reader", "epochs", "sequencer"})
"""Who takes steps of which the text speaks."""


@dataclass(frozen=True)
class DeliveryRefinement:
    """What became of a run's steps.

    Attributes:
        by_action: how many steps the texts of all readers took, by action; what concerns all records of a reader
            counts once, and what happens to a record before a reader hears of it is not counted.
        broken: the first step of the machine that is no step of the text; nothing after it was looked at.
    """

    by_action: Mapping[str, int] = field(default_factory=dict)
    broken: Broken | None = None


class DeliveryFollower:
    """Follows a run, log by log.

    Args:
        groups: the copysets of the cluster.
        context: gives what all entities share at the moment.
    """

    def __init__(self, groups: Groups, context: Callable[[], LogContext]) -> None:
        self._groups, self._machine = groups, context
        self._logs: dict[int, LogDelivery] = {}
        self._by_action = dict.fromkeys(ACTIONS, 0)
        self._broken: Broken | None = None

    def see(self, taken: Transition, number: int) -> None:
        """Look at a step of the machine, of which so many came before, itself counted."""
        role, log, _ = taken.to
        if self._broken is not None or role not in CONCERNED:
            return
        context = self._machine()
        before = self._logs.get(log)
        found = follow(self._groups, begun(context, log) if before is None else before, taken, context)
        if isinstance(found, Refused):
            self._broken = Broken(found, number)
            return
        self._logs[log] = found.log
        for action, times in found.actions:
            self._by_action[action] += times

    @property
    def refinement(self) -> DeliveryRefinement:
        """What became of the steps so far."""
        return DeliveryRefinement(dict(self._by_action), self._broken)
