"""Replay: how many events a CPU-second the machine of events takes, beside the plain reading of the rules.

    python benchmarks/replay.py [--events N] [--rules-events N] [--repeat N] [--format text|json]

The peer is the meaning of all rules, plain Python as well: it judges a shorter run of the same kind, since it keeps
every event and row. The events lie in memory before either begins, and Python's collector is told to leave them alone:
it would look through them in the contenders' time, which nobody pays who reads them from a file. Both must find nothing
wrong with a correct run, and the machine must refuse the run of a mutant; else the program ends with an error.

A ledger is followed by its text twice: one of some entries, and one of four times as many, which must not take more
than eight times as long.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.long_ledger import LongLedger
from reference_impl.following.checker import FollowingChecker
from reference_impl.following.families import LEDGERS
from reference_impl.heading import recording_of
from reference_impl.plan import SimulationPlan
from reference_impl.replay import TraceChecker
from reference_impl.simulate import header_of, simulate
from spec.client.bookkeeping import kept
from spec.language.outcomes import Outcome
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES

Event = dict[str, Any]

GROWTH: Final = 4
"""So many times as long is the longer ledger."""


@dataclass(frozen=True)
class Result:
    """What one contender took: the best of all runs."""

    name: str
    events: int
    cpu_s: float

    @property
    def rate(self) -> float:
        """Events a CPU-second."""
        return self.events / self.cpu_s


class WrongAnswer(AssertionError):
    """A contender's answer is not the truth."""


def replayed(plan: SimulationPlan, events: Sequence[Event]) -> None:
    """Take all events of a correct run.

    Raises:
        WrongAnswer: the machine refuses one.
    """
    machine = machine_for(plan)
    for event in events:
        if machine.step(event) is not None:
            raise WrongAnswer(f"event {machine.taken + 1} of a correct run is refused")


def machine_for(plan: SimulationPlan) -> TraceChecker:
    """A machine for the events of a plan."""
    records = {name: frozenset(words) for name, (_, words) in header_of(plan).recorders.items()}
    return TraceChecker(plan.parameters(), records)


def judged(plan: SimulationPlan, events: Sequence[Event]) -> None:
    """Judge a correct run by all rules, as they are defined.

    Raises:
        WrongAnswer: a rule is broken.
    """
    counts = ReferenceEvaluator(kept(events, recording_of(plan)), plan.parameters()).judge(RULES).counts
    broken = [rule for (rule, outcome), times in counts.items() if outcome is Outcome.VIOLATED and times]
    if broken:
        raise WrongAnswer(f"{', '.join(broken)} broken in a correct run")


def best(name: str, events: Sequence[Event], run: Callable[[], None], repeat: int) -> Result:
    """The least CPU time of some runs."""
    times = []
    for _ in range(repeat):
        began = process_time()
        run()
        times.append(process_time() - began)
    return Result(name, len(events), min(times))


def followed(events: Sequence[Event]) -> None:
    """Follow a ledger by its text.

    Raises:
        WrongAnswer: an event is refused.
    """
    checker = FollowingChecker(LEDGERS, Parameters())
    for event in events:
        if checker.step(event) is not None:
            raise WrongAnswer(f"event {checker.taken + 1} of a correct ledger is refused")


def ledgers(entries: int, repeat: int) -> list[Result]:
    """What following a ledger takes, and one that is four times as long.

    Raises:
        WrongAnswer: it takes more than in proportion.
    """
    found = []
    for size in (entries, GROWTH * entries):
        events = list(LongLedger(size).events())
        found.append(best(f"ledger of {size:,} entries", events, partial(followed, events), repeat))
    if found[1].cpu_s > 2 * GROWTH * found[0].cpu_s:
        raise WrongAnswer(f"{GROWTH} times as many entries take {found[1].cpu_s / found[0].cpu_s:.1f} times as long")
    return found


def refuses_a_mutant() -> None:
    """The machine is no machine that takes everything.

    Raises:
        WrongAnswer: it takes the run of a mutant.
    """
    plan = SimulationPlan(events=20_000, mutant="ack_before_stored")
    machine = machine_for(plan)
    if all(machine.step(event) is None for event in simulate(plan)):
        raise WrongAnswer("the run of a mutant is taken")


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="replay.py", description="Replay one run, and measure.")
    options.add_argument("--events", type=int, default=200_000, metavar="N", help="so many (200000)")
    options.add_argument("--rules-events", type=int, default=20_000, metavar="N", help="for the rules (20000)")
    options.add_argument("--entries", type=int, default=1000, metavar="N", help="of the ledger (1000)")
    options.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each (3)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Simulate a run, replay it and judge it, print what both took."""
    asked = parser().parse_args(words)
    plan = SimulationPlan(events=asked.events)
    events = list(simulate(plan))
    few = list(simulate(replace(plan, events=asked.rules_events)))
    refuses_a_mutant()
    gc.collect()
    gc.freeze()
    machine = best("replay", events, lambda: replayed(plan, events), asked.repeat)
    rules = best("rules, plain Python", few, lambda: judged(plan, few), 1)
    ledger = ledgers(asked.entries, asked.repeat)
    if asked.format == "json":
        said = {"python": platform.python_version(), "results": [asdict(one) for one in (machine, rules, *ledger)]}
        print(json.dumps(said | {"ratio": machine.rate / rules.rate}, indent=2))
        return 0
    for one in (machine, rules, *ledger):
        print(f"{one.name:24} {one.events:9,} events {one.cpu_s:8.2f} CPU-s {one.rate:10,.0f} events/CPU-s")
    ratio = machine.rate / rules.rate
    print(f"replay is {ratio:.1f} times as fast as the rules' meaning; Python {platform.python_version()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
