"""Histories of plain clients in quorate's own form, each with the sentence of the specification that it is about.

``docs/how-to/import-a-client-history.md`` justifies the form, ``spec.client.definition`` the verdicts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conformance.importers.errors import Contradiction
from conformance.importers.history import ONE_RECORDER, import_history
from conformance.trace import jsonl
from conformance.trace.errors import Duplicated, Mistyped
from conformance.trace.header import MAX_TIME, Header
from conformance.trace.open import open_trace
from conformance.trace.rows import EventRow
from spec.client.definition import verdict
from spec.client.precedence import known_order
from spec.events import Ack, AtEnd, Deliver, Invoke, Read
from spec.language.outcomes import Verdict
from tests.support.histories import random_history
from tests.support.plain_histories import is_in_time, is_plain, plain_rows, recorded_by
from tests.support.recordings import judged, of_kind, violated, write

Row = dict[str, Any]
LOST = "client.read.acked_is_delivered"


def invoke(value: object, client: object = "w", **more: Any) -> Row:
    """A client asks for an append."""
    return {"op": "invoke", "client": client, "value": value, **more}


def acked(value: object, offset: int, client: str = "w", **more: Any) -> Row:
    """It is told that the record is safe."""
    return {"op": "append", "client": client, "value": value, "outcome": "ok", "offset": offset, **more}


def ended(value: object, outcome: str, client: str = "w", **more: Any) -> Row:
    """It is told something else."""
    return {"op": "append", "client": client, "value": value, "outcome": outcome, **more}


def read(value: object, offset: int, client: str = "r", **more: Any) -> Row:
    """A client is given a record."""
    return {"op": "read", "client": client, "value": value, "offset": offset, **more}


def seek(offset: int, client: str = "r") -> Row:
    """A client begins to read."""
    return {"op": "seek", "client": client, "offset": offset}


def imported(folder: Path, *rows: Row, **settings: Any) -> tuple[Header, list[EventRow]]:
    """The trace of a small history."""
    return import_history(write(folder / "history.jsonl", rows), **settings)


def found(folder: Path, *rows: Row, **settings: Any) -> tuple[Verdict, set[str]]:
    """The verdict of a small history, and the rules that are violated for certain."""
    said = judged(*imported(folder, *rows, **settings))
    return said.verdict, set(violated(said))


A, B = (invoke("a"), acked("a", 0)), (invoke("b"), acked("b", 1))


def test_each_client_records_alone_unless_told_otherwise(tmp_path: Path) -> None:
    """The order of lines of two clients means nothing; how far their clocks differ, nobody knows."""
    header, _ = imported(tmp_path, *A, read("a", 0))
    assert (set(header.recorders), header.clock_bound_ns, dict(header.promises)) == ({"w", "r"}, MAX_TIME, {})
    header, _ = imported(tmp_path, *A, read("a", 0), in_order=True, promises=("real_time_order",))
    assert set(header.recorders) == {ONE_RECORDER}
    assert dict(header.promises) == {"real_time_order": True}


@pytest.mark.parametrize("value", [1, True, [1], {"a": 1}, 1.5])
def test_a_value_and_a_text_that_looks_like_it_are_two_payloads(tmp_path: Path, value: object) -> None:
    """What was appended as a number was not given as text."""
    written = json.dumps(value, separators=(",", ":"))
    assert found(tmp_path, invoke(value), acked(value, 0), seek(0), read(value, 0))[0] is Verdict.HOLDS
    _, broken = found(tmp_path, invoke(value), acked(value, 0), seek(0), read(written, 0))
    assert "client.read.nothing_invented" in broken


@pytest.mark.parametrize(
    "rows", [(invoke("a", client=5), acked("a", 0, "5")), (invoke("a", id=1), acked("a", 0, id="1"))]
)
def test_a_name_is_written_in_one_way(tmp_path: Path, rows: tuple[Row, ...]) -> None:
    """A number and a text are two JSON values."""
    with pytest.raises(Contradiction, match=r"^[^ ]*history.jsonl, line 2: (client|id) is"):
        imported(tmp_path, *rows)


def test_a_name_is_text_or_a_whole_number(tmp_path: Path) -> None:
    with pytest.raises(Mistyped, match=r"client is 1\.5: it must be text or a whole number"):
        imported(tmp_path, invoke("a", client=1.5))


def test_an_append_ends_as_what_it_began(tmp_path: Path) -> None:
    """An id names one append of one value to one log. The file is named once."""
    for other in (acked("b", 0, id=1), acked("a", 0, id=1, log="other")):
        with pytest.raises(Contradiction, match=r"line 2: append .* ends as that of another") as caught:
            imported(tmp_path, invoke("a", id=1), other)
        assert str(caught.value).count("history.jsonl") == 1


@pytest.mark.parametrize("more", [{}, {"id": 1}], ids=["unnamed", "named"])
@pytest.mark.parametrize(
    "answers",
    [
        (ended("a", "unknown"), acked("a", 0)),
        (acked("a", 0), ended("a", "unknown")),
        (acked("a", 0), acked("a", 0)),
    ],
    ids=["gave up", "gives up", "twice"],
)
def test_a_client_may_hear_of_its_append_again(tmp_path: Path, answers: tuple[Row, ...], more: Row) -> None:
    """Who gave up may be answered later, and an answer may come twice (examples/traces/unusual)."""
    rows = [{**row, **more} for row in (invoke("a"), *answers)]
    assert found(tmp_path, *rows, seek(0), read("a", 0)) == (Verdict.HOLDS, set())


def test_an_append_that_has_two_offsets_is_judged(tmp_path: Path) -> None:
    """``spec.client.definition``, 1. Which append is meant an id says; without it, another may have begun unseen."""
    answers = (acked("a", 0), acked("a", 1), read("a", 0), read("a", 1))
    named = [row if row["op"] == "read" else {**row, "id": 1} for row in answers]
    assert found(tmp_path, invoke("a", id=1), *named) == (Verdict.VIOLATED, {"client.append.one_lsn"})
    assert found(tmp_path, invoke("a"), *answers) == (Verdict.HOLDS, set())


def test_two_appends_are_not_acknowledged_at_one_offset(tmp_path: Path) -> None:
    """``spec.client.definition``, 1: also of one value. Only what has no beginning left is the same answer again."""
    rows = (invoke("a"), invoke("a"), acked("a", 0), acked("a", 0), read("a", 0))
    assert found(tmp_path, *rows) == (Verdict.VIOLATED, {"client.append.one_per_lsn"})
    assert found(tmp_path, *rows[2:]) == (Verdict.VIOLATED, {"client.append.one_per_lsn"})


def test_offsets_are_esns_of_one_epoch(tmp_path: Path) -> None:
    """A log without epochs uses epoch 1 throughout (docs/how-to/judge-your-own-log.md)."""
    _, events = imported(tmp_path, *A, *B, seek(0), read("a", 0), read("b", 1))
    for kind in (Ack.kind, Deliver.kind):
        assert [(event["epoch"], event["esn"]) for event in of_kind(events, kind or 0)] == [(1, 0), (1, 1)]
    assert [(event["esn"], event["upto_epoch"]) for event in of_kind(events, Read.kind or 0)] == [(0, 0)]


@pytest.mark.parametrize("in_order", [False, True])
def test_the_header_names_clients_as_the_history_does(tmp_path: Path, in_order: bool) -> None:
    """Also where one recorder tells of all."""
    header, events = imported(tmp_path, *A, seek(0), read("a", 0, served_by="s1"), in_order=in_order)
    given, acked = (of_kind(events, kind or 0)[0] for kind in (Deliver.kind, Ack.kind))
    assert header.named["writers"] == {acked["actor"]: "w"}
    assert header.named["readers"] == {given["actor"]: "r"}
    assert given["extra"] == {"served_by": "s1"}


def test_clients_that_are_numbers_keep_them(tmp_path: Path) -> None:
    """A name that says no more than the number is none; one client with a name, and all are numbered anew."""
    header, events = imported(tmp_path, invoke("a", client="7"), acked("a", 0, client="7"), read("a", 0, client="3"))
    assert {event["actor"] for event in of_kind(events, Ack.kind or 0)} == {7}
    assert (header.named["writers"], header.named["readers"]) == ({}, {})
    header, _ = imported(tmp_path, invoke("a", client="7"), read("a", 0, client="r"), read("a", 0, client="007"))
    assert header.named["writers"] == {0: "7"}
    assert header.named["readers"] == {1: "r", 2: "007"}


def test_all_read_holds(tmp_path: Path) -> None:
    assert found(tmp_path, *A, *B, seek(0), read("a", 0), read("b", 1)) == (Verdict.HOLDS, set())


def test_nobody_read_is_unknown(tmp_path: Path) -> None:
    """Unknown is never a pass: whether an acknowledged record is lost, nobody asked."""
    assert found(tmp_path, *A) == (Verdict.UNKNOWN, set())


def test_what_a_reader_goes_over_is_lost(tmp_path: Path) -> None:
    """LogDevice, Recovery, Log recovery: acknowledged records must always be delivered to the reader."""
    rows = (*A, *B, invoke("c"), acked("c", 2))
    assert found(tmp_path, *rows, read("a", 0), read("c", 2)) == (Verdict.VIOLATED, {LOST})
    assert found(tmp_path, *rows, read("a", 0), seek(2), read("c", 2)) == (Verdict.HOLDS, set())
    lost_place = {"op": "read", "client": "r", "outcome": "unknown"}
    assert found(tmp_path, *rows, read("a", 0), lost_place, read("c", 2)) == (Verdict.HOLDS, set())


def test_a_refused_append_is_nowhere_and_one_without_outcome_anywhere(tmp_path: Path) -> None:
    """``spec.client.definition``, 1."""
    assert found(tmp_path, invoke("a"), ended("a", "failed"), read("a", 0))[0] is Verdict.VIOLATED
    assert found(tmp_path, invoke("a"), ended("a", "unknown"), read("a", 0))[0] is Verdict.HOLDS
    assert found(tmp_path, invoke("a"), read("a", 0))[0] is Verdict.HOLDS


def test_an_append_is_itself_whatever_its_value(tmp_path: Path) -> None:
    """``spec.client.definition``, 1: values repeat. Two appends at two offsets explain two records, and not three."""
    rows = (invoke("a"), ended("a", "unknown"), invoke("a"), acked("a", 1), read("a", 0), read("a", 1))
    assert found(tmp_path, *rows) == (Verdict.HOLDS, set())
    assert found(tmp_path, *rows, read("a", 2)) == (Verdict.VIOLATED, {"client.append.once"})


def test_an_answer_without_an_id_is_that_of_the_first_append_without_one(tmp_path: Path) -> None:
    """``docs/how-to/import-a-client-history.md``: an id tells appends of one value apart."""
    _, events = imported(tmp_path, invoke("a"), acked("a", 0), invoke("a"), acked("a", 1))
    begun = [event["seq"] for event in of_kind(events, Invoke.kind or 0)]
    assert [event["version"] for event in of_kind(events, Ack.kind or 0)] == begun
    _, events = imported(tmp_path, invoke("a"), invoke("a"), acked("a", 0), acked("a", 1))
    assert [event["version"] for event in of_kind(events, Ack.kind or 0)] == [None, None], "either may be meant"


def test_what_another_append_of_the_value_would_explain_is_unknown(tmp_path: Path) -> None:
    """The answer may be that of the second, though it is taken for that of the first."""
    begun = (invoke("a"), seek(0), read("a", 0), invoke("a"))
    for told in (ended("a", "failed"), acked("a", 1)):
        assert found(tmp_path, *begun, told, in_order=True)[0] is Verdict.UNKNOWN


def test_an_id_names_the_append(tmp_path: Path) -> None:
    """Two of one value are under way: the second is refused, so the first may be read."""
    rows = (invoke("a", id=1), invoke("a", id="two"), ended("a", "failed", id="two"), read("a", 0))
    _, events = imported(tmp_path, *rows)
    assert [event["version"] for event in of_kind(events, 4)] == [1]
    assert found(tmp_path, *rows)[0] is Verdict.HOLDS


def test_an_append_whose_beginning_is_not_recorded_binds_no_order(tmp_path: Path) -> None:
    """``spec.client.definition``, 5: it may have begun at any time before its end."""
    assert found(tmp_path, acked("a", 1), acked("b", 0), seek(0), read("b", 0), read("a", 1)) == (Verdict.HOLDS, set())
    both = (invoke("a"), acked("a", 1), invoke("b"), acked("b", 0), seek(0), read("b", 0), read("a", 1))
    assert found(tmp_path, *both) == (Verdict.VIOLATED, {"client.append.in_order"})
    _, events = imported(tmp_path, acked("a", 1, time_ns=5))
    begun = of_kind(events, Invoke.kind or 0)
    assert [(event["seq"], event["time_ns"], event["extra"]) for event in begun] == [(0, None, {"began_unknown": True})]


def test_the_end_is_true_of_a_moment_after_the_question(tmp_path: Path) -> None:
    """``spec.client.definition``, 4: nothing lies there that was acknowledged before the reader asked."""
    ask, end = {"op": "ask", "client": "r"}, {"op": "end", "client": "r", "offset": 1}
    before = found(tmp_path, *A, read("a", 0), *B, ask, end, in_order=True)
    after = found(tmp_path, *A, read("a", 0), ask, *B, end, in_order=True)
    assert before == (Verdict.VIOLATED, {"client.read.nothing_beyond_the_end"})
    assert after == (Verdict.HOLDS, set())
    _, events = imported(tmp_path, *A, read("a", 0), *B, end, in_order=True)
    assert [event["version"] for event in of_kind(events, AtEnd.kind or 0)] == [4], "it asked after its last step"


@pytest.mark.parametrize(("bound", "said"), [(0, Verdict.VIOLATED), (None, Verdict.UNKNOWN)])
def test_clocks_count_as_far_as_they_are_known(tmp_path: Path, bound: int | None, said: Verdict) -> None:
    """``spec.client.definition``, 6: nothing is given before its append began."""
    rows = (invoke("a", time_ns=20), acked("a", 0, time_ns=30), read("a", 0, time_ns=10))
    assert found(tmp_path, *rows, clock_bound_ns=bound)[0] is said


def test_the_order_of_lines_outweighs_clocks_that_contradict_it(tmp_path: Path) -> None:
    _, events = imported(tmp_path, invoke("a", time_ns=20), acked("a", 0, time_ns=10), in_order=True)
    assert [event["time_ns"] for event in events] == [None, None]


def test_logs_and_values_of_any_kind(tmp_path: Path) -> None:
    """A value is any JSON; its text is what people see of it."""
    values = ["a", 1, {"b": [1, 2], "a": None}, True]
    rows = [row for number, value in enumerate(values) for row in (invoke(value, log=7), acked(value, number, log=7))]
    header, events = imported(tmp_path, *rows, *(read(value, number, log=7) for number, value in enumerate(values)))
    assert header.named["logs"] == {0: "7"}
    assert [event["payload"] for event in of_kind(events, Deliver.kind or 0)] == [
        "a",
        "1",
        '{"a":null,"b":[1,2]}',
        "true",
    ]
    assert judged(header, events).verdict is Verdict.HOLDS


def test_a_field_that_nobody_knows_is_told(tmp_path: Path) -> None:
    """A misspelt time would change what is judged; marks of importers are no such fields."""
    header, events = imported(tmp_path, acked("a", 0), read("a", 0, time=1, esn=2), read("b", 1, time=1))
    jsonl.write_events(tmp_path / "t.jsonl", header, events)
    assert open_trace(tmp_path / "t.jsonl").unknown_fields().keys() == {"history.time", "history.esn"}


def test_a_promise_that_clients_cannot_see_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Contradiction, match="copies"):
        imported(tmp_path, *A, promises=("copies",))


def test_a_client_with_the_name_of_the_books_is_named(tmp_path: Path) -> None:
    """What the books of clients add has a recorder of its own; a client of its name would not be judged."""
    with pytest.raises(Duplicated, match="books"):
        imported(tmp_path, invoke("a", client="books"))


@pytest.mark.parametrize("recorder_of", [str, lambda _: ONE_RECORDER], ids=["each alone", "in order"])
def test_verdicts_are_those_of_the_definition(tmp_path: Path, rng: Random, recorder_of: Callable[[str], str]) -> None:
    """``spec.client.definition``: of random histories that the form can tell, half of them harmed in one place."""
    seen, wanted = dict.fromkeys(Verdict, 0), 250
    while sum(seen.values()) < wanted:
        if not is_plain(history := random_history(rng)):
            continue
        history = recorded_by(history, recorder_of)
        if not known_order(history).is_possible or not is_in_time(history):
            continue
        header, events = imported(
            tmp_path,
            *plain_rows(history),
            in_order=recorder_of("") == ONE_RECORDER,
            clock_bound_ns=history.clock_bound_ns,
            promises=("real_time_order",) if history.real_time_order else (),
        )
        said = verdict(history)
        assert judged(header, events).verdict is said, (tmp_path / "history.jsonl").read_text()
        seen[said] += 1
    assert min(seen.values()) > wanted // 20, seen
