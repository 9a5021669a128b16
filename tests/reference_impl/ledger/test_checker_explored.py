"""The checker beside a cluster that changes: every interleaving of its questions with what happens there.

BookKeeper, BP-34, High Level Logic: it reevaluates instead of a false alarm, and exposes what is not being handled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import pytest

from reference_impl.ledger.checker.machine import step, wanted
from reference_impl.ledger.checker.messages import (
    Action,
    Answered,
    AskBookie,
    AskStanding,
    DelayPassed,
    LookForMark,
    MarkSeen,
    MetadataSeen,
    Question,
    ReadMetadata,
    StandingSeen,
)
from reference_impl.ledger.checker.state import Check, Ending, Settings, Stage, Versioned
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata
from spec.ledger.placement.adherence import anywhere
from spec.ledger.violations import Category
from tests.support.ledger_cluster import closed, whole

SETTINGS = Settings(anywhere, grace_ms=1000, delay_ms=500)
BEFORE, AFTER = closed(), closed(5, ("d", "b", "c"))
"""The ledger, and once bookie d has taken the place of a."""

DURABILITY = {Category.NO_REPLICA, Category.BELOW_ACK_QUORUM, Category.BELOW_WRITE_QUORUM}


@dataclass(frozen=True)
class World:
    """The cluster as it is: metadata, what bookies have, who is silent or registered, and whether there is a mark."""

    read: Versioned | None
    held: tuple[tuple[str, frozenset[int]], ...]
    silent: frozenset[str] = frozenset()
    registered: frozenset[str] = frozenset("abcd")
    known_down: frozenset[str] = frozenset()
    is_marked: bool = False


Event: TypeAlias = Callable[[World], World]


def world(metadata: Metadata, **lost: int) -> World:
    """Whole, but for an entry that a bookie lost."""
    held = {bookie: entries - {lost.get(bookie, -1)} for bookie, entries in whole(metadata).items()}
    return World(Versioned(metadata, 1), tuple(sorted(held.items())))


def having(now: World, **held: frozenset[int]) -> World:
    return replace(now, held=tuple(sorted({**dict(now.held), **held}.items())))


def lose(now: World) -> World:
    """A loses what it had, and its auditor marks the ledger at that moment."""
    return replace(having(now, a=frozenset()), is_marked=True)


def copy(now: World) -> World:
    return having(now, d=whole(AFTER)["d"])


def change_ensemble(now: World) -> World:
    return replace(now, read=Versioned(AFTER, 2) if now.read else None)


def unmark(now: World) -> World:
    return replace(now, is_marked=False)


def delete_metadata(now: World) -> World:
    return replace(now, read=None)


def collect(now: World) -> World:
    """Bookies drop what no metadata speaks of."""
    return replace(now, held=())


def silence(now: World) -> World:
    return replace(now, silent=now.silent | {"b"})


def speak(now: World) -> World:
    return replace(now, silent=now.silent - {"b"})


REPLICATION: Sequence[Event] = (lose, copy, change_ensemble, unmark)
DELETION: Sequence[Event] = (delete_metadata, collect)
HICCUP: Sequence[Event] = (silence, speak)


def answer(now: World, question: Question) -> Action:
    """What the cluster says at this moment."""
    match question:
        case LookForMark():
            return MarkSeen(Mark(("a",), 0) if now.is_marked else None, 0)
        case ReadMetadata():
            return MetadataSeen(now.read)
        case AskBookie(_, bookie):
            return Answered(bookie, None if bookie in now.silent else dict(now.held).get(bookie, frozenset()))
        case AskStanding():
            return StandingSeen(now.registered, now.known_down)


def as_it_is(now: World, _check: Check, question: Question) -> Action:
    """What there is."""
    return answer(now, question)


def told_as_shipped(now: World, check: Check, question: Question) -> Action:
    """A check that never looks again: it takes what it saw first for what there is."""
    if check.stage is Stage.MARK_AGAIN:
        return MarkSeen(None, 0)
    return MetadataSeen(check.read) if check.stage is Stage.METADATA_AGAIN else answer(now, question)


def endings(
    start: World, *processes: Sequence[Event], tell: Callable[[World, Check, Question], Action] = as_it_is
) -> set[Check]:
    """How the check may end, whatever happens before, between and after its questions, each process in its order."""
    waiting = [(start, tuple(0 for _ in processes), Check(7))]
    seen, ended = set(waiting), set()
    while waiting:
        now, done, check = waiting.pop()
        following = [
            (process[at](now), (*done[:number], at + 1, *done[number + 1 :]), check)
            for number, (process, at) in enumerate(zip(processes, done, strict=True))
            if at < len(process)
        ]
        heard = [tell(now, check, question) for question in wanted(check)]
        for action in heard or ([DelayPassed()] if check.stage is Stage.ASIDE else []):
            after = step(check, action, SETTINGS)
            assert after is not None
            following.append((now, done, after))
        if check.stage is Stage.DONE:
            ended.add(check)
        new = [one for one in following if one not in seen]
        seen.update(new)
        waiting += new
    return ended


def categories(ended: set[Check]) -> set[Category]:
    return {one.category for check in ended for one in check.reported}


def test_nothing_happens() -> None:
    """In whatever order bookies answer."""
    assert {check.ending for check in endings(world(BEFORE))} == {Ending.SOUND}


@pytest.mark.parametrize(
    "processes",
    [[REPLICATION], [DELETION], [REPLICATION, DELETION], [REPLICATION, HICCUP], [DELETION, HICCUP]],
    ids=["replication", "deletion", "both", "replication and silence", "deletion and silence"],
)
def test_no_false_alarm(processes: Sequence[Sequence[Event]]) -> None:
    """What is being handled, or deleted, is never reported to lack copies, on any interleaving."""
    assert categories(endings(world(BEFORE), *processes)) & DURABILITY == set()


@pytest.mark.parametrize("process", [REPLICATION, DELETION], ids=["replication", "deletion"])
def test_whoever_does_not_look_again_gives_false_alarms(process: Sequence[Event]) -> None:
    """As shipped: replication/AuditorReplicasCheckTask.java reports what it finds."""
    assert categories(endings(world(BEFORE), process, tell=told_as_shipped)) & DURABILITY


@pytest.mark.parametrize("processes", [[], [HICCUP], [HICCUP, HICCUP]], ids=["quiet", "silence", "silence twice"])
def test_no_hole_is_missed(processes: Sequence[Sequence[Event]]) -> None:
    """An entry that lacks a copy all the time, without a mark, is reported once, on every interleaving."""
    ended = endings(world(BEFORE, a=3), *processes)
    for check in ended:
        assert check.ending is Ending.REPORTED
        lacking = [one for one in check.reported if one.category in DURABILITY]
        assert [(one.category, one.bookies, one.entries) for one in lacking] == [
            (Category.BELOW_ACK_QUORUM, ("a",), (3,))
        ]


@pytest.mark.parametrize(("registered", "known_down"), [("abcd", ""), ("acd", ""), ("abcd", "b"), ("acd", "b")])
def test_a_bookie_that_stays_silent_is_reported_unless_it_is_known_to_be_down(registered: str, known_down: str) -> None:
    start = replace(
        world(BEFORE), silent=frozenset("b"), registered=frozenset(registered), known_down=frozenset(known_down)
    )
    is_expected = registered == "acd" and known_down == "b"
    assert categories(endings(start)) == (set() if is_expected else {Category.SILENT_BOOKIE})


def test_the_explorer_is_awake() -> None:
    """A replication that takes its mark away before it changes the metadata is a hole, and is seen as one."""
    assert categories(endings(world(BEFORE), (lose, unmark, copy, change_ensemble))) & DURABILITY
