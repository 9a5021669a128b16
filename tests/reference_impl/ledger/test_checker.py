"""The checker of a cluster's metadata, sentence by sentence: BookKeeper, BP-34, High Level Logic."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.ledger.checker.earlier import Earlier, Sound
from reference_impl.ledger.checker.machine import step, wanted
from reference_impl.ledger.checker.messages import Answered, DelayPassed, MarkSeen, MetadataSeen
from reference_impl.ledger.checker.running import Groups, Report, run
from reference_impl.ledger.checker.state import Check, Ending, Settings, Stage, Versioned
from spec.ledger.errors import Malformed
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.placement.adherence import anywhere
from spec.ledger.placement.racks import RackAware
from spec.ledger.schedule import Quorums
from spec.ledger.violations import Category, Violation
from tests.support.ledger_cluster import SmallCluster, closed

SETTINGS = Settings(anywhere, grace_ms=1000, delay_ms=500)
OPEN = Metadata(Quorums(1, 1, 1), (Segment(0, ("a",)),))
LEDGER = 7


def cluster(metadata: Metadata | None = None, *lost: tuple[str, int]) -> SmallCluster:
    """One ledger."""
    small = SmallCluster()
    small.add(LEDGER, metadata or closed(), lost=lost)
    return small


def since(sound: Sound) -> Settings:
    """After a run that found the ledger so."""
    return replace(SETTINGS, earlier=Earlier({LEDGER: sound}, frozenset("abc")))


def checked(small: SmallCluster, settings: Settings = SETTINGS) -> Report:
    """What a run over the cluster comes to; whatever is logged besides is told at the end."""
    lines: list[str] = []
    report = run(small, sorted(small.metadatas), settings, lines.append)
    assert [line for line in lines if line.startswith("ledger ")][: len(report.violations)] == [
        str(one) for one in report.violations
    ]
    return report


def ending(small: SmallCluster, settings: Settings = SETTINGS) -> Ending:
    """How the only ledger ended."""
    report = checked(small, settings)
    (found,) = report.endings
    assert bool(report.violations) is (found is Ending.REPORTED)
    return found


def test_a_whole_ledger_is_sound() -> None:
    """Asked is for the mark, the metadata, and each bookie once; nothing is written anywhere."""
    small = cluster()
    assert ending(small) is Ending.SOUND
    assert small.asked == ["mark 7", "metadata 7", "entries 7 a", "entries 7 b", "entries 7 c"]


@pytest.mark.parametrize("metadata", [OPEN, replace(OPEN, state=State.IN_RECOVERY)])
def test_only_closed_ledgers_are_checked(metadata: Metadata) -> None:
    """The end of others is not known."""
    small = cluster(metadata)
    assert ending(small) is Ending.NOT_CLOSED
    assert small.asked == ["mark 7", "metadata 7"]


def test_marks_come_before_all_else() -> None:
    """With a mark nothing more is asked."""
    small = cluster(None, ("a", 0))
    small.marks[LEDGER] = Mark(("a",), small.time_ms)
    assert ending(small) is Ending.MARKED
    assert small.asked == ["mark 7"]


def test_a_mark_that_is_too_old_is_a_violation() -> None:
    """Since when, and for whom; an earlier run may have seen it first."""
    small = cluster()
    small.marks[LEDGER] = Mark(("a",), small.time_ms - 1001)
    old = Violation(LEDGER, Category.MARKED_TOO_LONG, bookies=("a",), since_ms=small.time_ms - 1001)
    assert checked(small).violations == (old,)
    small.marks[LEDGER] = Mark(("a", "b"), small.time_ms)
    assert ending(small) is Ending.MARKED
    assert ending(small, replace(SETTINGS, first_seen_ms={LEDGER: 0})) is Ending.REPORTED


def test_each_segment_is_held_to_the_placement_policy() -> None:
    """Also those of a ledger that has no entries."""
    racks = RackAware({"a": "/r/1", "b": "/r/1", "c": "/r/2", "d": "/r/1"}, least=2)
    small = cluster(closed(-1, ("a", "c", "b"), ("a", "b", "d")))
    report = checked(small, replace(SETTINGS, policy=racks))
    assert report.violations == (
        Violation(LEDGER, Category.MISPLACED, 0, ("a", "c", "b")),
        Violation(LEDGER, Category.MISPLACED, 3, ("a", "b", "d")),
    )


def test_entries_that_lack_copies_are_reported_with_all_that_is_known() -> None:
    """By segment and category: which entries, and which bookies lack them."""
    small = cluster(closed(5, ("a", "b", "c"), ("a", "b", "d")), ("b", 0), ("a", 3), ("b", 3), ("d", 4))
    assert checked(small).violations == (
        Violation(LEDGER, Category.BELOW_ACK_QUORUM, 0, ("b",), (0,)),
        Violation(LEDGER, Category.BELOW_ACK_QUORUM, 3, ("d",), (4,)),
        Violation(LEDGER, Category.NO_REPLICA, 3, ("a", "b"), (3,)),
    )


def test_a_copy_below_the_write_quorum_is_a_violation() -> None:
    """Even where the ack quorum has the entry."""
    small = cluster(closed(5, quorums=Quorums(3, 3, 2)), ("b", 4))
    assert checked(small).violations == (Violation(LEDGER, Category.BELOW_WRITE_QUORUM, 0, ("b",), (4,)),)


def test_before_a_report_it_looks_again() -> None:
    """For a mark, and at the metadata."""
    small = cluster(None, ("a", 0))
    assert ending(small) is Ending.REPORTED
    assert small.asked[-2:] == ["mark 7", "metadata 7"]


def test_a_mark_that_came_in_between_ends_it() -> None:
    """It is being handled."""
    small = cluster(None, ("a", 0))
    small.meanwhile[5] = lambda now: now.marks.update({LEDGER: Mark(("a",), now.time_ms)})
    assert ending(small) is Ending.MARKED


def test_metadata_that_changed_is_checked_anew() -> None:
    """Instead of a false alarm; the new ensemble is asked."""
    small = cluster(None, ("a", 0))
    small.meanwhile[6] = lambda now: now.add(LEDGER, closed(5, ("d", "b", "c")))
    assert ending(small) is Ending.SOUND
    assert small.asked[6:] == ["metadata 7", "entries 7 d", "entries 7 b", "entries 7 c"]


def test_a_ledger_that_was_deleted_meanwhile_is_gone() -> None:
    """At either reading of its metadata."""
    for question in (1, 6):
        small = cluster(None, ("a", 0))
        small.meanwhile[question] = lambda now: now.metadatas.clear()
        assert ending(small) is Ending.GONE


def test_a_bookie_out_of_reach_puts_its_ledger_aside() -> None:
    """Nothing of it is reported before the delay, and it alone is checked again."""
    small = cluster(None, ("a", 0))
    small.add(8, closed())
    away = small.held[LEDGER].pop("b")
    small.meanwhile[12] = lambda now: now.held[LEDGER].update({"b": away})
    report = checked(small)
    assert report.violations == (Violation(LEDGER, Category.BELOW_ACK_QUORUM, 0, ("a",), (0,)),)
    assert small.asked[7:13] == ["mark 8", "metadata 8", "entries 8 a", "entries 8 b", "entries 8 c", "wait 500"]
    assert small.asked[13:] == [
        *("mark 7", "metadata 7", "entries 7 a", "entries 7 b", "entries 7 c"),
        *("mark 7", "metadata 7"),
    ]


def test_a_bookie_that_answers_after_the_delay_was_a_transient_fault() -> None:
    small = cluster()
    away = small.held[LEDGER].pop("b")
    small.meanwhile[7] = lambda now: now.held[LEDGER].update({"b": away})
    assert ending(small) is Ending.SOUND


@pytest.mark.parametrize(
    ("is_registered", "is_known_down", "expected"),
    [
        (True, False, Ending.REPORTED),
        (True, True, Ending.REPORTED),
        (False, False, Ending.REPORTED),
        (False, True, Ending.BOOKIES_DOWN),
    ],
)
def test_a_bookie_that_stays_silent(is_registered: bool, is_known_down: bool, expected: Ending) -> None:
    """Is a violation, unless it is unregistered and known to be down; the ledger is not sound either way."""
    small = cluster()
    del small.held[LEDGER]["b"]
    small.present = set("ac") | (set("b") if is_registered else set())
    small.down = set("b") if is_known_down else set()
    report = checked(small)
    assert list(report.endings) == [expected]
    silent = (Violation(LEDGER, Category.SILENT_BOOKIE, bookies=("b",)),)
    assert report.violations == (silent if expected is Ending.REPORTED else ())
    assert small.asked[-1] == "registered"


def test_bytes_that_cannot_be_read_are_no_answer() -> None:
    small = cluster()
    small.held[LEDGER]["b"] = b"\0"
    assert checked(small).violations == (Violation(LEDGER, Category.SILENT_BOOKIE, bookies=("b",)),)


def test_metadata_that_cannot_be_read_is_told() -> None:
    """Damaged at either reading, or with more entries than can be looked at; it is never taken for sound."""
    damage = Malformed("no version", "metadata", "b''", "get it again")
    for question in (1, 6):
        small = cluster(None, ("a", 0))
        small.meanwhile[question] = lambda now: now.metadatas.update({LEDGER: damage})
        assert ending(small) is Ending.UNREADABLE
    small = cluster()
    small.metadatas[LEDGER] = Versioned(closed(1 << 40), 1)
    lines: list[str] = []
    assert list(run(small, [LEDGER], SETTINGS, lines.append).endings) == [Ending.UNREADABLE]
    assert lines[0].startswith("ledger 7: metadata: too many entries")


def test_violations_are_counted_at_the_end() -> None:
    """One line for each category, after each violation was logged."""
    small = cluster(None, ("a", 0))
    small.add(8, closed(), lost=[("a", 2), ("b", 4)])
    small.add(9, closed())
    lines: list[str] = []
    report = run(small, [7, 8, 9], SETTINGS, lines.append)
    assert report.counts[Category.BELOW_ACK_QUORUM] == 2
    assert report.endings == {Ending.REPORTED: 2, Ending.SOUND: 1}
    assert lines == [
        "ledger 7: fewer replicas of an entry than its ack quorum; segment 0; entries 0; bookies a",
        "ledger 8: fewer replicas of an entry than its ack quorum; segment 0; entries 2, 4; bookies a, b",
        *(f"{category.value}: {count} ledgers" for category, count in report.counts.items()),
    ]


def test_ledgers_that_are_checked_together_are_judged_as_if_alone() -> None:
    """What one of them asks again, the others do not wait for; each is looked at again before it is reported."""
    small = cluster(None, ("a", 0))
    small.add(8, closed())
    small.add(9, closed(), lost=[("b", 4)])
    alone, lines = checked(small), list[str]()
    small.asked.clear()
    assert run(small, [7, 8, 9], SETTINGS, lines.append, Groups(3)) == alone
    assert small.asked[:3] == ["mark 7", "mark 8", "mark 9"]
    assert small.asked[-4:] == ["mark 7", "mark 9", "metadata 7", "metadata 9"]


def test_nothing_lies_between_the_second_look_and_the_report() -> None:
    """Whatever others ask meanwhile."""
    small = cluster(None, ("a", 0))
    small.add(8, closed())
    run(small, [7, 8], SETTINGS, small.asked.append, Groups(1, abreast=2))
    assert small.asked[:4] == ["mark 7", "mark 8", "metadata 7", "metadata 8"]
    place = small.asked.index("entries 7 c")
    assert small.asked[place + 1 : place + 3] == ["mark 7", "metadata 7"]
    assert small.asked[place + 3].startswith("ledger 7: ")
    assert small.asked[place + 4] == "entries 8 a"


def test_a_mark_that_came_in_between_ends_one_of_those_checked_together() -> None:
    small = cluster(None, ("a", 0))
    small.add(8, closed(), lost=[("a", 2)])
    small.meanwhile[10] = lambda now: now.marks.update({LEDGER: Mark(("a",), now.time_ms)})
    report = run(small, [7, 8], SETTINGS, lambda _: None, Groups(2))
    assert report.endings == {Ending.MARKED: 1, Ending.REPORTED: 1}
    assert [one.ledger for one in report.violations] == [8]


def test_what_was_sound_and_did_not_change_is_not_asked_about() -> None:
    """It is looked for a mark, the metadata is read, and no bookie is asked."""
    small = cluster(None, ("a", 0))
    assert ending(small, since(Sound(1, 0))) is Ending.STANDING
    assert small.asked == ["mark 7", "metadata 7"]


@pytest.mark.parametrize(
    "earlier",
    [
        Earlier({LEDGER: Sound(2, 0)}, frozenset("abc")),
        Earlier({LEDGER: Sound(1, 9)}, frozenset("abc"), oldest_ms=10),
        Earlier({LEDGER: Sound(1, 0)}, frozenset("ac")),
        Earlier({8: Sound(1, 0)}, frozenset("abc")),
    ],
    ids=["another version", "asked long ago", "a bookie that went or came", "not known"],
)
def test_what_changed_or_is_old_is_asked_about_again(earlier: Earlier) -> None:
    assert ending(cluster(None, ("a", 0)), replace(SETTINGS, earlier=earlier)) is Ending.REPORTED


def test_an_ensemble_that_is_not_allowed_any_more_is_reported_though_nothing_changed() -> None:
    racks = RackAware({"a": "/r/1", "b": "/r/1", "c": "/r/1"}, least=2)
    assert ending(cluster(), replace(since(Sound(1, 0)), policy=racks)) is Ending.REPORTED


def test_a_ledger_that_is_marked_by_now_does_not_count_as_sound() -> None:
    small = cluster()
    small.marks[LEDGER] = Mark(("a",), small.time_ms)
    assert ending(small, since(Sound(1, 0))) is Ending.MARKED


def test_what_was_not_asked_for_changes_nothing() -> None:
    """A step that is not enabled is none."""
    check = Check(LEDGER)
    assert step(check, DelayPassed(), SETTINGS) is None
    assert step(check, MetadataSeen(None), SETTINGS) is None
    read = step(check._replace(stage=Stage.METADATA), MetadataSeen(Versioned(closed(), 1)), SETTINGS)
    assert read is not None
    assert step(read, Answered("d", frozenset()), SETTINGS) is None
    heard = step(read, Answered("a", frozenset()), SETTINGS)
    assert heard is not None
    assert step(heard, Answered("a", frozenset()), SETTINGS) is None
    assert step(heard.ended(Ending.SOUND), MarkSeen(None, 0), SETTINGS) is None
    assert wanted(heard.ended(Ending.SOUND)) == ()


def test_nothing_is_repaired() -> None:
    """What is found is made heard; the cluster stays as it is."""
    small, untouched = (cluster(None, ("a", 0), ("b", 3)) for _ in range(2))
    assert ending(small) is Ending.REPORTED
    assert (small.metadatas, small.held, small.marks) == (untouched.metadatas, untouched.held, untouched.marks)
