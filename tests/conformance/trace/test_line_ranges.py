"""JSON lines cut into ranges are the same events, wherever they are cut; what cannot be cut is one range.

Justified by ``conformance.trace.bulk``, which reads them whole, and by the goal that a file is split among tasks.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from conformance.trace import bulk, jsonl
from conformance.trace.errors import TraceError
from conformance.trace.line_ranges import Cut, LineRange, cut_lines
from tests.support.traces import HEADER, small_events


def rows(batches: Any) -> list[dict[str, Any]]:
    """The events of batches, which have columns of texts only where there are any."""
    every = (row for batch in batches for row in pa.Table.from_batches([batch]).to_pylist())
    return [{name: value for name, value in row.items() if value is not None} for row in every]


def of_ranges(cut: Cut) -> list[dict[str, Any]]:
    return [row for one in cut.ranges for row in rows(one.batches())]


def written(path: Path, *, told: bool = True) -> Path:
    """A trace of small events, with or without the last line that counts them."""
    jsonl.write_events(path, HEADER, small_events())
    if not told:
        first, *events, _ = path.read_bytes().splitlines(keepends=True)
        said = {name: value for name, value in json.loads(first).items() if name != jsonl.END_LINE}
        path.write_bytes(json.dumps(said).encode() + b"\n" + b"".join(events))
    return path


@pytest.fixture(scope="module", params=[True, False], ids=["counted", "not counted"])
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("lines") / "run.jsonl", told=request.param)


@given(size=st.integers(20, 1300))
def test_ranges_of_any_size_have_every_event_once(trace: Path, size: int) -> None:
    cut = cut_lines(trace, size)
    assert of_ranges(cut) == rows(bulk.read_batches(trace))
    assert cut.told in (None, len(small_events()))
    assert all(one.end is not None and one.end - one.begin <= size for one in cut.ranges)


@pytest.mark.parametrize("end", ["", "\n\n", " \r\n"])
def test_how_the_file_ends_does_not_matter(tmp_path: Path, end: str) -> None:
    path = written(tmp_path / "run.jsonl")
    path.write_bytes(path.read_bytes().rstrip() + end.encode())
    cut = cut_lines(path, 100)
    assert cut.told == len(of_ranges(cut)) == len(small_events())


@pytest.mark.parametrize("packed", [gzip.compress, zstandard.compress])
def test_what_is_compressed_is_one_range(tmp_path: Path, packed: Any) -> None:
    path = written(tmp_path / "run.jsonl")
    whole = rows(bulk.read_batches(path))
    path.write_bytes(packed(path.read_bytes()))
    cut = cut_lines(path, 1)
    assert cut == Cut((LineRange(path),), None)
    assert of_ranges(cut) == whole


def test_a_last_line_that_is_not_ours_leaves_one_range(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl")
    *lines, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines) + last.replace(b":", b" : "))
    cut = cut_lines(path, 1)
    assert cut == Cut((LineRange(path),), None)
    assert len(of_ranges(cut)) == len(small_events())


@pytest.mark.parametrize("wrong", [b'{"end":3}\n', b'{"end":0}\n', b"no line of ours\n"])
def test_what_is_wrong_in_the_midst_is_refused(tmp_path: Path, wrong: bytes) -> None:
    path = written(tmp_path / "run.jsonl")
    first, *lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, *lines[:3], wrong, *lines[3:]]))
    with pytest.raises(TraceError):
        of_ranges(cut_lines(path, 1000))
