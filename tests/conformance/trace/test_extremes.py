"""The extremes of a trace's columns claim no more than its values, whatever its row groups are; doubt leaves one out.

Justified by the Spark guard: what the extremes settle is not scanned for, so they must never claim too much.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from conformance.trace.extremes import Extremes, extremes_of
from conformance.trace.open import open_trace
from conformance.trace.parquet import parts_of
from tests.support.small_traces import lost, write_sorted


def columns_of(path: Path) -> dict[str, Extremes]:
    """What the values themselves say."""
    table = pa.concat_tables(open_trace(path).tables())
    whole = (name for name in table.column_names if pa.types.is_integer(table.schema.field(name).type))
    ends = {name: (pc.min_max(table[name]).as_py(), table[name].null_count) for name in whole}
    return {name: Extremes(end["min"], end["max"], nulls) for name, (end, nulls) in ends.items()}


@pytest.mark.parametrize("group", [1, 3, 1000])
def test_they_claim_no_more_than_the_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int) -> None:
    monkeypatch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": group})
    path = write_sorted(tmp_path / "run.parquet", lost())
    found, actual = extremes_of(parts_of(path)), columns_of(path)
    assert {"kind", "log", "epoch", "seq"} <= set(found)
    assert {name: replace(said.joined(actual[name]), nulls=said.nulls) for name, said in found.items()} == found
    assert all(found[name].nulls >= actual[name].nulls for name in found)
    assert all(found[name] == actual[name] for name in ("kind", "seq", "time_ns"))


def test_a_file_without_statistics_tells_nothing(tmp_path: Path) -> None:
    path, other = write_sorted(tmp_path / "run.parquet", lost()), tmp_path / "other.parquet"
    metadata = pq.read_metadata(path).metadata
    pq.write_table(pq.read_table(path).replace_schema_metadata(metadata), other, write_statistics=["kind"])
    assert set(extremes_of(parts_of(other))) == {"kind"}
    folder = tmp_path / "both"
    folder.mkdir()
    path.rename(folder / "a.parquet")
    other.rename(folder / "b.parquet")
    assert set(extremes_of(parts_of(folder))) == {"kind"}


def test_within_and_joined() -> None:
    one, other = Extremes(0, 3, 0), Extremes(-1, 2, 4)
    assert one.within(0, 3)
    assert not one.within(1, 3)
    assert not one.within(0, 2)
    assert one.joined(other) == Extremes(-1, 3, 4)
