"""Write streams: appends of one client that are kept in order, of which none is kept without those before it.

A sequencer takes them in order and acknowledges them in the order of ESNs; recovery keeps none above a hole, as
``reference_impl.log.repair.streams`` says. LogDevice, common/Appender.h, common/WriteStreamRequest.h.
"""

from __future__ import annotations

from reference_impl.kernel.decision import decision
from reference_impl.log.messages import AppendRequest
from reference_impl.log.sequencer import Appender, Sequencer, Stage

# --------------------------------------------------------------------------------------------- decisions


@decision
def is_next_in_stream(sequencer: Sequencer, request: AppendRequest) -> bool:
    """An append of a stream is taken after the one before it; a new sequencer begins where all before is acknowledged.

    What comes too early is not answered: the client repeats it.
    """
    last = sequencer.streams.get(request.client)
    return not request.place or (request.resumes if last is None else request.place == last + 1)


@decision
def may_answer(sequencer: Sequencer, esn: int) -> bool:
    """An append of a stream is acknowledged after all before it in the epoch: recovery will find no hole below."""
    before = range(sequencer.known_good + 1, esn)
    stages = [sequencer.window[at].stage for at in before if at in sequencer.window]
    return not sequencer.window[esn].place or Stage.STORING not in stages


@decision
def goes_into_stream(appender: Appender) -> bool:
    """Copies say whether they belong to a stream: common/protocol/STORE_Message.h, WRITE_STREAM."""
    return appender.place > 0
