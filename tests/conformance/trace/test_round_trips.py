"""Round trips: whatever form a trace takes, it says the same (architecture: one event is one row, in either form).

Unknown fields are kept and counted, NULL stays NULL, and sets of more than 64 nodes lose nobody.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.trace import jsonl, parquet_writing
from conformance.trace.arrow import to_batches
from conformance.trace.blocks import numbers
from conformance.trace.commands import convert
from conformance.trace.errors import Mistyped, NullValue
from conformance.trace.fields import EXTRA, PAYLOAD
from conformance.trace.header import Header, Member, Recorder, System
from conformance.trace.open import Parquet, open_trace
from conformance.trace.validate import validate
from spec.language.reference import with_positions
from spec.language.schema import word_name
from tests.support.damage_parquet import on_table
from tests.support.traces import HEADER, Event, events, headers, small_events, write_small


@st.composite
def traces(draw: st.DrawFn) -> tuple[Header, list[Event]]:
    header = draw(headers())
    return header, draw(events(header))


@given(traces())
def test_any_trace_survives_all_forms(trace: tuple[Header, list[Event]]) -> None:
    header, said = trace
    with TemporaryDirectory() as folder:
        names = ["a.jsonl", "b.parquet", "c.jsonl.zst", "d.parquet", "e.parquet", "f.jsonl"]
        paths = [Path(folder) / name for name in names]
        jsonl.write_events(paths[0], header, said)
        for source, target in pairwise(paths):
            assert convert(source, target) == len(said)
        for path in paths:
            read = open_trace(path)
            assert read.header == header
            assert list(read.events()) == said
            assert read.statistics.events.total() == len(said)
        assert paths[0].read_bytes() == paths[-1].read_bytes()


@pytest.mark.parametrize("form", ["t.jsonl", "t.jsonl.zst", "t.parquet"])
def test_who_served_is_kept_and_no_unknown_field(tmp_path: Path, form: str) -> None:
    *others, given = small_events()
    told = [*others, {**given, EXTRA: {"served_by": "n1", "began_unknown": True, "x": 1}}]
    jsonl.write_events(tmp_path / "source.jsonl", HEADER, told)
    convert(tmp_path / "source.jsonl", tmp_path / form)
    assert list(open_trace(tmp_path / form).events()) == told
    assert validate(tmp_path / form).unknown_fields == {"x": 1}


@pytest.mark.parametrize(("server", "faults"), [("n1", []), (7, [Mistyped])])
def test_who_served_may_be_a_column(tmp_path: Path, server: object, faults: list[type[Exception]]) -> None:
    """Writers of Parquet that know the field write it as they like; it is text, or the row is damaged."""
    path = tmp_path / "t.parquet"
    servers = pa.array([*[None] * (len(small_events()) - 1), server])
    on_table(lambda table: table.append_column("served_by", servers))(write_small(tmp_path / "t.jsonl"), path)
    found = validate(path)
    assert [type(fault) for fault in found.faults] == faults
    assert not found.unknown_fields
    if not faults:
        assert list(open_trace(path).events())[-1][EXTRA] == {"served_by": server}


@given(traces())
def test_columns_say_what_events_say(trace: tuple[Header, list[Event]]) -> None:
    """Blocks for the columns reading have the reference's values: LSNs computed, sets as words, NULL as not known."""
    header, said = trace
    parameters = header.parameters()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.parquet"
        parquet_writing.write_events(path, header, said)
        names = ["kind", "recorder", "lsn", "upto", "log", "nodes", "digest", "node", "time_ns"]
        (raw,) = open_trace(path).raws(names)
    recorders = list(header.recorders)
    for place, event in enumerate(with_positions(one, parameters) for one in said):
        expected = {**event, "kind": event["kind"], "recorder": recorders.index(event["recorder"])}
        for name in names:
            here = raw[name].take(slice(place, place + 1))
            value = _value(name, here.value, parameters.words)
            known = here.known is None or bool(here.known[0])
            if name in expected and expected[name] is not None:
                assert known
                assert value == expected[name]
            elif name in said[place]:
                assert not known


