"""Where a chunk ends: the time of the sample beside it, looked up by number in the index of a channel."""

from __future__ import annotations

from typing import Final

from reference_impl.segment.iterator.flaws import Flaw
from reference_impl.segment.iterator.state import Setting
from reference_impl.segment.storage import Segment, Store, times_of

DISCONTINUOUS: Final = "discontinuous"
"""The error where a time is in no segment: Synnax, cesium/internal/index/index.go."""

END_OF_FILE: Final = "end of file"
"""The error of whoever reads past the end of what a segment has."""


class Met(Exception):
    """An error that an iterator met; its text says which."""


def edge_ahead(time: int, store: Store, setting: Setting) -> int | None:
    """Where a chunk onwards from a time ends: at the sample after it, or None where no further one is stored.

    Raises:
        Met: this iterator fails where the time is in no segment, and it is in none.
    """
    home = next((segment for segment in store if segment.range.has(time)), None)
    if home is None and Flaw.FAILS_OUTSIDE_SEGMENTS in setting.flaws:
        raise Met(DISCONTINUOUS)
    times, after = times_of(store), _rank(store, time) + setting.chunk
    if after >= len(times):
        return store[-1].range.end if store and Flaw.ENDS_WITH_SEGMENTS in setting.flaws else None
    is_between = home is None or time not in home.times
    return times[after - 1 if is_between and Flaw.MISCOUNTS_CHUNKS in setting.flaws else after]


def edge_behind(time: int, store: Store, setting: Setting) -> int | None:
    """Where a chunk back from a time begins: right behind the sample before it, or None where none is stored there.

    Raises:
        Met: this iterator fails where the time is in no segment, and it is in none; or at a segment's first sample.
    """
    home = next((segment for segment in reversed(store) if segment.range.start <= time <= segment.range.end), None)
    if home is None and Flaw.FAILS_OUTSIDE_SEGMENTS in setting.flaws:
        raise Met(DISCONTINUOUS)
    before = _rank(store, time) - setting.chunk - 1
    if home is not None:
        before = _found(before, time, home, store, setting)
    if before < 0:
        return 1 if Flaw.STOPS_AT_TIME_ONE in setting.flaws and setting.bounds.start <= 0 else None
    return times_of(store)[before] + 1


def _found(before: int, time: int, home: Segment, store: Store, setting: Setting) -> int:
    """The number of the sample before a chunk, as it is looked up from a time in a segment or at its end."""
    is_at_end = time == home.range.end
    looked_up = before if is_at_end else before + 1
    if time in home.times and Flaw.MISCOUNTS_CHUNKS in setting.flaws:
        before = looked_up
    if Flaw.STUMBLES_AT_A_START not in setting.flaws:
        return before
    if looked_up == len(times_of(store[: store.index(home)])):
        if home != store[0]:
            raise Met(END_OF_FILE)
        return -1
    if before < 0 <= looked_up:
        raise Met(DISCONTINUOUS)
    return before


def _rank(store: Store, time: int) -> int:
    """How many samples are before a time."""
    return sum(segment.rank(time) for segment in store if segment.range.start < time)
