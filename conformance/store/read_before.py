"""Read before: what is noted of each file that was read, and whether the file is still what it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from conformance.store.errors import Altered
from conformance.store.sources import UNFINISHED, Slice, files_of, last_of
from conformance.store.state import FileRead, State
from conformance.store.work import SliceContents
from conformance.trace.errors import Duplicated, Truncated
from conformance.trace.files import placed, readable


def note_read(state: State, taken: Iterable[SliceContents]) -> None:
    """Take note of what was read of each file.

    Raises:
        Truncated, Duplicated: a file's last line counts other events, or more come after it.
    """
    for one in taken:
        name, before = one.slice.name, state.read.get(one.slice.name, FileRead(0, 0))
        count = before.events + one.events
        if before.ended and one.events:
            raise Duplicated("lines after the last", "the line before ends the file", "a new file").at(one.slice.path)
        if one.told is not None and one.told != count:
            error = Truncated if one.told > count else Duplicated
            raise error(f"{count} events", f"the last line counts {one.told}", "copy it again").at(one.slice.path)
        size, last = max((before.size, before.last), (one.slice.size, one.last))
        state.read[name] = FileRead(size, count, before.ended or one.told is not None, last)


def refuse_altered(read: Mapping[str, FileRead], slices: Iterable[Slice]) -> None:
    """Make sure that lines which go on where a file was left follow on those that were read.

    Raises:
        Altered: other bytes stand before them.
    """
    firsts: dict[str, Slice] = {}
    for one in slices:
        firsts.setdefault(one.name, one)
    for name, one in firsts.items():
        if name in read and one.form == "lines" and one.begin == read[name].size:
            _compare(one.path, read[name])


def refuse_any_altered(source: Path, read: Mapping[str, FileRead]) -> None:
    """Make sure that the files of a folder, or a file, begin with what was read of them.

    Raises:
        Altered: one has other bytes at the end of that.
    """
    for path in files_of(source):
        if before := read.get(path.name.removesuffix(UNFINISHED)):
            _compare(path, before)


def _compare(path: Path, before: FileRead) -> None:
    with placed(path), readable():
        if last_of(path, before.size) != before.last:
            what = f"other bytes before byte {before.size}, up to which it was read"
            raise Altered(what, "a file that was read may only get more lines", "a new file for new events")
