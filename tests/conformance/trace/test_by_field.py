"""Parquet has a column for each field, by its own name; files of before, whose kinds share columns, say the same.

Justified by the format of a trace: what people read of an event has the names that its kind declares, and a trace that
was kept is judged as on the day on which it was written.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.trace.arrow import schema_of, stored, to_batches
from conformance.trace.by_field import by_field, field_columns, made_of, schema_by_field, shared
from conformance.trace.commands import convert
from conformance.trace.errors import Duplicated, MissingField
from conformance.trace.fields import shapes_of
from conformance.trace.header import Header, Member, System
from conformance.trace.open import Parquet, open_trace
from conformance.trace.parquet import HEADER_KEY
from spec.events import Gap, Store
from spec.language.family import Family
from spec.registry import FAMILIES
from tests.support.small_traces import header, lost, write_sorted
from tests.support.traces import HEADER, small_events, write_small

OLD = Path(__file__).parent / "shared_columns.parquet"
"""The small trace as it was kept before: kinds of event share columns."""


def written(path: Path) -> pa.Table:
    """The small trace as a file keeps it."""
    convert(write_small(path / "a.jsonl"), path / "b.parquet")
    return pq.read_table(path / "b.parquet")


def rewritten(table: pa.Table, path: Path) -> Parquet:
    """The table in a file with the header of the small trace."""
    metadata = {HEADER_KEY: pq.read_metadata(path / "b.parquet").metadata[HEADER_KEY]}
    pq.write_table(table.replace_schema_metadata(metadata), path / "c.parquet")
    trace = open_trace(path / "c.parquet")
    assert isinstance(trace, Parquet)
    return trace


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_every_field_of_a_family_has_a_column_of_its_name(family: Family) -> None:
    """And what a sorted file tells of its row groups has the same name in both forms."""
    some = Header(system=System(""), recorders={}, clock_bound_ns=0, family=family)
    names = [column.name for column in field_columns(some)]
    assert names == list(dict.fromkeys(names))
    assert {field.name for shape in shapes_of(family).values() for field in shape.fields} <= set(names)
    assert {"kind", "recorder", *some.sorted_by.stored} <= set(names) & set(made_of(some))
    assert list(made_of(some)) == [column.name for column in stored(some)]
    assert all(made_of(some).values())


def test_a_field_stands_in_its_column_and_0_in_other_kinds(tmp_path: Path) -> None:
    rows = written(tmp_path).to_pylist()
    for row, event in zip(rows, small_events(), strict=True):
        fields = {field.name: field for field in shapes_of(HEADER.family)[event["kind"]].fields}
        for name in set(row) - {"kind", "recorder", "payload", "extra"}:
            if name not in fields:
                assert row[name] == 0
            elif fields[name].sort == "int":
                assert row[name] == event[fields[name].column]
    assert {row["reason"] for row in rows if row["kind"] != Gap.kind} == {0}


def test_there_and_back_is_the_same_table() -> None:
    for nodes in (5, 70):
        wide = replace(HEADER, members={"nodes": tuple(Member(f"n{number}") for number in range(nodes))})
        (batch,) = to_batches(small_events(), wide)
        table = pa.Table.from_batches([batch])
        there = by_field(table, wide)
        assert schema_by_field(wide).names == [name for name in there.column_names if name not in ("payload", "extra")]
        back = shared(there, wide, schema_of(wide).names)
        assert back.select(table.column_names).to_pylist() == table.to_pylist()


@pytest.mark.parametrize("unfilled", [None, 1])
def test_what_others_leave_in_events_without_the_field_does_not_matter(tmp_path: Path, unfilled: int | None) -> None:
    """Another writer leaves NULL there, or a number."""
    table = written(tmp_path)
    kinds, types = table["kind"].to_pylist(), {column.name: column for column in field_columns(HEADER)}
    for place, field in enumerate(table.schema):
        if field.name in types and field.name not in {"kind", "recorder", *HEADER.sorted_by.stored}:
            filled = {kind for of in types[field.name].kept.values() for kind in of}
            said = table[field.name].to_pylist()
            values = [value if kind in filled else unfilled for kind, value in zip(kinds, said, strict=True)]
            table = table.set_column(place, pa.field(field.name, field.type), pa.array(values, field.type))
    trace = rewritten(table, tmp_path)
    assert list(trace.events()) == small_events()
    (raw,) = trace.raws(["kind", "arg", "nodes", "actor"])
    (before,) = open_trace(tmp_path / "b.parquet").raws(["kind", "arg", "nodes", "actor"])
    is_store = raw["kind"].value == Store.kind
    for name in ("arg", "nodes", "actor"):
        here, there = raw[name].take(is_store), before[name].take(is_store)
        known = here.known if here.known is not None else is_store[is_store]
        assert (here.value[known] == there.value[known]).all()
        assert there.known is None or (there.known == known).all()


def test_a_file_of_before_says_the_same(tmp_path: Path) -> None:
    """It is read, and written anew by field."""
    trace = open_trace(OLD)
    assert isinstance(trace, Parquet)
    assert not trace.parts[0].by_field
    assert list(trace.events()) == small_events()
    convert(OLD, tmp_path / "new.parquet")
    new = open_trace(tmp_path / "new.parquet")
    assert isinstance(new, Parquet)
    assert new.parts[0].by_field
    assert list(new.events()) == small_events()


def test_old_files_and_new_ones_may_stand_in_one_folder(tmp_path: Path) -> None:
    path = write_sorted(tmp_path / "new.parquet", lost())
    (tmp_path / "both").mkdir()
    table = pa.concat_tables(open_trace(path).tables()).select(schema_of(header()).names)
    kept = {HEADER_KEY: pq.read_metadata(path).metadata[HEADER_KEY]}
    pq.write_table(table.slice(0, 5).replace_schema_metadata(kept), tmp_path / "both" / "a.parquet")
    pq.write_table(pq.read_table(path).slice(5).replace_schema_metadata(kept), tmp_path / "both" / "b.parquet")
    trace = open_trace(tmp_path / "both")
    assert isinstance(trace, Parquet)
    assert [part.by_field for part in trace.parts] == [False, True]
    assert list(trace.events()) == list(open_trace(path).events())


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    """By the name that it has in this file: most of its columns say which form it has."""
    with pytest.raises(MissingField, match="'wave'"):
        rewritten(written(tmp_path).drop_columns(["wave"]), tmp_path)
    with pytest.raises(MissingField, match="'arg'"):
        rewritten(pq.read_table(OLD).drop_columns(["arg"]), tmp_path)


def test_a_column_of_both_forms_is_refused(tmp_path: Path) -> None:
    table = written(tmp_path)
    with pytest.raises(Duplicated, match="'arg'"):
        rewritten(table.append_column("arg", pa.array([0] * len(table), pa.int32())), tmp_path)


def test_columns_of_zeros_are_not_read(tmp_path: Path) -> None:
    """A damaged page of one does not matter: that all its numbers are 0 stands in the row group's statistics."""
    written(tmp_path)
    whole = pq.ParquetFile(tmp_path / "b.parquet").metadata.row_group(0)
    columns = {column.path_in_schema: column for column in map(whole.column, range(whole.num_columns))}
    assert columns["capacity"].statistics.max == 0
    data = bytearray((tmp_path / "b.parquet").read_bytes())
    data[columns["capacity"].data_page_offset : columns["capacity"].data_page_offset + 4] = b"\xff" * 4
    (tmp_path / "b.parquet").write_bytes(data)
    assert list(open_trace(tmp_path / "b.parquet").events()) == small_events()
