"""Going from segment to segment, and reading from each what is in view."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.segment.iterator.flaws import Flaw
from reference_impl.segment.iterator.state import Cursor, Reading, Series, Setting
from reference_impl.segment.storage import NOWHERE, Segment, Store
from spec.segment.iterator.times import TimeRange

Frame = tuple[Series, ...]


def found_again(reading: Reading, store: Store, setting: Setting) -> Reading:
    """The iterator at where its view begins in a store that has changed since it last looked."""
    if reading.store == store:
        return reading
    cursor = reading.cursor
    if cursor.segment is not NOWHERE:
        if Flaw.COUNTS_SEGMENTS not in setting.flaws:
            cursor = cursor_at(reading.view.start, store)._replace(can_step=cursor.can_step)
        if Flaw.KEEPS_OLD_COPY in setting.flaws and _is_same(cursor.segment, reading.cursor.segment):
            cursor = cursor._replace(segment=reading.cursor.segment)
        elif Flaw.COUNTS_SEGMENTS in setting.flaws:
            same = [one for one in store if _is_same(one, cursor.segment)]
            cursor = cursor._replace(segment=same[0])
    return replace(reading, cursor=cursor, store=store)


def _is_same(one: Segment, other: Segment) -> bool:
    return one.range.start == other.range.start


def cursor_at(time: int, store: Store) -> Cursor:
    """The cursor at the segment that a time is in, or at the first behind it, or else at the last."""
    place = next((place for place, segment in enumerate(store) if segment.range.end > time), len(store) - 1)
    return Cursor(place, store[place], can_step=True) if store else Cursor()


def stepped(cursor: Cursor, store: Store, setting: Setting, *, onward: bool) -> tuple[Cursor, bool]:
    """The cursor at the segment beside, and whether there is one in the range."""
    place = cursor.place + (1 if onward else -1)
    if cursor.can_step and 0 <= place < len(store) and store[place].range.overlaps(setting.bounds):
        return Cursor(place, store[place], can_step=True), True
    can_step = cursor.can_step and Flaw.STOPS_AT_AN_END not in setting.flaws
    return cursor._replace(can_step=can_step), False


def walked(
    cursor: Cursor, view: TimeRange, store: Store, setting: Setting, *, onward: bool, has_failed: bool = False
) -> tuple[Cursor, Frame]:
    """Read all that is in view: from this segment, and from those beside it one way until one is past the view.

    Nothing is read where this segment is past the view already; it is then the first or last that a later view meets.
    An iterator that goes on after an error reads from the segment that it is at, and from no other.
    """
    if is_past(cursor.segment.range, view, onward=onward):
        return cursor, ()
    frame = added((), cursor.segment, view)
    while not has_failed and not _is_done(cursor.segment.range, frame, view, setting, onward=onward):
        cursor, has_stepped = stepped(cursor, store, setting, onward=onward)
        if not has_stepped or _gives_up(cursor.segment.range, view, setting, onward=onward):
            break
        frame = added(frame, cursor.segment, view)
    return cursor, frame


def counted(cursor: Cursor, view: TimeRange, store: Store, setting: Setting, *, onward: bool) -> tuple[Cursor, Frame]:
    """Read a chunk: samples of segments in view until there are as many as a chunk has, or no further segment."""
    frame: Frame = ()
    left, has_stepped = setting.chunk, True
    while has_stepped:
        if cursor.segment.range.overlaps(view):
            series = _part(cursor.segment, view, left, onward=onward)
            left -= len(series.times)
            frame = joined(frame, series)
            if left <= 0:
                break
        cursor, has_stepped = stepped(cursor, store, setting, onward=onward)
    return cursor, frame


def added(frame: Frame, segment: Segment, view: TimeRange) -> Frame:
    """The frame and what of a segment is in view."""
    if not segment.range.overlaps(view):
        return frame
    return joined(frame, _cut(segment, view, *_ends(segment, view)))


def joined(frame: Frame, series: Series) -> Frame:
    """A frame and one more series: behind it, unless it begins before the last one ends."""
    if not series.times:
        return frame
    is_behind = not frame or frame[-1].range.end <= series.range.start
    return (*frame, series) if is_behind else (series, *frame)


def _ends(segment: Segment, view: TimeRange) -> tuple[int, int]:
    """The first sample in view, and the first after them, by number."""
    first = segment.place(view.start) if segment.range.start < view.start else 0
    end = segment.place(view.end) if segment.range.end > view.end else len(segment.times)
    return first, end


def _part(segment: Segment, view: TimeRange, most: int, *, onward: bool) -> Series:
    """At most so many samples, from where the view begins, or up to where it ends."""
    first, end = _ends(segment, view)
    return _cut(segment, view, *((first, first + most) if onward else (max(0, end - most), end)))


def _cut(segment: Segment, view: TimeRange, first: int, end: int) -> Series:
    return Series(segment.range.clipped(view), segment.times[first:end], segment.values[first:end])


def is_past(segment: TimeRange, view: TimeRange, *, onward: bool) -> bool:
    """Whether a segment lies wholly behind a view, as one comes to it from there."""
    return view.end <= segment.start if onward else view.start >= segment.end


def _gives_up(segment: TimeRange, view: TimeRange, setting: Setting, *, onward: bool) -> bool:
    """Whether the walk ends at a segment that is not in view: there is no other behind one that is past it."""
    is_early = Flaw.GIVES_UP_EARLY in setting.flaws
    return not segment.overlaps(view) and (is_early or is_past(segment, view, onward=onward))


def _is_done(segment: TimeRange, frame: Frame, view: TimeRange, setting: Setting, *, onward: bool) -> bool:
    """Everything in view is read: the frame fills it, or the rest of this segment lies behind the view's end."""
    if frame and (frame[0].range.start, frame[-1].range.end) == view:
        return True
    is_finished = segment.end < view.end if onward else segment.start > view.start
    return not is_finished and Flaw.LEAVES_UNFINISHED not in setting.flaws
