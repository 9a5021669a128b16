"""Mutants of storage nodes."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from dataclasses import replace
from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import Weather
from reference_impl.log.activation import when_preempted
from reference_impl.log.copies import Copy
from reference_impl.log.node_log import NodeLog
from reference_impl.log.sequencer import Sequencer
from reference_impl.log.serving.catching_up import readable_upto
from reference_impl.log.storage import (
    after_crash,
    awaits_outcome,
    is_outdated,
    is_settled,
    may_mutate,
    may_store,
    raised,
)
from reference_impl.mutants.deliveries import WIRE
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import MILLISECOND, Faults

CUT_OFF: Final = setting(
    "sequencers are often cut off",
    faults=Faults(
        rates={
            "straggler": Rate(6 * MILLISECOND, 4 * MILLISECOND, 9 * MILLISECOND),
            "crash": Rate(5 * MILLISECOND, 2 * MILLISECOND, 7 * MILLISECOND),
        }
    ),
)
"""Where nodes come back with what a recovery has overruled."""


@mutant(may_store)
def store_below_seal(here: NodeLog, epoch: int, is_draining: bool) -> bool:  # noqa: FBT001
    """A node stores the appends of epochs that it promised to refuse.

    LogDevice, Recovery, Recovery example: nodes reject records of smaller epochs.
    """
    return True


def does_not_give_up(sequencer: Sequencer, seal: int) -> Sequencer:
    """A preempted sequencer goes on trying, which is harmless as long as nodes keep their promises."""
    return sequencer


@mutant(after_crash, when_preempted.otherwise(does_not_give_up))
def seal_forgotten_in_crash(here: NodeLog) -> NodeLog:
    """A crash erases a node's seals, and old sequencers keep trying.

    LogDevice, server/storage/SealStorageTask.cpp: seals are synced to disk before they are answered.
    """
    return here._replace(seal=0, released=0, known_good={})


@mutant(readable_upto, where=WIRE)
def unreleased_shown(here: NodeLog) -> int:
    """A node answers readers with everything that it holds.

    LogDevice, Read path: nodes only deliver records that have been released by the sequencer.
    """
    return max((lsn for lsn, _ in here.copies.items()), default=0)


@mutant(is_outdated, where=CUT_OFF)
def copies_not_purged(copy: Copy, decided: Copy | None) -> bool:
    """A node that missed a recovery keeps and shows what the recovery overruled.

    LogDevice, server/storage/PurgeUncleanEpochs.cpp: a node purges before it shows an epoch that was recovered.
    """
    return False


STORMY = setting("on a network that hardly works", faults=Faults(Weather(slow=0.2, drop=0.05, duplicate=0.2)))
"""Messages that come late and twice: what a node should have refused is there to be taken."""


PURGES: Final = replace(
    CUT_OFF,
    words="sequencers are often cut off, and nodes ask each other what became of epochs",
    changes={**CUT_OFF.changes, "variants": ("purging",)},
)


@mutant(awaits_outcome, where=PURGES)
def purges_without_knowing(here: NodeLog, epoch: int) -> bool:
    """A node that does not know what became of an epoch takes all that it has of it for good.

    LogDevice, server/storage/PurgeUncleanEpochs.cpp: it asks others; only where nobody knows, it goes on like that.
    """
    return False


@mutant(is_outdated, where=PURGES)
def purges_beyond_the_bridge_only(copy: Copy, decided: Copy | None) -> bool:
    """A node deletes what lies after an epoch's bridge, and keeps a record where a hole was decided.

    LogDevice, server/storage/PurgeSingleEpoch.cpp: whatever recovery has overruled goes, too.
    """
    return decided is None


@mutant(is_outdated, where=PURGES)
def highest_taken_for_the_end(copy: Copy, decided: Copy | None) -> bool:
    """A node that purges an epoch keeps what it has after the bridge, as if the epoch ended with its last record.

    LogDevice, Recovery, Final state after recovery is complete, read to the letter: the highest record is the bridge.
    """
    return decided is not None and (copy.becomes, copy.digest) != (decided.becomes, decided.digest)


@mutant(raised, where=STORMY)
def latest_seal_obeyed(seal: int, asked: int) -> int | None:
    """A node obeys whoever asks it to seal last, also if it had promised more.

    LogDevice, server/storage/SealStorageTask.cpp, executeImpl: a seal succeeds unless a strictly higher one is there.
    """
    return asked


def takes_all(here: NodeLog, epoch: int) -> bool:
    """No epoch is taken for clean."""
    return False


@mutant(may_mutate, is_settled.otherwise(takes_all), where=STORMY)
def overruled_recovery_obeyed(here: NodeLog, seal: int, made: tuple[int, int]) -> bool:
    """A node takes what a recovery decided after a later one has sealed it.

    LogDevice, common/protocol/STORE_Message.cpp, checkIfPreempted: two recoveries at once, and the earlier one is late.
    """
    return True


@mutant(is_settled)
def clean_epoch_written(here: NodeLog, epoch: int) -> bool:
    """A node takes late messages of a recovery for an epoch that it knows to be clean.

    LogDevice, Recovery, Log recovery: a finished epoch is immutable; copies that were lost since would come back.
    """
    return False


LATE_SEQUENCERS: Final = setting(
    "nodes seal softly, on a network that hardly works, with new sequencers all the time",
    variants=("soft_seals",),
    faults=Faults(Weather(slow=0.4, drop=0.3, duplicate=0.2), {"reactivate": Rate(3 * MILLISECOND)}),
)
"""Where nodes hear of a new sequencer's appends before its seals, and of the old one's after that."""


@mutant(may_store, where=LATE_SEQUENCERS)
def soft_seal_ignored(here: NodeLog, epoch: int, is_draining: bool) -> bool:  # noqa: FBT001
    """A node that stored of a later epoch goes on to store of an earlier one, until it is sealed.

    LogDevice, common/protocol/STORE_Message.cpp, checkIfPreempted: only a sequencer that drains its epoch may do so.
    """
    return epoch > here.seal


@mutant(is_outdated)
def purge_deletes_everything(copy: Copy, decided: Copy | None) -> bool:
    """A node that repairs an epoch deletes what recovery kept, too.

    LogDevice, server/storage/PurgeSingleEpoch.cpp: it deletes copies that others hold; not on those that hold them.
    """
    return True
