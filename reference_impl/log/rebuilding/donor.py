"""A donor: one storage node's part in rebuilding a shard, for one log.

It waits until all that counts on the shard is released, stores new copies, then changes the copysets of the others, and
tells the event log. LogDevice, docs/Rebuilding.md; server/rebuilding/LogRebuilding.cpp, RecordRebuildingStore.cpp.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.mix import mix
from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.context import EXTRAS, LogContext
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.lsn import epoch_of
from reference_impl.log.rebuilding.event_log import ADDRESS as EVENT_LOG
from reference_impl.log.rebuilding.messages import Again, Amend, Amended, Donated, Held, Hold, Lend, Lent, Rebuild

PATIENCE: Final = 2
"""How often a donor asks nodes to hold copies before it looks for others."""


class Phase(Enum):
    """What a donor is doing."""

    IDLE = "nothing"
    READING = "asking the disk beside it"
    STORING = "storing new copies"
    AMENDING = "changing copysets"
    DONE = "done"


class Donor(NamedTuple):
    """A donor.

    Attributes:
        shard: what is rebuilt.
        began: the version of the event log at which that began.
        until: everything up to this LSN has to be released first.
        nodesets: where copies of each epoch may lie.
        copies: what is re-replicated, by LSN, with its old copyset.
        copysets: where it lies then, by LSN.
        planned_ns: when that was chosen.
        waits_for: who has not confirmed yet.
        avoid: nodes that did not confirm before.
        asked: how often it asked in this phase.
    """

    log: int
    node: int
    phase: Phase = Phase.IDLE
    shard: int = -1
    began: int = 0
    until: int = 0
    nodesets: Mapping[int, Nodes] = {}
    copies: Mapping[int, Copy] = {}
    copysets: Mapping[int, Nodes] = {}
    planned_ns: int = 0
    waits_for: Nodes = frozenset()
    avoid: Nodes = frozenset()
    asked: int = 0


# --------------------------------------------------------------------------------------------- decisions


@decision
def donates(donor: Donor, copy: Copy, gone: Nodes) -> bool:
    """The first node of the copyset that has its data is the donor: docs/Rebuilding.md.

    What a recovery wrote may lie on a part of its copyset only, so whoever has it donates it.
    """
    return bool(copy.recovery) or donor.node == min(copy.copyset - gone, default=donor.node)


@decision
def may_be_missing(context: LogContext, copy: Copy) -> bool:
    """Of a copyset with extras some have no copy, and nobody knows who: whoever has one donates it."""
    return EXTRAS in context.variants and len(copy.copyset) > context.quorums.required


@decision
def rebuilt_copyset(context: LogContext, keep: Nodes, free: Nodes, lsn: int) -> Nodes | None:
    """The nodes that have a copy, and whoever is missing for the replication property; None: nobody does."""
    if context.quorums.can_replicate(keep):
        return keep
    enough = [node for node in sorted(free - keep) if context.quorums.can_replicate(keep | {node})]
    if enough:
        return keep | {enough[mix(lsn) % len(enough)]}
    found = context.quorums.choose(free, frozenset(), lsn)
    return None if found is None else found | keep


@decision
def amended_copyset(copyset: Nodes, old: Nodes) -> Nodes:
    """Copysets name the new nodes and no longer the lost one: Read path, Copyset."""
    return copyset


@decision
def awaited(nodes: Nodes) -> Nodes:
    """All new copies are stored before any copyset names them: server/rebuilding/RecordRebuildingStore.cpp."""
    return nodes


# ------------------------------------------------------------------------------------------------ steps


def begin(donor: Donor, message: Rebuild, moment: Moment, context: LogContext) -> Stepped[Donor]:
    """Take part in a rebuilding; once done, only say so again."""
    if donor.phase is not Phase.IDLE and donor.began == message.began:
        return (donor, (_done(donor),)) if donor.phase is Phase.DONE else None
    donor = Donor(donor.log, donor.node, Phase.READING, message.shard, message.began, message.until, message.nodesets)
    return donor, (*_ask(donor, context), After(context.timing.recovery_ns, Again(donor.began)))


def plan(donor: Donor, message: Lent, moment: Moment, context: LogContext) -> Stepped[Donor]:
    """Choose a new copyset for each copy of which this node is the donor, and bring it to all of that copyset."""
    if donor.phase is not Phase.READING or donor.began != message.began:
        return None
    gone = context.statuses.gone
    copies = {
        lsn: copy
        for lsn, copy in message.copies
        if context.decides(may_be_missing)(context, copy) or context.decides(donates)(donor, copy, gone)
    }
    copysets: dict[int, Nodes] = {}
    for lsn, copy in copies.items():
        copyset = _new_copyset(donor, lsn, copy, context, donor.avoid) or _new_copyset(donor, lsn, copy, context)
        if copyset is None:
            return None
        copysets[lsn] = copyset
    everyone = Nodes().union(*copysets.values())
    donor = donor._replace(phase=Phase.STORING, copies=copies, copysets=copysets, waits_for=everyone, asked=0)
    donor = donor._replace(planned_ns=moment.now_ns)
    holds = _ask(donor, context)
    donor = donor._replace(waits_for=context.decides(awaited)(everyone))
    return (donor, holds) if donor.waits_for else _next_phase(donor, context, holds)


def _new_copyset(donor: Donor, lsn: int, copy: Copy, context: LogContext, avoid: Nodes = frozenset()) -> Nodes | None:
    away = context.statuses.gone | {donor.shard} | avoid
    free = donor.nodesets.get(epoch_of(lsn), Nodes()) - away
    keep = (copy.copyset | {donor.node}) & free
    return context.decides(rebuilt_copyset)(context, keep, free, lsn)


def held(donor: Donor, message: Held, moment: Moment, context: LogContext) -> Stepped[Donor]:
    """A node has its new copies."""
    return _confirmed(donor, Phase.STORING, message, context)


def amended(donor: Donor, message: Amended, moment: Moment, context: LogContext) -> Stepped[Donor]:
    """A node has its new copysets."""
    return _confirmed(donor, Phase.AMENDING, message, context)


def _confirmed(donor: Donor, phase: Phase, message: Held | Amended, context: LogContext) -> Stepped[Donor]:
    mine = (donor.began, donor.planned_ns) == (message.began, message.planned_ns)
    if donor.phase is not phase or not mine or message.node not in donor.waits_for:
        return None
    donor = donor._replace(waits_for=donor.waits_for - {message.node})
    return (donor, ()) if donor.waits_for else _next_phase(donor, context)


def _next_phase(donor: Donor, context: LogContext, before: tuple[Effect, ...] = ()) -> Stepped[Donor]:
    """Go on, since nobody is waited for any more."""
    if donor.phase is Phase.STORING and donor.copysets:
        donor = donor._replace(phase=Phase.AMENDING, waits_for=Nodes().union(*donor.copysets.values()), asked=0)
        return donor, (*before, *_ask(donor, context))
    donor = donor._replace(phase=Phase.DONE, copies={}, copysets={})
    return donor, (*before, _done(donor))


def again(donor: Donor, message: Again, moment: Moment, context: LogContext) -> Stepped[Donor]:
    """Ask again whoever is silent; after a while, find other nodes for new copies."""
    if donor.began != message.began or donor.phase in (Phase.IDLE, Phase.DONE):
        return None
    donor = donor._replace(asked=donor.asked + 1)
    if donor.phase is Phase.STORING and donor.asked > PATIENCE:
        donor = donor._replace(phase=Phase.READING, avoid=donor.waits_for - {donor.node})
    return donor, (*_ask(donor, context), After(context.timing.recovery_ns, message))


def _ask(donor: Donor, context: LogContext) -> tuple[Effect, ...]:
    """Whatever the donor is waiting for, ask those for it who have not answered."""
    log, began = donor.log, donor.began
    if donor.phase is Phase.READING:
        lend = Lend(donor.shard, began, donor.until)
        return (Send(addresses.storage(log, donor.node), lend),)
    message = _hold if donor.phase is Phase.STORING else _amend
    return tuple(Send(addresses.storage(log, node), message(donor, node, context)) for node in sorted(donor.waits_for))


def _hold(donor: Donor, node: int, context: LogContext) -> Hold:
    mine = [(lsn, copyset) for lsn, copyset in donor.copysets.items() if node in copyset]
    copies = tuple((lsn, donor.copies[lsn]._replace(copyset=copyset)) for lsn, copyset in mine)
    return Hold(donor.node, donor.began, donor.planned_ns, copies)


def _amend(donor: Donor, node: int, context: LogContext) -> Amend:
    copysets = tuple(
        (lsn, context.decides(amended_copyset)(copyset, donor.copies[lsn].copyset))
        for lsn, copyset in donor.copysets.items()
        if node in copyset
    )
    return Amend(donor.node, donor.began, donor.planned_ns, copysets)


def _done(donor: Donor) -> Effect:
    return Send(EVENT_LOG, Donated(donor.shard, donor.began, donor.node, donor.log, authoritative=True))


HANDLERS: Final[Handlers] = {Rebuild: begin, Lent: plan, Held: held, Amended: amended, Again: again}
