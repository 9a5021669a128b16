"""Sequencing: epochs, their sequencers, and the LSNs that they give out.

Sources: LogDevice, Recovery, Sequencer activation; common/Sequencer.h and common/EpochStore.h.
"""

from __future__ import annotations

from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.log.views import Epoch, Slot


@rule(
    "log.sequencing.one_sequencer",
    cite="LogDevice, Recovery, Sequencer activation: it requests an epoch number from the epoch store",
    promise="sequencers",
)
def one_sequencer_per_epoch(epoch: Epoch) -> Bool:
    """The epoch store gives an epoch to one sequencer only, with one nodeset."""
    other_nodes = known(epoch.nodes_always) & ~(epoch.nodes_ever <= epoch.nodes_always)
    return epoch.started.implies(alike(epoch.sequencer_least, epoch.sequencer_most) & ~other_nodes)


@rule(
    "log.sequencing.own_epoch",
    cite="LogDevice, Recovery, Sequencer activation: a new sequencer creates a new epoch and starts taking writes",
    promise="sequencers",
)
def appends_come_from_the_epochs_sequencer(epoch: Epoch) -> Bool:
    """All LSNs of an epoch are given out by the sequencer to which the epoch belongs."""
    from_one = alike(epoch.writer_least, epoch.writer_most, epoch.sequencer_least, epoch.sequencer_most)
    return epoch.appended.implies(epoch.started & from_one)


@rule(
    "log.sequencing.epochs_in_order",
    cite="LogDevice, common/EpochStore.h: the epoch store increments the epoch of a log atomically",
    promise="sequencers",
)
def epochs_begin_in_order(epoch: Epoch) -> Bool:
    """A later epoch begins after every earlier one."""
    return (epoch.started & known(epoch.before)).implies(epoch.started_before.not_after(epoch.started_at))


@rule(
    "log.sequencing.draining_ends",
    cite="LogDevice, common/EpochSequencer.h: an epoch sequencer that is draining takes no new appends",
    promise="sequencers",
)
def nothing_begins_in_an_epoch_that_drains(epoch: Epoch) -> Bool:
    """Only the sequencer of an epoch lets it drain, and gives out no more LSNs of it after that."""
    its_own = alike(epoch.drainer_least, epoch.drainer_most, epoch.sequencer_least, epoch.sequencer_most)
    return epoch.drains.implies(its_own & (epoch.appended_last <= epoch.drained_last))


@rule(
    "log.sequencing.one_payload",
    cite="LogDevice, Read path, How reads happen: each slot is the sequence number of one record",
    promise="sequencers",
)
def one_payload_per_lsn(slot: Slot) -> Bool:
    """A sequencer gives an LSN to one payload only."""
    return slot.appended.implies(alike(slot.appended_least, slot.appended_most))
