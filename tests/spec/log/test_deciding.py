"""Who decides what an epoch's tail becomes, of what, and who holds it then: LogDevice, Recovery, Log recovery."""

from __future__ import annotations

from typing import Any

from spec.events import BRIDGE, HOLE, RECORD, Clean, Digest, Erase, Mutate, NewEpoch, Planned, Store, Streamed
from tests.support.tiny import at, outcomes

Event = dict[str, Any]

EPOCH = at(NewEpoch, 1, 0, nodeset=frozenset({0, 1, 2}), replication={"node": 2})


def store(esn: int, node: int, becomes: int = RECORD, recovery: int = 0) -> Event:
    """A node holds what a writer wrote at an LSN."""
    return at(Store, 1, esn, node=node, becomes=becomes, recovery=recovery, digest=7)


def mutate(esn: int, becomes: int, recovery: int = 2) -> Event:
    """A recovery decides what an LSN of epoch 1 is to be."""
    return at(Mutate, 1, esn, becomes=becomes, recovery=recovery, digest=7)


def clean(esn: int, recovery: int = 2) -> Event:
    """A recovery finishes epoch 1."""
    return at(Clean, 1, esn, recovery=recovery)


def digest_by(node: int, esn: int = 1, recovery: int = 2) -> Event:
    """A node tells a recovery of what it holds."""
    return at(Digest, 1, esn, node=node, digest=7, recovery=recovery)


def plan(*heard: int, recovery: int = 2) -> Event:
    """A recovery decides by what these nodes told."""
    return at(Planned, 1, 0, recovery=recovery, round=1, heard=frozenset(heard), statuses=1)


def test_epochs_are_recovered_by_later_ones() -> None:
    rule = "log.recovery.by_a_later_epoch"
    for said in (clean, plan):
        assert outcomes(rule, said(2, recovery=2)) == ["holds"]
        assert outcomes(rule, said(2, recovery=1)) == ["violated"]
    assert outcomes(rule, mutate(1, HOLE, 1), clean(2)) == ["violated"]
    assert outcomes(rule, store(1, 0)) == []


def test_an_epoch_ends_once() -> None:
    rule = "log.recovery.one_end"
    assert outcomes(rule, clean(2), clean(2, 3)) == ["holds"]
    assert outcomes(rule, clean(2), clean(5, 3)) == ["violated"]
    assert outcomes(rule, mutate(1, HOLE)) == []


def test_an_epoch_ends_at_its_bridge() -> None:
    rule = "log.recovery.ends_at_its_bridge"
    assert outcomes(rule, mutate(2, BRIDGE), clean(2)) == ["holds"]
    assert outcomes(rule, mutate(2, BRIDGE), clean(6)) == ["violated"]
    assert outcomes(rule, mutate(2, BRIDGE), clean(6, 3)) == ["holds"], "the bridge of another"
    assert outcomes(rule, mutate(2, BRIDGE), mutate(2, HOLE), clean(6)) == [], (
        "it decided otherwise when it began again"
    )
    assert outcomes(rule, clean(6)) == [], "too few had kept what they stored"


def test_nodes_tell_recoveries_of_what_they_hold() -> None:
    """A node that holds a plug may tell of that."""
    rule, held = "log.digest.is_of_the_record", store(1, 1)
    assert outcomes(rule, held, digest_by(1)) == ["holds"]
    assert outcomes(rule, held, digest_by(1) | {"digest": 8}) == ["violated"]
    assert outcomes(rule, held, digest_by(1) | {"digest": None}) == []
    assert outcomes(rule, held, store(1, 2, HOLE, 2), digest_by(2) | {"digest": 0}) == ["holds"]


