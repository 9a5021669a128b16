"""Showing a trace to people: names for numbers, and only what was asked for (architecture, What people see)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.trace.commands import show, sort
from conformance.trace.errors import Mistyped
from conformance.trace.open import open_trace
from conformance.trace.parquet_writing import write_events
from conformance.trace.show import Teller
from tests.support.traces import HEADER, NAMELESS, small_events, write_small


def shown(path: Path, **wanted: object) -> list[str]:
    """Return the lines of events."""
    return [line for line in show(path, **wanted) if "#" in line]  # type: ignore[arg-type]


def test_the_heading_says_who_recorded_what() -> None:
    assert list(Teller(HEADER).heading()) == [
        "example 1.2: made by a test",
        "nodes: n0, n1, n2, n3, n4",
        "n0 (node) records store, seal",
        "n1 (node) records some store",
        "writer (client) records append, ack, some deliver",
        "control (controller) records epoch, status, gap",
        "promises: copies 2, sequencers",
        "clocks differ by at most 1000000 ns",
    ]


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        (0, ["control#1  status", "version=1", "unavailable={}", "underreplicated=?", "empty={n4}"]),
        (1, ["epoch  orders  e1n0", "sequencer=?", "nodeset={n0, n1, n2, n3, n4}", "replication={node: 2, rack: 2}"]),
        (2, ["0.000001  writer#1  append  orders  e1n1", "digest=fffffffffffffff9", "sequencer=n0"]),
        (3, ["node=n0", "becomes=record", "copyset={n0, n3}", "payload='füll'"]),
        (4, ["digest=?", "wave=?", "copyset=?"]),
        (7, ["gap  orders  e1n2 to e1n5", "reason=dataloss", "responders={n0, n3}"]),
    ],
)
def test_an_event_is_one_line(place: int, parts: list[str]) -> None:
    line = Teller(HEADER).event(small_events()[place])
    assert [part for part in parts if part not in line] == []


def test_unknown_fields_are_shown() -> None:
    assert Teller(HEADER).event({**small_events()[3], "extra": {"x": [1]}}).endswith("x=[1] (unknown field)")


def test_clients_and_who_served_them_are_shown_by_name() -> None:
    teller = Teller(replace(HEADER, named={**HEADER.named, "writers": {9: "app"}, "readers": {9: "audit"}}))
    acked, _, gap, given = small_events()[5:]
    assert "writer=app" in teller.event(acked)
    assert "reader=audit" in teller.event(gap)
    assert teller.event({**given, "extra": {"served_by": "n1"}}).endswith("served_by='n1'")
    assert teller.event({**gap, "extra": {"inferred": True}}).endswith("inferred=True")


@pytest.mark.parametrize("form", ["t.jsonl", "t.parquet"])
def test_only_what_was_asked_for(tmp_path: Path, form: str) -> None:
    path = tmp_path / form
    sort(write_small(tmp_path / "source.jsonl"), path)
    assert len(shown(path)) == len(small_events())
    assert [line.split("  ")[2:4] for line in shown(path, partition="payments")] == [["deliver", "payments"]]
    assert shown(path, partition=2) == shown(path, partition="payments") == shown(path, partition="2")
    assert [line.split("  ")[2] for line in shown(path, partition=1, position="e1n4")] == ["gap"]
    assert len(shown(path, position="e1n1")) == 5
    assert len(shown(path, limit=2)) == 2
    assert shown(path, partition=77) == []


def test_a_log_without_a_name_has_its_number(tmp_path: Path) -> None:
    event = {**small_events()[4], "log": 77}
    assert "log 77" in Teller(NAMELESS).event(event)
    write_events(tmp_path / "t.parquet", NAMELESS, [event, small_events()[0]])
    assert [row["seq"] for row in open_trace(tmp_path / "t.parquet").events_of(frozenset({77}))] == [3]


@pytest.mark.parametrize("wrong", [{"partition": "ordres"}, {"position": "17"}, {"position": "e1n-1"}])
def test_a_wrong_wish_is_named(tmp_path: Path, wrong: dict[str, str]) -> None:
    with pytest.raises(Mistyped):
        shown(write_small(tmp_path / "t.jsonl"), **wrong)


def test_an_lsn_is_read_as_it_is_written() -> None:
    assert Teller(HEADER).position("e12n345") == (12, 345)
