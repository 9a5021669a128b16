"""What happens to a node's disk: messages that nobody sends, which the environment gives to a node's part of a log.

LogDevice, common/protocol/STORE_Message.cpp and server/read_path for checksums; Read path, Authoritative Status for
disks that are wiped or replaced.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from typing import Final, NamedTuple

from reference_impl.kernel.step import Handlers, Moment, Stepped
from reference_impl.log import trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.node_log import NodeLog


class DiskLost(NamedTuple):
    """All that the node has of the log is gone."""


class CopiesLost(NamedTuple):
    """Some copies are gone."""

    lsns: tuple[int, ...]


class ChecksumChanged(NamedTuple):
    """The checksum of a copy became wrong, or right again."""

    lsn: int
    damaged: bool


def lose_disk(here: NodeLog, message: DiskLost, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Forget everything, seals too."""
    erased = tuple(trace_events.erase(here.log, lsn, here.node) for lsn, _ in here.copies.items())
    return NodeLog(here.log, here.node, serving=here.serving), erased


def lose_copies(here: NodeLog, message: CopiesLost, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Hold some copies no longer."""
    held = [lsn for lsn in message.lsns if here.copies.get(lsn) is not None]
    after = here._replace(copies=here.copies.without(held))
    return after, tuple(trace_events.erase(here.log, lsn, here.node) for lsn in held)


def change_checksum(here: NodeLog, message: ChecksumChanged, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Have a copy that cannot be read, or can be again."""
    copy = here.copies.get(message.lsn)
    if copy is None or copy.damaged == message.damaged:
        return None
    return here._replace(copies=here.copies.with_(message.lsn, copy._replace(damaged=message.damaged))), ()


HANDLERS: Final[Handlers] = {DiskLost: lose_disk, CopiesLost: lose_copies, ChecksumChanged: change_checksum}
