"""Planning: from whom a recovery learnt what an epoch holds, and who obeys what it decided.

Source: LogDevice, Recovery, Log recovery; common/EpochRecovery.cpp, common/Digest.h, common/protocol/STORE_Message.cpp.
"""

from __future__ import annotations

from spec.events import Fault, Scattered
from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.log.absence import is_absence_proved
from spec.log.quorum import is_complete
from spec.log.replication import can_replicate
from spec.log.views import Instruction, NodeEpoch, Obedience, Plan


@rule(
    "log.plan.heard_enough",
    cite="LogDevice, common/Digest.h: the digest set is an f-majority, or everybody whose answer counts",
    promise="recovery",
    spares=(Fault,),
)
def decided_by_enough(plan: Plan) -> Bool:
    """A recovery decides after an f-majority of the nodes that count, or all of them, told what they hold."""
    nonempty = plan.nodeset - plan.empty
    proved = is_absence_proved(plan.heard, nonempty, plan.underreplicated, plan.wiped, plan.replication)
    return known(plan.recovery).implies(proved)


@rule(
    "log.plan.can_be_stored",
    cite="LogDevice, common/EpochRecovery.cpp: those that may be written must be able to hold a copyset",
    promise="recovery",
)
def decided_with_room(plan: Plan) -> Bool:
    """The nodes to which a recovery writes can hold a whole copyset, unless all that count were heard."""
    authoritative = plan.nodeset - plan.empty - plan.underreplicated
    enough = can_replicate(plan.written, plan.replication) | is_complete(plan.heard, authoritative)
    return known(plan.recovery).implies(enough)


@rule(
    "log.plan.in_nodeset",
    cite="LogDevice, common/RecoverySet.cpp: a recovery asks the shards of the epoch's nodeset",
    promise="recovery",
)
def only_the_nodeset_is_asked(plan: Plan) -> Bool:
    """A recovery writes only to nodes that it heard, and hears only nodes of the epoch's nodeset."""
    return known(plan.recovery).implies((plan.written <= plan.heard) & (plan.heard <= plan.nodeset))


@rule(
    "log.digest.is_sealed",
    cite="LogDevice, common/RecoveryNode.h: a node is sealed before it is digested",
    promise="seals",
    spares=(Scattered,),
)
def told_after_sealing(at: NodeEpoch) -> Bool:
    """A node tells a recovery what it holds of an epoch only after it has promised to take no more of it."""
    return at.digested.implies(known(at.seal) & (at.seal.when(at.seen_by_one) < at.digested_first))


@rule(
    "log.seal.rises",
    cite="LogDevice, server/storage/SealStorageTask.cpp: a seal is kept on disk, and only a higher one replaces it",
    promise="seals",
    spares=(Scattered,),
)
def seals_only_rise(at: NodeEpoch) -> Bool:
    """A node that promises again promises more."""
    first = at.sealed_before == at.sealed_first
    return known(at.sealed_first).implies(first | (at.sealed_before.when(at.seen_by_one) <= at.sealed_first))


@rule(
    "log.recovery.obeyed_in_order",
    cite="LogDevice, common/protocol/STORE_Message.cpp, checkIfPreempted: the store of a preempted recovery is refused",
    promise="recovery",
    spares=(Scattered,),
)
def later_recoveries_are_obeyed(obedience: Obedience) -> Bool:
    """A node that has stored what a recovery decided for an epoch stores nothing of earlier recoveries there."""
    return known(obedience.before).implies(obedience.before.when(obedience.seen_by_one) <= obedience.recovery)


@rule(
    "log.recovery.clean_is_final",
    cite="LogDevice, Recovery, Log recovery: the content of the epoch must stay immutable until being trimmed",
    promise="recovery",
    spares=(Scattered,),
)
def clean_epochs_stay(told: Instruction) -> Bool:
    """Once a node knows what became of an epoch, it stores nothing more that was decided for it before.

    The recovery that told it so may begin again before the epoch is clean for all, and so may a later one; what they
    decide then is to be the same. Of a recovery that had begun again before, only its first round is asked.
    """
    settled_by = told.settled_by.when(told.seen_by_one)
    is_anew = (told.obeyed > settled_by) | ((told.obeyed == settled_by) & (told.round > 1))
    settled = known(told.settled_by) | known(told.settled_after)
    return (known(told.obeyed) & settled).implies(~known(told.settled_by) | is_anew)
