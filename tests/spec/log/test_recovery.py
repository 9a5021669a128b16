"""Sealing, and what an epoch's tail becomes: LogDevice, Recovery after the failure of a sequencer."""

from __future__ import annotations

from dataclasses import replace

from spec.events import (
    BRIDGE,
    HOLE,
    RECORD,
    WIPE,
    Ack,
    Append,
    Clean,
    Deliver,
    Draining,
    Erase,
    Fault,
    Mutate,
    NewEpoch,
    Planned,
    Release,
    Seal,
    SoftSealed,
    StatusTable,
    Store,
)
from spec.language.parameters import Parameters
from spec.log.topology import Topology
from tests.support.tiny import THREE, at, outcomes

ALL = frozenset({0, 1, 2})


def new_epoch(epoch: int, sequencer: int = 0) -> dict[str, object]:
    """An epoch begins on three nodes, with two copies of each record."""
    return at(NewEpoch, epoch, 0, sequencer=sequencer, nodeset=ALL, replication={"node": 2})


def ack(esn: int, digest: int = 7) -> dict[str, object]:
    """A record of epoch 1 is acknowledged."""
    return at(Ack, 1, esn, writer=5, digest=digest, required=2, copyset=frozenset({0, 1}))


def store(esn: int, node: int, becomes: int = RECORD, recovery: int = 0, epoch: int = 1) -> dict[str, object]:
    """A node holds what a writer wrote at an LSN."""
    return at(Store, epoch, esn, node=node, wave=1, becomes=becomes, recovery=recovery, copyset=ALL, digest=7)


def plan(*written: int, nth: int | None = 1) -> dict[str, object]:
    """A recovery heard all of epoch 1, and may write to these nodes."""
    return at(Planned, 1, 0, recovery=2, round=nth, heard=ALL, written=frozenset(written), statuses=1)


def mutate(esn: int, becomes: int, digest: int = 7, recovery: int = 2) -> dict[str, object]:
    """A recovery decides what an LSN of epoch 1 is to be."""
    return at(Mutate, 1, esn, becomes=becomes, recovery=recovery, digest=digest)


def test_soft_seals_refuse_appends_of_earlier_epochs() -> None:
    """STORE_Message.cpp, checkIfPreempted; recoveries rely on normal seals alone."""
    rule = "log.seal.soft_fences"
    before, soft, late = store(1, 0), at(SoftSealed, 1, 0, node=0), store(1, 0)
    recovered = store(1, 0, recovery=2)
    assert outcomes(rule, before, soft, store(1, 0, epoch=2)) == ["holds"]
    assert outcomes(rule, soft, late, store(1, 0, epoch=2)) == ["violated"]
    assert outcomes(rule, soft, recovered) == []
    drains = at(Draining, 1, 1, sequencer=4)
    assert outcomes(rule, drains, soft, late, store(1, 0, epoch=2)) == ["holds"]


class TestSeals:
    """Recovery example: it tells the storage nodes to reject records with epochs smaller than e6."""

    rule = "log.seal.fences"

    def test_stored_before_the_seal(self) -> None:
        assert outcomes(self.rule, store(1, 0), at(Seal, 1, 0, node=0)) == ["holds"]

    def test_stored_below_the_seal(self) -> None:
        assert outcomes(self.rule, at(Seal, 1, 0, node=0), store(1, 0)) == ["violated"]

    def test_a_seal_of_a_later_epoch_fences_the_earlier_one(self) -> None:
        assert outcomes(self.rule, at(Seal, 2, 0, node=0), store(1, 0)) == ["violated"]

    def test_a_seal_of_an_earlier_epoch_does_not_fence_the_later_one(self) -> None:
        assert outcomes(self.rule, at(Seal, 1, 0, node=0), store(1, 0, epoch=2)) == []

    def test_recovery_writes_through_its_own_seal(self) -> None:
        assert outcomes(self.rule, at(Seal, 1, 0, node=0), store(1, 0, recovery=2)) == []

    def test_another_nodes_seal_does_not_count(self) -> None:
        assert outcomes(self.rule, at(Seal, 1, 0, node=1), store(1, 0)) == []


