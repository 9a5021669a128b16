"""The smallest run in which a deviation of the machine breaks a rule: first the plan, then its schedule, is made small.

Short runs of one log are tried with ever more faults and readers, many seeds each; the one whose violation comes first
is then left without every act that it does not need. What they do not show is directed, and then made small likewise.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, NamedTuple

from reference_impl.heading import recording_of
from reference_impl.kernel.explorer.shrink import shrunk
from reference_impl.kernel.faults import Rate
from reference_impl.kernel.step import Event
from reference_impl.kernel.weather import Weather
from reference_impl.known_bugs.directed import DIRECTED, directed
from reference_impl.known_bugs.schedule import Act, replayed, schedule_of
from reference_impl.plan import MILLISECOND, REPLICATIONS, TOPOLOGIES, Faults, SimulationPlan
from spec.client.bookkeeping import kept
from spec.language.outcomes import Outcome
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule

SEEDS: Final = 600
"""So many seeds at most are tried of each plan."""

SHORTEST: Final = 2
"""So many runs that break the rule, the shortest of a round, are made small; the smallest is the result."""

LONGER: Final = 11 / 10
"""Runs longer than the shortest by this factor are not worth making small."""


class Trial(NamedTuple):
    """A kind of small run: faults that strike often, and how much there is for them to strike.

    Attributes:
        rates: the faults.
        events: so long are the runs.
        clients: how many write.
        readers: how many read; each number is tried.
        topology: where nodes are.
        replication: the copies of a record.
        variants: what the machine does besides.
        round: so many seeds are tried before the next plan has its turn.
    """

    rates: Mapping[str, Rate]
    events: int = 120
    clients: int = 1
    readers: Sequence[int] = (0, 1, 2)
    topology: str = "flat3"
    replication: Mapping[str, int] = REPLICATIONS["flat3"]
    variants: tuple[str, ...] = ()
    round: int = 50


ROUND: Final = 150
"""So many seeds in a round of trials that are not made for one deviation, and show it more rarely."""

TRIALS: Final = (
    Trial({"reactivate": Rate(6 * MILLISECOND // 5)}, round=ROUND),
    Trial(
        {"reactivate": Rate(MILLISECOND), "crash": Rate(MILLISECOND, MILLISECOND // 10, 2 * MILLISECOND // 5)},
        round=ROUND,
    ),
    Trial({"misjudge": Rate(MILLISECOND // 2, MILLISECOND, 3 * MILLISECOND)}, readers=(1, 2), round=ROUND),
    Trial({"straggler": Rate(3 * MILLISECOND, 2 * MILLISECOND, 5 * MILLISECOND)}, 300, 3, (3,), round=ROUND),
)
"""The shortest first. A node that was cut off shows what it has to readers who begin late, so these runs are longer."""


class NoViolation(RuntimeError):
    """No small run breaks the rule."""


@dataclass(frozen=True)
class Reduced:
    """A small run that breaks a rule.

    Attributes:
        plan: the run from which it was made.
        acts: what happens, none of which can be left out.
        events: what is recorded of it.
        seeds: how many runs were looked at.
        replays: how many parts of the schedule were run.
        cpu_s: CPU seconds of all that.
    """

    plan: SimulationPlan
    acts: tuple[Act, ...]
    events: tuple[Event, ...]
    seeds: int
    replays: int
    cpu_s: float


TRIALS_OF: Final[Mapping[str, tuple[Trial, ...]]] = {
    "seal_forgotten_in_crash": (TRIALS[1]._replace(readers=(0,)),),
    "disk_lost_in_crash": (TRIALS[1]._replace(readers=(0,)),),
    "down_nodes_need_not_answer": (TRIALS[2],),
    "copies_not_purged": (TRIALS[3]._replace(round=400),),
    "release_before_leader": (
        Trial({"one_way": Rate(MILLISECOND, MILLISECOND, 3 * MILLISECOND)}, 150, readers=(0,), variants=("extras",)),
    ),
    "highest_taken_for_the_end": (Trial(TRIALS[3].rates, 700, 5, (0,), variants=("purging",)),),
    "rack_heard_after_one_answer": (
        Trial({"reactivate": Rate(MILLISECOND)}, topology="racks4", replication=REPLICATIONS["racks4"]),
    ),
    "empty_without_rewind": (
        Trial(
            {"drain": Rate(MILLISECOND), "one_way": Rate(MILLISECOND, 2 * MILLISECOND, 8 * MILLISECOND)},
            900,
            readers=(3,),
            replication={"node": 1},
        ),
    ),
}
"""Deviations that one kind of fault shows, or racks, or copysets with extras: all others are tried in vain."""


def small_plans(mutant: str) -> Iterator[SimulationPlan]:
    """Plans of one log on few nodes, most without locations, those with fewer faults and readers first."""
    for trial in TRIALS_OF.get(mutant, TRIALS):
        yield from _plans(trial, mutant)


def _plans(trial: Trial, mutant: str) -> Iterator[SimulationPlan]:
    for readers in trial.readers:
        yield SimulationPlan(
            topology=TOPOLOGIES[trial.topology],
            replication=trial.replication,
            events=trial.events,
            logs=1,
            clients=trial.clients,
            readers=readers,
            mutant=mutant,
            variants=trial.variants,
            faults=Faults(Weather(), trial.rates, 0.0),
        )


def _round(mutant: str, number: int, seeds: int) -> Iterator[SimulationPlan]:
    """Each plan with its next seeds; nothing once it had as many as it may."""
    for trial in TRIALS_OF.get(mutant, TRIALS):
        tried = range(number * trial.round, min((number + 1) * trial.round, seeds))
        for plan in _plans(trial, mutant):
            yield from (replace(plan, seed=seed) for seed in tried)


def breaks(rule: Rule, plan: SimulationPlan, events: Sequence[Event]) -> bool:
    """Whether events violate a rule."""
    judgement = ReferenceEvaluator(kept(events, recording_of(plan)), plan.parameters()).judge([rule])
    return judgement.counts[rule.id, Outcome.VIOLATED] > 0


def reduce(mutant: str, rule: Rule, seeds: int = SEEDS) -> Reduced:
    """The smallest run of a mutant that breaks a rule, as far as one is found.

    Raises:
        NoViolation: no run of the plans that are tried breaks it.
        UnknownMutant: there is no such mutant.
    """
    began, looked = time.process_time(), 0
    if mutant in DIRECTED:
        return _reduce_directed(mutant, rule, began)
    for number in count():
        tried = list(_round(mutant, number, seeds))
        if not tried:
            break
        looked += len(tried)
        found = [cut for plan in tried if (cut := _cut(rule, plan)) is not None]
        if found:
            shortest = sorted(found, key=lambda plan: plan.events)[:SHORTEST]
            worth = [plan for plan in shortest if plan.events <= LONGER * shortest[0].events]
            small = [(plan, *_shrunk(rule, plan)) for plan in worth]
            plan, acts, events, _ = min(small, key=lambda one: (len(one[2]), len(one[1])))
            replays = sum(parts for *_, parts in small)
            return Reduced(plan, acts, events, looked, replays, time.process_time() - began)
    raise NoViolation(f"{mutant} breaks {rule.id} in none of {looked} short runs")


def _reduce_directed(mutant: str, rule: Rule, began: float) -> Reduced:
    """The schedule that is directed to where this mutant does harm, without what it does not need."""
    usual, scenes = DIRECTED[mutant]
    plan = replace(usual, mutant=mutant)
    directed_acts = directed(plan, scenes)
    if not breaks(rule, plan, replayed(plan, directed_acts)[1]):
        raise NoViolation(f"{mutant} breaks {rule.id} in none of 1 directed runs")
    acts, events, replays = _made_small(rule, plan, directed_acts)
    return Reduced(plan, acts, events, 1, replays, time.process_time() - began)


def _cut(rule: Rule, plan: SimulationPlan) -> SimulationPlan | None:
    """The plan with as few events as break the rule; None if it does not break it, or its schedule does not."""
    acts, events = schedule_of(plan)
    if not breaks(rule, plan, events) or not breaks(rule, plan, replayed(plan, acts)[1]):
        return None
    least, most = 1, len(events)
    while least < most:
        middle = (least + most) // 2
        if breaks(rule, plan, events[:middle]):
            most = middle
        else:
            least = middle + 1
    cut = replace(plan, events=least)
    return cut if breaks(rule, cut, replayed(cut, schedule_of(cut)[0])[1]) else plan


def _shrunk(rule: Rule, plan: SimulationPlan) -> tuple[tuple[Act, ...], tuple[Event, ...], int]:
    return _made_small(rule, plan, schedule_of(plan)[0])


def _made_small(
    rule: Rule, plan: SimulationPlan, whole: Sequence[Act]
) -> tuple[tuple[Act, ...], tuple[Event, ...], int]:
    known: dict[tuple[int, ...], tuple[list[Act], bool]] = {}

    def part(acts: Sequence[Act]) -> tuple[list[Act], bool]:
        which = tuple(map(id, acts))
        if which not in known:
            taken, events = replayed(plan, acts)
            known[which] = taken, breaks(rule, plan, events)
        return known[which]

    acts = shrunk(whole, part, in_pairs=False)
    return tuple(acts), tuple(replayed(plan, acts)[1]), len(known)
