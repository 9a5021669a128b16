"""A storage node keeps its promises: LogDevice, Recovery (Recovery example) and Read path (How reads happen).

Where the documents are silent: common/protocol/STORE_Message.cpp, server/storage/SealStorageTask.cpp and Purge*.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.log import trace_events
from reference_impl.log.context import SHIPPED_PURGES
from reference_impl.log.copies import Cleaned, Copy, Outcome
from reference_impl.log.lsn import esn_of, lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.rebuilding.holding import lend
from reference_impl.log.rebuilding.messages import Lend
from reference_impl.log.storage import after_crash, clean, mutate, obey_seal, purge, read_digest, release, store
from reference_impl.log.storage_messages import (
    AlreadyClean,
    Clean,
    CleanedHere,
    Digested,
    Mutation,
    MutationStored,
    Preempted,
    ReadDigest,
    Release,
    Seal,
    Sealed,
    Store,
    Stored,
)
from spec.events import BRIDGE, HOLE, RECORD
from tests.support.machines import NOW, kinds_of, machine_of, taken

MACHINE = machine_of()
SHIPPED = replace(MACHINE, variants=frozenset({SHIPPED_PURGES}))
COPYSET = frozenset({0, 1, 2})
EMPTY = NodeLog(log=0, node=1)


def asked(esn: int, *, epoch: int = 1, wave: int = 1, digest: int = 70, good: int = 0) -> Store:
    """A sequencer's request for a copy."""
    return Store(lsn_of(epoch, esn), digest, wave, COPYSET, good, node=4)


def holding(*esns: int) -> NodeLog:
    """A node that stored these ESNs of epoch 1."""
    here = EMPTY
    for esn in esns:
        here, _, _ = taken(store(here, asked(esn), NOW, MACHINE))
    return here


def test_a_copy_is_stored_and_answered() -> None:
    here, sent, events = taken(store(EMPTY, asked(5, good=4), NOW, MACHINE))
    assert sent == [Stored(lsn_of(1, 5), 1, 1)]
    assert kinds_of(events) == [trace_events.STORE]
    assert here.copies.get(lsn_of(1, 5)) == Copy(RECORD, 70, 0, 1, COPYSET)
    assert here.known_good == {1: 4}


def test_a_repetition_changes_nothing() -> None:
    """The network repeats messages; the answer may have been lost, so it is given again."""
    before = holding(5)
    here, sent, events = taken(store(before, asked(5), NOW, MACHINE))
    assert (here, events) == (before, [])
    assert sent == [Stored(lsn_of(1, 5), 1, 1)]


def test_an_earlier_wave_that_comes_late_changes_nothing() -> None:
    before, _, _ = taken(store(EMPTY, asked(5, wave=2), NOW, MACHINE))
    here, sent, events = taken(store(before, asked(5, wave=1), NOW, MACHINE))
    assert (here, events) == (before, [])
    assert sent == [Stored(lsn_of(1, 5), 1, 1)]


@pytest.mark.parametrize(("epoch", "taken_in"), [(1, False), (2, False), (3, True)])
def test_a_sealed_epoch_is_refused(epoch: int, taken_in: bool) -> None:
    """STORE_Message::checkIfPreempted: the seal's own epoch is refused too."""
    here, sent, _ = taken(store(EMPTY._replace(seal=2), asked(1, epoch=epoch), NOW, MACHINE))
    assert isinstance(sent[0], Stored if taken_in else Preempted)
    assert (len(here.copies) == 1) is taken_in


def sealed_by(recovery: int, before: NodeLog) -> NodeLog:
    """The same node once it obeys a recovery."""
    return taken(obey_seal(before, Seal(recovery, node=4), NOW, MACHINE))[0]


def test_a_seal_tells_last_known_good_esns() -> None:
    here, sent, events = taken(obey_seal(holding(1)._replace(known_good={1: 1}), Seal(3, 4), NOW, MACHINE))
    assert (here.seal, kinds_of(events)) == (2, [trace_events.SEAL])
    assert sent == [Sealed(3, 1, ((1, 1),))]


