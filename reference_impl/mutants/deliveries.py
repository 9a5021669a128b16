"""Mutants of delivery: of nodes that send to readers, and of what readers ask of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from reference_impl.log.copies import Copy
from reference_impl.log.serving.catching_up import order_sent, sendable_upto
from reference_impl.log.serving.sending import Sending
from reference_impl.log.stream import inputs
from reference_impl.log.stream.inputs import Input
from reference_impl.log.stream.machine import Did, step
from reference_impl.log.stream.outputs import Delivered, SendStart, SendWindow
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.timers import Timer
from reference_impl.mutants.registry import mutant, setting
from spec.log.status import Status

WIRE: Final = setting("what readers ask of nodes, and what these send, is recorded, too", on_the_wire=True)
SINGLE: Final = setting(
    "one node sends each record; what readers ask of nodes, and what these send, is recorded, too",
    delivery=("single_copy",),
    on_the_wire=True,
)

AHEAD: Final = 1000
"""LSNs beyond any window."""


def _with_starts(did: Did, **changes: Any) -> Did:
    """The same, but each START says something else."""
    stream, said = did
    return stream, tuple(one._replace(**changes) if isinstance(one, SendStart) else one for one in said)


def comes_back(message: Input) -> bool:
    """It is time to ask a node again."""
    return isinstance(message, inputs.Fired) and message.timer in (Timer.RECONNECT, Timer.STARTED)


# ------------------------------------------------------------------------------------------------- nodes


@mutant(order_sent, where=WIRE)
def sends_latest_first(found: list[tuple[int, Copy]]) -> list[tuple[int, Copy]]:
    """A node sends the latest records of a batch first.

    LogDevice, Read path, How reads happen: whoever has sent a record is believed to have nothing else before it.
    """
    return found[::-1]


@mutant(sendable_upto, where=WIRE)
def sends_beyond_the_window(sending: Sending, readable: int) -> int:
    """A node sends everything that may be read, however little the reader has room for.

    LogDevice, Read path, Flow control: nodes stop at the end of the window.
    """
    return min(sending.until, readable)


@mutant(order_sent, where=WIRE)
def fills_in_what_it_lacks(found: list[tuple[int, Copy]]) -> list[tuple[int, Copy]]:
    """A node repeats a record in place of the next one, if it has no copy of that.

    LogDevice, Read path, Gaps sent by storage nodes: what a node does not have is a gap.
    """
    made_up = [(lsn + 1, copy) for (lsn, copy), (following, _) in pairwise(found) if lsn + 1 < following]
    return sorted([*found, *made_up], key=lambda one: one[0])


# ------------------------------------------------------------------------------------ what readers ask of nodes


@mutant(step, where=WIRE)
def asks_from_its_start(stream: Stream, message: Input) -> Did:
    """A reader asks a node that comes back for everything again.

    LogDevice, Single Copy Delivery, Rewinding the stream: from the next LSN to deliver.
    """
    did = step(stream, message)
    return _with_starts(did, first=stream.options.start) if comes_back(message) else did


@mutant(step, where=WIRE)
def asks_for_one_record(stream: Stream, message: Input) -> Did:
    """A reader that asks a node anew names a window of one LSN, though it had told a larger one.

    LogDevice, Read path, Flow control: the window slides on.
    """
    return _with_starts(step(stream, message), window_high=stream.cursor)


@mutant(step, where=WIRE)
def allows_more_than_it_holds(stream: Stream, message: Input) -> Did:
    """A reader's window is much larger than its buffer.

    LogDevice, common/client_read_stream/ClientReadStream.cpp, slideSenderWindows: what is beyond it would be dropped.
    """
    stream, said = step(stream, message)
    return stream, tuple(one._replace(high=one.high + AHEAD) if isinstance(one, SendWindow) else one for one in said)


@mutant(step, where=SINGLE)
def old_filters_for_who_comes_back(stream: Stream, message: Input) -> Did:
    """A reader asks a node that comes back by the filters with which it began.

    LogDevice, Single Copy Delivery, Rewinding the stream: all nodes have to use the same known down list.
    """
    did = step(stream, message)
    return _with_starts(did, version=1) if comes_back(message) else did


@mutant(step, where=SINGLE)
def rewinds_without_counting(stream: Stream, message: Input) -> Did:
    """A reader changes its filters without a new version of them.

    LogDevice, Single Copy Delivery, Rewinding the stream: what was sent by old filters could not be told apart.
    """
    if isinstance(message, inputs.Started):
        message = message._replace(version=stream.version)
    return _with_starts(step(stream, message), version=1)


@mutant(step, where=SINGLE)
def passes_over_in_all_send_all(stream: Stream, message: Input) -> Did:
    """A reader that wants everyone to send still passes over those that were down.

    LogDevice, Single Copy Delivery: in all send all mode every node sends what it has.
    """
    listed = stream.single_copy.lists.everyone
    stream, said = step(stream, message)
    return stream, tuple(
        one._replace(filtered_out=listed) if isinstance(one, SendStart) and not one.single_copy else one for one in said
    )


# -------------------------------------------------------------------------------------- what readers conclude


@mutant(step, where=WIRE)
def gives_damaged_payloads(stream: Stream, message: Input) -> Did:
    """A reader does not notice that a payload was damaged on its way.

    LogDevice, common/protocol/RECORD_Message.cpp: a payload whose checksum is wrong is no record.
    """
    stream, said = step(stream, message)
    return stream, tuple(
        one._replace(digest=one.digest ^ 1) if isinstance(one, Delivered) and one.lsn % 5 == 0 else one for one in said
    )


@mutant(step, where=WIRE)
def concludes_as_if_all_had_sent(stream: Stream, message: Input) -> Did:
    """A reader asks for single copies, and takes for lost what those who need not send it have not sent.

    LogDevice, Single Copy Delivery: silence proves nothing while another one may have been the one to send.
    """
    return _with_starts(step(stream, message), single_copy=True)


@mutant(step)
def down_nodes_need_not_answer(stream: Stream, message: Input) -> Did:
    """A reader does without the answers of nodes that are only down.

    LogDevice, common/AuthoritativeStatus.h: an UNAVAILABLE node has its records, and will be back.
    """
    if isinstance(message, inputs.StatusesChanged):
        changed = {
            shard: Status.AUTHORITATIVE_EMPTY if status is Status.UNAVAILABLE else status
            for shard, status in message.statuses.items()
        }
        message = inputs.StatusesChanged(changed)
    return step(stream, message)


@mutant(step)
def reads_the_old_nodeset(stream: Stream, message: Input) -> Did:
    """A reader goes on to ask the nodes of the first epoch that it read.

    LogDevice, Read path, Metadata log: records of another epoch may lie on other nodes.
    """
    known = stream.known.metadata
    if isinstance(message, inputs.EpochMetadata) and known is not None:
        message = message._replace(metadata=message.metadata._replace(shards=known.shards))
    return step(stream, message)
