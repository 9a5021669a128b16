"""Recovery repairs the tails of earlier epochs, oldest first: LogDevice, Recovery, Log recovery.

common/LogRecoveryRequest.cpp and common/EpochRecovery.cpp have the order of its phases. Which way an epoch goes is the
business of ``reference_impl.log.repair.epoch_machine``; here it is what a recovery asks of whom.
"""

from __future__ import annotations

from dataclasses import replace

from reference_impl.kernel.step import After
from reference_impl.log import trace_events
from reference_impl.log.context import Timing
from reference_impl.log.copies import Cleaned, Copy, Outcome
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import CleanSet, GraceOver, Recover, Recovered, SetClean, Tick
from reference_impl.log.recovering import (
    PATIENCE,
    RESTART,
    already_clean,
    begin,
    clean_set,
    cleaned_here,
    digested,
    grace_over,
    mutated,
    preempted,
    sealed,
    tick,
)
from reference_impl.log.recovery import Phase, Recovery
from reference_impl.log.repair.epoch_machine import NodeState
from reference_impl.log.statuses import Statuses
from reference_impl.log.storage_messages import (
    AlreadyClean,
    Clean,
    CleanedHere,
    Digested,
    Mutation,
    MutationStored,
    Preempted,
    ReadDigest,
    Seal,
    Sealed,
)
from spec.events import BRIDGE, HOLE, RECORD
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

PATIENT = machine_of()
MACHINE = replace(PATIENT, timing=Timing(grace_ns=0))
"""The machine that waits for nobody without whom it can decide."""
NODESETS = {1: EVERYONE, 2: EVERYONE, 3: EVERYONE}
IDLE = Recovery(log=0, node=4)
LOST = replace(MACHINE, statuses=Statuses(1, 1, underreplicated=frozenset({0})))
"""The machine after node 0 lost its data."""


def digested_by(node: int, *, since: int = 0, round: int = 1, writable: bool = True) -> Digested:  # noqa: A002 - the field's name
    """A node holds one record of epoch 1."""
    copy = Copy(RECORD, 71, 0, 1, frozenset({0, 1, 2}))
    return Digested(1, 3, round, node, since, ((lsn_of(1, 1), copy),), writable)


def begun() -> Recovery:
    """A recovery of epochs 1 and 2 that has just begun."""
    return taken(begin(IDLE, Recover(3, NODESETS, {}), NOW, MACHINE))[0]


def digesting() -> Recovery:
    """The same once all nodes are sealed."""
    recovery = begun()
    for node in sorted(EVERYONE):
        recovery, _, _ = taken(sealed(recovery, Sealed(3, node, ()), NOW, MACHINE))
    return recovery


def mutating() -> Recovery:
    """The same once nodes 0, 1 and 2 were heard."""
    recovery = digesting()
    for node in range(3):
        recovery, _, _ = taken(digested(recovery, digested_by(node), NOW, MACHINE))
    return recovery


def stored(node: int, *esns: int) -> MutationStored:
    """A node holds what was decided first for these ESNs of epoch 1."""
    return MutationStored(1, 3, 1, esns, node)


def cleaning() -> Recovery:
    """The same once nodes 0, 1 and 2 have stored what was decided."""
    recovery = mutating()
    for node in range(3):
        recovery, _, _ = taken(mutated(recovery, stored(node, 1, 2), NOW, MACHINE))
    return recovery


def test_it_seals_all_nodes_once_for_all_epochs() -> None:
    recovery, sent, _ = taken(begin(IDLE, Recover(3, NODESETS, {}), NOW, MACHINE))
    assert (recovery.phase, recovery.pending) == (Phase.DIGESTING, (1, 2))
    assert sent == [Seal(3, 4)] * 5


def test_it_begins_once() -> None:
    """A repeated request would plan anew under the same seal."""
    for recovery in (begun(), mutating()):
        assert begin(recovery, Recover(3, NODESETS, {}), NOW, MACHINE) is None
    recovery, _, _ = taken(begin(mutating(), Recover(4, {**NODESETS, 4: EVERYONE}, {}), NOW, MACHINE))
    assert (recovery.epoch, recovery.pending) == (4, (1, 2, 3))