def test_a_digest_tells_what_lies_above_the_last_known_good() -> None:
    """Only once the node is sealed: what it tells must be final."""
    read_it = ReadDigest(1, 3, 1, 1, 4)
    assert read_digest(holding(1, 2, 3), read_it, NOW, MACHINE) is None
    here, (told,), events = taken(read_digest(sealed_by(3, holding(1, 2, 3)), read_it, NOW, MACHINE))
    assert kinds_of(events) == [trace_events.DIGEST, trace_events.DIGEST]
    assert isinstance(told, Digested)
    assert [lsn for lsn, _ in told.copies] == [lsn_of(1, 2), lsn_of(1, 3)]
    assert (told.round, here.promised) == (1, (3, 1))


@pytest.mark.parametrize(("recovery", "obeyed"), [(3, False), (4, True), (5, True)])
def test_only_the_latest_recovery_is_obeyed(recovery: int, obeyed: bool) -> None:
    """A higher seal refuses; an equal one is the same recovery, which asks again."""
    before = EMPTY._replace(seal=3)
    _, sent, _ = taken(obey_seal(before, Seal(recovery, 4), NOW, MACHINE))
    assert isinstance(sent[0], Sealed if obeyed else Preempted)
    mutation = Mutation(1, recovery, 1, 1, COPYSET, (Outcome(1, BRIDGE, 0),), 4)
    _, sent, _ = taken(mutate(before, mutation, NOW, MACHINE))
    assert isinstance(sent[0], MutationStored if obeyed else Preempted)
    stepped = read_digest(before, ReadDigest(1, recovery, 1, 0, 4), NOW, MACHINE)
    told = stepped and taken(stepped)[1]
    assert told is None if recovery == 5 else told and isinstance(told[0], Digested if obeyed else Preempted)


def test_a_round_that_is_over_is_not_obeyed() -> None:
    """What was decided before a later digest may come late; nobody counts it any more."""
    here, _, _ = taken(read_digest(sealed_by(3, EMPTY), ReadDigest(1, 3, 2, 0, 4), NOW, MACHINE))
    late = Mutation(1, 3, 1, 1, COPYSET, (Outcome(1, HOLE, 0),), 4)
    assert taken(mutate(here, late, NOW, MACHINE)) == (here, [Preempted(2)], [])
    assert read_digest(here, ReadDigest(1, 3, 1, 0, 4), NOW, MACHINE) is None
    _, sent, _ = taken(mutate(here, late._replace(round=2), NOW, MACHINE))
    assert sent == [MutationStored(1, 3, 2, (1,), 1)]


def test_a_mutation_overrules_the_sequencers_copy() -> None:
    outcomes = (Outcome(1, RECORD, 70), Outcome(2, HOLE, 0), Outcome(3, BRIDGE, 0))
    here, sent, events = taken(mutate(holding(1, 2), Mutation(1, 3, 1, 2, COPYSET, outcomes, 4), NOW, MACHINE))
    assert [(copy.becomes, copy.recovery) for _, copy in here.copies.items()] == [(RECORD, 3), (HOLE, 3), (BRIDGE, 3)]
    assert kinds_of(events) == [*[trace_events.STORE] * 3, trace_events.OBEY]
    assert sent == [MutationStored(1, 3, 1, (1, 2, 3), 1)]


def test_a_later_decision_is_not_undone_by_an_earlier_one() -> None:
    """Digest::RecordMetadata: precedence is by recovery, then by wave."""
    decided, _, _ = taken(mutate(EMPTY, Mutation(1, 3, 2, 2, COPYSET, (Outcome(1, HOLE, 0),), 4), NOW, MACHINE))
    late = Mutation(1, 3, 1, 1, COPYSET, (Outcome(1, RECORD, 70),), 4)
    here, _, events = taken(mutate(decided, late, NOW, MACHINE))
    assert (here, kinds_of(events)) == (decided, [trace_events.OBEY])


CLEANED = Cleaned(1, 3, 1, (Outcome(2, RECORD, 70), Outcome(3, HOLE, 0), Outcome(4, BRIDGE, 0)))
"""Recovery 3 kept ESN 2 of epoch 1 above the last known good 1, plugged ESN 3 and closed the epoch at 4."""


