"""Refinement of runs: every step of a simulated machine is a step of the proved text, or a stutter.

The text ``Epoch`` speaks of crashes, pauses, new sequencers, a bad network, readers, disks and copies that are lost,
and of donors that rebuild them: every plan is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from reference_impl.environment.director import Director
from reference_impl.kernel.simulator import Transition
from reference_impl.kernel.step import Event
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import EXTRAS
from reference_impl.plan import SimulationPlan
from reference_impl.refinement.broken import Broken
from reference_impl.refinement.delivery.copysets import Groups
from reference_impl.refinement.delivery.runs import DeliveryFollower, DeliveryRefinement
from reference_impl.refinement.follow import ACTIONS, Followed, Refused, follow, follow_event
from reference_impl.refinement.texts import LogText
from reference_impl.refinement.worlds import Worlds
from reference_impl.simulate import context_for
from spec.language.outcomes import Verdict

LOSSES: Final = ("wipe", "drain")
"""Faults that lose or move copies."""


@dataclass(frozen=True)
class Refinement:
    """What became of a run's steps.

    Attributes:
        steps: how many the machine took, of those that were looked at.
        stutters: how many of them change nothing that the text speaks of.
        by_action: how many steps the text took, by action; one of the machine may be several of the text.
        broken: the first step of the machine that is no step of the text; nothing after it was looked at.
        delivery: the same for the text of delivery, by which readers and those who send to them go.
    """

    steps: int = 0
    stutters: int = 0
    by_action: Mapping[str, int] = field(default_factory=dict)
    broken: Broken | None = None
    delivery: DeliveryRefinement = field(default_factory=DeliveryRefinement)

    @property
    def verdict(self) -> Verdict:
        """A run of which the text has nothing to say is no pass."""
        if self.broken is not None or self.delivery.broken is not None:
            return Verdict.VIOLATED
        return Verdict.HOLDS if any(self.by_action.values()) else Verdict.UNKNOWN


def without_loss(plan: SimulationPlan) -> SimulationPlan:
    """The plan without faults that lose or move copies."""
    rates = {what: rate for what, rate in plan.faults.rates.items() if what not in LOSSES}
    return replace(plan, faults=replace(plan.faults, rates=rates, corrupt=0.0))


def refine(plan: SimulationPlan) -> Refinement:
    """Run a plan, and let the text follow the machine step by step, up to the first step that it cannot take.

    Raises:
        UnknownMutant: there is no such mutant.
    """
    context = context_for(plan)
    director = Director(plan, context)
    simulator = director.world.simulator
    extras = EXTRAS in context.variants
    groups = Groups(plan.topology.parameters(), plan.replication, context.closeness, extras=extras)
    delivery = DeliveryFollower(groups, lambda: simulator.context)
    worlds = Worlds(plan.topology.parameters(), plan.replication)
    follower = Follower(worlds, delivery, lambda log: addresses.epoch_store(log) in simulator.entities)
    simulator.observer = follower.see
    for event in islice(director.run(), plan.events):
        follower.hear(event)
        if follower.broken is not None:
            break
    return follower.refinement


class Follower:
    """Follows a run, log by log; logs that are closed are forgotten, for nobody rebuilds them.

    Attributes:
        broken: the first step that is no step of the text.
    """

    def __init__(self, worlds: Worlds, delivery: DeliveryFollower, is_open: Callable[[int], bool]) -> None:
        self._worlds, self._delivery, self._is_open = worlds, delivery, is_open
        self._logs: dict[int, LogText] = {}
        self._by_action = dict.fromkeys(ACTIONS, 0)
        self._steps = self._stutters = 0
        self.broken: Broken | None = None

    def see(self, taken: Transition) -> None:
        """Look at a step of the machine."""
        if self.broken is not None:
            return
        self._steps += 1
        self._delivery.see(taken, self._steps)
        log = taken.to[1]
        self._stutters += not self._follows(log, follow(self._worlds, self._logs.get(log, ()), taken))

    def hear(self, event: Event) -> None:
        """Look at a new table of statuses."""
        if event["kind"] != trace_events.STATUS:
            return
        self._logs = {log: text for log, text in self._logs.items() if self._is_open(log)}
        for log, text in self._logs.items():
            if self.broken is None:
                self._follows(log, follow_event(self._worlds, text, event))

    def _follows(self, log: int, found: Followed | Refused) -> bool:
        """Keep where the text is now; whether anything changed there."""
        if isinstance(found, Refused):
            self.broken = Broken(found, self._steps)
            return True
        self._logs[log] = found.log
        for action in found.actions:
            self._by_action[action] += 1
        return bool(found.actions)

    @property
    def refinement(self) -> Refinement:
        """What became of the steps so far."""
        by_action, delivery = dict(self._by_action), self._delivery.refinement
        return Refinement(self._steps, self._stutters, by_action, self.broken, delivery)
