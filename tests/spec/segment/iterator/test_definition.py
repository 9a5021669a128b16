"""What a caller of an iterator may see. Synnax, Segment distribution, Segment Reads - Iteration."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from spec.segment.iterator.choices import (
    BY_SEGMENT,
    Choices,
    ChunkEdge,
    FailedSeek,
    Merge,
    NegativeSpan,
)
from spec.segment.iterator.commands import (
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
from spec.segment.iterator.definition import CLOSED, Answer, merged, seen
from spec.segment.iterator.positions import Query
from spec.segment.iterator.times import LATEST, TimeRange

SAMPLES = (10, 12, 14, 20, 21)
UP_TO_100 = TimeRange(0, 100)
FALSE = Answer(ok=False)
YES = Answer(ok=True)


def read(*samples: int) -> Answer:
    return Answer(ok=bool(samples), samples=samples)


def asked(
    commands: Iterable[Command],
    bounds: TimeRange = UP_TO_100,
    chunk: int = 2,
    choices: Choices | None = None,
    segments: tuple[TimeRange, ...] = (),
) -> list[Answer]:
    query = Query(SAMPLES, bounds, chunk, choices or Choices(), segments)
    return list(seen(commands, query))


def test_a_seek_reads_nothing_and_spans_read_every_sample_once() -> None:
    """Query Patterns: spans can return a partial segment, multiple segments, or no segments at all."""
    answers = asked([SeekFirst(), Next(1), Next(1), Next(4), Next(LATEST), Next(1)])
    assert answers == [YES, read(10), FALSE, read(12, 14), read(20, 21), FALSE]


def test_back_is_the_reverse_of_on() -> None:
    """Prev reads what Next has read, and so on to the start of the range."""
    answers = asked([SeekLast(), Next(5), Prev(5), Prev(2), Prev(90), Prev(1)])
    assert answers == [YES, FALSE, read(20, 21), FALSE, read(10, 12, 14), FALSE]


def test_chunks_have_so_many_samples_across_any_gap() -> None:
    """Query Patterns: the Next method gets what is next, wherever it is stored."""
    assert asked([SeekFirst(), Next(), Next(), Next(), Next()]) == [YES, read(10, 12), read(14, 20), read(21), FALSE]
    assert asked([SeekLast(), Prev(), Prev(), Prev(), Prev()]) == [YES, read(20, 21), read(12, 14), read(10), FALSE]


def test_no_sample_outside_the_range_is_read() -> None:
    """The range has its start and not its end, for spans and chunks, and for what seeks find."""
    bounds = TimeRange(12, 20)
    spans: list[Command] = [SeekFirst(), Next(90), SeekLast(), Prev(90)]
    chunks: list[Command] = [SeekFirst(), Next(), SeekLast(), Prev()]
    assert asked(spans, bounds) == asked(chunks, bounds) == [YES, read(12, 14), YES, read(12, 14)]
    assert asked([SeekFirst()], TimeRange(15, 20)) == [FALSE]


@pytest.mark.parametrize(
    ("seek", "ahead"),
    [(SeekGE(0), 10), (SeekGE(11), 12), (SeekGE(12), 12), (SeekGE(15), 20), (SeekLE(12), 12), (SeekLE(50), None)],
)
def test_seeks_to_a_time(seek: Command, ahead: int | None) -> None:
    """SeekGE finds what is at a time or after it, SeekLE what is at it or before it."""
    found, answer = asked([seek, Next()], chunk=1)
    assert (found, answer) == (YES, FALSE if ahead is None else read(ahead))


def test_a_seek_that_finds_nothing() -> None:
    """It leaves the iterator nowhere, or where it was: the document does not say."""
    script: list[Command] = [SeekFirst(), Next(3), SeekGE(50), Next(3)]
    assert asked(script) == [YES, read(10, 12), FALSE, FALSE]
    assert asked(script, choices=Choices(failed_seek=FailedSeek.UNMOVED))[-1] == read(14)


def test_nothing_is_read_before_a_seek() -> None:
    """An iterator that was just opened is at no place."""
    assert asked([Next(90), Prev(), Valid()]) == [FALSE, FALSE, FALSE]


def test_seeks_by_segment_show_how_samples_were_written() -> None:
    """The same samples, in one segment or two: SeekGE stays where a segment holds the time."""
    script: list[Command] = [SeekGE(15), Next(4)]
    whole, parts = (TimeRange(10, 22),), (TimeRange(10, 15), TimeRange(20, 22))
    assert asked(script, choices=BY_SEGMENT, segments=whole)[-1] == FALSE
    assert asked(script, choices=BY_SEGMENT, segments=parts)[-1] == read(20, 21)
    assert asked(script, segments=whole) == asked(script, segments=parts)


def test_spans_below_zero() -> None:
    """They are not in the document: nothing, or the other way."""
    script: list[Command] = [SeekGE(14), Next(7), Next(-3)]
    assert asked(script)[-1] == FALSE
    assert asked(script, choices=Choices(negative_span=NegativeSpan.OPPOSITE))[-1] == read(12)


def test_where_a_chunk_ends_shows_in_the_span_after_it() -> None:
    """At the sample that it leaves out, or behind its last one: between them is time without samples."""
    script: list[Command] = [SeekFirst(), Next(), Next(1)]
    assert asked(script)[-1] == read(14)
    assert asked(script, choices=Choices(chunk_edge=ChunkEdge.LAST_SAMPLE))[-1] == FALSE
    back: list[Command] = [SeekLast(), Prev(), Prev(1)]
    assert asked(back)[-1] == read(14)
    assert asked(back, choices=Choices(chunk_edge=ChunkEdge.LAST_SAMPLE))[-1] == FALSE


def test_valid_and_error() -> None:
    """Error Handling: validity is that of the last move; without an error there is none to be told."""
    assert asked([SeekFirst(), Valid(), Next(1), Valid(), Error(), Next(1), Valid()])[1::2] == [FALSE, YES, FALSE]


def test_after_close_nothing_has_an_effect() -> None:
    """Closing an Iterator: later calls fail, and closing again is harmless."""
    late = Answer(ok=False, error=CLOSED)
    assert asked([SeekFirst(), Close(), Next(90), SeekFirst(), Close()])[1:] == [YES, late, late, YES]


def test_acknowledgements_merge_by_what_they_say_and_not_by_when() -> None:
    """Execution Flow: all, or any; the last one alone would make the answer a matter of timing."""
    acks = ([True, False], [False, True])
    assert [[merged(some, rule) for some in acks] for rule in Merge] == [[False] * 2, [True] * 2, [False, True]]
    with pytest.raises(ValueError, match="no acknowledgement"):
        merged([], Merge.ALL)
