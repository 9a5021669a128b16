"""Books kept in passing say what those of a trace in memory say: ``spec.client.bookkeeping.kept``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.trace import parquet_writing
from conformance.trace.header import Header, Member, Recorder
from conformance.trace.keeping import with_books
from conformance.trace.open import open_trace
from conformance.trace.rows import EventRow
from conformance.trace.sort import sort
from spec.client.bookkeeping import recording_of
from spec.events import RECORD, Ack, AtEnd, Scattered, Store
from spec.language.events import AnyEvent
from tests.support.tiny import at
from tests.support.traces import NAMELESS


def said(event: type[AnyEvent], esn: int, seq: int, recorder: str, **fields: Any) -> EventRow:
    """An event of epoch 1."""
    return at(event, 1, esn, seq=seq, time=seq, recorder=recorder, **fields)


def stored(node: int, seq: int, recorder: str) -> EventRow:
    """A copy of one record is stored."""
    copyset = frozenset({node})
    return said(Store, 1, seq, recorder, node=node, wave=1, becomes=RECORD, recovery=0, digest=7, copyset=copyset)


def sorted_events(folder: Path, header: Header, *files: Sequence[EventRow], run: int = 1000) -> list[EventRow]:
    """What stands in the sorted copy of a trace of several files."""
    (folder / "files").mkdir()
    for number, events in enumerate(files):
        parquet_writing.write_events(folder / "files" / f"{number}.parquet", header, events)
    sort(folder / "files", folder / "sorted.parquet", run=run)
    return list(open_trace(folder / "sorted.parquet").events())


def test_recorders_that_saw_steps_of_one_node_may_stand_far_apart(tmp_path: Path) -> None:
    """``spec.log.own_order``: where several recorders saw a node's steps, none has the node's own order."""
    first, other = stored(0, 1, "n0"), stored(0, 2, "n1")
    events = sorted_events(tmp_path, NAMELESS, [first], [other])
    assert events == with_books(NAMELESS, [first, other])[1]
    assert [event["node"] for event in events if event["kind"] == Scattered.kind] == [0]


@pytest.mark.parametrize("count", [64, 65, 130])
def test_who_held_a_copy_is_told_of_every_node(tmp_path: Path, count: int) -> None:
    """Sets of nodes take one mask word for each 64 nodes (``spec.language.parameters``)."""
    last = count - 1
    header = replace(NAMELESS, members={"nodes": tuple(Member(f"n{number}") for number in range(count))})
    copies = [stored(0, 1, "n0"), stored(last, 2, "n0")]
    ack = said(Ack, 1, 3, "writer", writer=5, digest=7, required=2, copyset=frozenset({0, last}))
    events = sorted_events(tmp_path, header, [*copies, ack])
    assert events == with_books(header, [*copies, ack])[1]
    assert [event["nodes_b"] for event in events if event["kind"] == Ack.kind] == [{0, last}]


@pytest.mark.parametrize("run", [1, 1000])
def test_what_had_to_wait_keeps_its_place(tmp_path: Path, run: int) -> None:
    """Trace order leaves recorders open; ``conformance.trace.sort.trace_keys``: the recorder then settles it.

    What a reader was told of the end waits until all acknowledgements are known.
    """
    end = said(AtEnd, 1, 1, "n0", reader=9)
    events = sorted_events(tmp_path, NAMELESS, [stored(1, 1, "n1"), end], run=run)
    assert [event["recorder"] for event in events] == ["n0", "n1"]


@pytest.mark.parametrize(("records", "complete"), [("complete", True), ("partial", False)])
def test_trims_and_appends_are_known_only_where_all_are_recorded(records: Any, *, complete: bool) -> None:
    """``spec.verdicts``: a poor trace gives fewer verdicts, never wrong ones."""
    header = replace(NAMELESS, recorders={"all": Recorder("client", dict.fromkeys(("invoke", "trim"), records))})
    recording = recording_of(header)
    assert (recording.appends, recording.trims) == (complete, complete)


@pytest.mark.parametrize("word", ["deliver", "gap", "read"])
def test_a_reader_is_followed_only_where_all_its_steps_are_recorded(word: str) -> None:
    """``spec.client.bookkeeping.recording``: else what it passed over may be a step that nobody wrote down."""
    words = dict.fromkeys(("deliver", "gap", "read"), "complete")
    said_of = {"all": words, "some": words | {word: "partial"}}
    recorders = {name: Recorder("client", records) for name, records in said_of.items()}  # type: ignore[arg-type]
    assert recording_of(replace(NAMELESS, recorders=recorders)).followed == {"all"}