def test_with_all_epochs_clean_it_is_done() -> None:
    clean = {epoch: Cleaned(epoch, epoch + 1, 0, (Outcome(1, BRIDGE, 0),)) for epoch in (1, 2)}
    recovery, sent, _ = taken(begin(IDLE, Recover(3, NODESETS, clean), NOW, MACHINE))
    assert (recovery.phase, sent) == (Phase.IDLE, [Recovered(3, clean)])


def test_digests_wait_for_seals_that_suffice() -> None:
    """Of five nodes and three copies three do; they tell the last known good ESN above which the digest begins."""
    recovery = begun()
    for node in range(2):
        recovery, sent, _ = taken(sealed(recovery, Sealed(3, node, ((1, 4 + node),)), NOW, MACHINE))
        assert sent == []
    recovery, sent, _ = taken(sealed(recovery, Sealed(3, 2, ()), NOW, MACHINE))
    assert sent == [ReadDigest(1, 3, 1, 5, 4)] * 3
    recovery, sent, _ = taken(sealed(recovery, Sealed(3, 3, ()), NOW, MACHINE))
    assert sent == [ReadDigest(1, 3, 1, 5, 4)]


def test_it_decides_once_an_f_majority_was_heard() -> None:
    """Of five nodes and three copies, three nodes meet every copyset; two do not, however often they answer."""
    recovery = digesting()
    for node in (0, 1, 1):
        stepped = digested(recovery, digested_by(node), NOW, MACHINE)
        recovery, sent, _ = taken(stepped)
        assert (recovery.phase, sent) == (Phase.DIGESTING, [])
    recovery, sent, events = taken(digested(recovery, digested_by(2), NOW, MACHINE))
    assert recovery.phase is Phase.MUTATING
    assert recovery.outcomes == (Outcome(1, RECORD, 71), Outcome(2, BRIDGE, 0))
    assert {type(message) for message in sent} == {Mutation}
    assert recovery.copyset == frozenset({0, 1, 2})
    assert kinds_of(events) == [trace_events.PLAN]


def test_others_have_a_little_time_to_be_heard() -> None:
    """common/EpochRecovery.cpp: the grace period; when all are heard it ends at once."""
    recovery = digesting()
    for node in range(2):
        recovery, _, _ = taken(digested(recovery, digested_by(node), NOW, PATIENT))
    stepped = digested(recovery, digested_by(2), NOW, PATIENT)
    assert stepped is not None
    waiting, effects = stepped
    assert (waiting.phase, effects) == (Phase.DIGESTING, (After(PATIENT.timing.grace_ns, GraceOver(3, 1)),))
    over, sent, _ = taken(grace_over(waiting, GraceOver(3, 1), NOW, PATIENT))
    assert (over.phase, {type(message) for message in sent}) == (Phase.MUTATING, {Mutation})
    assert grace_over(over, GraceOver(3, 1), NOW, PATIENT) is None
    waiting, sent, _ = taken(digested(waiting, digested_by(3), NOW, PATIENT))
    assert sent == []
    everyone, _, _ = taken(digested(waiting, digested_by(4), NOW, PATIENT))
    assert everyone.phase is Phase.MUTATING


def test_nodes_that_take_nothing_lend_their_copies() -> None:
    """common/EpochRecovery.cpp: a read-only shard is heard, and not mutated."""
    recovery = digesting()
    for node in range(4):
        recovery, _, _ = taken(digested(recovery, digested_by(node, writable=node != 1), NOW, MACHINE))
    assert recovery.first.nodes[1] is NodeState.DIGESTED
    assert recovery.outcomes[0] == Outcome(1, RECORD, 71)
    assert recovery.copyset == {0, 2, 3}


