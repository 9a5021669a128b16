"""Greylisting: slow nodes are passed over for a probation period, which grows and shrinks.

LogDevice, Read path, SCD greylisting; common/client_read_stream/ClientReadStreamFailureDetector.cpp. Four nodes, of
which one may be an outlier; windows of ten LSNs slide every second.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf

from reference_impl.log.delivery.greylist import (
    FIRST_MARGIN,
    FIRST_TERM,
    Greylist,
    Window,
    detect,
    on_progress,
    on_slide,
    outlier_limit,
    reinstate,
    with_nodes,
)

ALL = frozenset(range(4))
NEW = with_nodes(Greylist({}), ALL, ALL, outlier_limit(3, down=1))


def window(number: int, greylist: Greylist, *silent: int, took_ms: int = 10) -> Greylist:
    """One window: it slides at its second, and all but the silent nodes complete it in time."""
    slid = on_slide(greylist, Window(10 * number, 1_000 * number), 1)
    for node in sorted(ALL - {*silent}):
        slid = on_progress(slid, node, 10 * number + 1, 1_000 * number + took_ms)
    return slid


SLOW = detect(window(1, NEW, 3), 1_200)[0]
"""Node 3 is 20 times as slow as the others."""


def test_how_many_may_be_passed_over() -> None:
    """Fewer than the copies of a record, with those that are down: ClientReadStreamScd.cpp."""
    assert [outlier_limit(3, down) for down in range(4)] == [2, 1, 0, 0]
    assert NEW.limit == 1


def test_nothing_to_detect() -> None:
    """Without a window, where all completed it, and where more are behind than may be outliers."""
    assert detect(NEW, 0) == (NEW, None)
    assert detect(window(1, NEW), 9_000) == (window(1, NEW), None)
    assert detect(window(1, NEW, 2, 3), 9_000) == (window(1, NEW, 2, 3), None)


def test_who_is_behind_gets_time_until_the_threshold() -> None:
    """Ten times the mean of the others is the margin: at 10 ms they had, 110 ms are too long."""
    waiting = window(1, NEW, 3)
    assert detect(waiting, 1_050) == (waiting, 70)
    late, wait_ms = detect(waiting, 1_050 + 70)
    assert late.outliers == {3}
    assert wait_ms is None


def test_an_outlier_is_on_probation() -> None:
    """For a minute; the next term is twice as long, and the next detection half as eager."""
    assert SLOW.outliers == {3}
    assert SLOW.nodes[3].until_ms == 1_200 + 60_000
    assert SLOW.nodes[3].latency_ms == 200
    assert SLOW.nodes[3].term.value == 2 * FIRST_TERM.value
    assert SLOW.margin.value == 2 * FIRST_MARGIN.value


def test_an_outlier_is_reinstated() -> None:
    """When its term is over, and what was measured of it is forgotten."""
    assert reinstate(SLOW, 61_199) == SLOW
    back = reinstate(on_progress(SLOW, 3, 11, 2_000), 61_200)
    assert back.outliers == frozenset()
    assert (back.nodes[3].latencies, back.nodes[3].until_ms) == ((), inf)


def test_terms_grow() -> None:
    """A node that is slow again is passed over for twice as long, and at most for half an hour."""
    greylist, terms = SLOW, []
    for number in range(2, 9):
        now_ms = int(greylist.nodes[3].until_ms)
        terms.append(now_ms)
        greylist = reinstate(greylist, now_ms)._replace(margin=FIRST_MARGIN)
        slid = on_slide(greylist, Window(10 * number, now_ms), 1)
        for node in range(3):
            slid = on_progress(slid, node, 10 * number + 1, now_ms + 10)
        greylist, _ = detect(slid, now_ms)
        assert greylist.outliers == frozenset()
        greylist, _ = detect(slid, now_ms + 200)
    lengths = [later - earlier - 200 for earlier, later in pairwise(terms)]
    assert lengths == [120_000, 240_000, 480_000, 960_000, 1_800_000, 1_800_000]


def test_terms_shrink() -> None:
    """Each second in which it completes windows takes a quarter of a second from its term."""
    greylist = reinstate(SLOW, 61_200)
    assert greylist.nodes[3].term.value == 120_000
    greylist = window(102, window(82, greylist))
    assert greylist.nodes[3].term.value == 120_000 - 250 * (102_010 - 61_200) / 1000
    assert window(900, greylist).nodes[3].term.value == FIRST_TERM.value
    assert greylist.margin.value == 20 - 0.25 * 20


def test_an_outlier_stays_a_slow_sample() -> None:
    """While it is passed over, it counts with the latency that made it an outlier, and its windows are no good news."""
    greylist = on_progress(window(2, SLOW, 3), 3, 31, 2_010)
    assert greylist.nodes[3].term == SLOW.nodes[3].term
    assert detect(window(3, SLOW, 3), 9_000)[0].outliers == {3}


def test_an_outlier_may_hide_another() -> None:
    """It has the greatest sample still, so one node behind cannot be the one that stands out."""
    wider = SLOW._replace(limit=2, margin=FIRST_MARGIN)
    assert detect(window(2, wider, 2), 2_150)[0].outliers == {3}


def test_outliers_keep_their_terms() -> None:
    """Another one begins its own term: the first goes on as it was."""
    wider = SLOW._replace(limit=2, margin=FIRST_MARGIN)
    both, _ = detect(window(2, wider, 2, 3), 2_150)
    assert both.outliers == {2, 3}
    assert both.nodes[3] == SLOW.nodes[3]
    assert (both.nodes[2].until_ms, both.nodes[2].latency_ms) == (2_150 + 60_000, 150)


def test_who_may_not_be_an_outlier_is_no_measure() -> None:
    """A node that is down may be slow or quick: the others are compared with each other."""
    greylist = on_slide(with_nodes(Greylist({}), ALL, ALL - {0}, 1), Window(10, 0), 0)
    for node, now_ms in ((0, 100), (1, 10), (2, 10)):
        greylist = on_progress(greylist, node, 11, now_ms)
    assert detect(greylist, 200)[0].outliers == {3}


def test_without_anything_to_compare_with() -> None:
    """The others were through before the window slid, and have no samples."""
    greylist = on_slide(NEW, Window(10, 0), 0)
    ahead = {node: watched._replace(next_lsn=99) for node, watched in greylist.nodes.items() if node != 3}
    greylist = greylist._replace(nodes={**greylist.nodes, **ahead})
    assert detect(greylist, 9_000) == (greylist, None)


def test_when_a_window_is_complete() -> None:
    """As soon as a node is past the last LSN of it, and once only."""
    at_end = on_progress(on_slide(NEW, Window(10, 0), 0), 0, 10, 5)
    assert at_end.nodes[0].latencies == ()
    assert 0 in at_end.behind(Window(10, 0))
    past = on_progress(at_end, 0, 11, 7)
    assert [bucket.samples for bucket in past.nodes[0].latencies] == [1]
    assert 0 not in past.behind(Window(10, 0))
    assert on_progress(past, 0, 12, 9).nodes[0].latencies == past.nodes[0].latencies


def test_two_windows_are_remembered() -> None:
    """A reader slides before all nodes are through: a node completes both windows at once, with a sample for each."""
    slid = on_slide(on_slide(on_slide(NEW, Window(10, 0), 0), Window(20, 100), 0), Window(30, 300), 0)
    assert slid.windows == (Window(20, 100), Window(30, 300))
    (bucket,) = on_progress(slid, 0, 31, 400).nodes[0].latencies
    assert (bucket.samples, bucket.total_ms) == (2, 300 + 100)


def test_a_rewind_starts_afresh() -> None:
    """With another filter version the windows are gone, and every node starts from the beginning again."""
    again = on_slide(SLOW, Window(40, 5_000), 2)
    assert again.windows == (Window(40, 5_000),)
    assert {watched.next_lsn for watched in again.nodes.values()} == {1}
    assert again.outliers == {3}


def test_news_of_no_consequence() -> None:
    """A node that is not measured, and one that goes back."""
    assert on_progress(SLOW, 9, 50, 2_000) == SLOW
    assert on_progress(SLOW, 0, 5, 2_000) == SLOW


def test_nodes_come_and_go() -> None:
    """A node that leaves, or may no longer be an outlier, is none; one that stays keeps what is known of it."""
    assert with_nodes(SLOW, ALL - {3}, ALL, 1).outliers == frozenset()
    kept = with_nodes(SLOW, ALL | {4}, ALL - {3}, 1)
    assert (kept.outliers, kept.nodes[3], set(kept.nodes)) == (frozenset(), SLOW.nodes[3], {0, 1, 2, 3, 4})
    assert with_nodes(SLOW, ALL, ALL | {7}, 1).candidates == ALL
    assert detect(window(2, kept, 3), 9_000)[0].outliers == frozenset()
