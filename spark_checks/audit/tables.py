"""The tables of a snapshot: Parquet, read row group by row group, in the order of ledgers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace.errors import (
    Damaged,
    Duplicated,
    MissingField,
    Mistyped,
    NotReadable,
    NotSorted,
    NullValue,
)
from conformance.trace.files import placed, readable

ANSWERS: Final = pa.schema(
    [
        pa.field("ledger", pa.int64(), nullable=False),
        pa.field("bookie", pa.int32(), nullable=False),
        pa.field("entries", pa.binary()),
    ]
)
"""The table of answers: bookies by their places in ``audit.json``, from 0; entries in the bytes of the wire."""

MARKS: Final = pa.schema(
    [
        pa.field("ledger", pa.int64(), nullable=False),
        pa.field("marked_ms", pa.int64()),
        pa.field("replicas", pa.list_(pa.string()), nullable=False),
    ]
)
"""The table of under-replication marks: when each was written, and the bookies whose copies are lost."""

MAY_LACK: Final = frozenset({"version"})
"""Columns that a table need not have; all their values are NULL then."""

SORTED: Final = "let Spark sort it: `quorate audit snapshot --engine spark`"


class Group(NamedTuple):
    """A row group of a table.

    Attributes:
        path, number: which.
        rows: how many rows it has.
        least, most: its ledgers.
    """

    path: str
    number: int
    rows: int
    least: int
    most: int


def groups_of(folder: Path, name: str, schema: Any) -> tuple[Group, ...]:
    """The row groups of a table that have rows, in the order of ledgers.

    Raises:
        TraceError: there is no such table, or it is no such table.
        NotSorted: the ledgers of two row groups overlap.
    """
    found = [group for path in files_of(folder, name) for group in _groups(path, schema)]
    found.sort(key=lambda group: (group.least, group.most))
    for before, after in pairwise(found):
        if after.least < before.most:
            why = f"ledgers {before.least} to {before.most} and {after.least} to {after.most} overlap"
            raise NotSorted(f"{name} is not sorted by ledger", why, SORTED).at(folder)
    return tuple(found)


def files_of(folder: Path, name: str) -> list[Path]:
    """The files of a table: one, or all of a folder; none where the table is not there."""
    folder_of, file = folder / name, folder / f"{name}.parquet"
    return sorted(folder_of.glob("*.parquet")) if folder_of.is_dir() else [file] if file.exists() else []


def rows_of(group: Group, schema: Any) -> Any:
    """The rows of a row group, in the types of a schema.

    Raises:
        TraceError: they cannot be read, or required values are NULL.
    """
    with placed(f"{group.path}, row group {group.number}"), _parquet():
        read = pq.ParquetFile(group.path).read_row_group(group.number, columns=schema.names)
        for place, field in enumerate(schema):
            if field.name not in read.column_names:
                read = read.add_column(place, field, pa.nulls(len(read), field.type))
            if not field.nullable and read[field.name].null_count:
                raise NullValue(f"{field.name} is null", "every row must say it", "check who wrote it")
        return _cast(read, schema).combine_chunks()


def check_order(keys: Any, names: str) -> None:
    """Refuse rows that are not in ascending order, or that stand twice.

    Args:
        keys: the columns that are the key, the first one first.
        names: what the key is called.

    Raises:
        NotSorted, Duplicated: they are not, or do.
    """
    same = np.ones(max(len(keys[0]) - 1, 0), bool)
    for key in keys:
        if (same & (key[1:] < key[:-1])).any():
            raise NotSorted("rows are not in order", f"they must ascend by {names}", SORTED)
        same &= key[1:] == key[:-1]
    if same.any():
        at = int(np.flatnonzero(same)[0]) + 1
        raise Duplicated(f"row {at} stands twice", f"there may be one row for each {names}", "keep one of the two")


def _groups(path: Path, schema: Any) -> Iterator[Group]:
    with placed(path), _parquet():
        file = pq.ParquetFile(path)
        for field in schema:
            is_wanted = not field.nullable or field.name not in MAY_LACK
            if is_wanted and field.name not in file.schema_arrow.names:
                raise MissingField(f"column {field.name} is missing", f"it is {field.type}", "check who wrote it")
        column = file.schema_arrow.get_field_index("ledger")
        for number in range(file.num_row_groups):
            about = file.metadata.row_group(number)
            if about.num_rows:
                yield Group(str(path), number, about.num_rows, *_span(file, number, about.column(column).statistics))


def _span(file: Any, number: int, told: Any) -> tuple[int, int]:
    """The least and the greatest ledger of a row group."""
    if told is not None and told.has_min_max:
        return told.min, told.max
    ledgers = file.read_row_group(number, columns=["ledger"])["ledger"].to_numpy()
    return int(ledgers.min()), int(ledgers.max())


def _cast(rows: Any, schema: Any) -> Any:
    """The rows in the types of a schema.

    Raises:
        Mistyped: a column has another type, or a value that the type has not.
    """
    try:
        return rows.cast(schema)
    except pa.ArrowException as error:
        raise Mistyped("a column has another type", str(error).splitlines()[0], "check who wrote it") from None


@contextmanager
def _parquet() -> Iterator[None]:
    """Name what Arrow has against a file.

    Raises:
        NotReadable, Damaged: it cannot be read, or is no Parquet.
    """
    try:
        with readable():
            yield
    except pa.ArrowInvalid as error:
        raise Damaged("no such Parquet", str(error).splitlines()[0], "copy it again") from None
    except pa.ArrowException as error:
        raise NotReadable("cannot be read", str(error).splitlines()[0], "check the file") from None
