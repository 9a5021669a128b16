"""Sources: what is new in a growing folder of files, or in a file, as slices that can be read by themselves.

Lines in plain text may be added to a file; a file of another form is read once, when it is there. A name that ends
with ``.unfinished`` is that of a file in which a recorder still writes, and is taken for the name that it will get.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

import pyarrow as pa

from conformance.store.errors import Altered
from conformance.trace import delta, parquet
from conformance.trace.bulk import COUNTS, batches_of_lines, read_batches
from conformance.trace.errors import HeadersDiffer
from conformance.trace.files import PARQUET_MAGIC, TRUTH, first_bytes, is_plain, placed, readable, visible
from conformance.trace.header import Header
from conformance.trace.header_json import VERSION_KEY, header_to_json
from conformance.trace.json_text import decode, utf8
from conformance.trace.jsonl import FirstLine, Lines, first_line, first_of, read_first_line, told_by
from conformance.trace.keeping import without_recorder
from conformance.trace.typed import mapping

HEADER: Final = "header.json"
"""The file of a folder that has the header of all its files in JSON lines that begin without one."""

BESIDE: Final = frozenset({HEADER, TRUTH})
"""Files of a folder that hold no events."""

UNFINISHED: Final = ".unfinished"
SLICE: Final = 1 << 25
"""Bytes of lines in one slice, about."""

LAST: Final = 1 << 12
"""Bytes at the end of what was read of a file by which it is known again."""

GROUPS: Final = 4
"""Row groups in one slice."""

Form = Literal["lines", "groups", "whole"]


@dataclass(frozen=True)
class Slice:
    """A part of a file.

    Attributes:
        name: what the file is called in its folder when it is finished.
        form: lines of plain text, row groups of Parquet, or all lines of a compressed file.
        begin: the first byte, or the first row group.
        end: the byte, or the row group, behind the last.
        size: bytes of the file, up to the end of this slice if lines may be added.
    """

    path: Path
    name: str
    form: Form
    begin: int
    end: int
    size: int


def new_slices(
    source: Path, read: Mapping[str, int], *, growing: bool, upto: Mapping[str, int] | None = None
) -> list[Slice]:
    """What is new in a file, or in the files of a folder, in the order of their names.

    Args:
        source: the file or folder.
        read: how many bytes of each file were read before.
        growing: somebody may be writing: a last line without an end, and Parquet without one, are left for later.
        upto: how many bytes of each file to read; None: all that there are.

    Raises:
        Altered: a file is shorter than what was read of it, or has changed though none of its lines could be added to.
        TraceError: another of its kinds, for what cannot be read.
    """
    found: list[Slice] = []
    with placed(source), readable():
        for path in files_of(source):
            name = path.name.removesuffix(UNFINISHED)
            size = path.stat().st_size if upto is None else upto.get(name, 0)
            found += _new_in(path, name, read.get(name, 0), size, growing=growing)
    return found


def files_of(source: Path) -> list[Path]:
    """The files of a folder that hold events, by name; of a Delta table those that it has now; a file is its own.

    Raises:
        TraceError: one of its kinds, if a Delta table's log cannot be read.
    """
    if not source.is_dir():
        source.stat()
        return [source]
    there = delta.files_of(source) if delta.is_delta(source) else filter(Path.is_file, source.iterdir())
    return [path for path in visible(there) if path.name not in BESIDE]


def last_of(path: Path, size: int) -> str:
    """A digest of the last bytes of a file, of which so many were read."""
    with path.open("rb") as file:
        file.seek(max(0, size - LAST))
        return blake2b(file.read(min(size, LAST)), digest_size=16).hexdigest()


def unread(source: Path, read: Mapping[str, int]) -> int:
    """How many bytes of a file, or of the files of a folder, were not read yet.

    Args:
        source: the file or folder.
        read: how many bytes of each file were.
    """
    left = 0
    for path in files_of(source):
        with suppress(FileNotFoundError):  # it was renamed or removed meanwhile
            left += path.stat().st_size - read.get(path.name.removesuffix(UNFINISHED), 0)
    return left


def _new_in(path: Path, name: str, before: int, size: int, *, growing: bool) -> Iterator[Slice]:
    if not size:
        return
    magic = first_bytes(path)
    is_text = magic != PARQUET_MAGIC and is_plain(magic)
    if size < before or (before and not is_text and size != before):
        what = f"{size} bytes, of which {before} were read"
        raise Altered(what, "a file that was read may only get more lines", "a new file for new events").at(path)
    if is_text:
        yield from _new_lines(path, name, before, _last_end(path, before, size) if growing else size)
    elif not before and magic == PARQUET_MAGIC and not (growing and _is_cut_short(path, size)):
        groups = sum(len(part.groups) for part in parquet.parts_of(path))
        for begin in range(0, groups, GROUPS):
            yield Slice(path, name, "groups", begin, min(begin + GROUPS, groups), size)
    elif not before and magic != PARQUET_MAGIC:
        yield Slice(path, name, "whole", 0, size, size)


def _is_cut_short(path: Path, size: int) -> bool:
    with path.open("rb") as file:
        file.seek(max(0, size - len(PARQUET_MAGIC)))
        return file.read() != PARQUET_MAGIC


def _last_end(path: Path, begin: int, size: int) -> int:
    """Where the last whole line ends between two bytes."""
    with path.open("rb") as file:
        while size > begin:
            low = max(begin, size - SLICE)
            file.seek(low)
            if (place := file.read(size - low).rfind(b"\n")) >= 0:
                return low + place + 1
            size = low
    return begin


def _new_lines(path: Path, name: str, begin: int, end: int) -> Iterator[Slice]:
    with path.open("rb") as file:
        while begin < end:
            cut = end
            if end - begin > SLICE:
                file.seek(begin + SLICE)
                file.readline()
                cut = min(file.tell(), end)
            yield Slice(path, name, "lines", begin, cut, cut)
            begin = cut


def header_of(source: Path) -> Header | None:
    """The header of a file or folder: in a file of its own, or in the first file by name; None while there is none.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with it.
    """
    with placed(source), readable():
        if source.is_dir() and (source / HEADER).exists():
            return read_header(source / HEADER)
        first = next((path for path in files_of(source) if path.stat().st_size), None)
    if first is None:
        return None
    if first_bytes(first) == PARQUET_MAGIC:
        return parquet.parts_of(first)[0].header
    return read_first_line(first).header


def read_header(path: Path) -> Header:
    """The header that a file has of its own; what a first line says of its file besides is passed over.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with it.
    """
    with placed(path), readable():
        return first_of(mapping("header", decode(utf8(path.read_bytes()))), 1).header


@dataclass(frozen=True)
class SliceRead:
    """What a slice has.

    Attributes:
        table: its events, checked; None where there is none.
        told: how many events its file has, if its last line counts them.
    """

    table: Any
    told: int | None = None


def read_slice(slice_: Slice, header: Header) -> SliceRead:
    """The events of a slice.

    Raises:
        HeadersDiffer: its file says another header.
        TraceError: another of its kinds, for whatever is wrong.
    """

    def agree(found: Header) -> None:
        if header_to_json(without_recorder(found)) != header_to_json(header):
            raise HeadersDiffer("two headers in one trace", "it differs from that of the store", "one trace per store")

    if slice_.form == "groups":
        (part,) = parquet.parts_of(slice_.path)
        with placed(slice_.path):
            agree(part.header)
        some = part.only(range(slice_.begin, slice_.end))
        tables = [table for _, table in parquet.read_checked((some,), in_order=False)] if some.rows else []
        return SliceRead(_one(tables))
    with placed(slice_.path):
        if slice_.form == "whole":
            agree(read_first_line(slice_.path).header)
            return SliceRead(_one([pa.Table.from_batches([batch]) for batch in read_batches(slice_.path)]))
        with slice_.path.open("rb") as file:
            first = _first(file, header, slice_.path)
            agree(first.header)
            begin = max(slice_.begin, file.tell())
            file.seek(begin)
            lines = file.read(max(0, slice_.end - begin))
        with placed(f"bytes {begin} to {slice_.end}"):
            return _of_lines(lines, first)


def _first(file: BinaryIO, header: Header, path: Path) -> FirstLine:
    """What the first line of a file says; where the header stands in a file of its own, it is an event already."""
    if (path.parent / HEADER).exists() and f'"{VERSION_KEY}"'.encode() not in file.readline():
        file.seek(0)
        return FirstLine(header, in_order=False, counted=False, number=0)
    file.seek(0)
    return first_line(file)


def _of_lines(lines: bytes, first: FirstLine) -> SliceRead:
    told = None
    last = lines.rfind(b"\n", 0, -1) + 1
    if lines.startswith(COUNTS, last):
        told, lines = told_by(lines[last:]), lines[:last]
    batches = batches_of_lines(Lines(first), BytesIO(lines))
    return SliceRead(_one([pa.Table.from_batches([batch]) for batch in batches]), told)


def _one(tables: list[Any]) -> Any:
    tables = [table for table in tables if len(table)]
    return pa.concat_tables(tables, promote_options="default").combine_chunks() if tables else None
