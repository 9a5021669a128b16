"""Times: when each step of a story happened, counted from its earliest event, in one unit for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from conformance.trace.header import MAX_TIME, Header
from conformance.trace.rows import EventRow

_UNITS: Final = (
    ("s", 10**9, 1000, 3),
    ("ms", 10**6, 10, 1),
    ("ms", 10**6, 1, 3),
    ("µs", 10**3, 10, 1),
    ("ns", 1, 0, 0),
)
"""Units of time: name, nanoseconds, how many of it a story must take to be told so, and decimals that are told."""

_SINCE_1970: Final = 10**18
"""No clock that began when its computer did comes so far: that takes thirty years."""


def since_first(steps: Sequence[Sequence[EventRow]]) -> list[str]:
    """For each step the time of its first event, such as ``+12.5 ms``, all of one width; "" where no clock tells."""
    times = [step[0]["time_ns"] for step in steps]
    known = [time for time in times if time is not None]
    first, last = min(known, default=0), max(known, default=0)
    said = ["" if time is None else duration(time - first, last - first) for time in times]
    return [f"{'+' * bool(one)}{one}".rjust(max(map(len, said)) + 1) for one in said] if known else said


def duration(nanoseconds: int, longest: int | None = None) -> str:
    """A time span, in a unit that suits the longest one beside it."""
    span = nanoseconds if longest is None else longest
    unit, size, _, decimals = next(one for one in _UNITS if span >= one[1] * one[2])
    return f"{nanoseconds / size:,.{decimals}f} {unit}"


def beginning(events: Iterable[EventRow], header: Header) -> str:
    """What the times of a story count from, and how far they can be compared; "" where no event has a time."""
    timed = [event for event in events if event["time_ns"] is not None]
    if not timed:
        return ""
    first = min(event["time_ns"] for event in timed)
    said = [f"+0 is time_ns {first}"]
    if first >= _SINCE_1970:
        said.append(
            f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=first // 1000):%Y-%m-%d %H:%M:%S.%f} UTC"
        )
    if header.clock_bound_ns and len({event["recorder"] for event in timed}) > 1:
        known = header.clock_bound_ns < MAX_TIME
        said.append(
            f"clocks differ by up to {duration(header.clock_bound_ns)}" if known else "clocks are not comparable"
        )
    return ", ".join(said)
