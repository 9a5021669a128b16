"""Runs of the text ``ensemble_change``, told as traces of a ledger: judged by all rules on ledgers, and followed again.

What the text allows is not called broken, and runs of its wrong forms are. The text's goals are proved for any number
of bookies, entries, fragments and clients (``spec.proof.inductive``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any

import pytest

from conformance.check.checking import verdict_of_events
from conformance.trace.header import Header, Member, Recorder, System
from reference_impl.following.checker import FollowingChecker
from reference_impl.following.families import LEDGERS
from reference_impl.kernel.explorer.result import Trace
from reference_impl.telling.ledgers import LedgerTeller
from reference_impl.telling.runs import as_trace, at_random, through_every_step
from reference_impl.telling.wrong import breaking, gone_on, way_from
from spec.language.events import all_events
from spec.language.outcomes import Verdict
from spec.language.parameters import Parameters
from spec.language.protocol import World
from spec.language.protocol.running import PackedWorld
from spec.language.protocol.states import Step
from spec.ledger.events import Event
from spec.ledger.family import LEDGER
from spec.ledger.schedule import Quorums
from spec.protocols.ledger_fragments import Ensemble
from spec.protocols.ledger_parts import WriteSet
from spec.protocols.registry import TEXTS
from tests.suite.caught import Catches
from tests.support.ledger_runs import NOTHING

RUNS, LENGTH = 150, 45

WORLDS = {
    "an ensemble that changes": {"bookies": 3, "ensemble": 2, "write": 2, "ack": 2, "entries": 2, "fragments": 2},
    "two clients recover": {
        "bookies": 3,
        "ensemble": 3,
        "write": 3,
        "ack": 2,
        "entries": 3,
        "fragments": 1,
        "clients": 2,
    },
    "both": {"bookies": 4, "ensemble": 3, "write": 3, "ack": 2, "entries": 2, "fragments": 2, "clients": 2},
    "one copy": {"bookies": 2, "ensemble": 1, "write": 1, "ack": 1, "entries": 2, "fragments": 2},
    "stripes": {"bookies": 3, "ensemble": 3, "write": 2, "ack": 2, "entries": 3, "fragments": 1},
    "stripes of which one is enough": {
        "bookies": 4,
        "ensemble": 4,
        "write": 2,
        "ack": 1,
        "entries": 3,
        "fragments": 1,
    },
}

WRONG = {
    "first_entry_is_kept": (
        "one copy",
        "change 0 0 0, lay_out 0 0 0, accept 0 0 0 0, acknowledge 0 0 0, change 1 0 0",
        "ledger.ensemble.behind_confirmed",
    ),
    "begins_at_the_last_confirmed": (
        "one copy",
        "change 0 0 0, lay_out 0 0 0, accept 0 0 0 0, acknowledge 0 0 0, change 1 0 0",
        "ledger.ensemble.behind_confirmed",
    ),
    "recovery_reads_an_old_ensemble": (
        "an ensemble that changes",
        (
            "change 0 0 0, lay_out 0 0 0, change 1 0 2, lay_out 1 0 2, accept 2 1 0 0, begin 0, accept 1 0 0 0, "
            "acknowledge 1 0 2, tell 0 1, read 0 0 0 0, finish 0 0 0"
        ),
        "ledger.recovery.keeps_acknowledged",
    ),
    "changes_after_the_fence": (
        "one copy",
        "change 0 0 0, begin 0, lay_out 0 0 0, tell 0 0, read 0 0 0 0, change 1 0 1",
        "ledger.ensemble.while_open",
    ),
    "replaced_bookies_count": (
        "one copy",
        "change 1 0 1, close 0, lay_out 1 0 1, accept 1 1 0 0, acknowledge 1 0 1",
        "ledger.recovery.keeps_acknowledged",
    ),
    "one_write_set_is_fenced": (
        "stripes",
        (
            "change 0 0 0, lay_out 0 0 0, accept 0 0 0 0, lay_out 0 1 2, begin 0, tell 0 0, read 0 0 0 0, "
            "restore 0 0 0 0, restore 0 0 1 0, read 0 0 1 1, finish 0 0 1"
        ),
        "ledger.recovery.fence_covers",
    ),
    "any_members_acknowledge": (
        "stripes of which one is enough",
        "change 0 0 0, accept 3 0 0 0, acknowledge 0 0 3",
        "ledger.add.by_an_ack_quorum",
    ),
    "another_write_set_is_read": (
        "stripes",
        (
            "change 0 0 0, begin 0, lay_out 0 0 0, accept 0 0 0 0, lay_out 0 2 1, accept 1 0 0 0, acknowledge 0 0 0, "
            "tell 0 2, tell 0 0, read 0 0 2 0, finish 0 0 0"
        ),
        "ledger.recovery.keeps_acknowledged",
    ),
}
"""A run of each wrong form of the text in a world, and a rule that notices."""


STRIPED = {"any_members_acknowledge", "another_write_set_is_read", "one_write_set_is_fenced"}
"""Wrong forms that only show where an entry is on some members of its ensemble."""


@dataclass(frozen=True)
class Round(World):
    """A world in which entries go round the ensemble; the text gives an entry any write set of it."""

    write: int = 1

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """All steps but those of other schedules; where all members have all entries there is only one."""
        return tuple(step for step in super().steps if step.action.name != "lay_out" or self._goes_round(*step.args))

    def _goes_round(self, _fragment: int, entry: int, members: int) -> bool:
        size = len(self.families[Ensemble][0])
        turn = frozenset((entry + step) % size for step in range(self.write))
        return self.write == size or self.families[WriteSet][members] == turn


class Ledger:
    """The text in a small world.

    Args:
        bounds: of the world.
        form: a wrong form of the text.
    """

    def __init__(self, bounds: dict[str, int], form: str = "") -> None:
        small = TEXTS["ensemble_change"].small(form, **bounds)
        self.machine = PackedWorld(Round(small.protocol, small.sizes, small.families, bounds["write"]))
        self.quorums = Quorums(bounds["ensemble"], bounds["write"], bounds["ack"])
        changes = [move for move in self.machine.moves if move.step.action.name == "change"]
        self.starts = [move for move in changes if move.step.args[1] == 0]

    def at_random(self, seed: int) -> Trace:
        """A run that begins with the ledger's first ensemble."""
        chance = Random(seed)
        return at_random(self.machine, chance, LENGTH, (chance.choice(self.starts),))

    def events_of(self, run: Trace) -> list[dict[str, Any]]:
        """The events of a run, with all columns."""
        return [NOTHING | row for row in LedgerTeller(self.machine, run, self.quorums).tell()]


