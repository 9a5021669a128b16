"""Histories in the forms of Jepsen and Porcupine, each with what its author says of it.

Sources: io.jepsen/history, README; jepsen.tests.kafka, Operations; anishathalye/porcupine, model.go and checker.go.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.history import ONE_RECORDER, import_history
from conformance.trace.errors import Mistyped
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.events import Ack, AtEnd, Deliver, Indefinite, Invoke, Read, Refused
from spec.language.limits import TIME_MAX
from spec.language.outcomes import Verdict
from tests.support.recordings import judged, of_kind, violated, write

Row = dict[str, Any]
LOST, EARLY_END = "client.read.acked_is_delivered", "client.read.nothing_beyond_the_end"
NEVER = (1 << 63) - 1
ANOTHER = {"outcome": "ok", "offset": 0, "value": 2}


def op(kind: str, process: int | str, function: str, value: Any = None, **more: Any) -> Row:
    """A line of Jepsen."""
    return {"type": kind, "process": process, "f": function, "value": value, **more}


def done(process: int, function: str, asked: Any, told: Any, kind: str = "ok", more: Row | None = None) -> list[Row]:
    """An operation of Jepsen, begun and ended."""
    return [op("invoke", process, function, asked), {**op(kind, process, function, told), **(more or {})}]


def send(process: int, value: int, offset: int | None, kind: str = "ok") -> list[Row]:
    """A send of the Kafka workload to the log 4."""
    return done(process, "send", [["send", 4, value]], [["send", 4, [offset, value]]], kind)


def poll(process: int, *records: tuple[int, int], kind: str = "ok", more: Row | None = None) -> list[Row]:
    """A poll of the Kafka workload; the log's name is text, as keys of JSON are."""
    return done(process, "poll", [["poll"]], [["poll", {"4": [list(one) for one in records]}]], kind, more)


def call(number: int, client: int, value: Row, *, kind: bool | str = False) -> Row:
    """A call of Porcupine."""
    return {"ClientId": client, "Kind": kind, "Value": value, "Id": number}


def returned(number: int, client: int, value: Row) -> Row:
    """A return of Porcupine."""
    return call(number, client, value, kind=True)


def operation(client: int, called: int, value: Row, returns: int, told: Row) -> Row:
    """An operation of Porcupine."""
    return {"ClientId": client, "Input": value, "Call": called, "Output": told, "Return": returns}


def imported(folder: Path, *rows: Row, **settings: Any) -> tuple[Header, list[EventRow]]:
    """The trace of a small history."""
    return import_history(write(folder / "history.jsonl", rows), **settings)


def found(folder: Path, *rows: Row) -> tuple[Verdict, set[str]]:
    """The verdict of a small history, and the rules that are violated for certain."""
    said = judged(*imported(folder, *rows))
    return said.verdict, set(violated(said))


def test_a_jepsen_history_is_in_total_order(tmp_path: Path) -> None:
    """io.jepsen/history: a totally ordered log of concurrent operations; what the nemesis does is not a client's."""
    nemesis = op("info", "nemesis", "kill", time=1)
    header, events = imported(tmp_path, nemesis, *send(0, 1, 0), *poll(1, (0, 1)))
    assert set(header.recorders) == {ONE_RECORDER}
    assert (header.named["logs"], dict(header.promises)) == ({0: "4"}, {})
    assert [(event["esn"], event["payload"]) for event in of_kind(events, Ack.kind or 0)] == [(0, "1")]
    assert judged(header, events).verdict is Verdict.HOLDS


def test_jepsen_polls_go_on_from_each_other(tmp_path: Path) -> None:
    """jepsen.tests.kafka: barring a change in assignment the next poll gives the messages that follow."""
    rows = [row for number in range(3) for row in send(0, number, number)]
    assert found(tmp_path, *rows, *poll(1, (0, 0), (1, 1)), *poll(1), *poll(1, (2, 2))) == (Verdict.HOLDS, set())
    assert found(tmp_path, *rows, *poll(1, (0, 0)), *poll(1, (2, 2))) == (Verdict.VIOLATED, {LOST})


@pytest.mark.parametrize(
    "move",
    [
        done(1, "subscribe", [4], [4]),
        done(1, "assign", [4], [4]),
        done(1, "crash", None, None, "info"),
        poll(1, kind="info"),
        poll(1, kind="fail"),
    ],
    ids=["subscribe", "assign", "crash", "no outcome", "failed"],
)
def test_a_jepsen_process_that_moves_reads_anew(tmp_path: Path, move: list[Row]) -> None:
    """jepsen.tests.kafka: an assignment can change at any time, and what a poll gave that did not end, nobody knows."""
    rows = [row for number in range(3) for row in send(0, number, number)]
    assert found(tmp_path, *rows, *poll(1, (0, 0)), *move, *poll(1, (2, 2))) == (Verdict.HOLDS, set())


