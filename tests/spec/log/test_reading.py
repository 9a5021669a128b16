"""What a reader may be told of an LSN."""

from __future__ import annotations

from typing import Any

import pytest

from spec.events import (
    BAD_CHECKSUM,
    BRIDGE,
    DATALOSS,
    FILTERED_OUT,
    HOLE,
    RECORD,
    SKIPPED,
    TRIM,
    WIPE,
    Ack,
    Clean,
    Deliver,
    Erase,
    Fault,
    Gap,
    Mutate,
    NewEpoch,
    Read,
    Release,
    Ship,
    StatusTable,
    Store,
    Trim,
)
from spec.log.topology import Topology
from tests.support.tiny import at, outcomes

FIVE = Topology.flat(5).parameters()


def ack(esn: int, required: int = 2) -> dict[str, object]:
    """A record of epoch 1 is acknowledged."""
    return at(Ack, 1, esn, writer=5, digest=esn, required=required, copyset=frozenset({0, 1}))


def deliver(esn: int, reader: int = 9, digest: int | None = None) -> dict[str, object]:
    """A reader is given a record of epoch 1."""
    return at(Deliver, 1, esn, reader=reader, digest=esn if digest is None else digest)


def gap(first: int, last: int, reason: int, **fields: object) -> dict[str, object]:
    """A reader is given a gap in epoch 1."""
    return at(Gap, 1, first, **({"upto_epoch": 1, "upto_esn": last, "reader": 9, "reason": reason} | fields))


def plug(esn: int, node: int) -> dict[str, object]:
    """A node stores a hole plug of a recovery."""
    return at(Store, 1, esn, node=node, becomes=HOLE, recovery=2, digest=0)


class TestAcknowledgedIsDelivered:
    """LogDevice, Recovery, Log recovery: acknowledged records must always be delivered to the reader."""

    rule = "client.read.acked_is_delivered"

    def test_delivered(self) -> None:
        assert outcomes(self.rule, ack(1), deliver(1)) == ["holds"]

    def test_nobody_read_so_far(self) -> None:
        assert outcomes(self.rule, ack(1)) == [], "whether it is lost was not asked"
        assert outcomes("client.read.acked_is_asked_for", ack(1)) == ["unknown"]
        assert outcomes("client.read.acked_is_asked_for", ack(1), deliver(1)) == ["holds"]

    def test_passed_over_in_silence(self) -> None:
        start = at(Read, 1, 1, reader=9)
        assert outcomes(self.rule, ack(2), start, deliver(1), deliver(3)) == ["violated"]
        assert outcomes(self.rule, ack(1), start, deliver(3)) == ["violated"], "between where it began and the first"
        assert outcomes(self.rule, ack(2), start, deliver(1), gap(2, 2, FILTERED_OUT), deliver(3)) == ["holds"]

    def test_loss_is_asked_of_each_reader(self) -> None:
        assert outcomes(self.rule, ack(2), deliver(2, reader=8), gap(1, 3, DATALOSS)) == ["violated"]

    def test_a_reader_begins_anew(self) -> None:
        first = [at(Read, 1, 1, reader=9), deliver(1), deliver(2)]
        again = [at(Read, 1, 2, reader=9), deliver(2)]
        assert outcomes(self.rule, ack(1), ack(2), *first, *again) == ["holds"] * 2

    @pytest.mark.parametrize("reason", [HOLE, BRIDGE, DATALOSS, SKIPPED])
    def test_passed_over(self, reason: int) -> None:
        assert outcomes(self.rule, ack(2), gap(1, 3, reason)) == ["violated"]

    def test_trimmed_records_are_gone_by_wish(self) -> None:
        assert outcomes(self.rule, ack(2), at(Trim, 1, 3), gap(1, 3, TRIM)) == ["holds"]
        assert outcomes(self.rule, ack(2), gap(1, 3, TRIM)) == ["unknown"], "nobody recorded what was trimmed"
        assert outcomes(self.rule, ack(2), at(Trim, 1, 1), gap(1, 3, TRIM)) == ["violated"]

    def test_a_gap_that_ends_before(self) -> None:
        assert outcomes(self.rule, ack(4), gap(1, 3, DATALOSS)) == []

    def test_a_long_gap_is_not_hidden_by_a_short_one(self) -> None:
        assert outcomes(self.rule, ack(5), gap(1, 9, SKIPPED), gap(3, 3, HOLE, reader=8)) == ["violated"]