def test_what_was_heard_before_copies_moved_does_not_count() -> None:
    """A node's digest from before another node lost its data may miss what was copied to it since."""
    recovery, _, _ = taken(digested(digesting(), digested_by(1), NOW, MACHINE))
    assert digested(recovery, digested_by(2), NOW, LOST) is None
    recovery, sent, _ = taken(tick(recovery, Tick(3), NOW, LOST))
    assert (recovery.digests, sent.count(ReadDigest(1, 3, 1, 0, 4))) == ({}, 4)
    recovery, _, _ = taken(digested(recovery, digested_by(2, since=1), NOW, LOST))
    assert set(recovery.digests) == {2}
    assert digested(recovery, digested_by(0, since=1), NOW, LOST) is None


def test_it_is_done_with_an_epoch_once_the_outcome_is_replicated_and_known() -> None:
    """When no later recovery can decide otherwise, its decisions are events; then nodes and epoch store are told."""
    recovery = mutating()
    for node in (0, 1):
        recovery, sent, events = taken(mutated(recovery, stored(node, 1, 2), NOW, MACHINE))
        assert (sent, events) == ([], [])
    recovery, sent, events = taken(mutated(recovery, stored(2, 1, 2), NOW, MACHINE))
    cleaned = Cleaned(1, 3, 0, recovery.outcomes)
    assert (recovery.phase, sent) == (Phase.CLEANING, [Clean(cleaned, 1, 4)] * 3)
    assert kinds_of(events) == [trace_events.MUTATE, trace_events.MUTATE]
    for node in range(3):
        recovery, sent, events = taken(cleaned_here(recovery, CleanedHere(1, 3, 1, node), NOW, MACHINE))
        assert events == []
    assert (recovery.phase, sent) == (Phase.ADVANCING, [SetClean(cleaned, 4)])
    following, sent, _ = taken(clean_set(recovery, CleanSet({1: cleaned}), NOW, MACHINE))
    assert (following.phase, following.pending) == (Phase.DIGESTING, (2,))
    assert sent == [ReadDigest(2, 3, 1, 0, 4)] * 5


def test_what_is_replicated_already_is_not_stored_again() -> None:
    """Where everybody was heard, copies that equal the outcome will do; the bridge is new."""
    recovery, sent = digesting(), list[object]()
    for node in sorted(EVERYONE):
        one = digested_by(node) if node in (0, 1, 2) else digested_by(node)._replace(copies=())
        recovery, sent, _ = taken(digested(recovery, one, NOW, PATIENT))
    assert recovery.outcomes == (Outcome(1, RECORD, 71), Outcome(2, BRIDGE, 0))
    assert {message.outcomes for message in sent if isinstance(message, Mutation)} == {(Outcome(2, BRIDGE, 0),)}


def test_whoever_holds_something_else_must_take_the_outcome() -> None:
    """common/Mutator.cpp: copies of one record must not differ."""
    recovery = digesting()
    overruled = Copy(HOLE, 0, 2, 1, frozenset({3}))
    for node in (0, 1, 2):
        recovery, _, _ = taken(digested(recovery, digested_by(node), NOW, PATIENT))
    other = digested_by(3)._replace(copies=((lsn_of(1, 1), overruled),))
    recovery, _, _ = taken(digested(recovery, other, NOW, PATIENT))
    recovery, _, _ = taken(grace_over(recovery, GraceOver(3, 1), NOW, PATIENT))
    assert recovery.outcomes[0] == Outcome(1, BRIDGE, 0)
    assert recovery.copyset == {0, 1, 2, 3}


def test_a_silent_node_is_asked_again_and_then_done_without() -> None:
    recovery = digesting()
    for node in (0, 1, 3, 4):
        recovery, _, _ = taken(digested(recovery, digested_by(node), NOW, PATIENT))
    recovery, _, _ = taken(grace_over(recovery, GraceOver(3, 1), NOW, PATIENT))
    for node in (0, 1, 3):
        recovery, _, _ = taken(mutated(recovery, stored(node, 2), NOW, MACHINE))
        recovery, _, _ = taken(mutated(recovery, stored(node, 1), NOW, MACHINE))
    assert (recovery.phase, list(recovery.first.pending)) == (Phase.MUTATING, [1])
    for _ in range(PATIENCE - 1):
        recovery, sent, _ = taken(tick(recovery, Tick(3), NOW, MACHINE))
        assert {message.wave for message in sent if isinstance(message, Mutation)} == {1}
    recovery, sent, _ = taken(tick(recovery, Tick(3), NOW, MACHINE))
    assert recovery.first.nodes[4] is NodeState.DIGESTED
    recovery, _, _ = taken(mutated(recovery, stored(3, 1), NOW, MACHINE))
    assert recovery.phase is Phase.CLEANING


