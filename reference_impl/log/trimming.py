"""Trimming: a node deletes what the log's owner wants no more, and tells readers so.

LogDevice, common/protocol/TRIM_Message.h; server/read_path/LogStorageState.h, updateTrimPoint. A trim point is kept on
disk. It stays below epochs that are not clean, for a recovery would take for holes what it does not find.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Handlers, Moment, Stepped
from reference_impl.log import trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.lsn import ESN_MAX, lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.serving.catching_up import all_caught_up


class TrimUpto(NamedTuple):
    """The log's owner wants nothing more up to this LSN."""

    lsn: int


# --------------------------------------------------------------------------------------------- decisions


@decision
def after_trim(here: NodeLog, asked: int) -> NodeLog:
    """The trim point rises to what was asked, as far as epochs are clean here; what lies below is deleted."""
    point = min(asked, lsn_of(here.clean, ESN_MAX)) if here.clean else 0
    return here if point <= here.trimmed else with_trim_point(here, point)


# ------------------------------------------------------------------------------------------------- steps


def with_trim_point(here: NodeLog, point: int) -> NodeLog:
    """The node's part of a log once everything up to an LSN is deleted."""
    gone = [lsn for lsn, _ in here.copies.between(0, point)]
    return here._replace(trimmed=point, copies=here.copies.without(gone))


def trim(here: NodeLog, message: TrimUpto, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Delete, and tell those who read there that it is trimmed."""
    after = context.decides(after_trim)(here, message.lsn)
    if after.trimmed == here.trimmed:
        return None
    told = trace_events.trimmed(here.log, after.trimmed, here.node)
    after, sent = all_caught_up(after, context)
    return after, (told, *sent)


HANDLERS: Final[Handlers] = {TrimUpto: trim}
