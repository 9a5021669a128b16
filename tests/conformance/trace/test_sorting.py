"""Sorting: any trace comes out by log, LSN and sequence number, within bounded memory, and no event stands twice.

That order is what the columns reading demands (spec.columns.column.Raw).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.trace import jsonl, parquet_writing
from conformance.trace.arrow import to_batches
from conformance.trace.commands import sort as sort_command
from conformance.trace.errors import Duplicated, NotSorted, NotWritable
from conformance.trace.header import Recorder
from conformance.trace.open import open_trace
from conformance.trace.runs import Runs
from conformance.trace.sort import sort
from conformance.trace.watch import Seen, place_of
from spec.client.bookkeeping import kept, recording_of
from spec.events import ClientEvent, Indefinite, Invoke, Refused
from spec.language.bookkeeping import BOOKS
from tests.support.traces import HEADER, NAMELESS, Event, events, small_events

FORMS = ("jsonl", "jsonl.zst", "parquet")


def in_order(said: list[Event]) -> list[Event]:
    """Events with their clients' books in trace order; the recorder's place in the header settles what is left open."""
    recorders = [*HEADER.recorders, BOOKS]
    return sorted(
        kept(said, recording_of(HEADER)),
        key=lambda event: (place_of(event, HEADER.sorted_by), recorders.index(event["recorder"])),
    )


@given(events(HEADER), st.integers(1, 40), st.sampled_from(FORMS), st.sampled_from(FORMS))
def test_any_trace_is_sorted(said: list[Event], run: int, form: str, target_form: str) -> None:
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / f"a.{form}", Path(folder) / f"b.{target_form}"
        (parquet_writing if form.endswith("parquet") else jsonl).write_events(source, HEADER, said)
        count, trace = sort(source, target, run=run), open_trace(target)
        assert trace.sorted
        assert list(trace.events()) == in_order(said)
        assert count - len(said) == sum(event["recorder"] == BOOKS for event in trace.events())
        assert {path.name for path in Path(folder).iterdir()} == {source.name, target.name}


def test_a_sorted_trace_stays_as_it_is(tmp_path: Path, rng: Random) -> None:
    said = small_events()
    rng.shuffle(said)
    jsonl.write_events(tmp_path / "a.jsonl", HEADER, said)
    assert not open_trace(tmp_path / "a.jsonl").sorted
    sort_command(tmp_path / "a.jsonl", tmp_path / "b.parquet")
    sort_command(tmp_path / "b.parquet", tmp_path / "c.parquet")
    assert (tmp_path / "b.parquet").read_bytes() == (tmp_path / "c.parquet").read_bytes()
    assert list(open_trace(tmp_path / "c.parquet").events()) == in_order(said)


@pytest.mark.parametrize("answer", [Refused, Indefinite])
def test_books_fill_only_what_an_event_has(answer: type[ClientEvent], tmp_path: Path) -> None:
    """Also in an answer that may be that of either of two appends: a trace keeps all that books say of it."""
    head = replace(HEADER, recorders={"w": Recorder("client", {"invoke": "complete", answer.word: "complete"})})
    own = {"recorder": "w", "time_ns": None, "log": 1, "digest": 7, "invoker": None, "version": None, "actor": 1}
    told: tuple[type[ClientEvent], ...] = (Invoke, Invoke, answer)
    said = [{"kind": event.kind, "seq": seq, **own} for seq, event in enumerate(told)]
    jsonl.write_events(tmp_path / "a.jsonl", head, said)
    sort(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert list(open_trace(tmp_path / "b.jsonl").events()) == kept(said, recording_of(head))


def test_sorting_in_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    jsonl.write_events(path, HEADER, small_events()[::-1])
    sort_command(path, path)
    assert list(open_trace(path).events()) == in_order(small_events())


@pytest.mark.parametrize("run", [2, 3, 1000])
@pytest.mark.parametrize("form", ["a.jsonl", "a.parquet"])
def test_an_event_that_stands_twice_is_found_far_away(tmp_path: Path, form: str, run: int) -> None:
    """The two stand in different logs and different runs: only their names are the same."""
    said = [{**small_events()[4], "log": 40 - seq, "seq": seq} for seq in range(30)]
    said.append({**said[0], "log": 1})
    (jsonl if form.endswith("l") else parquet_writing).write_events(tmp_path / form, NAMELESS, said)
    with pytest.raises(Duplicated, match="event 0 of recorder 'n1'"):
        sort(tmp_path / form, tmp_path / "b.parquet", run=run)
    with pytest.raises(Duplicated, match="event 0 of recorder 'n1'"):
        list(open_trace(tmp_path / form).events())
    assert [path.name for path in tmp_path.iterdir()] == [form]


def test_a_file_that_grew_is_not_taken_for_sorted(tmp_path: Path) -> None:
    """The mark counts the rows it vouches for."""
    path = tmp_path / "a.parquet"
    with parquet_writing.appending(path, HEADER, in_order=True) as append:
        for batch in to_batches(small_events(), HEADER):
            append(pa.Table.from_batches([batch]))
    file = pq.ParquetFile(path)
    assert open_trace(path).sorted
    twice = pa.concat_tables([file.read(), file.read()]).replace_schema_metadata(file.metadata.metadata)
    pq.write_table(twice, path)
    assert not open_trace(path).sorted


@pytest.mark.parametrize("place", [("log", 9), ("epoch", 9), ("esn", 9), ("seq", 0)])
def test_a_broken_promise_of_order_is_found(tmp_path: Path, place: tuple[str, int]) -> None:
    """In one block and across blocks, by events and by columns."""
    said = [{**small_events()[4], "log": 5, "epoch": 5, "esn": 5, "seq": seq} for seq in range(1, 9)]
    column, value = place
    said[4][column] = value
    for name, some in {"a.parquet": [said], "b": [said[:5], said[5:]], "c": [said[:4], said[4:]]}.items():
        path = tmp_path / name
        if len(some) > 1:
            path.mkdir()
        for number, part in enumerate(some):
            target = path / f"{number}.parquet" if len(some) > 1 else path
            parquet_writing.write_events(target, NAMELESS, part, in_order=True)
        with pytest.raises(NotSorted):
            list(open_trace(path).events())
        with pytest.raises(NotSorted):
            list(open_trace(path).raws(["log", "lsn", "seq"]))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=60), st.integers(1, 9), st.integers(1, 4))
def test_runs_merge_to_one_order(rows: list[tuple[int, int]], run: int, batch: int) -> None:
    """Equal keys, many runs, and runs of one row: nothing is lost, and no table is larger than it may be."""
    with TemporaryDirectory() as folder:
        runs = Runs(Path(folder), lambda table: [table["a"].to_numpy(), table["b"].to_numpy()], run, batch)
        for start in range(0, len(rows), 2):
            some = np.array(rows[start : start + 2], np.int64)
            runs.add(pa.table({"a": some[:, 0], "b": some[:, 1]}))
        tables = list(runs.merged())
        merged = [row for table in tables for row in zip(*(table[name].to_pylist() for name in "ab"), strict=True)]
    assert merged == sorted(rows)


def test_memory_is_bounded_by_runs_not_by_the_trace(tmp_path: Path, rng: Random) -> None:
    runs = Runs(tmp_path, lambda table: [table["a"].to_numpy()], 1000, 10)
    numbers = list(range(20_000))
    rng.shuffle(numbers)
    for start in range(0, len(numbers), 500):
        runs.add(pa.table({"a": numbers[start : start + 500]}))
        assert sum(map(len, runs.waiting)) < 1000
    tables = list(runs.merged())
    assert [one for table in tables for one in table["a"].to_pylist()] == list(range(20_000))
    assert max(map(len, tables)) <= 1000 + 20 * 10


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(-3000, 3000) | st.integers(-(1 << 63), (1 << 63) - 1))))
def test_seen_knows_exactly_what_it_saw(numbers: list[tuple[str, int]]) -> None:
    seen, before = Seen(), set[tuple[str, int]]()
    for one in numbers:
        if one in before:
            with pytest.raises(Duplicated):
                seen.add(*one)
        else:
            seen.add(*one)
        before.add(one)


def test_a_target_without_a_folder_is_named(tmp_path: Path) -> None:
    jsonl.write_events(tmp_path / "a.jsonl", HEADER, small_events())
    with pytest.raises(NotWritable):
        sort_command(tmp_path / "a.jsonl", tmp_path / "absent" / "b.parquet")
