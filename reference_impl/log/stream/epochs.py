"""Epoch metadata: as they become known, the read set changes at the border of epochs.

LogDevice, Read path, Metadata log; common/client_read_stream/ClientReadStream.cpp, onEpochMetaData.
"""

from __future__ import annotations

from typing import Final

from reference_impl.log.lsn import ESN_MAX, lsn_of
from reference_impl.log.stream.asking import ask_metadata
from reference_impl.log.stream.delivery import deliver_gap, deny, dispose_if_done, remove
from reference_impl.log.stream.health import reckoned
from reference_impl.log.stream.hearing import move_to
from reference_impl.log.stream.inputs import EpochMetadata, EpochMetadataFailed
from reference_impl.log.stream.outputs import GapKind
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.read_set import update_read_set
from reference_impl.log.stream.starting import ACCESS
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import EPOCH_LAST, NOTHING, Source
from reference_impl.log.stream.timers import Timer

NOT_IN_CONFIG: Final = "NOTINCONFIG"
"""The error of a log that the configuration does not have."""

EPOCH_MIN: Final = 1
"""The first epoch: LogDevice, include/types.h."""


def learn_metadata(stream: Stream, message: EpochMetadata) -> Stream:
    """Metadata of the epoch that was asked for: the read set follows them, and the stream goes on.

    Answers to other questions, such as late ones, are passed over.
    """
    known = stream.known
    if stream.denied or message.epoch != known.asked or (known.last_epoch and message.epoch != known.last_epoch + 1):
        return stream
    upto = effective_until(stream, message)
    stream = stream.not_waiting(Timer.METADATA_RETRY).knowing(metadata=message.metadata)
    stream = _with_last_epoch(stream, message, upto)
    stream = make_progress(reckoned(update_read_set(stream)))
    return dispose_if_done(stream if stream.senders else _pass_over_nobody(stream, message, upto))


def effective_until(stream: Stream, message: EpochMetadata) -> int:
    """Up to which epoch metadata are sure to hold: no further than what was released when they were asked for.

    Only the last metadata of the log hold up to there at least, for later ones would have been released before.
    """
    released = stream.known.released_epoch
    if message.source is Source.LAST:
        return max(released, message.until)
    return max(EPOCH_MIN, message.epoch, message.metadata.since, min(released, message.until))


def _with_last_epoch(stream: Stream, message: EpochMetadata, upto: int) -> Stream:
    """The first metadata may be those of an earlier epoch, if there are none of this one yet: they are asked for again.

    ClientReadStream.cpp, updateLastEpochWithMetaData. Whoever reads what is not released takes the last metadata for
    all epochs to come.
    """
    last = message.source is Source.LAST
    if stream.options.ignore_released_status and last:
        return stream.knowing(last_epoch=EPOCH_LAST)
    earlier = last and stream.known.last_epoch == NOTHING and message.epoch > message.metadata.since
    if earlier or message.source is Source.CACHED_SOFT:
        return stream.knowing(last_epoch=message.epoch - 1, asked=message.epoch - 1)
    return stream.knowing(last_epoch=upto)


def _pass_over_nobody(stream: Stream, message: EpochMetadata, upto: int) -> Stream:
    """Epochs whose shards are all gone from the cluster are one gap; if they are the last, better metadata may come.

    ClientReadStream.cpp, handleEmptyStorageSet.
    """
    if stream.done:
        return stream
    if message.source is not Source.NOT_LAST:
        return _ask_again_later(stream)
    end = lsn_of(upto, ESN_MAX)
    kind = GapKind.TRIM if stream.known.trimmed >= end else GapKind.BRIDGE
    stream, taken = deliver_gap(stream, kind, stream.cursor, end)
    return make_progress(move_to(stream, end + 1)) if taken else _ask_again_later(stream)


def _ask_again_later(stream: Stream) -> Stream:
    return stream.knowing(metadata=None, last_epoch=NOTHING).waiting(Timer.METADATA_RETRY)


def metadata_failed(stream: Stream, message: EpochMetadataFailed) -> Stream:
    """Without permission or without such a log the stream ends; after any other error the metadata are read again."""
    if stream.denied or message.epoch != stream.known.asked:
        return stream
    if message.status == ACCESS:
        return deny(stream)
    if message.status == NOT_IN_CONFIG:
        return remove(stream)
    return stream.waiting(Timer.METADATA_RETRY)


def retry_metadata(stream: Stream) -> Stream:
    """The same metadata are asked for once more: ClientReadStream.cpp, activateMetaDataRetryTimer."""
    asked = stream.known.asked
    return stream if asked is None else ask_metadata(stream.knowing(asked=None), asked)
