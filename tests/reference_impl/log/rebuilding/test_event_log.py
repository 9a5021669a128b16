"""The event log: one order of deltas, and a table of statuses for each of them. LogDevice, docs/Rebuilding.md."""

from __future__ import annotations

from typing import Any

from reference_impl.log import trace_events
from reference_impl.log.rebuilding.event_log import HANDLERS, EventLog
from reference_impl.log.rebuilding.messages import (
    Abort,
    AckRebuilt,
    Donated,
    Down,
    LogGone,
    NeedsRebuild,
    Unrecoverable,
)
from reference_impl.log.statuses import Statuses
from spec.events import ABORTED, ACKNOWLEDGED, IS_LOST, RELOCATES, RESTORES
from tests.support.machines import NOW, kinds_of, machine_of, taken

MACHINE = machine_of()
DONORS = frozenset({(1, 7), (2, 7), (2, 8)})
ZERO = frozenset({0})
NOBODY = frozenset[int]()


def after(*deltas: Any, log: EventLog | None = None) -> tuple[EventLog, list[dict[str, Any]]]:
    """What some deltas make of the event log, and what is recorded meanwhile."""
    now, events = log or EventLog(), list[dict[str, Any]]()
    for delta in deltas:
        now, _, more = taken(HANDLERS[type(delta)](now, delta, NOW, MACHINE))
        events += more
    return now, events


def done(donor: int, log: int, began: int = 1, *, authoritative: bool = True) -> Donated:
    """A donor is done with a log."""
    return Donated(0, began, donor, log, authoritative)


RESTORE = NeedsRebuild(0, False, True, False, DONORS, {})
LOST = Unrecoverable(0, {7: 70, 8: 80})
MOVE = NeedsRebuild(0, True, False, False, DONORS, {7: 70, 8: 80})
ALL_DONE = (done(1, 7), done(2, 7), done(2, 8))


def test_a_lost_shard_is_rebuilt_and_comes_back() -> None:
    """UNAVAILABLE, UNDERREPLICATION, AUTHORITATIVE_EMPTY, FULLY_AUTHORITATIVE: each delta makes a version."""
    log, events = after(RESTORE)
    assert (log.statuses, [event["kind"] for event in events]) == (
        Statuses(1, 0, unavailable=ZERO),
        [trace_events.REBUILDING, trace_events.STATUS],
    )
    log, _ = after(LOST, log=log)
    assert log.statuses == Statuses(2, 2, underreplicated=ZERO)
    log, events = after(*ALL_DONE[:2], log=log)
    assert log.statuses == Statuses(4, 2, underreplicated=ZERO)
    assert [event["nodes"] for event in events if event["kind"] == trace_events.DONATED] == [
        frozenset({2}),
        frozenset({2}),
    ]
    log, events = after(ALL_DONE[2], log=log)
    assert log.statuses == Statuses(5, 5, empty=ZERO)
    assert kinds_of(events) == [trace_events.DONATED, trace_events.STATUS, trace_events.EMPTIED, trace_events.EMPTIED]
    assert [(event["log"], event["esn"]) for event in events[2:]] == [(7, 70), (8, 80)]
    log, events = after(AckRebuilt(0), log=log)
    assert (log.statuses, log.shards, log.until) == (Statuses(6, 6), {}, {})
    assert events[0]["arg"] == ACKNOWLEDGED


def test_a_shard_that_is_moved_keeps_its_status_until_it_is_empty() -> None:
    log, events = after(MOVE, *ALL_DONE[:2])
    assert log.statuses == Statuses(3, 0)
    assert (events[0]["arg"], events[0]["nodes_b"]) == (RELOCATES, ZERO)
    log, events = after(ALL_DONE[2], log=log)
    assert log.statuses == Statuses(4, 4, empty=ZERO)


def test_what_donors_say_of_an_earlier_rebuilding_does_not_count() -> None:
    log, _ = after(RESTORE, LOST)
    for stale in (done(1, 7, began=9), done(3, 7), done(1, 9)):
        assert HANDLERS[Donated](log, stale, NOW, MACHINE) is None
    log, _ = after(done(1, 7), log=log)
    assert HANDLERS[Donated](log, done(1, 7), NOW, MACHINE) is None


def test_a_log_that_is_gone_need_not_be_rebuilt() -> None:
    """Nothing is said of where it lies."""
    log, events = after(RESTORE, LOST, LogGone(7), done(2, 8))
    assert log.statuses.empty == ZERO
    assert [event["log"] for event in events if event["kind"] == trace_events.EMPTIED] == [8]


def test_data_is_lost_where_donors_leave_something_out() -> None:
    """The comment in EventLogRebuildingSet.cpp: expect data loss. As long as the data may come back, it waits."""
    log, _ = after(RESTORE, *ALL_DONE[:2], done(2, 8, authoritative=False))
    assert log.statuses.unavailable == ZERO
    log, _ = after(LOST, log=log)
    assert log.statuses.empty == ZERO


def test_a_shard_that_has_its_data_may_keep_it() -> None:
    log, events = after(MOVE, Abort(0))
    assert (log.statuses, log.shards, events[-2]["arg"]) == (Statuses(2, 0), {}, ABORTED)
    log, _ = after(RESTORE, Abort(0))
    assert log.statuses == Statuses(2, 0)
    log, events = after(RESTORE, LOST)
    assert [event["arg"] for event in events if event["kind"] == trace_events.REBUILDING] == [RESTORES, IS_LOST]
    assert HANDLERS[Abort](log, Abort(0), NOW, MACHINE) is None


def test_deltas_that_change_nothing_are_no_steps() -> None:
    log, _ = after(RESTORE, LOST)
    for delta in (RESTORE, LOST, AckRebuilt(0), AckRebuilt(3), Abort(3), Unrecoverable(3, {})):
        assert HANDLERS[type(delta)](log, delta, NOW, MACHINE) is None


def test_nodes_that_are_down_are_unavailable_unless_they_are_worse() -> None:
    log, _ = after(RESTORE, LOST, Down(frozenset({0, 3})))
    assert log.statuses == Statuses(3, 2, unavailable=frozenset({3}), underreplicated=ZERO)
    log, _ = after(Down(NOBODY), log=log)
    assert log.statuses == Statuses(4, 2, underreplicated=ZERO)
