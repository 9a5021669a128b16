"""Scripts of operations on channels, as text: one operation a line, times and spans in nanoseconds.

    put a 10 12 14             write samples to a channel, in one commit of a writer that then ends
    open w a b                 open a writer of some channels
    write w a 20 21            write samples, which count once they are committed
    commit w
    iterate i a b in 0 30 by 2 open an iterator of a range, with chunks of so many samples
    first i / last i           seek
    ge i 12 / le i 12          seek to a time
    next i 5 / prev i 5        read over a span
    next i / prev i            read a chunk
    read a b in 0 30           open an iterator, read the whole range, close it
    close w / close i          end a writer, or an iterator

What stands behind ``#`` is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from conformance.segment.operations import Ask, Commit, Iterate, Open, Operation, Put, Read, Script, Write
from spec.segment.iterator.commands import (
    AUTO,
    Close,
    Command,
    Next,
    Prev,
    SeekFirst,
    SeekGE,
    SeekLast,
    SeekLE,
)
from spec.segment.iterator.times import EARLIEST, LATEST, TimeRange

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,30}")
SAMPLES_MAX: Final = 10_000


class BadScript(ValueError):
    """A line of a script is no operation.

    Attributes:
        line: its number, from 1.
        why: what is wrong.
        advice: what to try.
    """

    def __init__(self, line: int, why: str, advice: str) -> None:
        super().__init__(line, why, advice)
        self.line, self.why, self.advice = line, why, advice

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}. Try: {self.advice}."


def script_of(text: str) -> Script:
    """The operations of a text.

    Raises:
        BadScript: a line is none.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if words := line.partition("#")[0].split():
            found.append(_operation(number, words))
    return tuple(found)


def text_of(script: Iterable[Operation]) -> str:
    """The text of some operations, as `script_of` reads it."""
    return "".join(f"{operation}\n" for operation in script)


def _operation(line: int, words: list[str]) -> Operation:
    word, *rest = words
    if word not in FORMS:
        raise BadScript(line, f"no operation {word[:40]!r}", f"one of {', '.join(FORMS)}")
    form, read = FORMS[word]
    try:
        return read(rest)
    except (ValueError, IndexError) as wrong:
        raise BadScript(line, f"{' '.join(words)[:80]!r} is no {word}: {wrong}", form) from wrong


def _put(words: list[str]) -> Put:
    return Put(_name(words[0]), _times(words[1:]))


def _write(words: list[str]) -> Write:
    return Write(_name(words[0]), _name(words[1]), _times(words[2:]))


def _iterate(words: list[str]) -> Iterate:
    by = words.index("by")
    read = _read(words[1:by])
    (chunk,) = words[by + 1 :]
    return Iterate(_name(words[0]), read.channels, read.bounds, _number(chunk, 1, SAMPLES_MAX))


def _read(words: list[str]) -> Read:
    middle = words.index("in")
    start, end = (_number(word) for word in words[middle + 1 :])
    if start > end:
        raise ValueError("the range ends before it starts")
    return Read(_names(words[:middle]), TimeRange(start, end))


def _seek(kind: Callable[[int], Command]) -> Callable[[list[str]], Ask]:
    def read(words: list[str]) -> Ask:
        name, time = words
        return Ask(_name(name), kind(_number(time)))

    return read


def _move(kind: Callable[[int | None], Command]) -> Callable[[list[str]], Ask]:
    def read(words: list[str]) -> Ask:
        name, *span = words
        if len(span) > 1:
            raise ValueError("more than one span")
        return Ask(_name(name), kind(_number(span[0], 0) if span else AUTO))

    return read


def _plain(command: Command) -> Callable[[list[str]], Ask]:
    def read(words: list[str]) -> Ask:
        (name,) = words
        return Ask(_name(name), command)

    return read


def _commit(words: list[str]) -> Commit:
    (writer,) = words
    return Commit(_name(writer))


FORMS: Final[dict[str, tuple[str, Callable[[list[str]], Operation]]]] = {
    "put": ("put a 10 12 14", _put),
    "open": ("open w a b", lambda words: Open(_name(words[0]), _names(words[1:]))),
    "write": ("write w a 20 21", _write),
    "commit": ("commit w", _commit),
    "iterate": ("iterate i a b in 0 30 by 2", _iterate),
    "first": ("first i", _plain(SeekFirst())),
    "last": ("last i", _plain(SeekLast())),
    "ge": ("ge i 12", _seek(SeekGE)),
    "le": ("le i 12", _seek(SeekLE)),
    "next": ("next i 5, or next i for a chunk", _move(Next)),
    "prev": ("prev i 5, or prev i for a chunk", _move(Prev)),
    "read": ("read a b in 0 30", _read),
    "close": ("close i", _plain(Close())),
}


def _name(word: str) -> str:
    if not NAME.fullmatch(word) or word in ("in", "by"):
        raise ValueError(f"{word[:40]!r} is no name")
    return word


def _names(words: list[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(map(_name, words)))
    if not names:
        raise ValueError("no channel")
    return names


def _times(words: list[str]) -> tuple[int, ...]:
    times = tuple(map(_number, words))
    if not times or list(times) != sorted(set(times)):
        raise ValueError("the times of samples ascend, and there is at least one")
    return times


def _number(word: str, least: int = EARLIEST + 1, most: int = LATEST - 1) -> int:
    number = int(word) if len(word) <= len(str(EARLIEST)) else most + 1
    if not least <= number <= most:
        raise ValueError(f"{word[:40]} is not between {least} and {most}")
    return number
