"""Parquet: the form for machines. A file, or a folder of files with one header, read row group by row group.

The header stands in the file's metadata. A file that our writer sorted says so there, with its number of rows; a file
that was changed since is no longer taken for sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace import delta
from conformance.trace.arrow import check_schema, count_unknown, stored, to_rows, type_of, with_recorders
from conformance.trace.blocks import Blocks, OrderCheck, numbers, whole_blocks
from conformance.trace.by_field import field_columns, is_by_field, made_of, names_by_field, shared, stirring
from conformance.trace.errors import Damaged, Duplicated, Empty, HeadersDiffer, NotATrace, TraceError, Truncated
from conformance.trace.fields import PAYLOAD
from conformance.trace.files import PARQUET_MAGIC, first_bytes, placed, readable
from conformance.trace.header import Header
from conformance.trace.header_json import header_from_json
from conformance.trace.json_text import decode
from conformance.trace.kinds_here import KindsHere
from conformance.trace.rows import EventRow
from conformance.trace.typed import mapping
from conformance.trace.watch import Watch
from spec.columns.column import Raw
from spec.columns.piece import BLOCK

HEADER_KEY: Final = b"quorate_trace"
"""Where the metadata of a file keeps the header, as JSON."""

SORTED_KEY: Final = b"quorate_in_order"
"""Where it says that the file is sorted, that no event stands twice, that books of clients are kept, and that events
hold 0 in the columns of fields that they do not have: the number of rows of which that is so."""

BOOKS_KEY: Final = b"quorate_books_of"
"""Where a file of an unsorted trace says of how many events, in all files together, books of clients are kept."""


@dataclass(frozen=True)
class TraceFile:
    """One file of a trace.

    Attributes:
        groups: how many rows each row group has.
        partitions: the least and the greatest partition of each row group, where the file tells.
        kinds: the least and the greatest kind of each row group, where the file tells.
        in_order: its rows are sorted by partition, position and sequence number, and no event stands twice.
        by_field: it has a column for each field, as files have that are written now, and not shared columns.
        unknown: the names of columns that the format does not know, and of the one that keeps unknown fields.
        books_of: of how many events, in all files of the trace, books are kept; None: it does not say.
    """

    path: Path
    header: Header
    groups: tuple[int, ...]
    partitions: tuple[tuple[int, int] | None, ...]
    kinds: tuple[tuple[int, int] | None, ...]
    in_order: bool
    by_field: bool
    unknown: tuple[str, ...]
    books_of: int | None = None

    @property
    def rows(self) -> int:
        """How many events the file has."""
        return sum(self.groups)

    def with_partitions(self, wanted: frozenset[int]) -> TraceFile:
        """The part as if row groups that cannot have any of these partitions were empty."""
        return replace(self, groups=tuple(map(_if_any(wanted), self.groups, self.partitions)))

    def with_kinds(self, kinds: frozenset[int]) -> TraceFile:
        """The part as if row groups that cannot have any of these kinds were empty."""
        return replace(self, groups=tuple(map(_if_any(kinds), self.groups, self.kinds)))

    def only(self, wanted: Container[int]) -> TraceFile:
        """The part as if all other row groups were empty."""
        return replace(self, groups=tuple(rows * (number in wanted) for number, rows in enumerate(self.groups)))


def _if_any(wanted: frozenset[int]) -> Callable[[int, tuple[int, int] | None], int]:
    """How many rows to read of a row group with so many, whose numbers span this; None: that is not known."""
    return lambda rows, span: rows if span is None or any(span[0] <= one <= span[1] for one in wanted) else 0


def parts_of(path: Path) -> tuple[TraceFile, ...]:
    """The files of a trace with what their metadata say; for a folder, those that end with ``.parquet``, by name.

    Of a Delta table, those that it has after its last commit.

    Raises:
        NotATrace: it is no Parquet, a folder without any, or it has no header.
        HeadersDiffer: two files of a folder have different headers.
        TraceError: another of its kinds, for whatever is wrong with a file.
    """
    if not path.is_dir():
        return (_part(path),)
    with placed(path), readable():
        files = delta.files_now(path)
        if not files:
            raise NotATrace("a folder without Parquet files", "no name ends with .parquet", "name one trace")
    parts = tuple(map(_part, files))
    for part in parts:
        if part.header != parts[0].header:
            raise HeadersDiffer(
                "two headers in one folder", f"it differs from that of {parts[0].path.name}", "one trace per folder"
            ).at(part.path)
    return parts


def _part(path: Path) -> TraceFile:
    with placed(path), _file(path) as file, _intact():
        metadata = file.metadata.metadata or {}
        if HEADER_KEY not in metadata:
            raise NotATrace(
                "Parquet without a header", f"its metadata have no {HEADER_KEY.decode()!r}", "write it with quorate"
            )
        with placed("header"):
            header = header_from_json(mapping("header", decode(metadata[HEADER_KEY].decode(errors="replace"))))
        is_by_field, unknown = _layout(file.schema_arrow, header)
        groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        return TraceFile(
            path,
            header,
            tuple(group.num_rows for group in groups),
            tuple(_span(group, header.sorted_by.partition) for group in groups),
            tuple(_span(group, "kind") for group in groups),
            metadata.get(SORTED_KEY) == str(file.metadata.num_rows).encode(),
            is_by_field,
            unknown,
            int(said) if (said := metadata.get(BOOKS_KEY, b"")).isdigit() else None,
        )


def _layout(schema: Any, header: Header) -> tuple[bool, tuple[str, ...]]:
    """Whether a file keeps fields, and not shared columns; and its columns that the format does not know.

    Raises:
        TraceError: one of its kinds, for a column that is absent, stands twice or has another type.
    """
    shared = {column.name: type_of(column) for column in stored(header)}
    if not is_by_field(schema.names, header):
        return False, tuple(check_schema(schema, shared))
    unknown = check_schema(schema, {column.name: column.type for column in field_columns(header)})
    if clash := shared.keys() & set(unknown):
        raise Duplicated(f"column {min(clash)!r}", "only files of before have it, and they alone", "drop or rename it")
    return True, tuple(unknown)


def _span(group: Any, name: str) -> tuple[int, int] | None:
    columns = map(group.column, range(group.num_columns))
    statistics = next(column.statistics for column in columns if column.path_in_schema == name)
    return (statistics.min, statistics.max) if statistics is not None and statistics.has_min_max else None


def metadata_of(part: TraceFile) -> Any:
    """What the file says of its row groups.

    Raises:
        Damaged: the bytes are not what was written.
    """
    with _file(part.path) as file, _intact():
        return file.metadata


def read_group(part: TraceFile, group: int, columns: list[str] | None = None) -> Any:
    """The table of one row group, on one core; all columns if none are named.

    Raises:
        Damaged: the bytes are not what was written.
    """
    with placed(f"{part.path}, row group {group}"), _file(part.path) as file, _intact():
        return _read(file, part, [group], columns)


def _read(
    file: Any,
    part: TraceFile,
    groups: list[int],
    columns: Sequence[str] | None = None,
    kinds: Iterable[int] | None = None,
    rows: Any | None = None,
) -> Any:
    """Some shared columns of some row groups, and of those that no field keeps; all if none are named.

    Where kinds are given, all rows that are wanted are events of these.
    """
    if not part.by_field:
        table = file.read_row_groups(groups, columns=columns, use_threads=False)
        return table if rows is None else table.take(rows)
    of_fields = made_of(part.header)
    if columns is None:
        columns = [*of_fields, *(name for name in file.schema_arrow.names if name in (*part.unknown, PAYLOAD))]
    wanted = [name for name in columns if name in of_fields]
    beyond = [name for name in columns if name not in of_fields]
    fields = stirring(file.metadata, groups, names_by_field(part.header, wanted, kinds))
    table = file.read_row_groups(groups, columns=[*fields, *beyond], use_threads=False)
    return shared(table if rows is None else table.take(rows), part.header, wanted, is_clean=part.in_order)


def read_tables(
    parts: tuple[TraceFile, ...], columns: list[str] | None = None, *, together: int = 0
) -> Iterator[tuple[str, Any]]:
    """The tables of all row groups with their places, in order.

    Small row groups of one file that follow each other are read as one table of ``together`` rows at most.

    Raises:
        Empty: there is no event.
        Damaged: the bytes are not what was written.
    """
    refuse_empty(parts)
    for part in parts:
        with _file(part.path) as file:
            for groups in _runs(part.groups, together):
                last = f" to {groups[-1]}" if len(groups) > 1 else ""
                place = f"{part.path}, row group {groups[0]}{last}"
                with placed(place), _intact():
                    table = _read(file, part, groups, columns)
                yield place, table


def refuse_empty(parts: tuple[TraceFile, ...]) -> None:
    """Make sure that there is an event.

    Raises:
        Empty: there is none.
    """
    if not any(part.rows for part in parts):
        raise Empty("no event", "the trace has no rows", "check whether the recorders were on").at(parts[-1].path)


def _runs(sizes: Sequence[int], together: int) -> Iterator[list[int]]:
    """The numbers of row groups that are not empty, in runs of this many rows at most, or of one row group."""
    run: list[int] = []
    rows = 0
    for group, size in enumerate(sizes):
        if run and rows + size > together:
            yield run
            run, rows = [], 0
        if size:
            run, rows = [*run, group], rows + size
    if run:
        yield run


def read_raws(parts: tuple[TraceFile, ...], columns: Iterable[str], *, in_order: bool) -> Iterator[Raw]:
    """The wanted columns of all row groups, in order, checked as ``Blocks`` does; of small ones several at once.

    Raises:
        TraceError: one of its kinds, with file, row group and row.
        KeyError: the vocabulary has no such column.
    """
    wanted = frozenset(columns)
    try:
        yield from _raws(parts, wanted, in_order=in_order, together=BLOCK)
    except TraceError:
        for _ in _raws(parts, wanted, in_order=in_order, together=0):  # names the one row group
            pass
        raise


def _raws(parts: tuple[TraceFile, ...], columns: frozenset[str], *, in_order: bool, together: int) -> Iterator[Raw]:
    blocks, order = Blocks(parts[0].header, columns), OrderCheck(parts[0].header.sorted_by)
    for place, table in read_tables(parts, blocks.names, together=together):
        with placed(place):
            raw = blocks.of(table)
            if in_order:
                order.check(raw)
        yield raw


def read_kinds(parts: tuple[TraceFile, ...], wanted: Mapping[int, frozenset[str]]) -> Iterator[Raw]:
    """The columns that are wanted of each kind of event, checked as ``Blocks`` does, in blocks that are not empty.

    Row groups without these kinds are skipped, and so are columns that are wanted of no kind in a row group.

    Raises:
        TraceError: one of its kinds, with file, row group and row.
        KeyError: the vocabulary has no such column.
    """
    blocks = Blocks(parts[0].header, frozenset().union(*wanted.values()))
    for part in (part.with_kinds(frozenset(wanted)) for part in parts):
        if not part.rows:
            continue
        with _file(part.path) as file:
            for group in (group for group, rows in enumerate(part.groups) if rows):
                with placed(f"{part.path}, row group {group}"):
                    with _intact():
                        table, read = _of_kinds(file, part, group, blocks, wanted)
                    try:
                        raw = blocks.of(table, read)
                    except TraceError:
                        blocks.of(read_group(part, group, blocks.names))  # names the row in the file
                        raise
                if len(table):
                    yield raw


def _of_kinds(
    file: Any, part: TraceFile, group: int, blocks: Blocks, wanted: Mapping[int, frozenset[str]]
) -> tuple[Any, frozenset[str]]:
    """The events of some kinds in one row group, and the columns that are wanted of them; all others hold 0."""
    kinds = KindsHere(numbers(file.read_row_group(group, columns=["kind"], use_threads=False)["kind"]).value)
    chosen = np.flatnonzero(kinds.are(wanted.keys()))
    there = kinds.here & wanted.keys()
    here = frozenset().union(*(wanted[one] for one in there)) - {"kind"}
    names = [column.name for column in blocks.needed if column.column in here | {"kind"}]
    table = _read(file, part, [group], names, there, pa.array(chosen))
    for column in blocks.needed:
        if column.name not in table.column_names:
            nothing = np.zeros(len(chosen), type_of(column).to_pandas_dtype())
            table = table.append_column(column.name, pa.array(nothing))
    return table, here


def read_checked(parts: tuple[TraceFile, ...], *, in_order: bool) -> Iterator[tuple[str, Any]]:
    """All tables, checked, with their places and all columns; recorders as numbers of the header's names.

    Raises:
        TraceError: one of its kinds, with file, row group and row.
    """
    header = parts[0].header
    unknown = {name for part in parts for name in part.unknown}
    blocks, order = whole_blocks(header), OrderCheck(header.sorted_by)
    for place, table in read_tables(parts):
        with placed(place):
            raw = blocks.of(table)
            if in_order:
                order.check(raw)
            count_unknown(table.select([name for name in unknown if name in table.column_names]))
            found = with_recorders(table, header)
        yield place, found


def read_events(parts: tuple[TraceFile, ...], watch: Watch) -> Iterator[EventRow]:
    """The events of all files, one at a time.

    Raises:
        TraceError: one of its kinds, with file, row group and row.
    """
    header = parts[0].header
    for place, table in read_checked(parts, in_order=False):
        with placed(place):
            for event in to_rows(table, header):
                yield watch.note(event)


@contextmanager
def _file(path: Path) -> Iterator[Any]:
    """A Parquet file, open; memory is that of one row group."""
    magic = first_bytes(path)
    with readable():
        size = path.stat().st_size
    if magic != PARQUET_MAGIC:
        raise NotATrace("not Parquet", f"it begins with {magic!r}", "a trace of quorate, or an importer")
    with path.open("rb") as bytes_:
        bytes_.seek(max(0, size - 4))
        if size < 12 or bytes_.read() != PARQUET_MAGIC:  # noqa: PLR2004 - two magics and the footer's length
            raise Truncated("the footer is missing", "the file ends before it", "copy it again")
    with _intact():
        file = pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False)
    try:
        yield file
    finally:
        file.close()


@contextmanager
def _intact() -> Iterator[None]:
    """Name what Arrow says of damaged bytes.

    Raises:
        Damaged: they cannot be decoded, or a checksum is wrong.
    """
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        why = " ".join(str(error).split())[:200]
        raise Damaged("the bytes are not what was written", why, "copy it again") from None
