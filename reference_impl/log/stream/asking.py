"""Asking for epoch metadata: no gap is delivered into an epoch of which nobody said where its records lie.

LogDevice, Read path, Metadata log; common/client_read_stream/ClientReadStream.cpp, requestEpochMetaData.
"""

from __future__ import annotations

from reference_impl.log.lsn import epoch_of
from reference_impl.log.stream.health import reckoned
from reference_impl.log.stream.outputs import AskMetadata
from reference_impl.log.stream.state import Stream


def ask_metadata(stream: Stream, epoch: int) -> Stream:
    """The metadata of an epoch are asked for once; what is released then bounds how far the answer holds."""
    known = stream.known
    if known.asked is not None and epoch <= known.asked:
        return stream
    stream = stream.knowing(asked=epoch, released_epoch=epoch_of(known.released))
    return reckoned(stream.saying(AskMetadata(epoch)))


def ask_next(stream: Stream) -> Stream:
    """The metadata of the first epoch that nothing is known of are asked for."""
    return ask_metadata(stream, stream.known.last_epoch + 1)
