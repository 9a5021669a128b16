"""Whoever stores appends of an epoch takes none of earlier ones: common/protocol/STORE_Message.cpp, checkIfPreempted.

What a node does agrees with ``reference_impl.log.repair.seals``, which agrees with LogDevice's own cases.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.log import trace_events
from reference_impl.log.context import SOFT_SEALS
from reference_impl.log.lsn import lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.repair.seals import Seals, may_append, seal
from reference_impl.log.storage import after_crash, may_store, obey_seal, store
from reference_impl.log.storage_messages import Preempted, Seal, Sealed, Store
from tests.support.machines import NOW, kinds_of, machine_of, taken

MACHINE = replace(machine_of(), variants=frozenset({SOFT_SEALS}))
EMPTY = NodeLog(log=0, node=1)


def asked(epoch: int, esn: int = 1) -> Store:
    """A sequencer's request for a copy."""
    return Store(lsn_of(epoch, esn), 70, 1, frozenset({0, 1, 2}), 0, node=4)


def test_the_first_store_of_an_epoch_seals_all_before_it() -> None:
    here, _, events = taken(store(EMPTY, asked(3), NOW, MACHINE))
    assert (here.seal, here.soft) == (0, 2)
    assert kinds_of(events) == [trace_events.SOFT_SEAL, trace_events.STORE]
    _, _, events = taken(store(here, asked(3, 2), NOW, MACHINE))
    assert kinds_of(events) == [trace_events.STORE]


def test_an_append_of_an_earlier_epoch_is_redirected() -> None:
    """Its sequencer learns up to which epoch it was replaced."""
    here, _, _ = taken(store(EMPTY, asked(3), NOW, MACHINE))
    after, sent, events = taken(store(here, asked(2), NOW, MACHINE))
    assert (after, sent, events) == (here, [Preempted(2, softly=True)], [])


def test_an_append_of_an_epoch_that_drains_is_taken() -> None:
    """Its own recovery comes after it has drained; that of another sequencer seals for good."""
    here, _, _ = taken(store(EMPTY, asked(3), NOW, MACHINE))
    after, _, events = taken(store(here, asked(2)._replace(is_draining=True), NOW, MACHINE))
    assert (after.soft, kinds_of(events)) == (2, [trace_events.STORE])
    here, _, _ = taken(obey_seal(here, Seal(3, 0), NOW, MACHINE))
    after, sent, events = taken(store(here, asked(2)._replace(is_draining=True), NOW, MACHINE))
    assert (after, sent, events) == (here, [Preempted(2)], [])


def test_a_late_recovery_is_refused_though_its_seal_is_kept() -> None:
    """SealStorageTask.cpp, executeImpl, looks at soft seals only after the normal one is kept."""
    here, _, _ = taken(store(EMPTY, asked(5), NOW, MACHINE))
    here, sent, events = taken(obey_seal(here, Seal(4, 0), NOW, MACHINE))
    assert (here.seal, sent, kinds_of(events)) == (3, [Preempted(4)], [trace_events.SEAL])
    here, sent, _ = taken(obey_seal(here, Seal(5, 0), NOW, MACHINE))
    assert (here.seal, sent) == (4, [Sealed(5, 1, ())])


def test_a_crash_does_not_lift_it() -> None:
    here, _, _ = taken(store(EMPTY, asked(3), NOW, MACHINE))
    assert after_crash(here).soft == 2


@pytest.mark.parametrize("normal", range(4))
@pytest.mark.parametrize("soft", range(4))
@pytest.mark.parametrize("epoch", range(1, 5))
@pytest.mark.parametrize("drains", [False, True])
def test_nodes_decide_as_logdevice_does(normal: int, soft: int, epoch: int, *, drains: bool) -> None:
    here = EMPTY._replace(seal=normal, soft=soft)
    assert may_store(here, epoch, drains) == may_append(Seals(normal, soft), epoch, is_draining=drains)
    found = seal(Seals(normal, soft), epoch)
    after, sent, _ = taken(obey_seal(here, Seal(epoch + 1, 0), NOW, MACHINE))
    assert (after.seal, after.soft) == found.seals
    assert sent == [Preempted(found.preempted_by) if found.preempted_by else Sealed(epoch + 1, 1, ())]


def test_without_the_variant_nobody_seals_softly() -> None:
    here, _, events = taken(store(EMPTY, asked(3), NOW, machine_of()))
    assert (here.soft, kinds_of(events)) == (0, [trace_events.STORE])