class TestLossOfCopies:
    """LogDevice, Read path: as long as no more than R-1 nodes are unavailable, read availability is guaranteed."""

    rule = "log.read.acked_or_lost_copies"

    def test_no_copy_was_lost(self) -> None:
        assert outcomes(self.rule, ack(1), gap(1, 1, DATALOSS)) == ["violated"]

    def test_all_promised_copies_were_lost(self) -> None:
        lost = [at(Erase, 1, 1, node=node) for node in (0, 1)]
        assert outcomes(self.rule, ack(1), *lost, gap(1, 1, DATALOSS)) == []

    def test_one_promised_copy_is_all_that_was_promised(self) -> None:
        assert outcomes(self.rule, ack(1, required=1), at(Erase, 1, 1, node=0), gap(1, 1, SKIPPED)) == []


class TestGaps:
    """LogDevice, Read path, Reporting gaps: benign gaps, and data loss."""

    def test_no_gap_over_an_acknowledged_record(self) -> None:
        assert outcomes("log.read.no_gap_over_acked", gap(1, 3, HOLE), ack(4)) == ["holds"]
        assert outcomes("log.read.no_gap_over_acked", gap(1, 3, HOLE), ack(3)) == ["violated"]

    def test_no_benign_gap_over_what_another_reader_was_given(self) -> None:
        assert outcomes("log.read.repeatable_gaps", gap(1, 1, HOLE), deliver(2)) == ["holds"]
        assert outcomes("log.read.repeatable_gaps", gap(1, 2, BRIDGE), deliver(2, reader=8)) == ["violated"]

    def test_a_hole_needs_a_plug(self) -> None:
        plug = at(Mutate, 1, 1, becomes=HOLE, recovery=2, digest=0)
        assert outcomes("log.read.hole_is_plugged", plug, gap(1, 1, HOLE)) == ["holds"]
        assert outcomes("log.read.hole_is_plugged", gap(1, 1, HOLE)) == ["violated"]

    def test_a_hole_is_no_loss(self) -> None:
        """Unless so many plugs were lost that nobody can say what it was."""
        rule = "log.read.hole_is_no_loss"
        epoch = at(NewEpoch, 1, 0, nodeset=frozenset(range(5)), replication={"node": 2})
        plugged = [epoch, at(Mutate, 1, 2, becomes=HOLE, recovery=2, digest=0), plug(2, 0), plug(2, 1)]
        assert outcomes(rule, *plugged, gap(2, 2, HOLE), parameters=FIVE) == ["holds"]
        assert outcomes(rule, *plugged, gap(1, 3, DATALOSS), parameters=FIVE) == ["violated"]
        assert outcomes(rule, *plugged, gap(1, 1, DATALOSS), gap(3, 3, DATALOSS), parameters=FIVE) == ["holds"]
        assert outcomes(rule, *plugged, at(Erase, 1, 2, node=1), gap(2, 2, DATALOSS), parameters=FIVE) == []


