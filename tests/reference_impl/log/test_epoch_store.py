"""The epoch store gives out epochs and keeps the last clean one: LogDevice, Recovery, Sequencer activation.

common/EpochStore.h and common/LogRecoveryRequest.cpp say that both only advance, one at a time.
"""

from __future__ import annotations

from reference_impl.log import trace_events
from reference_impl.log.copies import Cleaned, Outcome
from reference_impl.log.epoch_store import EpochStore, give_epoch, nodeset_for, set_clean, which_nodes, who_sequences
from reference_impl.log.messages import (
    Announce,
    CleanSet,
    EpochGiven,
    NextEpoch,
    Nodeset,
    SetClean,
    WhichNodes,
    WhoSequences,
)
from spec.events import BRIDGE
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = machine_of()
STORE = EpochStore(log=0, members=EVERYONE)


def cleaned(epoch: int) -> Cleaned:
    """An empty epoch after its recovery."""
    return Cleaned(epoch, 9, 0, (Outcome(1, BRIDGE, 0),))


def test_epochs_are_given_one_after_the_other() -> None:
    """Two nodes that ask at once get different epochs, each with its metadata."""
    first, (given,), events = taken(give_epoch(STORE, NextEpoch(node=2, asked_ns=5), NOW, MACHINE))
    assert isinstance(given, EpochGiven)
    assert (given.epoch, given.asked_ns) == (1, 5)
    assert kinds_of(events) == [trace_events.EPOCH]
    second, (given,), _ = taken(give_epoch(first, NextEpoch(node=3, asked_ns=6), NOW, MACHINE))
    assert given.epoch == 2
    assert set(given.nodesets) == {1, 2}
    assert (second.newest, second.owner) == (2, 3)


def test_a_nodeset_can_lose_a_node() -> None:
    """A nodeset leaves a member out only if the others could lose one more and still hold a copyset."""
    small, large = machine_of(4, 3), machine_of(9, 3)
    assert all(nodeset_for(EpochStore(log, frozenset(range(4))), 1, small) == frozenset(range(4)) for log in range(20))
    sizes = {len(nodeset_for(EpochStore(log, frozenset(range(9))), 1, large)) for log in range(40)}
    assert sizes == {8, 9}


def test_epochs_become_clean_in_order() -> None:
    """LogRecoveryRequest.cpp: the last clean epoch advances one epoch at a time."""
    assert set_clean(STORE, SetClean(cleaned(2), 0), NOW, MACHINE) is None
    one, (told,), events = taken(set_clean(STORE, SetClean(cleaned(1), 0), NOW, MACHINE))
    assert told == CleanSet({1: cleaned(1)})
    assert kinds_of(events) == [trace_events.CLEAN]
    two, _, _ = taken(set_clean(one, SetClean(cleaned(2), 0), NOW, MACHINE))
    assert set(two.cleaned) == {1, 2}


def test_another_recovery_may_have_been_faster() -> None:
    """E::STALE is success: the later recovery learns the outcome that was kept, and no second one is kept."""
    one, _, _ = taken(set_clean(STORE, SetClean(cleaned(1), 0), NOW, MACHINE))
    late = cleaned(1)._replace(recovery=12)
    again, (told,), events = taken(set_clean(one, SetClean(late, 0), NOW, MACHINE))
    assert (again, events) == (one, [])
    assert told.cleaned[1].recovery == 9


def test_it_says_who_sequences_and_where_records_lie() -> None:
    """Nothing before the first epoch, and nothing of epochs that do not exist."""
    assert who_sequences(STORE, WhoSequences(0), NOW, MACHINE) is None
    store, _, _ = taken(give_epoch(STORE, NextEpoch(2, 5), NOW, MACHINE))
    assert taken(who_sequences(store, WhoSequences(0), NOW, MACHINE))[1] == [Announce(1, 2)]
    assert taken(which_nodes(store, WhichNodes(0, 1), NOW, MACHINE))[1] == [Nodeset(1, store.nodesets[1])]
    assert which_nodes(store, WhichNodes(0, 2), NOW, MACHINE) is None
