"""Mutants of trimming: of nodes that delete, and of what readers are told of that."""

from __future__ import annotations

from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.log.lsn import ESN_MAX, epoch_of, lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.serving.catching_up import first_kept
from reference_impl.log.stream.inputs import Input
from reference_impl.log.stream.machine import Did, step
from reference_impl.log.stream.outputs import GapDelivered, GapKind
from reference_impl.log.stream.state import Stream
from reference_impl.log.trimming import after_trim, with_trim_point
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import MILLISECOND

TRIMS: Final = setting(
    "logs are trimmed all the time; what readers ask of nodes, and what these send, is recorded, too",
    trims=Rate(MILLISECOND),
    on_the_wire=True,
)

SELDOM: Final = setting("logs are trimmed now and then", trims=Rate(10 * MILLISECOND))


def _as_far_as_clean(here: NodeLog, asked: int) -> int:
    return min(asked, lsn_of(here.clean, ESN_MAX)) if here.clean else 0


# ------------------------------------------------------------------------------------------------- nodes


@mutant(after_trim, where=TRIMS)
def trim_point_goes_back(here: NodeLog, asked: int) -> NodeLog:
    """A node's trim point is whatever it was asked last, even if that is less than before.

    LogDevice, server/read_path/LogStorageState.h, updateTrimPoint: requests may come late, in any order.
    """
    point = _as_far_as_clean(here, asked)
    return with_trim_point(here, point) if point else here


@mutant(after_trim, where=TRIMS)
def trims_one_too_many(here: NodeLog, asked: int) -> NodeLog:
    """A node deletes one record more than was asked.

    LogDevice, common/protocol/TRIM_Message.h: the LSN of a request is the last one that goes. Off by one.
    """
    point = _as_far_as_clean(here, asked) + 1
    return with_trim_point(here, point) if point > max(1, here.trimmed) else here


@mutant(after_trim, where=TRIMS)
def trims_what_is_not_recovered(here: NodeLog, asked: int) -> NodeLog:
    """A node deletes all that it has of an epoch whose recovery has yet to come.

    LogDevice, Recovery, Log recovery: a recovery plugs what it finds nowhere, though it was acknowledged.
    """
    of_epoch = here.copies.between(asked, lsn_of(epoch_of(asked), ESN_MAX))
    point = max([asked, *(lsn for lsn, _ in of_epoch)])
    return with_trim_point(here, point) if point > here.trimmed else here


def _everything(here: NodeLog) -> int:  # noqa: ARG001 - as the decision it replaces
    """Readers are sent whatever is there."""
    return 0


@mutant(after_trim, first_kept.otherwise(_everything), where=TRIMS)
def sends_what_was_trimmed(here: NodeLog, asked: int) -> NodeLog:
    """A node notes its trim point, and sends readers what it has not deleted yet.

    LogDevice, common/protocol/TRIM_Message.h: nothing up to the trim point is delivered; what compaction has left, too.
    """
    point = _as_far_as_clean(here, asked)
    return here._replace(trimmed=point) if point > here.trimmed else here


@mutant(first_kept, where=TRIMS)
def trims_without_a_word(here: NodeLog) -> int:  # noqa: ARG001 - as the decision it replaces
    """A node says of what it trimmed only that it has no records there.

    LogDevice, server/read_path/CatchupOneStream.cpp: a TRIM gap comes first. What all have trimmed seems lost.
    """
    return 0


# ------------------------------------------------------------------------------------------------ readers


def _told_as(did: Did, kind: GapKind, instead: GapKind) -> Did:
    stream, said = did
    return stream, tuple(
        one._replace(kind=instead) if isinstance(one, GapDelivered) and one.kind is kind else one for one in said
    )


@mutant(step, where=TRIMS)
def trimmed_told_as_lost(stream: Stream, message: Input) -> Did:
    """A reader reports as lost what was trimmed.

    LogDevice, include/Record.h, GapType: what its owner wants no more is no loss.
    """
    return _told_as(step(stream, message), GapKind.TRIM, GapKind.DATALOSS)


@mutant(step, where=SELDOM)
def lost_told_as_trimmed(stream: Stream, message: Input) -> Did:
    """A reader reports as trimmed what was lost.

    LogDevice, include/Record.h, GapType: a loss has to be told; nobody had asked for that.
    """
    return _told_as(step(stream, message), GapKind.DATALOSS, GapKind.TRIM)
