"""Refinement of runs: every step of a simulated machine is a step of the proved text, or a stutter.

The text ``Epoch`` speaks of crashes, pauses, new sequencers, a bad network, disks that are lost, and readers. How lost
copies are rebuilt it says of clean epochs only, so in the runs that are followed nobody rebuilds. Of single copies that
are lost it says nothing: plans with them are refused, never passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from reference_impl.environment.director import Director
from reference_impl.kernel.simulator import Taken
from reference_impl.kernel.step import Event
from reference_impl.log import notes
from reference_impl.log.storage import NodeLog
from reference_impl.plan import SimulationPlan
from reference_impl.refinement.broken import Broken
from reference_impl.refinement.delivery.copysets import Groups
from reference_impl.refinement.delivery.runs import DeliveryFollower, DeliveryRefinement
from reference_impl.refinement.follow import ACTIONS, Followed, Refused, follow, follow_event
from reference_impl.refinement.texts import LogText
from reference_impl.refinement.worlds import Worlds
from reference_impl.simulate import machine_for
from spec.language.outcomes import Verdict

LOSSES: Final = ("wipe", "drain")
"""Faults that lose or move copies."""


class NotInTheText(ValueError):
    """A plan has faults of which the text does not speak; the message names them and says how to leave them out."""


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
    return without_corruption(replace(plan, faults=replace(plan.faults, rates=rates)))


def without_corruption(plan: SimulationPlan) -> SimulationPlan:
    """The plan in which no single copies are lost."""
    return replace(plan, faults=replace(plan.faults, corrupt=0.0))


def refine(plan: SimulationPlan) -> Refinement:
    """Run a plan, and let the text follow the machine step by step, up to the first step that it cannot take.

    Nobody lends copies to donors: disks are lost and nodes are to leave, but nothing is rebuilt elsewhere.

    Raises:
        NotInTheText: the plan loses single copies.
        UnknownMutant: there is no such mutant.
    """
    if plan.faults.corrupt:
        raise NotInTheText(
            "the plan has corrupt copies, and the text Epoch does not speak of single copies that are lost: "
            "leave them out with without_corruption(plan)"
        )
    machine = machine_for(plan)
    director = Director(plan, replace(machine, decisions=replace(machine.decisions, may_lend=_never)))
    simulator = director.world.simulator
    groups = Groups(plan.topology.parameters(), plan.replication, machine.closeness)
    delivery = DeliveryFollower(groups, lambda: simulator.machine)
    follower = Follower(Worlds(plan.topology.parameters(), plan.replication), delivery)
    simulator.observer = follower.see
    for event in islice(director.run(), plan.events):
        follower.hear(event)
        if follower.broken is not None:
            break
    return follower.refinement


def _never(here: NodeLog, until: int) -> bool:  # noqa: ARG001 - as all such decisions
    """Nothing is lent."""
    return False


class Follower:
    """Follows a run, log by log.

    Attributes:
        broken: the first step that is no step of the text.
    """

    def __init__(self, worlds: Worlds, delivery: DeliveryFollower) -> None:
        self._worlds, self._delivery = worlds, delivery
        self._logs: dict[int, LogText] = {}
        self._by_action = dict.fromkeys(ACTIONS, 0)
        self._steps = self._stutters = 0
        self.broken: Broken | None = None

    def see(self, taken: Taken) -> None:
        """Look at a step of the machine."""
        if self.broken is not None:
            return
        self._steps += 1
        self._delivery.see(taken, self._steps)
        log = taken.to[1]
        self._stutters += not self._follows(log, follow(self._worlds, self._logs.get(log, ()), taken))

    def hear(self, event: Event) -> None:
        """Look at a new table of statuses."""
        for log, text in self._logs.items() if event["kind"] == notes.STATUS else ():
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
