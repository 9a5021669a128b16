"""Stories: every kind of event has its sentence, and a loss is told by the record alone.

Justified by the goal that violations are explained in plain sentences from the events, and pasted lines replay them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.check.chronology import in_order
from conformance.check.picture import WIDTH, draw, lane_of
from conformance.check.sentences import ToldEvent, tell
from conformance.check.steps import steps_of
from conformance.check.story import explain
from conformance.trace.open import open_trace
from spec.events import (
    CRASH,
    HOLE,
    NOT_TRIMMED,
    PAUSE,
    TRIM,
    Ack,
    Deliver,
    Erase,
    Event,
    Fault,
    Gap,
    Invoke,
    Passed,
    Read,
    Ship,
    Store,
)
from spec.language.bookkeeping import BOOKS
from spec.language.events import all_events
from spec.language.names import Names
from spec.log.family import LOG
from spec.log.story import STORY
from spec.registry import BY_ID
from spec.reports.names import names_of
from tests.support.small_traces import header, lost, sound, write, write_sorted
from tests.support.tiny import at
from tests.support.traces import HEADER, small_events

LOST = BY_ID["client.read.acked_is_delivered"]
KEY = (1, (1 << 32) + 1)


def test_every_kind_of_event_has_a_sentence() -> None:
    assert set(STORY.of_kind) == {event.kind for event in all_events(Event)}


def test_every_kind_of_event_has_a_place_without_a_clock() -> None:
    """Readers and rebuilding come after what was written; nothing of unknown time is left out."""
    events = [
        {"kind": event.kind, "recorder": "any", "seq": number, "time_ns": None, "epoch": 1, "esn": 1}
        for number, event in enumerate(all_events(Event))
    ]
    assert sorted(event["seq"] for event in in_order(events, LOG)) == list(range(len(events)))


def test_every_sentence_can_be_told_of_poor_events() -> None:
    names = names_of(HEADER)
    for event in [*small_events(), *lost()]:
        told = tell(event, names, STORY)
        assert told.endswith(".")
        assert told[0].isupper() or told.startswith(("n", "writer ("))
        assert "None" not in told


def test_a_loss_is_told_from_the_record(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", lost())
    story = explain(open_trace(path), LOST, KEY)
    told = " ".join(story.text.split())
    order = [
        "n0 alone stored payload 000000000000000b at e1n1",
        "is safe at e1n1",
        "n0 died",
        "n1 stored payload 000000000000000c at e2n1. That is the number of e1n1, in a later epoch",
        "Reader 3 passed over e1n1 to e2n0",
        "Reader 3 was given payload 000000000000000c at e2n1",
        "n0 erased its copy of e1n1",
        LOST.sentence,
        LOST.cite,
        "copies promised by an acknowledgement: 1",
        f"quorate explain {path} --rule {LOST.id} --key=1,e1n1",
    ]
    places = [told.rfind(part) for part in order]
    assert -1 not in places
    assert places == sorted(places)
    assert max(map(len, story.text.splitlines()[:-1])) <= WIDTH


def test_the_form_of_the_trace_does_not_change_the_story(tmp_path: Path) -> None:
    events = lost()
    one = explain(open_trace(write_sorted(tmp_path / "run.parquet", events)), LOST, KEY)
    other = explain(open_trace(write(tmp_path / "run.jsonl", events)), LOST, KEY)
    assert one.text.splitlines()[:-1] == other.text.splitlines()[:-1]


@pytest.mark.parametrize("key", [KEY, (1, 7), (9, 9)])
def test_a_row_that_breaks_nothing_is_not_accused(tmp_path: Path, key: tuple[int, int]) -> None:
    story = explain(open_trace(write(tmp_path / "run.jsonl", sound())), LOST, key)
    assert story.witness is None
    assert "does not show that the rule is broken" in story.text


def test_a_picture_that_does_not_fit_is_left_out() -> None:
    steps = [(event,) for event in lost()] * 5
    assert draw(steps, Names(), STORY)[0].startswith("(no picture")


def test_a_node_that_is_down_shows_in_its_lane(tmp_path: Path) -> None:
    story = explain(open_trace(write(tmp_path / "run.jsonl", lost())), LOST, KEY)
    lines = story.text.splitlines()
    crash = next(number for number, line in enumerate(lines) if "*crash" in line)
    assert lines[crash + 1].lstrip(" 0123456789").startswith("--- epoch 2 ---")
    assert all(":" in line for line in lines[crash + 2 : crash + 5])
    assert any(line.strip() == "A: payload 000000000000000b at e1n1" for line in lines)
    assert any("*gap A" in line for line in lines)
    assert any("*deliver B" in line for line in lines)


def test_a_node_whose_fault_nobody_recorded_is_missed(tmp_path: Path) -> None:
    unseen = [event for event in lost() if event["kind"] != Fault.kind]
    story = explain(open_trace(write(tmp_path / "run.jsonl", unseen)), LOST, KEY)
    assert "n0, the only node that had e1n1, took no part." in " ".join(story.text.split())


def test_a_node_that_a_fault_befell_took_no_part_for_that_reason(tmp_path: Path) -> None:
    """The record says why it was not there, so it is not told as if nobody knew."""
    story = explain(open_trace(write(tmp_path / "run.jsonl", lost())), LOST, KEY)
    told = " ".join(story.text.split())
    assert "n0 died" in told
    assert "took no part" not in told


def test_a_story_speaks_of_clients_as_the_header_does(tmp_path: Path) -> None:
    """Sentences, values, lanes and the row: a client that reads and writes under one name has one lane."""
    said = replace(header(), named={**header().named, "writers": {7: "app-1", 8: "app-2"}, "readers": {3: "audit"}})
    story = explain(open_trace(write(tmp_path / "run.jsonl", lost(), said)), LOST, KEY)
    assert "app-1 asked to append" in story.text
    assert "audit passed over" in story.text
    assert "    app-1         app-2         n0            n1            audit" in story.text.splitlines()
    assert "lient 7" not in story.text
    one = Names(named={"writers": {7: "app"}, "readers": {3: "app"}})
    assert {
        lane_of(ToldEvent(event, one, STORY)).name for event in lost() if event["kind"] in (Invoke.kind, Read.kind)
    } == {
        "app",
        "client 8",
    }


def test_a_lane_of_a_long_name_shows_its_end() -> None:
    names = Names(named={"writers": {7: "payments-writer-of-region-north-1", 8: "payments-writer-of-region-north-2"}})
    heads = draw([(event,) for event in lost()], names, STORY)[0].split()
    assert heads[0].endswith("north-1")
    assert heads[1].endswith("north-2")


def test_each_line_has_its_time(tmp_path: Path) -> None:
    events = [{**event, "time_ns": 1_000_000 * number} for number, event in enumerate(lost(), start=60)]
    events[2]["time_ns"] = None
    lines = explain(open_trace(write(tmp_path / "run.jsonl", events)), LOST, KEY).text.splitlines()
    told = lines[2 : lines.index("", 2)]
    assert "(+0 is time_ns 60000000)" in " ".join(told)
    assert [line[:15] for line in told if line[:3].strip().isdecimal()][:4] == [
        "  1  +0.0 ms  E",
        "  2  +1.0 ms  C",
        "  3           n",
        "  4  +3.0 ms  C",
    ]


def test_what_has_no_time_stands_among_what_has() -> None:
    """Times rise down a story; a copy of unknown time is told before the acknowledgement of its record."""
    stored = {**at(Store, 1, 1, node=0, digest=1, becomes=0), "time_ns": None}
    acked = at(Ack, 1, 1, writer=7, digest=1, time=40)
    given = at(Deliver, 1, 1, reader=3, digest=1, time=30)
    assert in_order([stored, acked, given], LOG) == [stored, given, acked]


def test_a_story_has_what_the_rule_compares_with(tmp_path: Path) -> None:
    """An acknowledgement that the client knew of before it appended lies at another LSN, and is the cause."""
    events = [
        at(Invoke, writer=7, digest=11),
        at(Ack, 1, 5, writer=7, digest=11),
        at(Invoke, writer=7, digest=12),
        at(Ack, 1, 2, writer=7, digest=12),
    ]
    said = header(promises={"client_order": True})
    path = write(tmp_path / "run.jsonl", events, said)
    story = explain(open_trace(path), BY_ID["client.append.in_order"], (1, (1 << 32) + 2))
    assert story.witness is not None
    assert story.witness.seen == {"after": "e1n5", "lsn": "e1n2"}
    told = " ".join(story.text.split())
    assert told.index("is safe at e1n5") < told.index("is safe at e1n2")


def test_a_story_of_one_log_has_no_events_of_another(tmp_path: Path) -> None:
    """Log 0 is a log like others, though events of no log stand beside it in a sorted trace."""
    others = [{**event, "log": 0, "digest": 99, "seq": event["seq"] + 1000} for event in lost() if "digest" in event]
    path = write(tmp_path / "run.jsonl", [*lost(), *others], replace(header(), named={}))
    story = explain(open_trace(path), LOST, KEY)
    assert story.witness is not None
    assert "0000000000000063" not in story.text
    assert "n0 died" in story.text


def test_a_trim_that_nobody_asked_for_is_no_silence() -> None:
    """What books conclude from a gap is told after it, and as they conclude it."""
    at_once = {"reader": 3, "time": 5}
    passed = at(Passed, 1, 1, **at_once, why=NOT_TRIMMED, upto_epoch=1, upto_esn=1, recorder=BOOKS)
    gap = at(Gap, 1, 1, **at_once, reason=TRIM, upto_epoch=1, upto_esn=1)
    assert in_order([passed, gap], LOG) == [gap, passed]
    assert tell(gap, Names(), STORY) == "Reader 3 was told that records were trimmed at e1n1."
    assert tell(passed, Names(), STORY) == "Reader 3 passed over e1n1, though nobody had asked to trim that."


def test_a_fault_of_unknown_time_has_a_place() -> None:
    """Among what has a time, and alone."""
    died = {**at(Fault, node=0, what=CRASH), "time_ns": None}
    acked = at(Ack, 1, 1, writer=7, digest=1)
    assert in_order([acked, died], LOG) == [died, acked]
    assert in_order([died], LOG) == [died]


def test_what_stands_in_an_acknowledgement_is_a_record() -> None:
    """Whether its append had begun is no hole plug, though one column keeps both."""
    acked = {**at(Ack, 1, 1, writer=7, digest=11), "arg_b": 1}
    assert draw([(acked,)], Names(), STORY)[-1].strip() == "A: payload 000000000000000b at e1n1"


def test_nodes_that_sent_a_record_served_it(tmp_path: Path) -> None:
    """Those that sent this reader this record: not another one, nor to somebody else, nor that there is none."""
    sent = {"digest": 12, "life": 1, "order": 1, "becomes": 0, "upto_epoch": 2, "upto_esn": 9}
    before = lost()
    ships = [
        at(Ship, 2, 1, node=2, reader=3, **sent),
        at(Ship, 2, 1, node=1, reader=3, **sent),
        at(Ship, 2, 1, node=0, reader=4, **sent),
        at(Ship, 2, 1, node=0, reader=3, **{**sent, "becomes": HOLE}),
        at(Ship, 2, 1, node=0, reader=3, **{**sent, "digest": 13}),
    ]
    given = {**before[11], "time_ns": ships[-1]["time_ns"] + 1}
    events = [*before[:11], *ships, given, *before[12:]]
    told = " ".join(explain(open_trace(write(tmp_path / "run.jsonl", events)), LOST, KEY).text.split())
    assert "was given payload 000000000000000c at e2n1, served by n1, n2." in told


def test_what_was_sent_of_other_records_is_not_told(tmp_path: Path) -> None:
    """What a node sends says how far it may send; that does not make it a word about all records up to there."""
    window = {"reader": 3, "life": 1, "order": 1, "becomes": 0, "upto_epoch": 2, "upto_esn": 9}
    other = at(Ship, 1, 0, node=2, digest=99, **window)
    story = explain(open_trace(write(tmp_path / "run.jsonl", [*lost(), other])), LOST, KEY)
    assert "0000000000000063" not in story.text
    assert other["seq"] not in {event["seq"] for step in story.steps for event in step}


def test_faults_of_several_nodes_are_one_step() -> None:
    pauses = [{**at(Fault, node=node, what=PAUSE), "recorder": "all"} for node in (0, 2)]
    assert [len(step) for step in steps_of(pauses, STORY)] == [2]


def test_what_a_node_did_at_unknown_times_keeps_its_order() -> None:
    """A node's own numbers tell that it erased one copy before it stored another."""
    erased = {**at(Erase, 1, 1, node=0), "seq": 1, "time_ns": None, "recorder": "n0"}
    stored = {**at(Store, 2, 1, node=0, digest=12, becomes=0, recovery=0), "seq": 2, "time_ns": None, "recorder": "n0"}
    assert in_order([stored, erased], LOG) == [erased, stored]
