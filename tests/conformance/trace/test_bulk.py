"""What is read in bulk is what is read line by line: the same columns, or the same error (conformance.trace.rows).

The second reading is the meaning of a line; the first may only be faster. A line that is odd must be left to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.trace import bulk, jsonl
from conformance.trace.arrow import batches_of
from conformance.trace.bulk import Bulk
from conformance.trace.errors import TraceError
from conformance.trace.header import Header
from tests.support.damage_lines import LINE_DAMAGES
from tests.support.traces import HEADER, Event, events, headers, small_events, write_small


def read_by(batches: Callable[[Path], Any], path: Path) -> pa.Table | str:
    """The columns that one reading gives, or what it has against the trace."""
    try:
        tables = [pa.Table.from_batches([batch]) for batch in batches(path)]
        whole = pa.concat_tables(tables, promote_options="default").combine_chunks()
        return whole.select(sorted(whole.column_names))
    except TraceError as error:
        return f"{type(error).__name__}: {error}"


def line_by_line(path: Path) -> Any:
    """The slow reading."""
    return batches_of(jsonl.read_events(path), jsonl.read_first_line(path).header)


def lines_of(path: Path) -> tuple[bytes, bytes]:
    """The header line, and all others but the last."""
    first, *others, _ = path.read_bytes().splitlines(keepends=True)
    return first, b"".join(others)


@st.composite
def traces(draw: st.DrawFn) -> tuple[Header, list[Event]]:
    header = draw(headers())
    return header, draw(events(header))


@given(traces(), st.integers(100, 2000))
def test_any_trace_in_blocks_of_any_size(trace: tuple[Header, list[Event]], block: int) -> None:
    header, said = trace
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "t.jsonl"
        jsonl.write_events(path, header, said)
        patch.setattr(bulk, "BLOCK", block)
        assert read_by(bulk.read_batches, path) == read_by(line_by_line, path)


def test_plain_lines_are_not_left_to_the_slow_reading(tmp_path: Path) -> None:
    said = [{name: value for name, value in event.items() if name != "extra"} for event in small_events()]
    jsonl.write_events(tmp_path / "t.jsonl", HEADER, said)
    batch = Bulk(HEADER).batch(lines_of(tmp_path / "t.jsonl")[1])
    assert batch is not None
    assert len(batch) == len(said)


@pytest.mark.parametrize("name", LINE_DAMAGES)
def test_each_damage_is_named_alike(tmp_path: Path, name: str) -> None:
    sound, damaged = write_small(tmp_path / "sound.jsonl"), tmp_path / "damaged"
    LINE_DAMAGES[name][1](sound, damaged)
    assert read_by(bulk.read_batches, damaged) == read_by(line_by_line, damaged)


STORE = '"kind":"store","recorder":"n0","seq":2,"log":1,"epoch":1,"esn":1,"node":0,"becomes":0'

ODD = {
    "a name twice": '{%s,"seq":3}\n',
    "a name twice, and a blank before a colon": '{%s,"seq":3,"time_ns" :4}\n',
    "a name twice, and a tab before a colon": '{%s,"seq":3,"time_ns"\t:4}\n',
    "two events on a line": "{%s} {%s}\n",
    "two events on a line, and one on two": '{%s} {%s,\n"time_ns":4}\n',
    "an event on two lines": '{%s,\n"time_ns":4}\n',
    "an empty line": "{%s}\n\n",
    "the end of lines of other systems": "{%s}\r\n",
    "what looks like a name in a text": '{%s,"payload":"a\\":b"}\n',
    "a name with an escape": '{%s,"time\\u005fns":4}\n',
    "an unknown field": '{%s,"x":1}\n',
    "an unknown field that is null": '{%s,"x":null}\n',
    "a field of other kinds": '{%s,"reader":1}\n',
    "who served, unknown": '{%s,"served_by":null}\n',
    "who served": '{%s,"served_by":"n\\u00e4"}\n',
    "an empty payload": '{%s,"payload":""}\n',
    "no payload": '{%s,"payload":null}\n',
    "a number with a point": '{%s,"time_ns":4.0}\n',
    "a number that is true": '{%s,"time_ns":true}\n',
    "a number that is too large": '{%s,"time_ns":9223372036854775808}\n',
    "a clock that says too much": '{%s,"time_ns":4611686018427387904}\n',
    "a number that is null": '{%s,"time_ns":null}\n',
    "a number and a set that are null": '{%s,"copyset":null,"time_ns":null}\n',
    "the least number of all": '{%s,"digest":-9223372036854775808}\n',
    "the least number of all, and one that is null": '{%s,"digest":-9223372036854775808,"time_ns":null}\n',
    "no member": '{%s,"copyset":[]}\n',
    "a member twice": '{%s,"copyset":[1,1]}\n',
    "a member of no header": '{%s,"copyset":[1,99]}\n',
    "a member below all": '{%s,"copyset":[-1]}\n',
    "a member that is null": '{%s,"copyset":[null]}\n',
    "a set that is null": '{%s,"copyset":null}\n',
    "half a character": '{%s,"payload":"\\ud800"}\n',
    "no JSON": "{%s,}\n",
    "null": "{%s}\nnull\n",
    "a list": "[{%s}]\n",
    "nested without end": '{%s,"copyset":' + "[" * 2000 + "\n",
    "no end of the last line": "{%s}",
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("place", ["alone", "among others"])
def test_what_is_odd_means_what_the_slow_reading_says(tmp_path: Path, odd: str, place: str) -> None:
    first, others = lines_of(write_small(tmp_path / "sound.jsonl"))
    header = {name: value for name, value in json.loads(first).items() if name != "end_line"}
    line = ODD[odd].replace("%s", STORE.replace('"seq":2', '"seq":77'))
    path = tmp_path / "odd.jsonl"
    told_first = json.dumps(header).encode() + b"\n"
    path.write_bytes(told_first + (others if place == "among others" else b"") + line.encode())
    assert read_by(bulk.read_batches, path) == read_by(line_by_line, path)


def test_a_node_behind_the_last_of_a_full_word_is_refused(tmp_path: Path) -> None:
    """A mask word holds 64 nodes, so a 65th leaves no bit behind that could be looked at afterwards."""
    first, path = lines_of(write_small(tmp_path / "sound.jsonl"))[0], tmp_path / "full.jsonl"
    header = {name: value for name, value in json.loads(first).items() if name != "end_line"}
    header["nodes"] = [{"name": f"n{number}"} for number in range(64)]
    for node in (63, 64):
        path.write_text(f'{json.dumps(header)}\n{{{STORE},"copyset":[{node}]}}\n')
        assert read_by(bulk.read_batches, path) == read_by(line_by_line, path)


@pytest.mark.parametrize("line", ["{%s}\n", '{%s,"time_ns":true}\n'], ids=["sound", "damaged"])
def test_empty_lines_before_the_header_say_nothing(tmp_path: Path, line: str) -> None:
    """docs/reference/trace-format.md, JSON lines: empty lines are skipped; whatever is wrong keeps its line."""
    first, others = lines_of(write_small(tmp_path / "sound.jsonl"))
    header = {name: value for name, value in json.loads(first).items() if name != "end_line"}
    more = line.replace("%s", STORE.replace('"seq":2', '"seq":77')).encode()
    plain, path = json.dumps(header).encode() + b"\n" + others + more, tmp_path / "odd.jsonl"
    path.write_bytes(plain)
    without = read_by(line_by_line, path)
    path.write_bytes(b"\n \t\r\n" + plain)
    found = read_by(bulk.read_batches, path)
    assert found == read_by(line_by_line, path)
    if isinstance(without, str):
        number = plain.count(b"\n")
        assert f"line {number}" in without
        assert found == without.replace(f"line {number}", f"line {number + 2}")
    else:
        assert found == without
