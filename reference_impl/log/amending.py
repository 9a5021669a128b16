"""Amending: what a sequencer makes of copies that a node holds already: they are of a later wave, or not needed.

LogDevice, common/Appender.cpp and common/protocol/STORE_Message.h, flag AMEND; Single Copy Delivery, Sync-leader stage.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Copy
from reference_impl.log.lsn import epoch_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.storage import held_as, may_store, preempted
from reference_impl.log.storage_messages import AmendStore, Delete, NotHeld
from spec.events import RECORD

# --------------------------------------------------------------------------------------------- decisions


@decision
def amended(held: Copy, message: AmendStore) -> Copy:
    """A copy that is amended counts as one of the later wave, on its copyset: STORE_Message.h, flag AMEND."""
    return Copy(RECORD, held.digest, 0, message.wave, message.copyset, in_stream=held.in_stream)


@decision
def may_delete(here: NodeLog, held: Copy, message: Delete) -> bool:
    """A node deletes what it stored in this very wave; nothing of an epoch that is sealed, nor what donors count on."""
    is_it = (held.becomes, held.recovery, held.wave, held.copyset) == (RECORD, 0, message.wave, message.copyset)
    return is_it and epoch_of(message.lsn) > here.bar and message.lsn > here.lent


# ------------------------------------------------------------------------------------------------- steps


def amend_store(here: NodeLog, message: AmendStore, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Take a record that is here for one of a later wave; who has none asks for the whole of it."""
    if here.node in context.read_only:
        return None
    writer = addresses.sequencer(here.log, message.node)
    epoch = epoch_of(message.lsn)
    if not context.decides(may_store)(here, epoch, message.is_draining):
        return here, (Send(writer, preempted(here, epoch)),)
    held = here.copies.get(message.lsn)
    if held is None or held.damaged:
        return here, (Send(writer, NotHeld(message.lsn, message.wave, here.node)),)
    return held_as(here, message, context.decides(amended)(held, message), context)


def delete(here: NodeLog, message: Delete, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Hold a copy no longer that others have instead."""
    held = here.copies.get(message.lsn)
    if held is None or here.node in context.read_only or not context.decides(may_delete)(here, held, message):
        return None
    return here._replace(copies=here.copies.without([message.lsn])), (
        trace_events.erase(here.log, message.lsn, here.node),
    )


HANDLERS: Final[Handlers] = {AmendStore: amend_store, Delete: delete}
