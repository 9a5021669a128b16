"""Stories: every kind of event has its sentence, and a loss is told by the record alone.

Justified by the goal that violations are explained in plain sentences from the events, and pasted lines replay them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.check.picture import WIDTH, draw
from conformance.check.scenes import in_order
from conformance.check.sentences import SENTENCES, tell
from conformance.check.story import explain, steps_of
from conformance.trace.open import open_trace
from spec.events import PAUSE, Erase, Event, Fault, Store
from spec.language.events import all_events
from spec.registry import BY_ID
from spec.reports.names import Names
from tests.support.small_traces import lost, sound, write, write_sorted
from tests.support.tiny import at
from tests.support.traces import HEADER, small_events

LOST = BY_ID["client.read.acked_is_delivered"]
KEY = (1, (1 << 32) + 1)


def test_every_kind_of_event_has_a_sentence() -> None:
    assert set(SENTENCES) == set(all_events(Event))


def test_every_kind_of_event_has_a_place_without_a_clock() -> None:
    """Readers and rebuilding come after what was written; nothing of unknown time is left out."""
    events = [
        {"kind": event.kind, "recorder": "any", "seq": number, "time_ns": None, "epoch": 1, "esn": 1}
        for number, event in enumerate(all_events(Event))
    ]
    assert sorted(event["seq"] for event in in_order(events)) == list(range(len(events)))


def test_every_sentence_can_be_told_of_poor_events() -> None:
    names = Names(tuple(node.name for node in HEADER.nodes), HEADER.logs)
    for event in [*small_events(), *lost()]:
        told = tell(event, names)
        assert told.endswith(".")
        assert told[0].isupper() or told[0] == "n"
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
    one = explain(open_trace(write_sorted(tmp_path / "run.parquet", lost())), LOST, KEY)
    other = explain(open_trace(write(tmp_path / "run.jsonl", lost())), LOST, KEY)
    assert one.text.splitlines()[:-1] == other.text.splitlines()[:-1]


@pytest.mark.parametrize("key", [KEY, (1, 7), (9, 9)])
def test_a_row_that_breaks_nothing_is_not_accused(tmp_path: Path, key: tuple[int, int]) -> None:
    story = explain(open_trace(write(tmp_path / "run.jsonl", sound())), LOST, key)
    assert story.witness is None
    assert "does not show that the rule is broken" in story.text


def test_a_picture_that_does_not_fit_is_left_out() -> None:
    steps = [(event,) for event in lost()] * 5
    assert draw(steps, Names())[0].startswith("(no picture")


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


def test_faults_of_several_nodes_are_one_step() -> None:
    pauses = [{**at(Fault, node=node, what=PAUSE), "recorder": "all"} for node in (0, 2)]
    assert [len(step) for step in steps_of(pauses)] == [2]


def test_what_a_node_did_at_unknown_times_keeps_its_order() -> None:
    """A node's own numbers tell that it erased one copy before it stored another."""
    erased = {**at(Erase, 1, 1, node=0), "seq": 1, "time_ns": None, "recorder": "n0"}
    stored = {**at(Store, 2, 1, node=0, digest=12, becomes=0, recovery=0), "seq": 2, "time_ns": None, "recorder": "n0"}
    assert in_order([stored, erased]) == [erased, stored]
