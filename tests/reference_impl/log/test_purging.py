"""A node that missed a recovery learns from others what it decided, and shows nothing before.

LogDevice, server/storage/PurgeUncleanEpochs.cpp and common/GetEpochRecoveryMetadataRequest.cpp.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.log import trace_events
from reference_impl.log.context import PURGING, SHIPPED_PURGES
from reference_impl.log.copies import Cleaned, Copy, Outcome
from reference_impl.log.epoch_store import EpochStore, where_lies
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Nodeset, WhereLies
from reference_impl.log.node_log import NodeLog
from reference_impl.log.outcomes import held_of
from reference_impl.log.purging import ask_others, learn, tell
from reference_impl.log.releasing import release as release_upto
from reference_impl.log.repair.log_recovery import Circumstances, recover
from reference_impl.log.repair.stores import Store
from reference_impl.log.sequencer import Role, Sequencer
from reference_impl.log.storage import release
from reference_impl.log.storage_messages import GetMetadata, Metadata, Release
from spec.events import BRIDGE, HOLE, RECORD
from tests.support.machines import NOW, kinds_of, machine_of, taken
from tests.support.repairs import flat

MACHINE = replace(machine_of(), variants=frozenset({PURGING}))
NODES = frozenset({0, 1, 2})
CLEANED = Cleaned(1, 2, 1, (Outcome(2, RECORD, 72), Outcome(3, HOLE, 0), Outcome(4, BRIDGE, 0)))
NEWS = Release(lsn_of(2, 0), {})


def straggler() -> NodeLog:
    """A node with all records of epoch 1 that its sequencer ever sent, of which recovery kept the first two."""
    held = {lsn_of(1, esn): Copy(RECORD, 70 + esn, 0, 1, NODES) for esn in range(1, 6)}
    copies = NodeLog(0, 1).copies
    for lsn, copy in held.items():
        copies = copies.with_(lsn, copy)
    return NodeLog(0, 1, copies=copies)


def test_releases_say_nothing_of_what_recoveries_decided() -> None:
    sequencer = Sequencer(0, 0, Role.ACTIVE, 2, {1: NODES, 2: NODES}, cleaned={1: CLEANED})
    _, sent, _ = taken(release_upto(sequencer, MACHINE, ()))
    assert set(map(type, sent)) == {Release}
    assert all(message.cleaned == {} for message in sent)


def test_a_node_that_knows_nothing_shows_nothing() -> None:
    """It asks where the epoch lies, and again with every release."""
    here = straggler()
    after, sent, events = taken(release(here, NEWS, NOW, MACHINE))
    assert (after, sent, events) == (here, [WhereLies(1, 1)], [])


def test_the_metadata_log_knows_where_an_epoch_lies() -> None:
    store = EpochStore(0, NODES, 2, 0, {1: NODES, 2: NODES})
    _, sent, _ = taken(where_lies(store, WhereLies(1, 1), NOW, MACHINE))
    assert sent == [Nodeset(1, NODES)]
    assert where_lies(store, WhereLies(1, 3), NOW, MACHINE) is None


def test_all_others_of_the_epoch_are_asked() -> None:
    _, sent, _ = taken(ask_others(straggler(), Nodeset(1, NODES), NOW, MACHINE))
    assert sent == [GetMetadata(1, 1)] * 2
    assert ask_others(NodeLog(0, 1, cleaned={1: CLEANED}), Nodeset(1, NODES), NOW, MACHINE) is None


def test_who_knows_tells() -> None:
    _, sent, _ = taken(tell(NodeLog(0, 2, cleaned={1: CLEANED}), GetMetadata(1, 1), NOW, MACHINE))
    assert sent == [Metadata(CLEANED)]
    assert tell(NodeLog(0, 2), GetMetadata(1, 1), NOW, MACHINE) is None


def test_a_node_that_was_told_purges_with_the_next_release() -> None:
    """The plugged record and what lies after the bridge go; what was decided, and what was known to be good, stays."""
    here, _, events = taken(learn(straggler(), Metadata(CLEANED), NOW, MACHINE))
    assert kinds_of(events) == [trace_events.SETTLE]
    here, _, events = taken(release(here, NEWS, NOW, MACHINE))
    assert kinds_of(events) == [trace_events.SEAL, *[trace_events.ERASE] * 3, trace_events.PURGE, trace_events.KEPT]
    assert [lsn for lsn, _ in here.copies.items()] == [lsn_of(1, 1), lsn_of(1, 2)]
    assert (here.clean, here.released, here.seal) == (1, NEWS.lsn, 1)


@pytest.mark.parametrize("good", [0, 1, 4, 5])
def test_as_shipped_a_node_deletes_what_a_shard_of_the_vectors_does(good: int) -> None:
    """It was absent from the recovery of which it is told: whatever was decided anew goes, right or wrong."""
    shipped, here = replace(MACHINE, variants=frozenset({PURGING, SHIPPED_PURGES})), straggler()
    shard = Store({lsn: held_of(copy) for lsn, copy in here.copies.items()})
    before = {0: Store({}, {1: good}), 1: shard, 2: Store()}
    after, _ = recover(before, [(1, flat(3, 2))], Circumstances(2, frozenset({1})))
    here, _, _ = taken(learn(here, Metadata(CLEANED._replace(known_good=good)), NOW, shipped))
    here, _, _ = taken(release(here, NEWS, NOW, shipped))
    assert [lsn for lsn, _ in here.copies.items()] == list(after[1].copies)
    assert list(after[1].esns(1)) == list(range(1, good + 1))


def test_epochs_are_purged_in_order() -> None:
    """What is known of a later epoch helps only once the earlier one is purged."""
    later = Cleaned(2, 3, 0, (Outcome(1, BRIDGE, 0),))
    here = straggler()._replace(cleaned={2: later})
    after, sent, events = taken(release(here, Release(lsn_of(3, 0), {}), NOW, MACHINE))
    assert (after, sent, events) == (here, [WhereLies(1, 1)], [])
    here, _, _ = taken(learn(after, Metadata(CLEANED), NOW, MACHINE))
    here, _, events = taken(release(here, Release(lsn_of(3, 0), {}), NOW, MACHINE))
    assert (here.clean, kinds_of(events).count(trace_events.PURGE)) == (2, 2)


def test_a_second_answer_is_no_news() -> None:
    here, _, _ = taken(learn(straggler(), Metadata(CLEANED), NOW, MACHINE))
    assert learn(here, Metadata(CLEANED), NOW, MACHINE) == (here, ())