class TestPath:
    """LogDevice, ClientReadStream: records and gaps partition the range read."""

    rule = "log.read.covers_all"

    def test_every_step_begins_where_the_last_ended(self) -> None:
        start = at(Read, 1, 1, reader=9)
        assert outcomes(self.rule, start, deliver(1), gap(2, 4, HOLE), deliver(5)) == ["holds"] * 3

    def test_an_lsn_is_left_out(self) -> None:
        assert outcomes(self.rule, at(Read, 1, 1, reader=9), deliver(1), deliver(3)) == ["holds", "violated"]

    def test_a_bridge_leads_to_the_first_record_of_the_next_epoch(self) -> None:
        bridge = gap(2, (1 << 32) - 1, BRIDGE)
        after = at(Deliver, 2, 1, reader=9, digest=1)
        assert outcomes(self.rule, at(Read, 1, 1, reader=9), deliver(1), bridge, after) == ["holds"] * 3

    def test_the_first_lsn_asked_for_is_left_out(self) -> None:
        assert outcomes(self.rule, at(Read, 1, 1, reader=9), deliver(2)) == ["violated"]

    def test_in_order(self) -> None:
        start = at(Read, 1, 1, reader=9)
        assert outcomes("client.read.in_order", start, deliver(1), deliver(2)) == ["holds"] * 2
        second, first = deliver(2), deliver(1)
        assert outcomes("client.read.in_order", start, second, first) == ["violated", "holds"]
        assert outcomes("client.read.in_order", start, deliver(1), deliver(1)) == ["holds", "violated"]


class TestDataLoss:
    """LogDevice, Read path, Gap detection: |nodeset| - R + 1 nodes, here 5 - 3 + 1 = 3 (the seed's own example)."""

    shipped, written = "log.read.dataloss_is_proved", "log.read.dataloss_is_proved_as_written"
    nodeset = frozenset(range(5))

    def trace(self, responders: set[int], **statuses: frozenset[int]) -> list[dict[str, object]]:
        """Epoch 1 on five nodes, three copies; statuses at version 1; a loss that these nodes answered for."""
        nobody: frozenset[int] = frozenset()
        table: dict[str, Any] = {"unavailable": nobody, "underreplicated": nobody, "empty": nobody} | statuses
        return [
            at(NewEpoch, 1, 0, sequencer=0, nodeset=self.nodeset, replication={"node": 3}),
            at(StatusTable, version=1, **table),
            gap(1, 1, DATALOSS, responders=frozenset(responders), statuses=1),
        ]

    def say(self, rule: str, responders: set[int], **statuses: frozenset[int]) -> list[str]:
        """What one of the two rules says of the loss."""
        return outcomes(rule, *self.trace(responders, **statuses), parameters=FIVE)

    def test_two_of_five_is_no_f_majority(self) -> None:
        assert self.say(self.shipped, {1, 2}) == ["violated"]
        assert self.say(self.written, {1, 2}) == ["violated"]

    def test_three_of_five_is(self) -> None:
        assert self.say(self.shipped, {0, 1, 2}) == ["holds"]
        assert self.say(self.written, {0, 1, 2}) == ["holds"]

    def test_an_empty_node_is_as_if_it_was_never_in_the_nodeset(self) -> None:
        empty = frozenset({3, 4})
        assert self.say(self.shipped, {0}, empty=empty) == ["holds"]
        assert self.say(self.shipped, {3, 4}, empty=empty) == ["violated"]

    def test_where_the_document_and_the_code_differ(self) -> None:
        """All FULLY_AUTHORITATIVE nodes answered while others are merely down: the document allows the gap."""
        down = frozenset({2, 3, 4})
        assert self.say(self.written, {0, 1}, unavailable=down) == ["holds"]
        assert self.say(self.shipped, {0, 1}, unavailable=down) == ["violated"]

    def test_nodes_whose_data_is_gone_need_not_answer(self) -> None:
        gone = frozenset({2, 3, 4})
        assert self.say(self.shipped, {0, 1}, underreplicated=gone) == ["holds"]
        assert self.say(self.shipped, {0}, underreplicated=gone) == ["violated"]

    def test_a_node_that_answers_has_its_data_unless_its_disk_is_known_to_be_lost(self) -> None:
        told = self.trace({1, 2, 3}, underreplicated=frozenset({2}))
        assert outcomes(self.shipped, *told, parameters=FIVE) == ["holds"]
        assert outcomes(self.shipped, *told, at(Fault, node=4, what=WIPE), parameters=FIVE) == ["holds"]
        assert outcomes(self.shipped, *told, at(Fault, node=2, what=WIPE), parameters=FIVE) == ["violated"]

    def test_a_reader_that_does_not_say_who_answered_is_unknown(self) -> None:
        epoch, statuses, _ = self.trace(set())
        silent = gap(1, 1, DATALOSS, responders=None, statuses=1)
        assert outcomes(self.shipped, epoch, statuses, silent, parameters=FIVE) == ["unknown"]


