"""Damages to a trace in Parquet, as other writers and bad disks make them, and which error names each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace.commands import convert
from conformance.trace.errors import (
    Damaged,
    Duplicated,
    Empty,
    HeadersDiffer,
    Inconsistent,
    MissingField,
    Mistyped,
    NotATrace,
    NotSorted,
    NullValue,
    Oversized,
    Truncated,
    UnknownKind,
    UnknownPartition,
    UnknownRecorder,
    UnknownVersion,
)
from conformance.trace.parquet import HEADER_KEY, SORTED_KEY
from tests.support.damage_lines import Damage, Expected, flipped

STORE: Final = 3
"""The row of a store that knows everything."""

GAP: Final = 7
"""The row of a gap."""


def _converted(source: Path, target: Path) -> Path:
    whole = target.with_name(target.name + ".whole.parquet")
    convert(source, whole)
    return whole


def on_parquet_bytes(change: Callable[[bytes], bytes]) -> Damage:
    """Change the bytes of a Parquet file."""

    def damage(source: Path, target: Path) -> None:
        whole = _converted(source, target)
        target.write_bytes(change(whole.read_bytes()))
        whole.unlink()

    return damage


def _empty_folder(_: Path, target: Path) -> None:
    target.mkdir()


def on_table(change: Callable[[pa.Table], pa.Table], *, mark: str | None = None) -> Damage:
    """Write the table again after a change, as another writer would: every column may be NULL.

    The mark of a sorted file is kept if ``mark`` is "kept".
    """

    def damage(source: Path, target: Path) -> None:
        whole = _converted(source, target)
        file = pq.ParquetFile(whole)
        table, metadata = file.read(), dict(file.metadata.metadata)
        file.close()
        if mark != "kept":
            del metadata[SORTED_KEY]
        table = table.cast(pa.schema([field.with_nullable(nullable=True) for field in table.schema]))
        pq.write_table(change(table.replace_schema_metadata(metadata)), target)
        whole.unlink()

    return damage


def put(name: str, value: Any, row: int = STORE) -> Callable[[pa.Table], pa.Table]:
    """Another value in one place."""

    def change(table: pa.Table) -> pa.Table:
        values = table[name].to_pylist()
        values[row] = value
        kind = pa.string() if name == "recorder" else table[name].type
        return table.set_column(table.column_names.index(name), name, pa.array(values, kind))

    return change


def _retyped(name: str, kind: Any) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.set_column(table.column_names.index(name), name, table[name].cast(kind))


def _with_metadata(key: bytes, old: bytes, new: bytes) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        metadata = dict(table.schema.metadata)
        return table.replace_schema_metadata(metadata | {key: metadata[key].replace(old, new)})

    return change


def _folder(*changes: Callable[[pa.Table], pa.Table]) -> Damage:
    def damage(source: Path, target: Path) -> None:
        target.mkdir()
        for number, change in enumerate(changes):
            on_table(change, mark="kept")(source, target / f"part{number}.parquet")

    return damage


def _same(table: pa.Table) -> pa.Table:
    return table


PARQUET_DAMAGES: Final[dict[str, tuple[Expected, Damage]]] = {
    "Parquet cut": (Truncated, on_parquet_bytes(lambda data: data[: len(data) // 2])),
    "Parquet magic alone": (Truncated, on_parquet_bytes(lambda data: data[:4])),
    "Parquet page with a flipped bit": (Damaged, on_parquet_bytes(lambda data: flipped(data, 60))),
    "Parquet footer of noise": (Damaged, on_parquet_bytes(lambda data: data[:-40] + b"\xff" * 32 + data[-8:])),
    "Parquet without a header": (NotATrace, on_table(lambda table: table.replace_schema_metadata({}))),
    "Parquet header cut": (Mistyped, on_table(_with_metadata(HEADER_KEY, b"}", b""))),
    "Parquet of an unknown version": (UnknownVersion, on_table(_with_metadata(HEADER_KEY, b'"1.0"', b'"2.0"'))),
    "Parquet without a column": (MissingField, on_table(lambda table: table.drop_columns(["digest"]))),
    "Parquet column mistyped": (Mistyped, on_table(_retyped("node", pa.int64()))),
    "Parquet recorder mistyped": (
        Mistyped,
        on_table(lambda table: _retyped("recorder", pa.binary())(put("recorder", "n0")(table))),
    ),
    "Parquet column twice": (Duplicated, on_table(lambda table: table.append_column("log", table["log"]))),
    "Parquet without rows": (Empty, on_table(lambda table: table.slice(0, 0))),
    "Parquet kind NULL": (NullValue, on_table(put("kind", None))),
    "Parquet log NULL": (NullValue, on_table(put("log", None))),
    "Parquet log NULL in a kind without log": (NullValue, on_table(put("log", None, row=0))),
    "Parquet recorder NULL": (NullValue, on_table(put("recorder", None))),
    "Parquet required field NULL": (NullValue, on_table(put("node", None))),
    "Parquet optional field NULL": (None, on_table(put("digest", None))),
    "Parquet deliver that answers for more": (Inconsistent, on_table(put("upto_esn", 2, row=8))),
    "Parquet number below the least": (Oversized, on_table(put("recovery", -1))),
    "Parquet event that books add": (
        UnknownRecorder,
        on_table(lambda table: put("kind", 46, 7)(put("why", 1, 7)(table))),
    ),
    "Parquet kind unknown": (UnknownKind, on_table(put("kind", 99))),
    "Parquet recorder unknown": (UnknownRecorder, on_table(put("recorder", "nobody"))),
    "Parquet log unknown": (UnknownPartition, on_table(put("log", 3))),
    "Parquet gap reason unknown": (Oversized, on_table(put("reason", 99, row=GAP))),
    "Parquet node beyond the topology": (Oversized, on_table(put("node", 5))),
    "Parquet set beyond the topology": (Oversized, on_table(put("copyset", 1 << 5))),
    "Parquet replication oversized": (Oversized, on_table(put("replication", 1 << 60, row=1))),
    "Parquet ESN negative": (Oversized, on_table(put("esn", -1))),
    "Parquet unknown fields mistyped": (
        Mistyped,
        on_table(lambda table: table.append_column("extra", pa.array(["{"] * len(table)))),
    ),
    "Parquet event twice": (Duplicated, on_table(lambda table: pa.concat_tables([table, table.slice(2, 1)]))),
    "Parquet rows out of order": (
        NotSorted,
        on_table(lambda table: table.take(list(range(len(table)))[::-1]), mark="kept"),
    ),
    "folder empty": (NotATrace, _empty_folder),
    "folder with a file twice": (Duplicated, _folder(_same, _same)),
    "folder of two traces": (HeadersDiffer, _folder(_same, _with_metadata(HEADER_KEY, b'"orders"', b'"others"'))),
}
"""Each damage by name, with the error that must name it."""
