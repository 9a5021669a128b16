"""Recovery repairs the tails of earlier epochs, oldest first: LogDevice, Recovery, Log recovery.

common/LogRecoveryRequest.cpp and common/EpochRecovery.cpp have the order of its phases.
"""

from __future__ import annotations

from dataclasses import replace

from reference_impl.log import notes
from reference_impl.log.copies import Cleaned, Copy, Outcome
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import CleanSet, Recover, Recovered, SetClean, Tick
from reference_impl.log.recovery import (
    PATIENCE,
    Phase,
    Recovery,
    begin,
    clean_set,
    digested,
    mutated,
    preempted,
    tick,
)
from reference_impl.log.statuses import Statuses
from reference_impl.log.storage_messages import Digested, Mutation, MutationStored, Preempted, Seal
from spec.events import BRIDGE, RECORD
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = machine_of()
NODESETS = {1: EVERYONE, 2: EVERYONE, 3: EVERYONE}
IDLE = Recovery(log=0, node=4)
LOST = replace(MACHINE, statuses=Statuses().with_lost(0))
"""The machine after node 0 lost its data."""


def told(node: int, since: int = 0) -> Digested:
    """A node is sealed and holds one record of epoch 1."""
    copy = Copy(RECORD, 71, 0, 1, frozenset({0, 1, 2}))
    return Digested(1, 3, node, since, 0, ((lsn_of(1, 1), copy),))


def digesting() -> Recovery:
    """A recovery of epochs 1 and 2 that has just begun."""
    return taken(begin(IDLE, Recover(3, NODESETS, {}), NOW, MACHINE))[0]


def mutating() -> Recovery:
    """The same once nodes 0, 1 and 2 were heard."""
    recovery = digesting()
    for node in range(3):
        recovery, _, _ = taken(digested(recovery, told(node), NOW, MACHINE))
    return recovery


def test_it_seals_all_nodes_of_the_oldest_epoch_first() -> None:
    recovery, sent, _ = taken(begin(IDLE, Recover(3, NODESETS, {}), NOW, MACHINE))
    assert (recovery.phase, recovery.pending) == (Phase.DIGESTING, (1, 2))
    assert sent == [Seal(1, 3, 4)] * 5


def test_it_begins_once() -> None:
    """A repeated request would plan anew under the same seal."""
    for recovery in (digesting(), mutating()):
        assert begin(recovery, Recover(3, NODESETS, {}), NOW, MACHINE) is None
    recovery, _, _ = taken(begin(mutating(), Recover(4, {**NODESETS, 4: EVERYONE}, {}), NOW, MACHINE))
    assert (recovery.epoch, recovery.pending) == (4, (1, 2, 3))


def test_with_all_epochs_clean_it_is_done() -> None:
    clean = {epoch: Cleaned(epoch, epoch + 1, 0, (Outcome(1, BRIDGE, 0),)) for epoch in (1, 2)}
    recovery, sent, _ = taken(begin(IDLE, Recover(3, NODESETS, clean), NOW, MACHINE))
    assert (recovery.phase, sent) == (Phase.IDLE, [Recovered(3, clean)])


def test_it_decides_once_an_f_majority_was_heard() -> None:
    """Of five nodes and three copies, three nodes meet every copyset; two do not, however often they answer."""
    recovery = digesting()
    for node in (0, 1, 1):
        recovery, sent, _ = taken(digested(recovery, told(node), NOW, MACHINE))
        assert (recovery.phase, sent) == (Phase.DIGESTING, [])
    recovery, sent, events = taken(digested(recovery, told(2), NOW, MACHINE))
    assert recovery.phase is Phase.MUTATING
    assert recovery.outcomes == (Outcome(1, RECORD, 71), Outcome(2, BRIDGE, 0))
    assert {type(message) for message in sent} == {Mutation}
    assert recovery.copyset == frozenset({0, 1, 2})
    assert events == []


