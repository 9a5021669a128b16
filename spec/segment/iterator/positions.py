"""Where a seek or a move leaves an iterator: the view, a range of time that the next move begins at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from spec.segment.iterator.choices import BY_SAMPLE, Choices, ChunkEdge, NegativeSpan, Target, Visibility
from spec.segment.iterator.commands import Move, Next, Prev, Seek, SeekFirst, SeekGE, SeekLast, SeekLE
from spec.segment.iterator.times import TimeRange, at, moved, within


@dataclass(frozen=True)
class Query:
    """What is asked of one channel, and what there is of it.

    Attributes:
        samples: the times of all its samples, in ascending order.
        bounds: the range that is asked for.
        chunk: how many samples a chunk has.
        choices: the answers to what the document leaves open.
        segments: the ranges of its segments, in order; they matter only where seeks look for segments.
    """

    samples: Sequence[int]
    bounds: TimeRange
    chunk: int = 1
    choices: Choices = BY_SAMPLE
    segments: Sequence[TimeRange] = ()

    def targets(self) -> list[TimeRange]:
        """What a seek may find in the range: its samples, each a target of its own, or segments."""
        if self.choices.target is Target.SEGMENT:
            return [segment for segment in self.segments if segment.overlaps(self.bounds)]
        return [TimeRange(time, moved(time, 1)) for time in within(self.samples, self.bounds)]


Kept = TypeVar("Kept")


def visible(at_opening: Kept, now: Kept, choices: Choices) -> Kept:
    """What an open iterator reads from: what is stored by now, or what was when it was opened."""
    return now if choices.visibility is Visibility.LIVE else at_opening


def sought(seek: Seek, query: Query) -> TimeRange | None:
    """Where a seek leaves the iterator; None where there is nothing to be found in the range.

    Synnax, Segment distribution, Query Patterns: the caller can seek to different positions in the range.
    """
    targets = query.targets()
    return SEEKS[type(seek)](seek, targets, query.bounds) if targets else None


def _first(_seek: SeekFirst, targets: list[TimeRange], bounds: TimeRange) -> TimeRange:
    """SeekFirst goes to the start of the first target, or of the range if that is later."""
    return at(targets[0].clipped(bounds).start)


def _last(_seek: SeekLast, targets: list[TimeRange], bounds: TimeRange) -> TimeRange:
    """SeekLast goes to the end of the last target, or of the range if that is sooner."""
    return at(targets[-1].clipped(bounds).end)


def _at_or_after(seek: SeekGE, targets: list[TimeRange], bounds: TimeRange) -> TimeRange | None:
    """SeekGE goes to the time itself if a target holds it, or else to the start of the first target after it."""
    found = next((target for target in targets if target.end > seek.time), None)
    return None if found is None else at(seek.time if found.has(seek.time) else found.start).clipped(bounds)


def _at_or_before(seek: SeekLE, targets: list[TimeRange], bounds: TimeRange) -> TimeRange | None:
    """SeekLE goes to the time itself if a target holds it, or else to the end of the last target before it."""
    found = next((target for target in reversed(targets) if target.start <= seek.time), None)
    return None if found is None else at(seek.time if found.has(seek.time) else found.end).clipped(bounds)


SEEKS: Final[Mapping[type, Callable[[Any, list[TimeRange], TimeRange], TimeRange | None]]] = {
    SeekFirst: _first,
    SeekLast: _last,
    SeekGE: _at_or_after,
    SeekLE: _at_or_before,
}


def reached(move: Move, view: TimeRange, query: Query) -> TimeRange:
    """The view after a move from one: it lies beside it, so that no sample is read twice and none is passed over.

    Synnax, Segment distribution, Query Patterns: callers traverse fixed time spans, which may be empty.
    """
    if move.span is None:
        return (_chunk_after if isinstance(move, Next) else _chunk_before)(view, query)
    if move.span < 0:
        return _against(move, view, query)
    if isinstance(move, Next):
        return TimeRange(view.end, moved(view.end, move.span)).clipped(query.bounds)
    return TimeRange(moved(view.start, -move.span), view.start).clipped(query.bounds)


def _chunk_after(view: TimeRange, query: Query) -> TimeRange:
    """A chunk onwards has the next few samples of the range, across any gap."""
    ahead = within(query.samples, TimeRange(view.end, query.bounds.end).clipped(query.bounds))
    end = ahead[query.chunk] if len(ahead) > query.chunk else query.bounds.end
    if ahead and query.choices.chunk_edge is ChunkEdge.LAST_SAMPLE:
        end = ahead[: query.chunk][-1] + 1
    return TimeRange(view.end, end).clipped(query.bounds)


def _chunk_before(view: TimeRange, query: Query) -> TimeRange:
    """A chunk back has the few samples of the range before this place, across any gap."""
    behind = within(query.samples, TimeRange(query.bounds.start, view.start).clipped(query.bounds))
    start = behind[-query.chunk - 1] + 1 if len(behind) > query.chunk else query.bounds.start
    if behind and query.choices.chunk_edge is ChunkEdge.LAST_SAMPLE:
        start = behind[-query.chunk :][0]
    return TimeRange(start, view.start).clipped(query.bounds)


def _against(move: Move, view: TimeRange, query: Query) -> TimeRange:
    """A span below zero is open: it reads nothing, or it goes the other way."""
    onward, span = isinstance(move, Next), move.span or 0
    if query.choices.negative_span is NegativeSpan.NOTHING:
        return at(view.end if onward else view.start).clipped(query.bounds)
    return reached(Prev(-span) if onward else Next(-span), view, query)