def test_it_hears_again_when_those_it_heard_cannot_hold_the_outcome() -> None:
    """Nothing that was decided before is believed any more: a new round begins."""
    recovery, sent = mutating(), list[object]()
    for _ in range(RESTART):
        recovery, sent, _ = taken(tick(recovery, Tick(3), NOW, MACHINE))
    assert (recovery.phase, recovery.digests) == (Phase.DIGESTING, {})
    assert set(sent) == {ReadDigest(1, 3, 2, 0, 4)}
    wave = recovery.wave
    assert digested(recovery, digested_by(1), NOW, MACHINE) is None
    for node in (1, 2, 3):
        recovery, sent, _ = taken(digested(recovery, digested_by(node, round=2), NOW, MACHINE))
    assert {(message.round, message.wave) for message in sent if isinstance(message, Mutation)} == {(2, wave + 1)}
    assert mutated(recovery, stored(1, 1, 2), NOW, MACHINE) is None
    recovery, _, _ = taken(mutated(recovery, MutationStored(1, 3, 2, (1, 2), 1), NOW, MACHINE))
    assert recovery.stored == {1: {1}, 2: {1}}


def test_the_loss_of_a_node_that_was_written_to_begins_a_new_round() -> None:
    """common/EpochRecovery.cpp, setNodeAuthoritativeStatus; even when all has been stored."""
    for recovery in (mutating(), cleaning()):
        after, sent, _ = taken(tick(recovery, Tick(3), NOW, LOST))
        assert (after.phase, after.outcomes, after.digests) == (Phase.DIGESTING, (), {})
        assert sent.count(ReadDigest(1, 3, 2, 0, 4)) == 4


def test_what_another_recovery_has_finished_is_only_told_to_the_epoch_store() -> None:
    """A node that knows what became of the epoch takes no more of it."""
    other = Cleaned(1, 2, 0, mutating().outcomes)
    recovery, sent, events = taken(already_clean(mutating(), AlreadyClean(other, 3), NOW, MACHINE))
    assert (recovery.phase, sent, events) == (Phase.ADVANCING, [SetClean(other, 4)], [])
    assert already_clean(digesting(), AlreadyClean(other, 3), NOW, MACHINE) is None
    assert already_clean(mutating(), AlreadyClean(other._replace(epoch=2), 3), NOW, MACHINE) is None


def test_a_later_recovery_ends_this_one() -> None:
    """The sequencer learns of it too."""
    recovery, sent, _ = taken(preempted(mutating(), Preempted(3), NOW, MACHINE))
    assert (recovery.phase, sent) == (Phase.IDLE, [Preempted(3)])
    assert preempted(mutating(), Preempted(2), NOW, MACHINE) is None
    assert tick(recovery, Tick(3), NOW, MACHINE) is None


def test_answers_to_others_are_ignored() -> None:
    """Of another recovery, of another epoch, of another round, or too late."""
    assert sealed(begun(), Sealed(2, 0, ()), NOW, MACHINE) is None
    assert sealed(begun(), Sealed(3, 0, ()), NOW, LOST) is None
    assert digested(digesting(), digested_by(0)._replace(recovery=2), NOW, MACHINE) is None
    assert digested(digesting(), digested_by(0)._replace(epoch=2), NOW, MACHINE) is None
    assert digested(mutating(), digested_by(3), NOW, MACHINE) is None
    assert mutated(digesting(), stored(0, 1), NOW, MACHINE) is None
    assert cleaned_here(mutating(), CleanedHere(1, 3, 1, 0), NOW, MACHINE) is None
    assert grace_over(digesting(), GraceOver(3, 1), NOW, MACHINE) is None
    assert clean_set(mutating(), CleanSet({}), NOW, MACHINE) is None
