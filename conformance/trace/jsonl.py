"""JSON lines: the form for people and for adapters in any language. A header line, then one event a line.

Names of fields are those of the event classes. Files whose content is zstd are decoded whatever their name; a name that
ends with ``.zst`` is written as zstd. The header line may add ``"sorted": true`` and ``"end_line": true``; with the
latter, a last line ``{"quorate_end": 1234}`` says how many events there are, so that a cut at a line's end is noticed.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, TypeAlias

from conformance.trace.errors import Duplicated, Empty, Mistyped, NotATrace, Oversized, TraceError, Truncated
from conformance.trace.files import atomic, opened, placed, writing
from conformance.trace.header import Header
from conformance.trace.header_json import VERSION_KEY, header_from_json, header_to_json
from conformance.trace.json_text import decode, encode, utf8
from conformance.trace.rows import EventRow, Rows
from conformance.trace.typed import mapping, number
from conformance.trace.watch import Watch

LIMIT: Final = 1 << 24
"""Bytes that one line may have."""

SORTED: Final = "sorted"
END_LINE: Final = "end_line"
END: Final = "quorate_end"

Refuse: TypeAlias = Callable[[int, TraceError], None]
"""What is done about a line that is wrong."""


@dataclass(frozen=True, slots=True)
class FirstLine:
    """What the first line says: the header, whether events are sorted, and whether a last line counts them.

    Attributes:
        number: its number, for empty lines may stand before it.
    """

    header: Header
    in_order: bool
    counted: bool
    number: int


def read_first_line(path: Path) -> FirstLine:
    """The header of a trace in JSON lines.

    Raises:
        NotATrace: the first line is no header.
        TraceError: another of its kinds, for whatever is wrong with the header.
    """
    with placed(path), opened(path) as file:
        return first_line(file)


def read_events(path: Path, watch: Watch | None = None) -> Iterator[EventRow]:
    """The events of a trace in JSON lines, one at a time.

    Args:
        path: the file.
        watch: looks at every event; without it, neither order nor repetition is checked.

    Raises:
        TraceError: one of its kinds, with the line, for whatever is wrong.
    """
    return (event for _, event in read_lines(path, watch, _stop))


def read_lines(path: Path, watch: Watch | None, refuse: Refuse) -> Iterator[tuple[int, EventRow]]:
    """The events of a trace in JSON lines, each with the number of its line.

    Args:
        path: the file.
        watch: as for ``read_events``.
        refuse: takes the number of a line and what is wrong with it; if it returns, the next line is read. What is
            wrong with the end of the trace is said of the line after it.

    Raises:
        TraceError: one of its kinds, for a header or for bytes without which nothing can be read.
    """
    with placed(path), opened(path) as file:
        first = first_line(file)
        lines, line = Lines(first, watch), first.number
        for line, text in numbered(file, first.number):
            try:
                event = lines.read(text)
            except TraceError as error:
                refuse(line, error.at(f"line {line}"))
            else:
                if event is not None:
                    yield line, event
        try:
            lines.end()
        except TraceError as error:
            refuse(line + 1, error)


class Lines:
    """What the lines of one trace say, one after the other.

    Args:
        first: what the first line says.
        watch: as for ``read_events``.

    Attributes:
        count: how many events there were.
        ended: the last line was there.
    """

    def __init__(self, first: FirstLine, watch: Watch | None = None) -> None:
        self.first, self.watch = first, watch
        self.rows, self.count, self.ended = Rows(first.header), 0, False

    def read(self, text: bytes) -> EventRow | None:
        """The event of the next line; None for the last line, which counts them.

        Raises:
            TraceError: one of its kinds, without the place, for whatever is wrong.
        """
        self.count += 1
        said = _object(text)
        if self.ended:
            raise Duplicated("a line after the last", "the line before it ends the trace", "one trace per file")
        if END in said or VERSION_KEY in said:
            self.count, self.ended = self.count - 1, END in said
            _check_last(said, self.count)
            return None
        event = self.rows.from_json(said)
        return event if self.watch is None else self.watch.note(event)

    def end(self) -> None:
        """Make sure that the trace is whole.

        Raises:
            Truncated, Empty: it is not.
        """
        _check_end(self.first, self.count, ended=self.ended)


def _stop(_: int, error: TraceError) -> NoReturn:
    raise error from None


def write_events(path: Path, header: Header, events: Iterable[EventRow], *, in_order: bool = False) -> int:
    """Write a trace as JSON lines, whole or not at all; gives the number of events.

    Raises:
        TraceError: one of its kinds, for an event that the header or the vocabulary does not allow.
    """
    count = 0
    with appending(path, header, in_order=in_order) as append:
        for event in events:
            append(event)
            count += 1
    return count


@contextmanager
def appending(path: Path, header: Header, *, in_order: bool = False) -> Iterator[Callable[[EventRow], None]]:
    """A function that writes one event; the file gets its name only when the block ends without an error.

    Raises:
        TraceError: one of its kinds, for an event that the header or the vocabulary does not allow.
    """
    rows, count = Rows(header), 0
    with atomic(path) as unfinished, writing(unfinished, zstd=path.suffix == ".zst") as file:
        forms = {END_LINE: True} | ({SORTED: True} if in_order else {})
        file.write(encode(header_to_json(header) | forms) + b"\n")

        def append(event: EventRow) -> None:
            nonlocal count
            try:
                file.write(encode(rows.to_json(rows.checked(event))) + b"\n")
            except TraceError as error:
                raise error.at(f"{path}, event {count + 1}") from None
            count += 1

        yield append
        file.write(encode({END: count}) + b"\n")


def first_line(file: BinaryIO) -> FirstLine:
    """What the first line of a trace in JSON lines says; the file stands behind it then.

    Raises:
        NotATrace: it is no header.
        TraceError: another of its kinds, for whatever is wrong with the header.
    """
    number, line = next(numbered(file, 0), (1, b""))
    try:
        said = _object(line)
        if VERSION_KEY not in said:
            raise NotATrace("the first line is no header", f"it has no {VERSION_KEY!r}", "write the header first")
        return first_of(said, number)
    except (Mistyped, Truncated) as error:
        if VERSION_KEY.encode() in line:
            raise error.at(f"line {number}") from None
        raise _no_trace(line) from None
    except TraceError as error:
        raise error.at(f"line {number}") from None


def first_of(said: Mapping[str, Any], number: int) -> FirstLine:
    """What a first line with these fields and this number says: of its file, and of the trace.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the header.
    """
    forms = {name: _flag(name, said.get(name, False)) for name in (SORTED, END_LINE)}
    header = header_from_json({name: value for name, value in said.items() if name not in forms})
    return FirstLine(header, forms[SORTED], forms[END_LINE], number)


def _no_trace(line: bytes) -> NotATrace:
    why = f"it begins with {line[:20]!r}" if line else "it is empty"
    return NotATrace("neither JSON lines nor Parquet", why, "a trace of quorate, or an importer for this format")


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise Mistyped(f"{name} is {value!r:.40}", "it must be true or false", "leave it out")
    return value


def numbered(file: BinaryIO, number: int) -> Iterator[tuple[int, bytes]]:
    """All lines with their numbers, of one that is too long the beginning; empty lines say nothing.

    Args:
        file: stands behind the line of this number.
        number: 0 at the beginning.

    Raises:
        TraceError: one of its kinds, with the line, for bytes that cannot be read.
    """
    try:
        while line := file.readline(LIMIT + 1):
            number += 1
            if not line.isspace():
                yield number, line
            while len(line) > LIMIT and not line.endswith(b"\n"):
                line = file.readline(LIMIT + 1)
    except TraceError as error:
        raise (error.at(f"after line {number}") if number else error) from None


def _object(line: bytes) -> dict[str, Any]:
    if len(line) > LIMIT:
        raise Oversized(f"a line of more than {LIMIT} bytes", "no event is as large", "record a hash of the payload")
    try:
        said = decode(utf8(line).removesuffix("\n"))
    except Mistyped:
        if not line.endswith(b"\n"):
            raise Truncated("the last line is cut short", "the file ends inside it", "copy it again") from None
        if line.startswith(BOM_UTF8):
            why = "JSON begins without one (RFC 8259, section 8.1)"
            raise Mistyped("a byte order mark", why, "write UTF-8 without it") from None
        raise
    if not isinstance(said, dict):
        raise Mistyped(f"a line says {said!r:.40}", "each line must be an object", "one event for each line")
    return said


def told_by(last: bytes) -> int:
    """How many events the last line counts.

    Raises:
        TraceError: one of its kinds, if it does not.
        UnicodeDecodeError: it is no text.
    """
    return number(END, mapping("line", decode(last.decode()))[END])


def _check_last(said: Mapping[str, Any], count: int) -> None:
    if VERSION_KEY in said:
        raise Duplicated("the header stands again", "a trace has one", "convert the traces one by one")
    if (told := number(END, said[END])) > count:
        raise Truncated(f"{told - count} of {told} events are missing", "the last line counts them", "copy it again")
    if told < count:
        raise Duplicated(f"{count - told} events too many", f"the last line counts {told}", "one trace per file")


def _check_end(first: FirstLine, count: int, *, ended: bool) -> None:
    if first.counted and not ended:
        raise Truncated("the last line is missing", "the header says that one counts the events", "copy it again")
    if not count:
        raise Empty("no event", "the trace ends after its header", "check whether the recorders were on")