def test_a_node_repairs_its_copies_before_it_shows_the_next_epoch() -> None:
    """server/storage/PurgeUncleanEpochs.cpp: what recovery kept stays, what it overruled goes."""
    here, _, events = taken(release(holding(1, 2, 3, 7), Release(lsn_of(3, 5), {1: CLEANED}), NOW, MACHINE))
    assert [lsn for lsn, _ in here.copies.items()] == [lsn_of(1, 1), lsn_of(1, 2)]
    assert kinds_of(events) == [trace_events.SEAL, trace_events.ERASE, trace_events.ERASE, trace_events.SETTLE]
    assert (here.clean, here.released) == (1, lsn_of(3, 5))


def test_as_shipped_a_node_that_was_not_heard_deletes_what_recovery_kept_as_well() -> None:
    """Nothing up to the last known good ESN, and nothing right where this recovery or a later one heard."""
    for promised, kept in (((0, 0), [1]), ((2, 9), [1]), ((3, 1), [1, 2]), ((4, 1), [1, 2])):
        here, _ = purge(holding(1, 2, 3, 7)._replace(promised=promised), CLEANED, SHIPPED)
        assert [esn_of(lsn) for lsn, _ in here.copies.items()] == kept


def test_as_shipped_a_node_keeps_what_recovery_kept_where_donors_count_on_it() -> None:
    """Nothing else that they do not know of, nor what recovery overruled."""
    for upto, kept in ((1, [1]), (2, [1, 2]), (9, [1, 2])):
        here = holding(1, 2, 3, 7)._replace(released=lsn_of(1, 9))
        lent, _, _ = taken(lend(here, Lend(0, 4, lsn_of(1, upto)), NOW, SHIPPED))
        here, _ = purge(lent, CLEANED, SHIPPED)
        assert [esn_of(lsn) for lsn, _ in here.copies.items()] == kept


def test_a_node_remembers_what_became_of_an_epoch() -> None:
    """And answers, so that the recovery knows who knows; its copies are repaired when a later epoch is released."""
    here, sent, events = taken(clean(holding(1, 2, 3, 7), Clean(CLEANED, 2, 4), NOW, MACHINE))
    assert (sent, kinds_of(events)) == ([CleanedHere(1, 3, 2, 1)], [trace_events.SETTLE])
    here, _, events = taken(release(after_crash(here), Release(lsn_of(2, 5), {}), NOW, MACHINE))
    assert [lsn for lsn, _ in here.copies.items()] == [lsn_of(1, 1), lsn_of(1, 2)]
    assert (kinds_of(events), here.clean) == ([trace_events.SEAL, trace_events.ERASE, trace_events.ERASE], 1)


def test_a_clean_epoch_takes_nothing_more() -> None:
    """A late message of a recovery could bring back what has been lost, and reported as lost, since."""
    late = Mutation(1, 3, 1, 1, COPYSET, (Outcome(2, RECORD, 70),), 4)
    known = taken(clean(EMPTY, Clean(CLEANED, 1, 4), NOW, MACHINE))[0]
    for here in (known, purge(EMPTY, CLEANED, MACHINE)[0]):
        after, sent, events = taken(mutate(here, late, NOW, MACHINE))
        assert (after, sent, events) == (here, [AlreadyClean(CLEANED, 3)], [])


def test_a_purged_epoch_is_closed() -> None:
    """A node that missed the recovery's seal must not take a late append of an epoch that was repaired."""
    here, _ = purge(EMPTY, CLEANED, MACHINE)
    assert here.seal == 2


def test_a_crash_keeps_what_is_on_disk() -> None:
    """SealStorageTask.cpp syncs seals; releases and known good ESNs are only remembered."""
    here = after_crash(holding(1)._replace(seal=4, clean=3, released=99, known_good={1: 1}))
    assert (here.seal, here.clean, len(here.copies)) == (4, 3, 1)
    assert (here.released, here.known_good) == (0, {})
