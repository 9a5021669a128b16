"""What a script says: what is written, what is opened, and the steps in order.

Times and spans are nanoseconds. A span of -1 is a chunk. A case lists the segments of an index in seconds, or writes
channel by channel (`channel`, `start`, `batches`), or frame by frame (`start`, `frames`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, TypeAlias

from conformance.vectors.fields import Fields
from conformance.vectors.segment_scripts.channels import Channels, Write
from reference_impl.segment.iterator.state import CHUNK_DEFAULT
from spec.segment.iterator.commands import (
    AUTO,
    Close,
    Command,
    Error,
    Next,
    Prev,
    SeekFirst,
    SeekGE,
    SeekLast,
    SeekLE,
    Valid,
)
from spec.segment.iterator.times import EARLIEST, LATEST, TimeRange

SECOND_NS: Final = 1_000_000_000
CHUNK: Final = -1
"""The span that stands for a chunk: Synnax, cesium/internal/unary/iterator.go, AutoSpan."""

SAMPLES_MAX: Final = 1 << 20


@dataclass(frozen=True)
class SetBounds:
    """Read another range from now on."""

    bounds: TimeRange


@dataclass(frozen=True)
class Look:
    """Look at what was read, without a call."""


@dataclass(frozen=True)
class WriteAll:
    """Write to some channels, and commit."""

    writes: tuple[Write, ...]


@dataclass(frozen=True)
class ReadAll:
    """Read a whole range, with an iterator of its own."""

    bounds: TimeRange


Deed: TypeAlias = Command | WriteAll | ReadAll | SetBounds | Look


@dataclass(frozen=True)
class Step:
    """One step: what is done, and what was observed or is said of it."""

    deed: Deed
    fields: Fields


@dataclass(frozen=True)
class Script:
    """A whole script.

    Attributes:
        channels: the channels, and what was written to them before the iterator was opened.
        opened: the channels that are read.
        bounds: the range that is read.
        chunk: how many samples a chunk has.
        steps: what is done, in order.
    """

    channels: Channels
    opened: tuple[str, ...]
    bounds: TimeRange
    chunk: int
    steps: tuple[Step, ...]


def script_of(case: Fields) -> Script:
    """The script of a case.

    Raises:
        DamagedVectors: the case is none.
    """
    steps = case.every("steps", _step)
    if "layout" not in case:
        writes = case.every("index_domains_seconds", _segment)
        channels = Channels.of({"data": "index"}, chain.from_iterable(writes))
        return Script(channels, ("data",), range_of(case, "bounds"), _chunk(case), steps)
    asked = case.below("open")
    channels = Channels.of(_indexes(case.below("channels")), chain.from_iterable(case.every("layout", _layout)))
    names = tuple(dict.fromkeys(asked.every("channels", Fields.text)))
    if not names:
        raise asked.refuse_part("an iterator reads no channel", "channels", "at least one")
    if unknown := [name for name in names if name not in channels.names]:
        raise asked.refuse_name("no such channel", unknown[0], f"one of {', '.join(channels.names)}")
    return Script(channels, names, range_of(asked, "bounds"), _chunk(asked), steps)


def time_of(fields: Fields, name: str) -> int:
    """A time or a span, in nanoseconds."""
    return fields.number(name, least=EARLIEST, most=LATEST)


def range_of(fields: Fields, name: str) -> TimeRange:
    """A range of time: its start and its end."""
    ends = fields.members(name, 2)
    start, end = (time_of(ends, place) for place in ends)
    if start > end:
        raise fields.refuse_part("a range ends before it starts", name, "a start and an end")
    return TimeRange(start, end)


def _chunk(fields: Fields) -> int:
    """How many samples a chunk has; 0 stands for what is usual."""
    return fields.number("auto_chunk_size", 0, most=SAMPLES_MAX) or CHUNK_DEFAULT


def _segment(fields: Fields, place: str) -> tuple[Write, ...]:
    """One write of both channels, in seconds: a sample's value is its second."""
    most = LATEST // SECOND_NS
    seconds = fields.every(place, lambda inside, name: inside.number(name, least=-most, most=most))
    if not seconds:
        raise fields.refuse_part("a segment has no samples", place, "at least one")
    times = tuple(second * SECOND_NS for second in seconds)
    return Write("index", times[0], times), Write("data", times[0], seconds)


def _indexes(channels: Fields) -> Mapping[str, str]:
    """Each data channel's index, by name."""
    return {
        name: channel.text("index")
        for name in channels
        if not (channel := channels.below(name)).flag("is_index", default=False)
    }


def _layout(fields: Fields, place: str) -> tuple[Write, ...]:
    """What one writer wrote: of one channel, or frames of several, the index first."""
    return _written(fields.below(place))


def _written(part: Fields) -> tuple[Write, ...]:
    start = time_of(part, "start")
    if "batches" in part:
        batches = part.every("batches", lambda inside, name: inside.every(name, time_of))
        return (Write(part.text("channel"), start, tuple(chain.from_iterable(batches))),)
    frames = (part.below("frame"),) if "frame" in part else part.every("frames", Fields.below)
    names = dict.fromkeys((*part.every("order", Fields.text, ()), *chain.from_iterable(frames)))
    return tuple(
        Write(name, start, tuple(chain.from_iterable(one.every(name, time_of, ()) for one in frames))) for name in names
    )


def _step(fields: Fields, place: str) -> Step:
    step = fields.below(place)
    return Step(step.choice("op", DEEDS)(step), step)


def _span(step: Fields) -> int | None:
    span = time_of(step, "span")
    return AUTO if span == CHUNK else span


def _write(step: Fields) -> WriteAll:
    if "values" not in step:
        return WriteAll(_written(step))
    return WriteAll((Write(step.text("channel"), time_of(step, "start"), step.every("values", time_of)),))


def _read(step: Fields) -> ReadAll:
    return ReadAll(range_of(step, "range" if "range" in step else "bounds"))


DEEDS: Final[Mapping[str, Callable[[Fields], Any]]] = {
    "seek_first": lambda _: SeekFirst(),
    "seek_last": lambda _: SeekLast(),
    "seek_ge": lambda step: SeekGE(time_of(step, "ts")),
    "seek_le": lambda step: SeekLE(time_of(step, "ts")),
    "next": lambda step: Next(_span(step)),
    "prev": lambda step: Prev(_span(step)),
    "valid": lambda _: Valid(),
    "error": lambda _: Error(),
    "close": lambda _: Close(),
    "set_bounds": lambda step: SetBounds(range_of(step, "bounds")),
    "value": lambda _: Look(),
    "view": lambda _: Look(),
    "len": lambda _: Look(),
    "write": _write,
    "read": _read,
}
"""What a step may do, by its name."""