def broken(rows: list[dict[str, Any]]) -> set[str]:
    """The rules that are violated by a run."""
    recorder = Recorder("importer", {event.word: "complete" for event in all_events(Event)})
    header = Header(
        family=LEDGER,
        system=System("ensemble_change"),
        members={"bookies": tuple(Member(f"b{number}", {"rack": f"r{number}"}) for number in range(4))},
        recorders={str(row["recorder"]): recorder for row in rows},
        clock_bound_ns=0,
        low_bits=16,
    )
    return {one.rule.id for one in verdict_of_events(header, rows).rules if one.verdict is Verdict.VIOLATED}


def is_followed(rows: Iterable[dict[str, Any]]) -> bool:
    """Whether each event is a step of the text."""
    checker = FollowingChecker(LEDGERS, Parameters(4))
    return all(checker.step(row) is None for row in rows)


def hears_late(run: Trace) -> bool:
    """A client hears what is confirmed after it began to read, as the text lets it: BookKeeper's recoveries do not."""
    began: set[int] = set()
    for step in run.steps:
        if step.action.name == "read":
            began.add(step.args[0])
        if step.action.name == "tell" and step.args[0] in began:
            return True
    return False


@pytest.mark.parametrize("name", WORLDS)
def test_random_runs_are_not_called_broken_and_are_followed(name: str) -> None:
    ledger = Ledger(WORLDS[name])
    for seed in range(RUNS):
        run = ledger.at_random(seed)
        rows = ledger.events_of(run)
        assert broken(rows) == set(), f"seed {seed}"
        assert is_followed(rows) or hears_late(run), f"seed {seed}"


def every_step(bounds: dict[str, int]) -> Iterator[tuple[Ledger, Trace]]:
    """Runs that take each step of a world, of those that begin with the ledger's first ensemble."""
    ledger = Ledger(bounds)
    first = {move.step for move in ledger.starts}
    yield from ((ledger, run) for run in through_every_step(ledger.machine) if run.steps and run.steps[0] in first)


def test_steps_of_the_smallest_world_are_not_called_broken_and_are_followed() -> None:
    """Every two-hundredth run of those that take each step."""
    for ledger, run in islice(every_step(WORLDS["one copy"]), 0, None, 200):
        rows = ledger.events_of(run)
        assert broken(rows) == set(), run.steps
        assert is_followed(rows) or hears_late(run), run.steps


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["one copy", "an ensemble that changes"])
def test_every_step_is_not_called_broken_and_is_followed(name: str) -> None:
    for ledger, run in islice(every_step(WORLDS[name]), 40_000):
        rows = ledger.events_of(run)
        assert broken(rows) == set(), run.steps
        assert is_followed(rows) or hears_late(run), run.steps


@pytest.mark.parametrize("form", TEXTS["ensemble_change"].variants)
def test_a_wrong_form_is_noticed_and_refused(form: str, catches: Catches) -> None:
    world, way, rule = WRONG[form]
    ledger = Ledger(WORLDS[world], form)
    machine = ledger.machine
    rows = ledger.events_of(as_trace(machine, machine.pack(machine.world.start), way_from(machine, way)))
    assert rule in broken(rows)
    assert not is_followed(rows)
    catches("form", f"ensemble_change/{form}", "rules")
    catches("form", f"ensemble_change/{form}", "refinement")


@pytest.mark.thorough
@pytest.mark.parametrize("form", TEXTS["ensemble_change"].variants)
def test_what_breaks_a_goal_is_refused(form: str) -> None:
    """Whatever way random walks find, gone on with at random, in worlds in which a trace can show it."""
    for bounds in (one for one in WORLDS.values() if form not in STRIPED or one["ensemble"] > one["write"]):
        ledger = Ledger(bounds, form)
        for _, way in breaking(ledger.machine, range(3)):
            if way[0] in ledger.starts:
                assert not is_followed(ledger.events_of(gone_on(ledger.machine, way, Random(1)))), way