class TestFound:
    """Recovery example: the outcome is a record if one can be found."""

    rule = "log.recovery.found_is_kept"
    found = (store(1, 1), digest_by(1), plan(0, 1))

    def test_what_was_told_stays(self) -> None:
        assert outcomes(self.rule, *self.found, mutate(1, RECORD)) == ["holds"]
        assert outcomes(self.rule, *self.found, mutate(1, HOLE)) == ["violated"]
        assert outcomes(self.rule, *self.found, mutate(1, BRIDGE)) == ["violated"]
        assert outcomes(self.rule, *self.found, store(1, 0, HOLE, 2)) == ["violated"]

    def test_what_not_every_recovery_heard(self) -> None:
        assert outcomes(self.rule, *self.found, plan(0, 2), mutate(1, HOLE)) == ["holds"]
        assert outcomes(self.rule, *self.found, plan(0, 2, recovery=3), mutate(1, HOLE, 3)) == ["holds"]
        assert outcomes(self.rule, store(1, 1), digest_by(1), mutate(1, HOLE)) == []

    def test_what_each_recovery_heard_from_another_node(self) -> None:
        """The first that makes a hole was told of the append itself, unless a plug lay there before."""
        said = [*self.found, store(1, 2), digest_by(1) | {"node": 2, "version": 3}, plan(0, 2, recovery=3)]
        assert outcomes(self.rule, *said, mutate(1, HOLE, 3)) == ["violated"]
        assert outcomes(self.rule, *said, store(1, 0, HOLE, 2), mutate(1, HOLE, 3)) == ["holds"]
        assert outcomes(self.rule, *said, mutate(1, HOLE, 2), mutate(1, HOLE, 3)) == ["violated"]
        assert outcomes(self.rule, *said, at(Erase, 1, 1, node=2), mutate(1, HOLE, 3)) == ["holds"]

    def test_what_was_no_append_or_is_gone(self) -> None:
        plug = store(1, 1, HOLE, 2)
        assert outcomes(self.rule, plug, digest_by(1), plan(0, 1), mutate(1, HOLE)) == []
        assert outcomes(self.rule, *self.found, at(Erase, 1, 1, node=1), mutate(1, HOLE)) == ["holds"]

    def test_streams_and_what_lies_after_a_bridge(self) -> None:
        streamed = at(Streamed, 1, 1, writer=5, place=2)
        assert outcomes(self.rule, *self.found, streamed, mutate(1, HOLE)) == ["holds"]
        after = (store(3, 1), digest_by(1, 3), plan(0, 1))
        assert outcomes(self.rule, *after, store(2, 0, BRIDGE, 2), mutate(3, HOLE, 3)) == ["holds"]
        assert outcomes(self.rule, *after, store(4, 0, BRIDGE, 2), mutate(3, HOLE, 3)) == ["violated"]


class TestStored:
    """Log recovery: the outcome is replicated to the correct number of nodes."""

    rule = "log.recovery.stored_as_decided"

    def test_what_was_decided_is_stored(self) -> None:
        records, plugs = ([store(1, node, kind) for node in (0, 1)] for kind in (RECORD, HOLE))
        for copies, right, wrong in ((records, RECORD, HOLE), (plugs, HOLE, RECORD), (plugs, BRIDGE, RECORD)):
            assert outcomes(self.rule, EPOCH, *copies, mutate(1, right), clean(1)) == ["holds"]
            assert outcomes(self.rule, EPOCH, *copies, mutate(1, wrong), clean(1)) == ["violated"]
            assert outcomes(self.rule, EPOCH, *copies, mutate(1, wrong)) == [], "nobody finished the epoch"

    def test_what_one_copyset_holds_another_may_not(self) -> None:
        plugs = [store(1, node, HOLE, 2) for node in (0, 1)]
        records = [store(1, node, RECORD, 3) for node in (1, 2)]
        assert outcomes(self.rule, EPOCH, *plugs, *records, mutate(1, RECORD, 3), clean(1, 3)) == ["holds"]

    def test_what_began_again_or_is_gone(self) -> None:
        plugs = [store(1, node, HOLE, 2) for node in (0, 1)]
        both = (mutate(1, RECORD), mutate(1, HOLE))
        assert outcomes(self.rule, EPOCH, *plugs, *both, clean(1)) == ["holds"]
        erased = at(Erase, 1, 1, node=1)
        assert outcomes(self.rule, EPOCH, *plugs, erased, mutate(1, RECORD), clean(1)) == ["holds"]
