"""What an acknowledgement promises."""

from __future__ import annotations

from spec.events import HOLE, RECORD, Ack, Append, Erase, Mutate, NewEpoch, Store, Trim
from spec.log.topology import Topology
from tests.support.tiny import at, outcomes

ALL = frozenset({0, 1, 2})
RACKS = Topology.of(["r.d.c.w.a", "r.d.c.w.a", "r.d.c.w.b"]).parameters()


def store(esn: int, node: int, digest: int | None = 7, **fields: object) -> dict[str, object]:
    """A node holds a copy of a record of epoch 1."""
    placed = {"wave": 1, "becomes": RECORD, "recovery": 0, "copyset": ALL, "digest": digest, "node": node}
    return at(Store, 1, esn, **(placed | fields))


def erase(node: int) -> dict[str, object]:
    """A node no longer holds its copy of ESN 1."""
    return at(Erase, 1, 1, node=node)


def ack(esn: int, **fields: object) -> dict[str, object]:
    """A record of epoch 1 is acknowledged, promising two copies on nodes 0 and 1."""
    return at(Ack, 1, esn, **({"writer": 5, "digest": 7, "copyset": frozenset({0, 1}), "required": 2} | fields))


def new_epoch(**fields: object) -> dict[str, object]:
    """Epoch 1 begins on three nodes, with two copies of each record."""
    return at(NewEpoch, 1, 0, **({"sequencer": 0, "nodeset": ALL, "replication": {"node": 2}} | fields))


class TestCopies:
    """LogDevice, Recovery: acknowledged records must be durably stored."""

    rule = "log.append.acked_has_copies"

    def test_as_many_copies_as_promised(self) -> None:
        assert outcomes(self.rule, store(1, 0), store(1, 1), ack(1)) == ["holds"]

    def test_one_copy_too_few(self) -> None:
        assert outcomes(self.rule, store(1, 0), ack(1)) == ["violated"]

    def test_enough_copies_but_not_where_the_acknowledgement_says(self) -> None:
        assert outcomes(self.rule, store(1, 0), store(1, 2), ack(1)) == ["violated"]

    def test_a_record_that_nobody_acknowledged_promises_nothing(self) -> None:
        assert outcomes(self.rule, store(1, 0)) == []

    def test_an_acknowledgement_that_does_not_say_where_is_unknown(self) -> None:
        assert outcomes(self.rule, store(1, 0), store(1, 1), ack(1, copyset=None)) == ["unknown"]

    def test_a_client_may_hear_after_its_record_was_trimmed(self) -> None:
        """What was deleted because the owner of the log asked for it is no loss."""
        full, gone = [store(1, 0), store(1, 1)], [erase(0), erase(1)]
        assert outcomes(self.rule, *full, at(Trim, 1, 3), *gone, ack(1)) == ["holds"]
        assert outcomes(self.rule, store(1, 0), at(Trim, 1, 3), *gone, ack(1)) == ["violated"]
        assert outcomes(self.rule, *full, *gone, ack(1), at(Trim, 1, 3)) == ["violated"]
        assert outcomes(self.rule, *full, at(Trim, 1, 0), *gone, ack(1)) == ["violated"]
        rule = "log.append.acked_is_spread"
        assert outcomes(rule, new_epoch(), *full, at(Trim, 1, 3), *gone, ack(1)) == ["holds"]
        assert outcomes(rule, new_epoch(), store(1, 0), at(Trim, 1, 3), *gone, ack(1)) == ["violated"]


