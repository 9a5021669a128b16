"""Mutants of storage nodes."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from reference_impl.log.copies import Copy
from reference_impl.log.sequencer import Sequencer
from reference_impl.log.storage import NodeLog
from reference_impl.mutants.registry import mutant


@mutant("may_store")
def store_below_seal(here: NodeLog, epoch: int) -> bool:
    """A node stores the appends of epochs that it promised to refuse.

    LogDevice, Recovery, Recovery example: nodes reject records of smaller epochs.
    """
    return True


def does_not_give_up(sequencer: Sequencer, seal: int) -> Sequencer:
    """A preempted sequencer goes on trying, which is harmless as long as nodes keep their promises."""
    return sequencer


@mutant("after_crash", when_preempted=does_not_give_up)
def seal_forgotten_in_crash(here: NodeLog) -> NodeLog:
    """A crash erases a node's seals, and old sequencers keep trying.

    LogDevice, server/storage/SealStorageTask.cpp: seals are synced to disk before they are answered.
    """
    return here._replace(seal=0, released=0, known_good={})


@mutant("readable_upto")
def unreleased_shown(here: NodeLog) -> int:
    """A node answers readers with everything that it holds.

    LogDevice, Read path: nodes only deliver records that have been released by the sequencer.
    """
    return max((lsn for lsn, _ in here.copies.items()), default=0)


@mutant("is_outdated")
def copies_not_purged(copy: Copy, decided: Copy | None) -> bool:
    """A node that missed a recovery keeps and shows what the recovery overruled.

    LogDevice, server/storage/PurgeUncleanEpochs.cpp: a node purges before it shows an epoch that was recovered.
    """
    return False