def test_a_jepsen_poll_that_was_rebalanced_reads_anew(tmp_path: Path) -> None:
    """jepsen.tests.kafka: rebalance-log lists the changes of assignment during an operation."""
    rows = [row for number in range(3) for row in send(0, number, number)]
    again = poll(1, (2, 2), more={"rebalance-log": [{"keys": [4]}]})
    assert found(tmp_path, *rows, *poll(1, (0, 0)), *again) == (Verdict.HOLDS, set())


def test_jepsen_seeks_to_the_beginning(tmp_path: Path) -> None:
    """jepsen.tests.kafka: with seek-to-beginning? a client reads all of its partitions from the start."""
    begin = done(1, "assign", [4], [4], more={"seek-to-beginning?": True})
    rows = (*send(0, 1, 0), *send(0, 2, 1), *begin, *poll(1, (1, 2)))
    _, events = imported(tmp_path, *rows)
    assert [event["esn"] for event in of_kind(events, Read.kind or 0)] == [0]
    assert found(tmp_path, *rows) == (Verdict.VIOLATED, {LOST})


def test_a_jepsen_transaction_has_several_parts(tmp_path: Path) -> None:
    """jepsen.tests.kafka: txn denotes any mixture of sends and polls; an offset may be unknown."""
    asked = [["send", 4, 1], ["poll"], ["send", 4, 2]]
    told = [["send", 4, [None, 1]], ["poll", {"4": [[0, 1]], "5": []}], ["send", 4, [1, 2]]]
    _, events = imported(tmp_path, *done(0, "txn", asked, told), *done(0, "txn", [["send", 4, 3]], None, "fail"))
    assert len(of_kind(events, Invoke.kind or 0)) == 3
    assert [event["payload"] for event in of_kind(events, Indefinite.kind or 0)] == ["1"]
    assert [event["esn"] for event in of_kind(events, Ack.kind or 0)] == [1]
    assert [event["payload"] for event in of_kind(events, Refused.kind or 0)] == ["3"]
    assert [event["esn"] for event in of_kind(events, Deliver.kind or 0)] == [0]


def test_simple_jepsen_operations_have_one_record(tmp_path: Path) -> None:
    """io.jepsen/history: f and value are up to the test; an offset stands before the record or beside it."""
    rows = (
        *done(0, "append", "a", [0, "a"]),
        *done(0, "append", "b", "b", more={"offset": 1}),
        *done(1, "read", None, [[0, "a"]]),
        *done(1, "read", None, "b", more={"offset": 1}),
    )
    assert found(tmp_path, *rows) == (Verdict.HOLDS, set())
    assert found(tmp_path, *rows[:4], *done(1, "read", None, [[0, "a"], [1, "c"]]))[0] is Verdict.VIOLATED


def test_an_info_of_jepsen_may_have_happened_and_a_fail_not(tmp_path: Path) -> None:
    """io.jepsen/history: fail denotes a definite failure, info an indeterminate result."""
    assert found(tmp_path, *send(0, 1, None, "info"), *poll(1, (0, 1)))[0] is Verdict.HOLDS
    assert found(tmp_path, *send(0, 1, None, "fail"), *poll(1, (0, 1)))[0] is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([op("invoke", 0, "send", [["send", 4, 1]])] * 2, Contradiction),
        ([op("ok", 0, "send", [["send", 4, [0, 1]]])], Contradiction),
        (done(0, "send", [["send", 4, 1]], [["poll", {}]]), Contradiction),
        ([op("invoke", 0, "cas", [1, 2])], UnknownRow),
        ([op("begin", 0, "send", 1)], UnknownRow),
        ([op("invoke", 0, "txn", [["r", 4, None]])], Mistyped),
        ([op("invoke", 0, "send", [["send", 4]])], Mistyped),
        (done(0, "poll", [["poll"]], [["poll", {"4": [7]}]]), Mistyped),
        (done(0, "poll", [["poll"]], [["poll", {"4": 7}]]), Mistyped),
        (done(0, "append", "a", ["0", "a"]), Mistyped),
        (done(0, "send", [["send", 4, 1]], [["send", 4, [0, 2]]]), Contradiction),
        (done(0, "send", [["send", 4, 1]], [["send", 5, [0, 1]]]), Contradiction),
        (done(0, "append", "a", "b", more={"offset": 0}), Contradiction),
    ],
)
def test_a_broken_jepsen_history_is_named(tmp_path: Path, rows: list[Row], fault: type[Exception]) -> None:
    with pytest.raises(fault, match="line"):
        imported(tmp_path, *rows)