class TestSpread:
    """LogDevice, Recovery: satisfying the replication property of the epoch."""

    rule = "log.append.acked_is_spread"

    def test_two_copies_in_two_racks(self) -> None:
        epoch = new_epoch(replication={"node": 2, "rack": 2})
        assert outcomes(self.rule, epoch, store(1, 0), store(1, 2), ack(1), parameters=RACKS) == ["holds"]

    def test_two_copies_in_one_rack(self) -> None:
        epoch = new_epoch(replication={"node": 2, "rack": 2})
        assert outcomes(self.rule, epoch, store(1, 0), store(1, 1), ack(1), parameters=RACKS) == ["violated"]

    def test_a_copy_counts_from_its_storing_until_it_is_erased(self) -> None:
        """At the time of the acknowledgement."""
        epoch = new_epoch(replication={"node": 2, "rack": 2})
        late = [epoch, store(1, 0), store(1, 1), ack(1), store(1, 2)]
        gone_before = [epoch, store(1, 0), store(1, 1), store(1, 2), erase(2), ack(1)]
        gone_after = [epoch, store(1, 0), store(1, 1), store(1, 2), ack(1), erase(2)]
        found = [outcomes(self.rule, *events, parameters=RACKS) for events in (late, gone_before, gone_after)]
        assert found == [["violated"], ["violated"], ["holds"]]

    def test_an_epoch_without_metadata_is_unknown(self) -> None:
        assert outcomes(self.rule, store(1, 0), store(1, 1), ack(1)) == ["unknown"]


class TestCopyset:
    """LogDevice, Read path, Metadata log: the nodeset is the set of nodes that contain the epoch's data."""

    rule = "log.append.copyset_in_nodeset"

    def test_inside(self) -> None:
        assert outcomes(self.rule, new_epoch(), store(1, 0)) == ["holds"]

    def test_a_copy_outside(self) -> None:
        small = new_epoch(nodeset=frozenset({0, 1}))
        assert outcomes(self.rule, small, store(1, 2, copyset=frozenset({0, 1}))) == ["violated"]

    def test_a_copyset_that_names_a_node_outside(self) -> None:
        small = new_epoch(nodeset=frozenset({0, 1}))
        assert outcomes(self.rule, small, store(1, 0)) == ["violated"]


class TestOrder:
    """LogDevice, common/Appender.h: a writer is answered once its record's copies are stored."""

    rule = "log.append.copy_before_ack"

    def test_stored_then_acknowledged(self) -> None:
        assert outcomes(self.rule, store(1, 0), ack(1)) == ["holds"]

    def test_acknowledged_then_stored(self) -> None:
        assert outcomes(self.rule, ack(1, time=5), store(1, 0, time=6)) == ["violated"]

    def test_clocks_too_close_to_tell(self) -> None:
        loose = Topology.flat(3).parameters(clock_bound_ns=10)
        assert outcomes(self.rule, ack(1, time=5), store(1, 0, time=6), parameters=loose) == ["unknown"]


class TestOneRecord:
    """LogDevice, Recovery: a consistent and immutable state."""

    def test_copies_agree(self) -> None:
        assert outcomes("log.append.one_record", store(1, 0), store(1, 1)) == ["holds"]

    def test_copies_differ(self) -> None:
        assert outcomes("log.append.one_record", store(1, 0), store(1, 1, digest=8)) == ["violated"]

    def test_recovery_decides_on_what_lies_there(self) -> None:
        kept = at(Mutate, 1, 1, becomes=RECORD, recovery=2, digest=7)
        assert outcomes("log.append.one_record", store(1, 0), kept) == ["holds"]
        assert outcomes("log.append.one_record", store(1, 0), kept | {"digest": 8}) == ["violated"]
        assert outcomes("log.append.one_record", store(1, 0), kept | {"digest": None}) == ["holds"]
        assert outcomes("log.append.one_record", store(1, 0), kept | {"digest": 0, "arg_b": HOLE}) == ["holds"]

    def test_a_copy_whose_payload_is_not_known(self) -> None:
        assert outcomes("log.append.one_record", store(1, 0), store(1, 1, digest=None)) == ["unknown"]

    def test_what_is_stored_is_what_was_appended(self) -> None:
        append = at(Append, 1, 1, sequencer=0, digest=7)
        assert outcomes("log.append.stores_the_append", append, store(1, 0)) == ["holds"]
        assert outcomes("log.append.stores_the_append", append, store(1, 0, digest=8)) == ["violated"]
        assert outcomes("log.append.stores_the_append", append, store(2, 0)) == ["violated"]
        assert outcomes("log.append.stores_the_append", append) == []

    def test_what_is_acknowledged_is_what_is_stored(self) -> None:
        assert outcomes("log.append.acks_what_is_stored", store(1, 0), ack(1)) == ["holds"]
        assert outcomes("log.append.acks_what_is_stored", store(1, 0), ack(1, digest=8)) == ["violated"]
