"""Mutants of readers: of the read stream, in a log of which everyone who has a record sends it."""

from __future__ import annotations

from reference_impl.log.lsn import epoch_of
from reference_impl.log.stream.delivery import deliver_gap
from reference_impl.log.stream.hearing import move_to
from reference_impl.log.stream.inputs import Batch, Input, Record
from reference_impl.log.stream.machine import Did, step
from reference_impl.log.stream.outputs import Delivered, GapDelivered, GapKind, Output
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.state import Stream
from reference_impl.mutants.registry import mutant

REMEMBERED = 8
"""LSNs below the next one of which a careless reader still takes copies."""


def _first_after_missing(stream: Stream) -> int | None:
    """The first LSN of this epoch that was received, if the next one was not."""
    first = min(stream.records, default=None)
    missing = first is not None and first != stream.cursor and epoch_of(first) == stream.epoch
    return first if missing else None


def _going_on(stream: Stream, said: tuple[Output, ...]) -> Did:
    """Give what can be given now, after what was done before."""
    stream = make_progress(stream)
    return stream._replace(said=()), (*said, *stream.said)


@mutant(step)
def delivers_latest_first(stream: Stream, message: Input) -> Did:
    """A reader delivers the latest record of its buffer first.

    LogDevice, Read path, Re-ordering: the reader waits for the record of the first row. A stack for a queue.
    """
    stream, said = step(stream, message)
    latest = sorted((lsn for lsn, record in stream.records.items() if not record.hole), reverse=True)
    given = tuple(Delivered(lsn, stream.records[lsn].digest) for lsn in latest)
    rest = {lsn: record for lsn, record in stream.records.items() if record.hole}
    return stream._replace(records=rest), (*said, *given)


@mutant(step)
def delivers_every_copy(stream: Stream, message: Input) -> Did:
    """A reader delivers a record again when another node sends its copy.

    LogDevice, Read path, De-duplication: the reader drops copies that it already has.
    """
    known = range(stream.cursor - REMEMBERED, stream.cursor)
    records = message.records if isinstance(message, Batch) else ()
    again = tuple(Delivered(record.lsn, record.digest) for record in records if record.lsn in known and not record.hole)
    stream, said = step(stream, message)
    return stream, (*again, *said)


@mutant(step)
def skips_silently(stream: Stream, message: Input) -> Did:
    """A reader passes over LSNs that have not arrived, and says nothing.

    LogDevice, common/client_read_stream/ClientReadStream.cpp: records and gaps partition what is read.
    """
    stream, said = step(stream, message)
    following = _first_after_missing(stream)
    return (stream, said) if following is None else _going_on(move_to(stream, following), said)


@mutant(step)
def loss_without_f_majority(stream: Stream, message: Input) -> Did:
    """A reader reports data loss as soon as one node has sent something later.

    LogDevice, Read path, Gap detection algorithm: without an f-majority the reader stalls.
    """
    stream, said = step(stream, message)
    following = _first_after_missing(stream)
    if following is None:
        return stream, said
    stream, _ = deliver_gap(stream, GapKind.DATALOSS, stream.cursor, following - 1)
    return _going_on(move_to(stream, following), said)


def _with_made_up(stream: Stream, said: tuple[Output, ...], *, bridge: bool) -> Did:
    """Something that nobody sent stands at the cursor, if the record there has not arrived."""
    if _first_after_missing(stream) is None:
        return stream, said
    made_up = Record(min(stream.senders), stream.cursor, hole=True, bridge=bridge)
    return _going_on(stream._replace(records={stream.cursor: made_up, **stream.records}), said)


@mutant(step)
def hole_reported_without_plug(stream: Stream, message: Input) -> Did:
    """A reader reports what has not arrived as a hole.

    LogDevice, Read path, Reporting gaps: the hole plug is written by the recovery process.
    """
    return _with_made_up(*step(stream, message), bridge=False)


@mutant(step)
def bridge_reported_for_missing(stream: Stream, message: Input) -> Did:
    """A reader takes what has not arrived for the end of the epoch.

    LogDevice, Recovery, Bridge record: only the bridge tells readers to advance to the next epoch.
    """
    return _with_made_up(*step(stream, message), bridge=True)


@mutant(step)
def hole_told_as_a_loss(stream: Stream, message: Input) -> Did:
    """A reader takes a hole plug for a record that is lost.

    LogDevice, Recovery, Log recovery: what was not acknowledged is never reported as data loss, but as a benign gap.
    """
    stream, said = step(stream, message)
    return stream, tuple(_as_loss(one) if isinstance(one, GapDelivered) else one for one in said)


def _as_loss(gap: GapDelivered) -> GapDelivered:
    return gap._replace(kind=GapKind.DATALOSS) if gap.kind is GapKind.HOLE else gap