def test_what_was_heard_before_copies_moved_does_not_count() -> None:
    """A node's digest from before another node lost its data may miss what was copied to it since."""
    recovery, _, _ = taken(digested(digesting(), told(1), NOW, MACHINE))
    assert digested(recovery, told(2), NOW, LOST) is None
    recovery, _, _ = taken(digested(recovery, told(2, since=1), NOW, LOST))
    assert set(recovery.digests) == {2}


def test_it_is_done_with_an_epoch_once_the_outcome_is_replicated() -> None:
    """Then no later recovery can decide otherwise, so this is when its decisions are events."""
    recovery = mutating()
    for node in (0, 1):
        recovery, sent, events = taken(mutated(recovery, MutationStored(1, 3, 1, node), NOW, MACHINE))
        assert (sent, events) == ([], [])
    recovery, (kept,), events = taken(mutated(recovery, MutationStored(1, 3, 1, 2), NOW, MACHINE))
    assert recovery.phase is Phase.CLEANING
    assert kept == SetClean(Cleaned(1, 3, 0, recovery.outcomes), 4)
    assert kinds_of(events) == [notes.MUTATE, notes.MUTATE]
    following, sent, _ = taken(clean_set(recovery, CleanSet({1: kept.cleaned}), NOW, MACHINE))
    assert (following.phase, following.pending) == (Phase.DIGESTING, (2,))
    assert sent == [Seal(2, 3, 4)] * 5


def test_a_silent_node_is_asked_again_and_then_avoided() -> None:
    recovery = mutating()
    for node in (3, 4):
        recovery = recovery._replace(digests={**recovery.digests, node: told(node)})
    recovery, _, _ = taken(mutated(recovery, MutationStored(1, 3, 1, 0), NOW, MACHINE))
    for _ in range(PATIENCE - 1):
        recovery, sent, _ = taken(tick(recovery, Tick(3), NOW, MACHINE))
        assert {(type(message), message.wave) for message in sent} == {(Mutation, 1)}
    recovery, sent, _ = taken(tick(recovery, Tick(3), NOW, MACHINE))
    assert recovery.copyset == frozenset({0, 3, 4})
    assert {message.wave for message in sent} == {2}


def test_it_hears_again_when_those_it_heard_cannot_hold_the_outcome() -> None:
    """A node of a minimal digest loses its data: nothing can be stored, and what is decided next overrules the rest."""
    recovery = mutating()._replace(ticks=PATIENCE - 1)
    recovery, sent, _ = taken(tick(recovery, Tick(3), NOW, LOST))
    assert (recovery.phase, recovery.digests) == (Phase.DIGESTING, {})
    assert {type(message) for message in sent} == {Seal}
    for node in (1, 2):
        recovery, _, _ = taken(digested(recovery, told(node, since=1), NOW, LOST))
    recovery, sent, _ = taken(digested(recovery, told(3, since=1), NOW, LOST))
    assert {(message.round, message.wave) for message in sent} == {(2, 2)}
    assert mutated(recovery, MutationStored(1, 3, 1, 1), NOW, LOST) is None
    recovery, _, _ = taken(mutated(recovery, MutationStored(1, 3, 2, 1), NOW, LOST))
    assert recovery.stored == frozenset({1})


def test_a_later_recovery_ends_this_one() -> None:
    """The sequencer learns of it too."""
    recovery, sent, _ = taken(preempted(mutating(), Preempted(3), NOW, MACHINE))
    assert (recovery.phase, sent) == (Phase.IDLE, [Preempted(3)])
    assert preempted(mutating(), Preempted(2), NOW, MACHINE) is None
    assert tick(recovery, Tick(3), NOW, MACHINE) is None


def test_answers_to_others_are_ignored() -> None:
    """Of another recovery, of another epoch, or too late."""
    assert digested(digesting(), told(0)._replace(recovery=2), NOW, MACHINE) is None
    assert digested(digesting(), told(0)._replace(epoch=2), NOW, MACHINE) is None
    assert digested(mutating(), told(3), NOW, MACHINE) is None
    assert mutated(digesting(), MutationStored(1, 3, 1, 0), NOW, MACHINE) is None
    assert clean_set(mutating(), CleanSet({}), NOW, MACHINE) is None