def test_a_reader_is_given_what_nodes_stored() -> None:
    rule = "log.read.gives_what_is_stored"
    copies = [at(Store, 1, 1, node=node, digest=7, becomes=RECORD) for node in (0, 1)]
    assert outcomes(rule, *copies, deliver(1, digest=7)) == ["holds"]
    assert outcomes(rule, *copies, deliver(1, digest=8)) == ["violated"]
    assert outcomes(rule, deliver(1, digest=7)) == ["violated"]
    assert outcomes(rule, *copies) == []


def test_no_record_is_given_over_a_hole() -> None:
    rule = "log.read.no_record_over_hole"
    plug, keep = (at(Mutate, 1, 1, becomes=kind, recovery=2, digest=7) for kind in (HOLE, RECORD))
    clean = at(Clean, 1, 2, recovery=2)
    assert outcomes(rule, plug, clean) == ["holds"]
    assert outcomes(rule, plug, clean, deliver(1)) == ["violated"]
    sent, plug_sent = (
        at(Ship, 1, 1, node=2, reader=9, life=0, order=1, digest=7, becomes=kind) for kind in (RECORD, HOLE)
    )
    assert outcomes(rule, plug, clean, sent) == ["violated"]
    assert outcomes(rule, plug, clean, plug_sent) == ["holds"]
    assert outcomes(rule, plug, keep, clean, deliver(1)) == ["holds"], "it began again, and nobody knows what it left"
    assert outcomes(rule, plug, at(Clean, 1, 2, recovery=3), deliver(1)) == ["holds"], "another one finished the epoch"
    assert outcomes(rule, plug, deliver(1)) == []


def test_no_hole_or_bridge_is_told_over_a_record_that_was_kept() -> None:
    rule = "log.read.no_record_over_hole"
    epoch = at(NewEpoch, 1, 0, nodeset=frozenset({0, 1, 2}), replication={"node": 2})
    copies = [at(Store, 1, 1, node=node, digest=7, becomes=RECORD, recovery=0) for node in (0, 1)]
    kept = [at(Mutate, 1, 1, becomes=RECORD, recovery=3, digest=7), at(Clean, 1, 2, recovery=3)]
    plug = at(Mutate, 1, 1, becomes=HOLE, recovery=2, digest=0)
    held = [epoch, *copies, *kept]
    assert outcomes(rule, *held, gap(2, 2, BRIDGE)) == ["holds"]
    assert outcomes(rule, *held, gap(1, 2, BRIDGE)) == ["violated"]
    assert outcomes(rule, *held, plug, gap(1, 1, HOLE)) == ["violated"], "the plug of one that was preempted"
    assert outcomes(rule, *held, gap(1, 1, BRIDGE), at(Erase, 1, 1, node=0)) == ["holds"]
    assert outcomes(rule, *held, gap(1, 1, BRIDGE), at(Fault, node=0, what=BAD_CHECKSUM)) == ["holds"]
    table = at(StatusTable, version=4, unavailable=frozenset(), underreplicated=frozenset({1}), empty=frozenset())
    assert outcomes(rule, *held, table, gap(1, 1, BRIDGE, statuses=4)) == ["holds"]


