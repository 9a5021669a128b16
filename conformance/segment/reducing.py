"""Making a script that fails smaller: operations, channels and samples go as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from conformance.segment.operations import Ask, Iterate, Open, Operation, Put, Read, Script, Write
from spec.segment.iterator.commands import Command, Next, Prev, SeekFirst, SeekLast
from spec.segment.iterator.times import TimeRange

Fails = Callable[[Script], bool]

WIDE: Final = TimeRange(-1, 100)
"""The range that is tried in place of others."""

OTHERS: Final[tuple[Command, ...]] = (
    *(SeekFirst(), SeekLast(), Next(), Prev()),
    *(move(span) for span in (1, 2, 3, 5) for move in (Next, Prev)),
)
"""Calls that may stand for another one, where that lets a further operation go."""


def reduced(script: Script, fails: Fails) -> Script:
    """A script that fails and of which nothing can go: no operation, no channel of one, no sample.

    Nor can an operation go if another call is made for one that stays.

    Raises:
        ValueError: the script does not fail.
    """
    if not fails(script):
        raise ValueError("the script does not fail, so there is nothing to reduce")
    while (smaller := next(filter(fails, _smaller(script)), None)) is not None:
        script = smaller
    return script


def _smaller(script: Script) -> Iterator[Script]:
    """Scripts with less in them: those that lack most come first."""
    yield from _shorter(script)
    for number, operation in enumerate(script):
        for simpler in _simpler(operation):
            yield (*script[:number], simpler, *script[number + 1 :])
    for shorter in _shorter(script, most=1):
        for number, operation in enumerate(shorter):
            if isinstance(operation, Ask):
                for other in OTHERS:
                    yield (*shorter[:number], Ask(operation.name, other), *shorter[number + 1 :])


def _shorter(script: Script, most: int | None = None) -> Iterator[Script]:
    """Scripts without some operations that follow each other, up to so many; or that read instead of iterating."""
    size = most or len(script)
    while size:
        for first in range(0, len(script), size):
            yield (*script[:first], *script[first + size :])
        size //= 2
    for number, operation in enumerate(script):
        if isinstance(operation, Iterate):
            others = tuple(one for one in script[number + 1 :] if not _is_of(one, operation.iterator))
            yield (*script[:number], *others, Read(operation.channels, operation.bounds))


def _is_of(operation: Operation, iterator: str) -> bool:
    return isinstance(operation, Ask) and operation.name == iterator


def _simpler(operation: Operation) -> Iterator[Operation]:
    """The operation with one sample or one channel less."""
    match operation:
        case Put(times=times) | Write(times=times):
            for number in range(len(times) if len(times) > 1 else 0):
                yield replace(operation, times=(*times[:number], *times[number + 1 :]))
        case Open(channels=channels) | Iterate(channels=channels) | Read(channels=channels):
            for number in range(len(channels) if len(channels) > 1 else 0):
                yield replace(operation, channels=(*channels[:number], *channels[number + 1 :]))
            if not isinstance(operation, Open) and operation.bounds != WIDE:
                yield replace(operation, bounds=WIDE)