class TestOutcomes:
    """Log recovery: acknowledged records stay, missing ones become benign gaps, a bridge ends the epoch."""

    def test_no_hole_over_an_acknowledged_record(self) -> None:
        assert outcomes("log.recovery.hole_is_benign", mutate(1, HOLE, 0)) == ["holds"]
        assert outcomes("log.recovery.hole_is_benign", ack(1), mutate(1, HOLE, 0)) == ["violated"]

    def test_an_acknowledged_record_stays_that_record(self) -> None:
        rule = "log.recovery.keeps_acked"
        assert outcomes(rule, ack(1), mutate(1, RECORD)) == ["holds"]
        assert outcomes(rule, ack(1), mutate(1, RECORD, 8)) == ["violated"]
        assert outcomes(rule, ack(1), mutate(1, BRIDGE, 0)) == ["violated"]

    def test_nothing_is_kept_after_a_bridge(self) -> None:
        rule = "log.recovery.bridge_is_last"
        assert outcomes(rule, ack(1), mutate(2, BRIDGE, 0)) == ["holds"]
        assert outcomes(rule, mutate(2, BRIDGE, 0), ack(3)) == ["violated"]
        assert outcomes(rule, mutate(2, BRIDGE, 0), at(Deliver, 1, 3, reader=9, digest=7)) == ["violated"]
        assert outcomes(rule, mutate(2, BRIDGE, 0), at(Deliver, 2, 1, reader=9, digest=7)) == ["holds"]

    def test_nothing_is_kept_after_the_end_of_a_clean_epoch(self) -> None:
        """Whether its bridge was recorded or not; an epoch that is full ends with its last record."""
        rule, clean = "log.recovery.bridge_is_last", at(Clean, 1, 2, recovery=2)
        assert outcomes(rule, clean, ack(1)) == ["holds"]
        assert outcomes(rule, clean, ack(2)) == ["holds"]
        assert outcomes(rule, clean, ack(3)) == ["violated"]
        assert outcomes(rule, clean, at(Deliver, 2, 1, reader=9, digest=7)) == ["holds"]

    def test_recoveries_of_a_clean_epoch_agree(self) -> None:
        """Whatever one had decided that finished nothing."""
        rule = "log.recovery.clean_is_kept"
        kept, clean = mutate(1, RECORD), at(Clean, 1, 2, recovery=2)
        assert outcomes(rule, kept, clean, mutate(1, RECORD, recovery=3)) == ["holds"]
        assert outcomes(rule, kept, clean, mutate(1, HOLE, 0, recovery=3)) == ["violated"]
        assert outcomes(rule, kept, clean, mutate(1, RECORD, 8, recovery=3)) == ["violated"]
        assert outcomes(rule, kept, at(Clean, 1, 2, recovery=3), mutate(1, HOLE, 0, recovery=3)) == ["holds"]
        assert outcomes(rule, kept, mutate(1, HOLE, 0, recovery=3)) == []

    def test_the_outcome_is_replicated_before_the_epoch_is_clean(self) -> None:
        rule = "log.recovery.outcome_is_replicated"
        said = [new_epoch(1), plan(0, 1), mutate(1, HOLE, 0), mutate(2, BRIDGE, 0)]
        copies = [store(esn, node, kind, 2) for esn, kind in ((1, HOLE), (2, BRIDGE)) for node in (0, 1)]
        clean = at(Clean, 1, 2, recovery=2)
        assert outcomes(rule, *said, *copies, clean) == ["holds", "holds"]
        assert outcomes(rule, *said, *copies[1:], clean) == ["violated", "holds"]
        assert outcomes(rule, *said, *copies[1:]) == []

    def test_the_outcome_is_what_was_decided(self) -> None:
        """Copies of the record that was plugged are none of the plug."""
        rule = "log.recovery.outcome_is_replicated"
        said = [new_epoch(1), plan(0, 1), at(Clean, 1, 1, recovery=2)]
        records, plugs = [store(1, node) for node in (0, 1)], [store(1, node, HOLE, 2) for node in (0, 1)]
        assert outcomes(rule, *said, mutate(1, HOLE, 0), *records) == ["violated"]
        assert outcomes(rule, *said, mutate(1, RECORD), *plugs) == ["violated"]
        assert outcomes(rule, *said, mutate(1, RECORD), *records) == ["holds"]

    def test_a_recovery_stores_what_it_can(self) -> None:
        """On all to which it may write, if its plan says that these are too few."""
        rule = "log.recovery.outcome_is_replicated"
        said = [new_epoch(1), mutate(1, RECORD), store(1, 0), at(Clean, 1, 1, recovery=2)]
        assert outcomes(rule, *said, plan(0)) == ["holds"]
        assert outcomes(rule, *said, plan(1)) == ["violated"]
        assert outcomes(rule, *said, plan(0, 1)) == ["violated"]
        assert outcomes(rule, *said) == ["violated"]
        assert outcomes(rule, *said, plan(0, 1), plan(0, nth=2)) == ["holds"]
        assert outcomes(rule, *said, plan(0), plan(0, 1, nth=2)) == ["violated"]
        assert outcomes(rule, *said, plan(0), plan(0, 1)) == ["unknown"]
        assert outcomes(rule, *said, plan(0, nth=None)) == ["unknown"]
        assert outcomes(rule, new_epoch(1), mutate(1, RECORD), at(Clean, 1, 1, recovery=2), plan()) == ["violated"]

    def test_what_nodes_gave_up_before_the_epoch_was_clean_lies_nowhere(self) -> None:
        """Unless it was stored again, or lost with a disk; what becomes of it later is not asked."""
        rule, clean = "log.recovery.outcome_is_replicated", at(Clean, 1, 1, recovery=2, time=500)
        said = [new_epoch(1), mutate(1, HOLE, 0)]
        said += [store(1, node, HOLE, 2) | {"time_ns": 100} for node in (0, 1)]
        erased = at(Erase, 1, 1, node=0, time=200)
        assert outcomes(rule, *said, erased, clean) == ["violated"]
        assert outcomes(rule, *said, erased, store(1, 0, HOLE, 2) | {"time_ns": 300}, clean) == ["holds"]
        assert outcomes(rule, *said, store(1, 2, HOLE, 2) | {"time_ns": 100}, erased, clean) == ["holds"]
        assert outcomes(rule, *said, at(Fault, node=0, what=WIPE, time=200), erased, clean) == ["holds"]
        assert outcomes(rule, *said, erased | {"time_ns": 501}, clean) == ["holds"]
        assert outcomes(rule, *said, erased | {"time_ns": None}, clean) == ["unknown"]

    def test_what_was_decided_before_a_restart_counts_for_nothing(self) -> None:
        anew = [mutate(1, BRIDGE, 0), mutate(1, RECORD)]
        ended = [mutate(1, RECORD), mutate(1, BRIDGE, 0)]
        clean = at(Clean, 1, 1, recovery=2)
        rule = "log.recovery.clean_is_kept"
        assert outcomes(rule, *anew, clean) == ["holds"]
        assert outcomes(rule, *anew, clean, mutate(1, RECORD, recovery=3)) == ["holds"]
        assert outcomes(rule, *anew, clean, mutate(1, BRIDGE, 0, recovery=3)) == ["violated"]
        assert outcomes(rule, mutate(1, RECORD, recovery=1), mutate(1, BRIDGE, 0), clean) == ["holds"]
        assert outcomes(rule, mutate(1, BRIDGE, 0), at(Clean, 1, 1, recovery=2), mutate(1, RECORD)) == ["violated"]
        rule = "log.recovery.bridge_is_last"
        assert outcomes(rule, *anew, ack(1)) == []
        assert outcomes(rule, *ended, ack(2)) == ["violated"]
        assert outcomes(rule, mutate(1, RECORD, recovery=1), *anew, ack(1)) == []
        assert outcomes(rule, mutate(1, RECORD, recovery=1), *ended, ack(2)) == ["violated"]

    def test_bridges_of_two_recoveries_are_one_only_if_none_between_decided_otherwise(self) -> None:
        rule = "log.recovery.bridge_is_last"
        said = [new_epoch(1), mutate(1, BRIDGE, 0, 2), mutate(1, BRIDGE, 0, 4), mutate(1, RECORD, recovery=5), ack(1)]
        first, record, second = store(1, 0, BRIDGE, 2), store(1, 1, RECORD, 3), store(1, 2, BRIDGE, 4)
        assert outcomes(rule, *said, first, second) == ["violated"]
        assert outcomes(rule, *said, first, record, second) == []


