"""Mutants of write streams: of their clients, of their sequencers, and of the recovery that repairs them."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import Weather
from reference_impl.log.client import Asked, Client, takes_answer, written_again
from reference_impl.log.messages import AppendRequest
from reference_impl.log.repair.digest import Digest
from reference_impl.log.repair.plan import Plan, Round, plan_of
from reference_impl.log.sequencer import Appender, Sequencer
from reference_impl.log.write_streams import goes_into_stream, is_next_in_stream, may_answer
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import MILLISECOND, Faults

RESTLESS: Final = Faults(Weather(slow=0.1, drop=0.2), {"reactivate": Rate(2 * MILLISECOND)}, 0.0)
"""Appends are lost or late, and then their sequencer is replaced: so that there are holes."""

STREAMS: Final = setting(
    "clients write streams to sequencers that are replaced all the time",
    variants=("write_streams",),
    faults=RESTLESS,
    open_logs=2,
)


@mutant(is_next_in_stream, where=STREAMS)
def stream_taken_in_any_order(sequencer: Sequencer, request: AppendRequest) -> bool:
    """A sequencer appends what comes, whatever its place in the stream.

    LogDevice, common/WriteStreamRequest.h: messages overtake each other, places do not.
    """
    return True


@mutant(may_answer, where=STREAMS)
def stream_acked_when_stored(sequencer: Sequencer, esn: int) -> bool:
    """An append of a stream is acknowledged as soon as it is stored, as any other append is.

    LogDevice, common/Appender.h: recovery would make a hole of it if an append before it was lost.
    """
    return True


@mutant(takes_answer, where=STREAMS)
def stream_heard_in_any_order(session: Client, asked: Asked) -> bool:
    """A client hears of its stream in the order in which answers arrive.

    LogDevice, common/WriteStreamRequest.h: whoever heard of one append takes all before it for safe.
    """
    return True


@mutant(written_again, where=STREAMS)
def stream_goes_on_without_what_was_lost(lost: Sequence[int]) -> tuple[int, ...]:
    """A client whose sequencer was replaced goes on with the next place of its stream.

    LogDevice, common/WriteStreamRequest.h: the new sequencer is to be given all that was not acknowledged, in order.
    """
    return ()


@mutant(goes_into_stream, where=STREAMS)
def copies_do_not_name_their_stream(appender: Appender) -> bool:
    """Nodes are not told which records belong to streams.

    LogDevice, common/protocol/STORE_Message.h, WRITE_STREAM: recovery knows of a stream only what copies say.
    """
    return False


@mutant(plan_of, where=STREAMS)
def recovery_forgets_streams(digest: Digest, chosen: Round) -> Plan:
    """Recovery keeps every record that it finds, whatever is missing below it.

    LogDevice, common/Digest.cpp: the step that comes before bridges is left out.
    """
    alone = {esn: entry._replace(target=entry.target._replace(in_stream=False)) for esn, entry in digest.items()}
    return plan_of(alone, chosen)