def test_porcupine_events_are_in_order(tmp_path: Path) -> None:
    """Porcupine, model.go: a CallEvent is false, a ReturnEvent true; checker.go: their place is their time."""
    rows = (
        call(0, 0, {"op": "append", "value": "a"}),
        call(1, 1, {"op": "append", "value": "b"}),
        returned(1, 1, {"outcome": "ok", "offset": 0}),
        returned(0, 0, {"outcome": "ok", "offset": 1}),
    )
    end = (call(2, 2, {"op": "end"}), returned(2, 2, {"offset": 1}))
    reads = [
        one
        for number, value in enumerate("ba")
        for one in (
            call(3 + number, 2, {"op": "read", "offset": number}),
            returned(3 + number, 2, {"outcome": "ok", "offset": number, "value": value}),
        )
    ]
    assert found(tmp_path, *rows, *reads) == (Verdict.HOLDS, set())
    assert found(tmp_path, *rows, *reads, *end) == (Verdict.VIOLATED, {EARLY_END})
    assert found(tmp_path, end[0], *rows, *reads[2:], end[1])[0] is Verdict.HOLDS, "it asked before"


def test_a_porcupine_read_goes_on_from_the_offset_of_its_call(tmp_path: Path) -> None:
    """What lies between the offset of the call and that of the return is passed over; what lies before is not."""
    rows = [
        one
        for number, value in enumerate("abc")
        for one in (
            call(number, 0, {"op": "append", "value": value}),
            returned(number, 0, {"outcome": "ok", "offset": number}),
        )
    ]
    told = returned(9, 1, {"outcome": "ok", "offset": 2, "value": "c"})
    assert found(tmp_path, *rows, call(9, 1, {"op": "read", "offset": 2}), told) == (Verdict.HOLDS, set())
    assert found(tmp_path, *rows, call(9, 1, {"op": "read", "offset": 1}), told) == (Verdict.VIOLATED, {LOST})


def test_porcupine_operations_have_times(tmp_path: Path) -> None:
    """Porcupine, checker.go: of equal times calls come before returns; who never returned has the greatest time."""
    rows = (
        operation(0, 1, {"op": "append", "value": "a"}, 5, {"outcome": "ok", "offset": 0}),
        operation(1, 2, {"op": "append", "value": "b"}, NEVER, {"outcome": "unknown"}),
    )
    _, events = imported(tmp_path, *rows)
    assert [event["time_ns"] for event in of_kind(events, Ack.kind or 0)] == [5]
    assert [event["time_ns"] for event in of_kind(events, Indefinite.kind or 0)] == [None]
    last = operation(0, 1, {"op": "append", "value": "a"}, TIME_MAX, {"outcome": "ok", "offset": 0})
    assert [event["time_ns"] for event in of_kind(imported(tmp_path, last)[1], Ack.kind or 0)] == [TIME_MAX]
    at_once = operation(2, 5, {"op": "end"}, 6, {"offset": 0})
    later = operation(2, 6, {"op": "read", "offset": 0}, 7, {"op": "end", "offset": 0})
    assert len(of_kind(imported(tmp_path, *rows, later)[1], AtEnd.kind or 0)) == 1
    assert found(tmp_path, *rows, at_once)[1] == set()
    assert EARLY_END in found(tmp_path, *rows, later)[1]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([call(0, 0, {"op": "append", "value": 1})] * 2, Contradiction),
        ([returned(0, 0, {"outcome": "ok", "offset": 0})], Contradiction),
        ([call(0, 0, {"op": "end"}), returned(0, 1, {"offset": 0})], Contradiction),
        ([call(0, 0, {"op": "append", "value": 1}), returned(0, 0, ANOTHER)], Contradiction),
        ([call(0, 0, {"op": "cas"})], UnknownRow),
        ([call(0, 0, {"op": "end"}, kind="maybe")], UnknownRow),
        ([call(0, 0, {"op": "end"}) | {"Value": 7}], Mistyped),
        ([operation(0, 5, {"op": "end"}, 4, {"offset": 0})], Contradiction),
        ([{"ts": 1, "event": "append"}], UnknownRow),
    ],
)
def test_a_broken_porcupine_history_is_named(tmp_path: Path, rows: list[Row], fault: type[Exception]) -> None:
    with pytest.raises(fault, match="line"):
        imported(tmp_path, *rows)