def _value(name: str, value: Any, words: int) -> Any:
    if name != "nodes":
        return int(value[0])
    whole = sum((int(word) & (1 << 64) - 1) << 64 * k for k, word in enumerate(value.reshape(words)))
    return frozenset(node for node in range(64 * words) if whole >> node & 1)


@given(traces())
def test_unknown_fields_are_counted(trace: tuple[Header, list[Event]]) -> None:
    header, said = trace
    expected = Counter(header.unknown_fields()) + Counter(name for one in said for name in one.get(EXTRA, {}))
    with TemporaryDirectory() as folder:
        for name in ("trace.jsonl", "trace.parquet"):
            path = Path(folder) / name
            (jsonl if name.endswith("l") else parquet_writing).write_events(path, header, said)
            read = open_trace(path)
            list(read.events())
            assert read.statistics.unknown_fields == expected
            assert open_trace(path).unknown_fields() == expected


def test_seventy_nodes_take_two_words(tmp_path: Path) -> None:
    nodes = tuple(Member(f"n{number}") for number in range(70))
    header = Header(
        system=System("big"), members={"nodes": nodes}, recorders={"r": Recorder("node", {})}, clock_bound_ns=0
    )
    for number, copyset in enumerate([frozenset({0, 63, 64, 69}), frozenset({63}), frozenset[int]()]):
        said = {**small_events()[3], "recorder": "r", "seq": number, "node": 69, "nodes": copyset}
        path = tmp_path / f"{number}.parquet"
        parquet_writing.write_events(path, header, [said])
        assert {"copyset", word_name("copyset", 1)} <= set(pq.read_schema(path).names)
        assert list(open_trace(path).events()) == [said]


def test_text_columns_exist_only_where_needed(tmp_path: Path) -> None:
    """Payloads are for explanations: a trace without any pays nothing for them."""
    plain = [{name: value for name, value in event.items() if name != PAYLOAD} for event in small_events()]
    for name, said in {"plain": plain, "with": small_events()}.items():
        parquet_writing.write_events(tmp_path / f"{name}.parquet", HEADER, said)
    assert PAYLOAD not in pq.read_schema(tmp_path / "plain.parquet").names
    assert PAYLOAD in pq.read_schema(tmp_path / "with.parquet").names


def test_a_late_payload_widens_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups that were written before the first payload get the column too."""
    path = tmp_path / "trace.parquet"
    monkeypatch.setattr("conformance.trace.parquet_writing.GROUP", 4)
    said = [{**small_events()[4], "seq": seq} for seq in range(30)]
    said[-1] |= {PAYLOAD: "late", EXTRA: {"later": 1}}
    with parquet_writing.appending(path, HEADER) as append:
        for batch in to_batches(said, HEADER, 3):
            append(pa.Table.from_batches([batch]))
    assert list(open_trace(path).events()) == said
    assert [item.name for item in tmp_path.iterdir()] == ["trace.parquet"]


def test_a_folder_is_one_trace(tmp_path: Path) -> None:
    said, folder = small_events(), tmp_path / "parts"
    folder.mkdir()
    for number, some in enumerate((said[:4], said[4:])):
        parquet_writing.write_events(folder / f"part{number}.parquet", HEADER, some, in_order=True)
    (folder / "_SUCCESS").write_bytes(b"")
    trace = open_trace(folder)
    assert trace.sorted
    assert list(trace.events()) == said
    assert [len(raw["kind"].value) for raw in trace.raws(["kind"])] == [4, len(said) - 4]
    assert convert(folder, tmp_path / "one.parquet") == len(said)
    assert list(open_trace(tmp_path / "one.parquet").events()) == said


def test_names_of_files_are_taken_in_any_case(tmp_path: Path) -> None:
    """A file that is passed over for its name would make a verdict one about half of the trace."""
    said = small_events()
    for name, some in (("a.parquet", said[:4]), ("B.PARQUET", said[4:])):
        parquet_writing.write_events(tmp_path / name, HEADER, some)
    assert list(open_trace(tmp_path).events()) == [*said[4:], *said[:4]]


def test_columns_of_other_writers_become_unknown_fields(tmp_path: Path) -> None:
    """A column that the format does not know is kept: people added it for a reason."""
    source, target = write_small(tmp_path / "a.jsonl"), tmp_path / "b.parquet"
    convert(source, target)
    file = pq.ParquetFile(target)
    table = file.read().append_column("weather", [[None, *["rain"] * (len(small_events()) - 1)]])
    pq.write_table(table.replace_schema_metadata(file.metadata.metadata), target)
    trace = open_trace(target)
    assert [event.get(EXTRA) for event in trace.events()] == [None, *[{"weather": "rain"}] * (len(small_events()) - 1)]
    assert trace.unknown_fields() == {"weather": len(small_events()) - 1}
    convert(target, tmp_path / "c.jsonl")
    assert list(open_trace(tmp_path / "c.jsonl").events()) == list(trace.events())


def test_content_decides_not_the_name(tmp_path: Path) -> None:
    source = write_small(tmp_path / "a.jsonl")
    for name in ("b.parquet", "c.jsonl.zst"):
        convert(source, tmp_path / name)
        (tmp_path / name).rename(tmp_path / "nameless")
        assert list(open_trace(tmp_path / "nameless").events()) == small_events()


def test_columns_are_read_without_copies(tmp_path: Path) -> None:
    """Numbers stay in Arrow's own memory, with NULL or without."""
    convert(write_small(tmp_path / "a.jsonl"), tmp_path / "b.parquet")
    table = pq.read_table(tmp_path / "b.parquet")
    for name in ("log", "kind", "digest"):
        column, array = numbers(table[name]), table[name].chunk(0)
        assert column.value.ctypes.data == array.buffers()[1].address
        assert (column.known is None) == (name != "digest")


