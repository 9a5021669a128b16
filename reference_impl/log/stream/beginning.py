"""Beginning and end of a read stream.

LogDevice, common/client_read_stream/ClientReadStream.cpp, startContinuation, ensureSkipEpoch0 and the destructor.
"""

from __future__ import annotations

from reference_impl.log.lsn import lsn_of
from reference_impl.log.stream import single_copy
from reference_impl.log.stream.asking import ask_metadata
from reference_impl.log.stream.delivery import deliver_gap, dispose_if_done, remove
from reference_impl.log.stream.epochs import EPOCH_MIN
from reference_impl.log.stream.hearing import move_to
from reference_impl.log.stream.inputs import Destroyed, Start
from reference_impl.log.stream.outputs import GapKind, SendStop
from reference_impl.log.stream.progress import ESN_MIN
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.timers import Timer
from reference_impl.log.stream.window import slide


def start(stream: Stream, _: Start) -> Stream:
    """A log that the configuration does not have cannot be read; of any other, the epoch's metadata are read first.

    ClientReadStream.cpp, startContinuation and ensureSkipEpoch0: no record has epoch 0, so it is one bridge gap.
    """
    if stream.around.log is None:
        return remove(stream)
    stream = single_copy.begin(stream.knowing(log=stream.around.log))
    if stream.epoch < EPOCH_MIN:
        first = lsn_of(EPOCH_MIN, ESN_MIN)
        stream, taken = deliver_gap(stream, GapKind.BRIDGE, stream.cursor, first - 1)
        if not taken:
            return stream.waiting(Timer.REATTEMPT_START)
        stream = move_to(stream, first).not_waiting(Timer.REATTEMPT_START)
        stream = slide(stream) or stream
    return dispose_if_done(stream if stream.done else ask_metadata(stream, stream.epoch))


def destroy(stream: Stream, _: Destroyed) -> Stream:
    """Shards that may be sending are told to stop: ClientReadStream.cpp, the destructor."""
    sending = (Connection.CONNECTING, Connection.START_SENT, Connection.READING)
    stops = (SendStop(shard) for shard, sender in stream.senders.items() if sender.connection in sending)
    return stream.saying(*stops)._replace(disposed=True)
