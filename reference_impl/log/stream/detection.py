"""Gap detection: when enough shards have nothing at the cursor, there is nothing, up to where the first has something.

LogDevice, Read path, Gap detection algorithm; common/client_read_stream/ClientReadStream.cpp, detectGap,
determineGapType and handleGap.
"""

from __future__ import annotations

from reference_impl.log.lsn import epoch_of, esn_of
from reference_impl.log.stream.asking import ask_metadata, ask_next
from reference_impl.log.stream.deciding import Decision, decide, stand_in
from reference_impl.log.stream.delivery import deliver_gap
from reference_impl.log.stream.hearing import first_marker, move_to
from reference_impl.log.stream.outputs import GapKind
from reference_impl.log.stream.rewinding import rewind
from reference_impl.log.stream.state import Moved, Stream
from reference_impl.log.stream.surroundings import LSN_MAX, NOTHING
from reference_impl.log.stream.timers import Timer


def detect_gap(stream: Stream, *, grace_expired: bool) -> Moved:
    """A gap at the cursor is delivered if the shards allow it, its end is known, and the metadata of both ends are."""
    decision = decide(stream, grace_expired=grace_expired)
    if decision is not Decision.GRACE:
        stream = stream.not_waiting(Timer.GRACE)
    if decision is Decision.WAIT:
        return stream, False
    if decision is Decision.STAND_IN:
        return stand_in(stream), False
    if stream.epoch > stream.known.last_epoch:
        return ask_metadata(stream, stream.epoch), False
    end = gap_end(stream)
    if end == NOTHING:
        return stream, False
    at_start = stream.cursor == stream.options.start
    if decision is Decision.GRACE and (at_start or gap_kind(stream, end) is not GapKind.BRIDGE):
        return stream.waiting(Timer.GRACE), False
    if epoch_of(min(end, LSN_MAX)) > stream.known.last_epoch:
        return ask_next(stream), False
    return _report(stream, end)


def gap_end(stream: Stream) -> int:
    """The LSN after the gap: the first where some shard has something, or the one after the trim point before it.

    NOTHING where no shard has anything: then nothing proves that the cursor is released, unless that does not matter.
    """
    marker = first_marker(stream)
    end = stream.window.beyond if marker is None else marker
    trimmed = stream.known.trimmed
    if stream.cursor <= trimmed < min(end - 1, LSN_MAX):
        return trimmed + 1
    if end == NOTHING and stream.options.ignore_released_status:
        return stream.options.until + 1
    return end


def gap_kind(stream: Stream, end: int) -> GapKind:
    """What a gap up to before an LSN is: a loss only within one epoch, and not right at its beginning.

    ClientReadStream.cpp, determineGapType: a sequencer need not begin at the first ESN, and a bridge record would tell
    of the epoch's end, so at the edges of an epoch a gap is a bridge. Without any shard that has data, all is lost.
    """
    if stream.senders and not any(sender.status.counts for sender in stream.senders.values()):
        return GapKind.DATALOSS
    trimmed = stream.known.trimmed
    if trimmed == LSN_MAX or end <= trimmed + 1:
        return GapKind.TRIM
    nothing_yet = stream.cursor == stream.options.start or epoch_of(stream.cursor - 1) < epoch_of(end)
    window = stream.known.log.sequencer_window if stream.known.log else 0
    early = nothing_yet and esn_of(end) <= window
    return GapKind.BRIDGE if early or epoch_of(end) != stream.epoch else GapKind.DATALOSS


def _report(stream: Stream, end: int) -> Moved:
    """The gap is delivered; a loss, where single copy delivery is in use, only at the second time."""
    kind = gap_kind(stream, end)
    if kind is GapKind.DATALOSS and stream.retried != stream.cursor and _loss_is_doubtful(stream):
        return rewind(stream._replace(retried=stream.cursor)), True
    upto = LSN_MAX if kind is GapKind.TRIM and stream.known.trimmed == LSN_MAX else end - 1
    stream, taken = deliver_gap(stream, kind, stream.cursor, upto)
    return (move_to(stream, upto + 1), True) if taken else (stream, False)


def _loss_is_doubtful(stream: Stream) -> bool:
    """Where single copy delivery is in use, all who have a record may have left it to another one.

    ClientReadStream.cpp, shouldRewindWhenDataLoss.
    """
    in_use = stream.known.log is not None and stream.known.log.single_copy
    return in_use and not (stream.around.settings.efficiency or stream.options.wait_for_all_copies)
