"""Stages of an append whose copyset has more members than copies: who is waited for, and whose copy is not needed.

LogDevice, Single Copy Delivery, Appender stages; ``appender_stages`` has them for a replication property that only
counts. Members stand in the order in which readers are served: that of the shuffled copyset. An append is over once it
may be released. The document goes on after that until all leaders have it, and deletes extras still: then a reader that
asked a late leader before, and the extra after, would hear of no copy, and take the record for lost.
"""

# ruff: noqa: ARG001 - all decisions of one kind have one signature

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Effect, Send
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import EXTRAS, LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.shuffle import FIXED_SEEDS, shuffled
from reference_impl.log.quorums import Quorums
from reference_impl.log.sequencer import Appender, Sequencer, Stage
from reference_impl.log.storage_messages import Delete

SYNC_LEADERS: Final = 1
"""How many of the first members must have a record before it is released: num-sync-leaders, unless it is set."""

REMEMBERED: Final = 1 << 12


@lru_cache(REMEMBERED)
def in_order(copyset: Nodes) -> tuple[int, ...]:
    """The members of a copyset in the order in which readers are served."""
    return shuffled(tuple(sorted(copyset)), FIXED_SEEDS)


def leaders(copyset: Nodes) -> Nodes:
    """The members that must have a record before it is released."""
    return frozenset(in_order(copyset)[:SYNC_LEADERS])


def to_stay(copyset: Nodes, copies: int) -> Nodes:
    """The members that are to have it in the end, as many as there are copies."""
    return frozenset(in_order(copyset)[:copies])


def having(context: LogContext, appender: Appender) -> list[int]:
    """The members that have this wave, and whose copies count, in order."""
    there = appender.stored - appender.dismissed - context.statuses.gone
    return [node for node in in_order(appender.copyset) if node in there]


def keepers(quorums: Quorums, nodes: Sequence[int]) -> Nodes:
    """The first of these nodes that are enough for the replication property; nobody where all of them are not."""
    firsts = (frozenset(nodes[:many]) for many in range(quorums.required, len(nodes) + 1))
    return next(filter(quorums.can_replicate, firsts), Nodes())


# --------------------------------------------------------------------------------------------- decisions


@decision
def counted_on(context: LogContext, appender: Appender) -> Nodes:
    """A writer is answered once members have it that are enough, without extras all of them: common/Appender.h.

    Single Copy Delivery, Replication stage. The acknowledgement counts on those; nobody as long as there are too few.
    """
    return keepers(context.quorums, having(context, appender))


@decision
def is_led(context: LogContext, appender: Appender) -> bool:
    """A record may be released once the first of its copyset have it: Single Copy Delivery, Sync-leader stage."""
    return leaders(appender.copyset) <= frozenset(having(context, appender))


@decision
def unneeded(context: LogContext, appender: Appender) -> Nodes:
    """Who has it is told to delete it if those before it who do are enough: Single Copy Delivery, Sync-leader stage."""
    there = having(context, appender)
    kept = keepers(context.quorums, there)
    return frozenset(there) - kept if kept else Nodes()


@decision
def goes_on(appender: Appender) -> bool:
    """No copy is deleted any more once readers may have been told who has none."""
    return False


# ------------------------------------------------------------------------------------------------- steps


def once_acked(context: LogContext) -> Stage:
    """What is left of an append that was acknowledged: nothing, unless its copyset has extras."""
    return Stage.ACKED if EXTRAS in context.variants else Stage.DONE


def after_stored(
    sequencer: Sequencer, lsn: int, appender: Appender, context: LogContext
) -> tuple[Appender, tuple[Effect, ...]]:
    """What a copy more leads to where there are extras: some are not needed any more, the record may be released."""
    if EXTRAS not in context.variants:
        return appender, ()
    effects, log = list[Effect](), sequencer.log
    told = context.decides(unneeded)(context, appender)
    if told:
        appender = appender._replace(dismissed=appender.dismissed | told)
        kept = frozenset(having(context, appender))
        effects.append(trace_events.dismissed(log, lsn, appender.wave, told, kept))
        delete = Delete(lsn, appender.wave, appender.copyset)
        effects += [Send(addresses.storage(log, node), delete) for node in sorted(told)]
    if appender.stage is Stage.ACKED and context.decides(is_led)(context, appender):
        appender = appender._replace(stage=Stage.LED)
        stay = to_stay(appender.copyset, context.quorums.required)
        held = stay, appender.stored - context.statuses.gone
        effects.append(trace_events.retired(log, lsn, appender.wave, leaders(appender.copyset), held))
    return appender, tuple(effects)
