"""Purging: a node that missed the recovery of an epoch asks others of its nodeset what became of it.

It asks when it is told of a release in a later epoch, again with each release until somebody knows, and purges with the
release after that. LogDevice, server/storage/PurgeUncleanEpochs.cpp and common/GetEpochRecoveryMetadataRequest.cpp.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from typing import Final

from reference_impl.kernel.step import Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.context import LogContext
from reference_impl.log.messages import Nodeset
from reference_impl.log.node_log import NodeLog
from reference_impl.log.storage import settled_by
from reference_impl.log.storage_messages import GetMetadata, Metadata


def ask_others(here: NodeLog, message: Nodeset, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Ask all other nodes of an epoch, unless somebody told meanwhile."""
    if message.epoch in here.cleaned:
        return None
    ask = GetMetadata(message.epoch, here.node)
    return here, tuple(Send(addresses.storage(here.log, node), ask) for node in sorted(message.nodes - {here.node}))


def tell(here: NodeLog, message: GetMetadata, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Tell another node what became of an epoch; who does not know is silent, and asked again."""
    cleaned = here.cleaned.get(message.epoch)
    if cleaned is None:
        return None
    return here, (Send(addresses.storage(here.log, message.node), Metadata(cleaned)),)


def learn(here: NodeLog, message: Metadata, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """One that knows is enough: what became of a clean epoch is the same for all."""
    here, effects = settled_by(here, message.cleaned)
    return here, tuple(effects)


HANDLERS: Final[Handlers] = {Nodeset: ask_others, GetMetadata: tell, Metadata: learn}