class TestOrder:
    """The last clean epoch advances one epoch at a time; records are released after recovery."""

    def test_epochs_are_cleaned_oldest_first(self) -> None:
        rule = "log.recovery.oldest_first"
        epochs = [new_epoch(1), new_epoch(2)]
        first, second = at(Clean, 1, 4, time=100, recovery=3), at(Clean, 2, 4, time=200, recovery=3)
        assert outcomes(rule, *epochs, first, second) == ["holds"]
        assert outcomes(rule, *epochs, first | {"time_ns": 300}, second) == ["violated"]
        assert outcomes(rule, *epochs, second) == ["violated"]

    def test_the_new_epoch_is_released_after_the_old_one_is_clean(self) -> None:
        rule = "log.recovery.before_release"
        epochs = [new_epoch(1), new_epoch(2)]
        clean, release = at(Clean, 1, 4, time=100, recovery=2), at(Release, 2, 1, time=200)
        assert outcomes(rule, *epochs, clean, release) == ["holds"]
        assert outcomes(rule, *epochs, clean | {"time_ns": 300}, release) == ["violated"]
        assert outcomes(rule, *epochs, release) == ["violated"]
        assert outcomes(rule, new_epoch(1), at(Release, 1, 1, time=5)) == []


class TestReleases:
    """LogDevice, Read path: nodes only deliver records that the sequencer released."""

    append = at(Append, 1, 1, sequencer=0, digest=7)

    def test_what_is_released_is_replicated(self) -> None:
        rule = "log.release.is_replicated"
        release = at(Release, 1, 1)
        assert outcomes(rule, new_epoch(1), self.append, store(1, 0), store(1, 1), release) == ["holds"]
        assert outcomes(rule, new_epoch(1), self.append, store(1, 0), release) == ["violated"]
        assert outcomes(rule, new_epoch(1), self.append, store(1, 0)) == []

    def test_a_release_covers_all_below_it(self) -> None:
        assert outcomes("log.release.is_replicated", new_epoch(1), self.append, at(Release, 1, 9)) == ["violated"]

    def test_what_lies_after_the_bridge_was_never_read(self) -> None:
        late = at(Append, 1, 5, sequencer=0, digest=9)
        said = outcomes("log.release.is_replicated", new_epoch(1), mutate(3, BRIDGE, 0), late, at(Release, 2, 0))
        assert said == ["holds"]

    def test_a_recovery_without_authority_leaves_a_loss_open(self) -> None:
        """It plugs no hole where it has not heard an f-majority, and readers may go on all the same."""
        first, second = [at(Append, 1, esn, sequencer=0, digest=7) for esn in (1, 2)]
        kept = [store(2, node) for node in (0, 1)]
        healthy = at(StatusTable, version=1, unavailable=frozenset(), underreplicated=frozenset(), empty=frozenset())
        table = healthy | {"nodes_b": frozenset({2, 3})}
        said = [new_epoch(1) | {"nodes": ALL | {3}}, first, second, *kept, mutate(2, RECORD)]
        heard = plan(0, 1) | {"nodes": frozenset({0, 1})}
        clean, release = at(Clean, 1, 3, recovery=2), at(Release, 2, 0)
        copy = store(1, 0)
        for rule in ("log.release.is_replicated", "log.release.below_last_known_good"):
            parameters = replace(Topology.flat(4).parameters(), copies=2)

            def judged(*events: dict[str, object], rule: str = rule, parameters: Parameters = parameters) -> str:
                return outcomes(rule, *said, *events, parameters=parameters)[0]

            assert judged(table, heard, clean, release) == "holds"
            assert judged(table, heard, release, clean | {"time_ns": release["time_ns"] + 1}) == "violated"
            assert judged(table, heard, copy, clean | {"time_ns": 0}, release) == "violated"
            assert judged(table, heard | {"nodes": ALL}, clean, release) == "holds"
            assert judged(healthy, heard | {"nodes": ALL}, clean, release) == "violated"
            assert judged(table, clean, release) == "violated"

    def test_released_only_once_stored_in_full(self) -> None:
        """Whether its client heard of it, and when, does not matter: clients have time-outs."""
        two = replace(THREE, copies=2)

        def said(*events: dict[str, object]) -> list[str]:
            return outcomes("log.release.below_last_known_good", self.append, *events, parameters=two)

        first, second, release, late = store(1, 0), store(1, 1), at(Release, 1, 1), store(1, 1)
        assert said(first, second, release) == ["holds"]
        assert said(first, release) == ["violated"]
        assert said(first, release, late) == ["violated"]
        assert said(mutate(1, RECORD), release) == ["holds"]
        assert said(at(Release, 1, 9, time=second["time_ns"]), first, late, release) == ["violated"]

    def test_delivered_only_once_released(self) -> None:
        rule = "log.release.before_delivery"
        early = at(Deliver, 1, 1, reader=9, digest=7)
        release = at(Release, 1, 1)
        late = at(Deliver, 1, 1, reader=9, digest=7)
        assert outcomes(rule, release, late) == ["holds"]
        assert outcomes(rule, early, release) == ["violated"]
        assert outcomes(rule, late) == ["violated"]

    def test_the_first_release_that_covers_a_record_counts(self) -> None:
        """Nodes say at different times what is released, and one that is told late says it of a lower LSN."""
        rule = "log.release.before_delivery"
        first, delivered, later = at(Release, 1, 3), at(Deliver, 1, 1, reader=9, digest=7), at(Release, 1, 1)
        assert outcomes(rule, first, delivered, later) == ["holds"]
        assert outcomes(rule, delivered, at(Release, 1, 3), later) == ["violated"]
