"""Writers on one node. Synnax, Segment distribution, Channels and Segment Writes."""

from __future__ import annotations

from reference_impl.segment.storage import times_of
from reference_impl.segment.writing import Desk, commits, ends, holding, may_hold, pieces, runs, whole, writes


def wrote(desk: Desk, writer: str, *times: int) -> Desk:
    after = writes(desk, "a", writer, times)
    assert after is not None
    return after


def test_one_writer_holds_a_channel() -> None:
    """Nobody else writes to it until that writer has ended."""
    desk = holding(Desk(), "a", "w")
    assert not may_hold(desk, "a")
    assert writes(desk, "a", "v", (1,)) is None
    assert may_hold(ends(desk, "w"), "a")


def test_values_are_ordered_by_time() -> None:
    """What is written comes after all that was, committed or not."""
    desk = wrote(commits(wrote(holding(Desk(), "a", "w"), "w", 1, 2), "w", whole), "w", 5)
    assert [writes(desk, "a", "w", times) for times in ((), (5,), (2, 6), (7, 6), (6, 6))] == [None] * 5
    assert writes(desk, "a", "w", (6,)) is not None


def test_readers_see_what_is_committed() -> None:
    """And what a writer leaves uncommitted is gone with it, unless the next one commits it by mistake."""
    for keeps, stored in ((False, [1, 9]), (True, [1, 2, 9])):
        desk = commits(wrote(holding(Desk(keeps_uncommitted=keeps), "a", "w"), "w", 1), "w", whole)
        desk = holding(ends(wrote(desk, "w", 2), "w"), "a", "v")
        assert times_of(desk.stores["a"]) == [1]
        assert times_of(commits(wrote(desk, "v", 9), "v", whole).stores["a"]) == stored


def test_commits_are_cut_into_segments() -> None:
    """Whole, in pieces, or in runs of samples side by side; or all commits of a writer make one that grows."""
    times = (1, 2, 3, 7)
    assert [len(cut(times)) for cut in (whole, pieces(3), runs)] == [1, 2, 2]
    assert [cut(()) for cut in (whole, pieces(3), runs)] == [[], [], []]
    for grows, segments in ((True, 1), (False, 2)):
        desk = holding(Desk(grows=grows), "a", "w")
        for time in (1, 4):
            desk = commits(wrote(desk, "w", time), "w", whole)
        assert len(desk.stores["a"]) == segments
