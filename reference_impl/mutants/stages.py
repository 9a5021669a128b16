"""Mutants of appends that go through stages: copysets have extras, whose copies are deleted once others have them."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import Weather
from reference_impl.log.amending import amended
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.rebuilding.donor import may_be_missing
from reference_impl.log.releasing import releasable
from reference_impl.log.sequencer import Appender, Sequencer, Stage
from reference_impl.log.stages import goes_on, having, is_led, keepers, to_stay, unneeded
from reference_impl.log.storage_messages import AmendStore
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import MILLISECOND, Faults

EXTRAS: Final = setting("copysets have one member more than copies", variants=("extras",))

LATE: Final = setting(
    "the same, with nodes that are slow, so that some store what was released",
    variants=("extras",),
    faults=Faults(
        Weather(slow=0.05, drop=0.02),
        {
            "slow": Rate(3 * MILLISECOND, 3 * MILLISECOND, 9 * MILLISECOND),
            "pause": Rate(6 * MILLISECOND, 2 * MILLISECOND, 6 * MILLISECOND),
        },
        0.0,
    ),
)

LOSSES: Final = setting(
    "the same, with nodes that are often wiped or drained",
    seed=11,
    variants=("extras",),
    faults=Faults(
        rates={
            "crash": Rate(9 * MILLISECOND, 2 * MILLISECOND, 4 * MILLISECOND),
            "wipe": Rate(8 * MILLISECOND, 1 * MILLISECOND, 3 * MILLISECOND),
            "drain": Rate(7 * MILLISECOND),
        },
        corrupt=0.0,
    ),
)

AMENDS: Final = setting("whoever has a record is not sent it again with a later wave", variants=("amends",))


@mutant(unneeded, where=EXTRAS)
def extras_deleted_early(context: LogContext, appender: Appender) -> Nodes:
    """An extra is told to delete its copy as soon as it has one.

    LogDevice, Single Copy Delivery, Sync-leader stage: it is the copy of another member that makes it superfluous.
    """
    stay = to_stay(appender.copyset, context.quorums.required)
    return frozenset(having(context, appender)) - stay


@mutant(unneeded, where=EXTRAS)
def one_copy_too_many_deleted(context: LogContext, appender: Appender) -> Nodes:
    """With each extra the last of the others is told to delete its copy, too.

    LogDevice, Single Copy Delivery, Replication stage: R recipients keep their copies. A slice that ends too late.
    """
    told = unneeded(context, appender)
    left = [node for node in having(context, appender) if node not in told]
    return told | frozenset(left[-1:]) if told else told


@mutant(unneeded, where=EXTRAS)
def leader_deleted(context: LogContext, appender: Appender) -> Nodes:
    """The first members are told to delete their copies instead of the last.

    LogDevice, Single Copy Delivery, Appender stages: the extras need to be the right-most. A list read backwards.
    """
    there = having(context, appender)
    kept = keepers(context.quorums, there[::-1])
    return frozenset(there) - kept if kept else Nodes()


@mutant(unneeded, where=EXTRAS)
def extra_forgotten(context: LogContext, appender: Appender) -> Nodes:
    """Nobody is told to delete anything.

    LogDevice, Single Copy Delivery, Leader redundancy stage: the members on the right mostly end up without a copy.
    """
    return Nodes()


@mutant(is_led, where=EXTRAS)
def led_by_any_member(context: LogContext, appender: Appender) -> bool:
    """A record counts as one that may be released whoever has it.

    LogDevice, Single Copy Delivery, Sync-leader stage: num-sync-leaders of 0 where it is 1.
    """
    return True


@mutant(releasable, where=LATE)
def release_before_leader(sequencer: Sequencer) -> int | None:
    """A record is released once its writer is answered: its first recipient, which is to send it, may have none.

    LogDevice, Single Copy Delivery, Sync-leader stage: the left-most recipients must have their copy before that.
    """
    good = sequencer.known_good
    while (following := sequencer.window.get(good + 1)) is not None and following.stage is not Stage.STORING:
        good += 1
    return None if sequencer.cleaned is None else good


@mutant(goes_on, where=LATE)
def extras_deleted_after_release(appender: Appender) -> bool:
    """An append goes on after its record was released, until all leaders have it, and deletes extras still.

    LogDevice, Single Copy Delivery, Leader redundancy stage, read to the letter: a reader that heard the leader before
    and the extra after has heard that neither has the record.
    """
    return True


@mutant(may_be_missing, where=LOSSES)
def extra_taken_for_donor(context: LogContext, copy: Copy) -> bool:
    """The first node of a copyset that is up is its donor, though it may be one that has deleted its copy.

    LogDevice, docs/Rebuilding.md: donors read what they have. That all members have a copy is true without extras.
    """
    return False


@mutant(amended, where=AMENDS)
def amend_keeps_the_wave(held: Copy, message: AmendStore) -> Copy:
    """A copy that is amended has the copyset of the later wave, and the number of the earlier one.

    LogDevice, common/protocol/STORE_Message.h, flag AMEND: it rewrites wave, copyset and flags. A header half written.
    """
    return held._replace(copyset=message.copyset)
