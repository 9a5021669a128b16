"""Mutants of recovery."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from collections.abc import Sequence

from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.epoch_store import EpochStore
from reference_impl.log.machine import Machine
from reference_impl.log.outcomes import best_copy
from reference_impl.mutants.registry import mutant
from spec.events import HOLE


@mutant("seals")
def recovery_does_not_seal(recovery: int) -> int:
    """A recovery reads what nodes hold, without their promise to take no more.

    LogDevice, Recovery, Recovery example: this prevents an old sequencer from completing any new append.
    """
    return 0


@mutant("digest_suffices")
def digest_of_too_few_nodes(machine: Machine, heard: Nodes, nodeset: Nodes) -> bool:
    """A recovery decides as soon as it has heard a copyset's worth of nodes.

    LogDevice, Read path, Gap detection algorithm: an f-majority intersects every possible copyset; this need not.
    """
    return machine.quorums.can_replicate(heard - machine.statuses.gone)


@mutant("best_copy")
def lone_copy_dropped(copies: Sequence[Copy]) -> Copy:
    """A recovery plugs a hole where it hears of only one copy.

    LogDevice, Recovery, Log recovery: the outcome is a record if one can be found. A majority of those heard is
    the wrong question.
    """
    return best_copy(copies) if len(copies) > 1 else copies[0]._replace(becomes=HOLE)


@mutant("bridge_esn")
def bridge_over_last_record(last_record: int) -> int:
    """A recovery writes the bridge over the last record of the epoch.

    LogDevice, Recovery, Bridge record: its sequence number says where the epoch ends. An off-by-one.
    """
    return max(1, last_record)


@mutant("is_replicated")
def clean_before_replicated(machine: Machine, stored: Nodes) -> bool:
    """A recovery finishes an epoch once a single node holds the outcome.

    LogDevice, Recovery, Log recovery: it replicates the outcome to the correct number of nodes.
    """
    return bool(stored)


def cleans_any_epoch(store: EpochStore, epoch: int) -> bool:
    """The epoch store keeps any epoch as clean, whatever came before."""
    return True


@mutant("recovery_order", may_clean=cleans_any_epoch)
def newest_epoch_recovered_first(epochs: Sequence[int]) -> tuple[int, ...]:
    """A recovery begins with the newest epoch, and the epoch store lets it.

    LogDevice, common/LogRecoveryRequest.cpp: epochs are recovered strictly oldest first.
    """
    return tuple(sorted(epochs, reverse=True))
