"""What one storage node did with an epoch, or with an LSN."""

from __future__ import annotations

from spec.events import (
    AtNode,
    CleanLearned,
    Digest,
    Instructed,
    MutationStored,
    Purged,
    PurgeSurvivor,
    Seal,
    Served,
    Ship,
    SoftSealed,
    Store,
    Trimmed,
)
from spec.language.declare import View, along, any_of, max_of, min_of
from spec.language.handles import known
from spec.log.views.tables import Cleanings, Drains, Outcomes, Scatterings


class NodeEpoch(View, one_per=(AtNode.node, AtNode.log, AtNode.epoch)):
    """What one storage node did in one epoch of one log, in the node's own order."""

    at_node = along(AtNode.node, AtNode.log)
    seen_by_one = ~known(Scatterings.at(Scatterings.first, AtNode.node))

    appended = any_of(Store, where=Store.recovery == 0)
    appended_last = max_of(Store.seq, where=Store.recovery == 0)
    sealed_first = min_of(Seal.seq)
    seal = at_node.next(sealed_first)
    sealed_before = at_node.highest(sealed_first)
    soft_sealed_first = min_of(SoftSealed.seq)
    soft_seal = at_node.next(soft_sealed_first)
    drained_last = Drains.at(Drains.last, AtNode.log, AtNode.epoch)
    digested = any_of(Digest)
    digested_first = min_of(Digest.seq)


class NodeSlot(View, one_per=(Served.node, Served.log, Served.lsn)):
    """Whether one storage node sends one LSN of one log, or has trimmed it, in the node's own order."""

    at_node = along(Served.node, Served.log)
    seen_by_one = ~known(Scatterings.at(Scatterings.first, Served.node))

    sent = any_of(Ship)
    sent_last = max_of(Ship.seq)
    trimmed_first = min_of(Trimmed.seq)

    trim = at_node.next(trimmed_first)
    trimmed_before = at_node.highest(trimmed_first)


class Purge(View, each=(Purged.node, Purged.log, Purged.lsn, Purged.seq)):
    """One time that a node purged an epoch."""

    number, time, recovery = Purged.epoch, Purged.time, Purged.recovery
    cleaned_by = Cleanings.at(Cleanings.by, Purged.log, Purged.epoch)
    bridge = Cleanings.at(Cleanings.bridge, Purged.log, Purged.epoch)
    cleaned_at = Cleanings.at(Cleanings.cleaned_at, Purged.log, Purged.epoch)


class Remnant(View, each=(PurgeSurvivor.node, PurgeSurvivor.log, PurgeSurvivor.lsn, PurgeSurvivor.seq)):
    """What a node that purged an epoch still holds at one LSN, and what a recovery decided for it."""

    becomes, digest = PurgeSurvivor.becomes, PurgeSurvivor.digest
    decided_by = Outcomes.at(Outcomes.last_by, PurgeSurvivor.log, PurgeSurvivor.lsn)
    record_by = Outcomes.at(Outcomes.record_by, PurgeSurvivor.log, PurgeSurvivor.lsn)
    hole_by = Outcomes.at(Outcomes.hole_by, PurgeSurvivor.log, PurgeSurvivor.lsn)
    bridge_by = Outcomes.at(Outcomes.bridge_by, PurgeSurvivor.log, PurgeSurvivor.lsn)
    decided_digest = Outcomes.at(Outcomes.digest, PurgeSurvivor.log, PurgeSurvivor.lsn)


class Obedience(View, each=(MutationStored.node, MutationStored.log, MutationStored.lsn, MutationStored.seq)):
    """One time that a node stored what a recovery decided for an epoch, in the node's own order."""

    at_epoch = along(MutationStored.node, MutationStored.log, MutationStored.lsn)
    seen_by_one = ~known(Scatterings.at(Scatterings.first, MutationStored.node))

    recovery = MutationStored.recovery
    before = at_epoch.previous(recovery)


class Instruction(View, each=(Instructed.node, Instructed.log, Instructed.lsn, Instructed.seq)):
    """One time that a node stored what was decided of an epoch, or learnt it is clean, in the node's own order."""

    at_epoch = along(Instructed.node, Instructed.log, Instructed.lsn)
    seen_by_one = ~known(Scatterings.at(Scatterings.first, Instructed.node))

    obeyed, round = MutationStored.recovery, MutationStored.round
    settled_by, settled_after = at_epoch.latest(CleanLearned.recovery), at_epoch.next(CleanLearned.recovery)
