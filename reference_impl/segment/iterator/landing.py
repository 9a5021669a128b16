"""Where a seek leaves an iterator, and at which segment."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.segment.iterator.flaws import Flaw
from reference_impl.segment.iterator.state import Cursor, Reading, Setting
from reference_impl.segment.iterator.walking import cursor_at
from reference_impl.segment.storage import Store, times_of
from spec.segment.iterator.choices import FailedSeek
from spec.segment.iterator.commands import Seek, SeekFirst, SeekGE, SeekLast, SeekLE
from spec.segment.iterator.positions import Query, sought
from spec.segment.iterator.times import TimeRange, at


def landed(reading: Reading, seek: Seek, store: Store, setting: Setting) -> tuple[Reading, bool]:
    """The iterator after a seek, and whether it found something."""
    if Flaw.SEEKS_OUTSIDE_RANGE in setting.flaws:
        return _landed_by_segment(reading, seek, store, setting)
    view = sought(seek, _query(store, setting))
    if view is None:
        return _failed(reading, seek, setting), False
    return _at(reading, cursor_at(view.start, store), view), True


def _query(store: Store, setting: Setting) -> Query:
    ranges = [segment.range for segment in store]
    return Query(times_of(store), setting.bounds, setting.chunk, setting.choices, ranges)


def _landed_by_segment(reading: Reading, seek: Seek, store: Store, setting: Setting) -> tuple[Reading, bool]:
    """The segment that holds the time or lies beside it, of all that are stored: a find only if it is in the range."""
    backward = isinstance(seek, SeekLast | SeekLE)
    time = _time(seek, setting.bounds)
    places = [
        place
        for place, segment in enumerate(store)
        if segment.range.overlaps(at(time)) or (segment.range.start < time if backward else segment.range.start > time)
    ]
    place = places[-1 if backward else 0] if places else None
    if place is None or not store[place].range.overlaps(setting.bounds):
        return _failed(reading, seek, setting), False
    cursor = Cursor(place, store[place], can_step=True)
    return _at(reading, cursor, _beside(cursor, seek, setting.bounds)), True


def _failed(reading: Reading, seek: Seek, setting: Setting) -> Reading:
    """After a seek that found nothing: nowhere, or where it was, or beside the segment that it was at."""
    if Flaw.MOVES_UNPOSITIONED in setting.flaws:
        cursor = reading.cursor._replace(can_step=False)
        return replace(_at(reading, cursor, _beside(cursor, seek, setting.bounds)), is_positioned=False)
    if setting.choices.failed_seek is FailedSeek.UNMOVED:
        return replace(reading, frame=())
    return replace(reading, frame=(), is_positioned=False)


def _at(reading: Reading, cursor: Cursor, view: TimeRange) -> Reading:
    return replace(reading.showing(view), cursor=cursor, is_positioned=True, error=None)


def _beside(cursor: Cursor, seek: Seek, bounds: TimeRange) -> TimeRange:
    """A time that a seek asked for, if the segment holds it; else the end of the segment that is nearer to it."""
    segment = cursor.segment.range
    if isinstance(seek, SeekGE | SeekLE) and segment.overlaps(at(seek.time)):
        return at(seek.time)
    clipped = segment.clipped(bounds)
    return at(clipped.end if isinstance(seek, SeekLast | SeekLE) else clipped.start)


def _time(seek: Seek, bounds: TimeRange) -> int:
    match seek:
        case SeekFirst():
            return bounds.start
        case SeekLast():
            return bounds.end - 1
        case SeekGE(time) | SeekLE(time):
            return time
