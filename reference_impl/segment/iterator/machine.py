"""The iterator of one channel as a machine: a command on stored segments gives the next state and an answer.

Without flaws it says what `spec.segment.iterator.definition` says, however the samples lie in segments. With those of
`SHIPPED` it says what Synnax's storage engine was recorded to say, view by view.
"""

from __future__ import annotations

from dataclasses import replace

from reference_impl.segment.iterator.chunks import Met, edge_ahead, edge_behind
from reference_impl.segment.iterator.flaws import Flaw
from reference_impl.segment.iterator.landing import landed
from reference_impl.segment.iterator.state import Reading, Setting
from reference_impl.segment.iterator.walking import counted, cursor_at, found_again, is_past, walked
from reference_impl.segment.storage import NOWHERE, Store
from spec.segment.iterator.choices import ChunkEdge, NegativeSpan
from spec.segment.iterator.commands import Close, Command, Error, Move, Next, Prev, Valid
from spec.segment.iterator.definition import CLOSED, Answer
from spec.segment.iterator.times import TimeRange, at, between, moved


def step(reading: Reading, command: Command, store: Store, setting: Setting) -> tuple[Reading, Answer]:
    """The iterator after a command, and what it answered."""
    if reading.is_closed:
        return reading, Answer(ok=True) if isinstance(command, Close) else Answer(ok=False, error=CLOSED)
    match command:
        case Close():
            told = None if Flaw.CLOSE_FORGETS_ERROR in setting.flaws else reading.error
            return replace(reading, is_closed=True), Answer(ok=told is None, error=told)
        case Error():
            return reading, Answer(ok=reading.error is None, error=reading.error)
        case Valid():
            return reading, Answer(ok=reading.is_valid)
    if reading.error is not None and Flaw.GOES_ON_AFTER_ERROR not in setting.flaws:
        return replace(reading, frame=()), Answer(ok=False)
    reading = found_again(reading, store, setting)
    if isinstance(command, Next | Prev):
        reading = _moved(reading, command, store, setting)
        return reading, Answer(ok=reading.is_valid, samples=reading.times)
    reading, found = landed(reading, command, store, setting)
    return reading, Answer(ok=found)


def _moved(reading: Reading, move: Move, store: Store, setting: Setting) -> Reading:
    if not reading.is_positioned and Flaw.MOVES_UNPOSITIONED not in setting.flaws:
        return replace(reading, frame=())
    if move.span is not None and move.span < 0 and setting.choices.negative_span is NegativeSpan.OPPOSITE:
        move = Prev(-move.span) if isinstance(move, Next) else Next(-move.span)
    onward = isinstance(move, Next)
    bound = setting.bounds.end if onward else setting.bounds.start
    if (reading.view.end if onward else reading.view.start) == bound:
        return _stopped(reading, bound, store, setting)
    if move.span is None:
        return _chunk(reading, store, setting, onward=onward)
    return _read(reading, _beside(reading.view, move, setting), store, setting, onward=onward)


def _stopped(reading: Reading, time: int, store: Store, setting: Setting) -> Reading:
    """The iterator at a time, after a move that could read nothing: over no span, or at a bound."""
    if Flaw.LEAVES_CURSOR_BEHIND not in setting.flaws:
        reading = replace(reading, cursor=cursor_at(time, store))
    return reading.showing(at(time))


def _beside(view: TimeRange, move: Move, setting: Setting) -> TimeRange:
    """The range of a span beside a view."""
    onward, span = isinstance(move, Next), move.span or 0
    if Flaw.READS_AGAIN_BELOW_ZERO not in setting.flaws:
        span = max(span, 0)
    here = view.end if onward else view.start
    return between(here, moved(here, span if onward else -span)).clipped(setting.bounds)


def _read(reading: Reading, view: TimeRange, store: Store, setting: Setting, *, onward: bool) -> Reading:
    """Read all that is in a view."""
    if view.is_empty:
        return _stopped(reading, view.start, store, setting)
    if _takes_time_zero_for_a_segment(reading, view, store, setting, onward=onward):
        return replace(reading.showing(view), error="discontinuous")
    has_failed = reading.error is not None
    cursor, frame = walked(reading.cursor, view, store, setting, onward=onward, has_failed=has_failed)
    return replace(reading, view=view, cursor=cursor, frame=frame)


def _chunk(reading: Reading, store: Store, setting: Setting, *, onward: bool) -> Reading:
    """Read a chunk; where nothing is left behind it, all up to the bound."""
    here = reading.view.end if onward else reading.view.start
    try:
        edge = (edge_ahead if onward else edge_behind)(here, store, setting)
    except Met as error:
        frame = reading.frame if Flaw.KEEPS_OLD_VALUE in setting.flaws else ()
        return replace(reading, view=at(here), frame=frame, error=str(error))
    bounds = setting.bounds
    if edge is None or (edge > bounds.end if onward else edge <= bounds.start):
        view = TimeRange(here, bounds.end) if onward else TimeRange(bounds.start, here)
        return _cut(_read(reading, view.clipped(bounds), store, setting, onward=onward), setting, onward=onward)
    view = (TimeRange(here, edge) if onward else TimeRange(edge, here)).clipped(bounds)
    cursor, frame = counted(reading.cursor, view, store, setting, onward=onward)
    return _cut(replace(reading, view=view, cursor=cursor, frame=frame), setting, onward=onward)


def _cut(reading: Reading, setting: Setting, *, onward: bool) -> Reading:
    """Where a chunk ends with its last sample, so does the view."""
    times = reading.times
    if setting.choices.chunk_edge is ChunkEdge.NEIGHBOUR or not times:
        return reading
    start, end = reading.view
    return replace(reading, view=TimeRange(start, max(times) + 1) if onward else TimeRange(min(times), end))


def _takes_time_zero_for_a_segment(
    reading: Reading, view: TimeRange, store: Store, setting: Setting, *, onward: bool
) -> bool:
    """Whether a move fails because the iterator is at no segment, which looks like one without samples at time 0."""
    nowhere = reading.cursor.segment.range
    return (
        Flaw.FAILS_AT_TIME_ZERO in setting.flaws
        and nowhere == NOWHERE.range
        and not is_past(nowhere, view, onward=onward)
        and nowhere.overlaps(view)
        and not any(segment.range.has(nowhere.start) for segment in store)
    )