def test_no_bridge_is_told_over_what_was_released_within_its_epoch() -> None:
    """While a valid copyset holds it; of what was stored or trimmed since, or not released so, that is not asked."""
    rule = "log.read.no_record_over_hole"
    epoch = at(NewEpoch, 1, 0, nodeset=frozenset({0, 1, 2}), replication={"node": 2})
    copies = [at(Store, 1, 1, node=node, digest=7, becomes=RECORD, recovery=0) for node in (0, 1)]
    released, told = at(Release, 1, 2), gap(1, 1, BRIDGE)
    assert outcomes(rule, epoch, *copies, released, told) == ["violated"]
    assert outcomes(rule, epoch, *copies[1:], released, told) == ["holds"]
    assert outcomes(rule, epoch, *copies, released, at(Erase, 1, 1, node=0), told) == ["holds"]
    assert outcomes(rule, epoch, released, *copies, at(Store, 1, 1, node=2, digest=7, becomes=RECORD), told) == []
    assert outcomes(rule, epoch, *copies, at(Release, 2, 1), told) == []
    assert outcomes(rule, epoch, *copies, released, at(Trim, 1, 1), told) == []
    assert outcomes(rule, epoch, *copies, released) == []


class TestHeldLosses:
    """Read path, Gap detection: those who answered have no record."""

    rule = "log.read.loss_is_not_held"
    epoch = at(NewEpoch, 1, 0, nodeset=frozenset({0, 1, 2}), replication={"node": 2})

    @staticmethod
    def copies(*, time: int = 5) -> list[dict[str, Any]]:
        """Two nodes store a record."""
        return [at(Store, 1, 1, node=node, digest=7, becomes=RECORD, recovery=0, time=time) for node in (0, 1)]

    @staticmethod
    def loss(*heard: int) -> dict[str, Any]:
        """A reader is told that the record is lost."""
        return gap(1, 1, DATALOSS, responders=frozenset(heard), statuses=1, time=9)

    def test_who_answers_holds_nothing(self) -> None:
        erased = [at(Erase, 1, 1, node=node) for node in (0, 1)]
        assert outcomes(self.rule, self.epoch, *self.copies(), self.loss(0, 1, 2)) == ["violated"]
        assert outcomes(self.rule, self.epoch, *self.copies(), *erased, self.loss(0, 1, 2)) == ["holds"]
        assert outcomes(self.rule, self.epoch, *self.copies(), self.loss(1, 2)) == ["violated"]
        assert outcomes(self.rule, self.epoch, *self.copies(), self.loss(2)) == ["holds"]
        assert outcomes(self.rule, self.epoch, *self.copies()) == []

    def test_copies_that_nobody_can_read(self) -> None:
        bad = [at(Fault, node=node, what=BAD_CHECKSUM) for node in (0, 1)]
        assert outcomes(self.rule, self.epoch, *self.copies(), self.loss(1, 2), bad[1]) == ["holds"]
        assert outcomes(self.rule, self.epoch, *self.copies(), self.loss(0, 1, 2), *bad) == ["holds"]
        assert outcomes(self.rule, self.epoch, *self.copies(), self.loss(0, 1, 2), bad[0]) == ["violated"]

    def test_copies_that_came_after_the_answer(self) -> None:
        released = at(Release, 1, 1, time=4)
        assert outcomes(self.rule, self.epoch, *self.copies(), released, self.loss(0, 1, 2)) == ["holds"]
        assert outcomes(self.rule, self.epoch, *self.copies(time=4), released, self.loss(0, 1, 2)) == ["violated"]

    def test_what_came_later_or_was_overruled(self) -> None:
        plug = at(Mutate, 1, 1, becomes=HOLE, recovery=2, digest=0)
        bridge = at(Store, 1, 1, node=2, digest=0, becomes=BRIDGE, recovery=2)
        assert outcomes(self.rule, self.epoch, *self.copies(time=10), self.loss(0, 1, 2)) == ["holds"]
        assert outcomes(self.rule, self.epoch, *self.copies(), plug, self.loss(0, 1, 2)) == ["holds"]
        assert outcomes(self.rule, self.epoch, *self.copies(), bridge, self.loss(0, 1, 2)) == ["holds"]