@pytest.mark.parametrize(("start", "end"), [(0, 40), (3, 40), (9, 17), (40, 40)])
def test_slices_of_arrays_are_read_where_they_lie(start: int, end: int) -> None:
    """Arrow cuts without copying: an array may begin anywhere in its memory, and its bits anywhere in a byte."""
    said = [None if number % 3 else number for number in range(40)]
    column = numbers(pa.array(said, pa.int16()).slice(start, end - start))
    known = [True] * (end - start) if column.known is None else column.known.tolist()
    assert known == [number is not None for number in said[start:end]]
    assert [int(value) for value, sure in zip(column.value, known, strict=True) if sure] == filter_known(
        said[start:end]
    )


def filter_known(said: list[int | None]) -> list[int]:
    """Return the numbers that are known."""
    return [number for number in said if number is not None]


def test_a_set_is_known_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    """Another writer may leave one of two words NULL: that is half a set, and named."""
    nodes = tuple(Member(f"n{number}") for number in range(70))
    header = Header(
        system=System("big"), members={"nodes": nodes}, recorders={"n1": Recorder("node", {})}, clock_bound_ns=0
    )
    path = tmp_path / "t.parquet"
    parquet_writing.write_events(path, header, [small_events()[4], {**small_events()[4], "seq": 9, "nodes": {1, 65}}])
    file = pq.ParquetFile(path)
    table = file.read().drop_columns(["copyset_1"]).append_column("copyset_1", pa.array([None, None], pa.int64()))
    pq.write_table(table.replace_schema_metadata(file.metadata.metadata), path)
    trace = open_trace(path)
    for reading in (trace.raws(["nodes"]), trace.events()):
        with pytest.raises(NullValue, match="row group 0, row 2: copyset is NULL"):
            list(reading)


def test_only_wanted_columns_are_read(tmp_path: Path) -> None:
    """A damaged page of a column that nobody asks for does not matter: it is never touched."""
    convert(write_small(tmp_path / "a.jsonl"), tmp_path / "b.parquet")
    trace = open_trace(tmp_path / "b.parquet")
    assert isinstance(trace, Parquet)
    chunk = pq.ParquetFile(tmp_path / "b.parquet").metadata.row_group(0)
    place = next(
        column.data_page_offset
        for column in map(chunk.column, range(chunk.num_columns))
        if column.path_in_schema == "digest"
    )
    data = bytearray((tmp_path / "b.parquet").read_bytes())
    data[place : place + 4] = b"\xff" * 4
    (tmp_path / "b.parquet").write_bytes(data)
    assert [set(raw) for raw in trace.raws(["log", "lsn"])] == [{"log", "lsn"}]
    with pytest.raises(KeyError, match="weather"):
        next(trace.raws(["weather"]))
