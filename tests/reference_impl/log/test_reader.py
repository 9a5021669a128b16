"""A reader accounts for every LSN: LogDevice, Read path, How reads happen and Gap detection.

common/client_read_stream/ClientReadStream.cpp where the document is silent.
"""

from __future__ import annotations

from dataclasses import replace

from reference_impl.log import notes
from reference_impl.log.copies import Copy
from reference_impl.log.lsn import ESN_MAX, lsn_of
from reference_impl.log.messages import Nodeset, WhichNodes
from reference_impl.log.reader import Reader, learn_nodes, poll, receive, start
from reference_impl.log.statuses import Statuses
from reference_impl.log.storage_messages import Entries, Poll, ReadFrom, StartReading
from spec.events import BRIDGE, DATALOSS, HOLE, RECORD
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = machine_of()
READING = Reader(log=0, stream=1, next_lsn=lsn_of(1, 1), nodes=EVERYONE)


def entries(node: int, copies: dict[int, int], upto: int, first: int = 1, since: int = 0) -> Entries:
    """A node's answer for these ESNs of epoch 1: what each holds, with ten times the ESN as digest."""
    held = tuple((lsn_of(1, esn), Copy(what, 10 * esn, 0, 1, frozenset())) for esn, what in copies.items())
    return Entries(node, since, lsn_of(1, first), lsn_of(1, upto), held)


def test_it_asks_for_the_nodeset_and_then_all_its_nodes() -> None:
    """All send all: every node of the epoch is asked for the whole window."""
    reader, sent, events = taken(start(Reader(0, 1), StartReading(lsn_of(1, 1)), NOW, MACHINE))
    assert (sent, kinds_of(events)) == ([WhichNodes(1, 1)], [notes.READ])
    reader, sent, _ = taken(learn_nodes(reader, Nodeset(1, EVERYONE), NOW, MACHINE))
    assert sent == [ReadFrom(1, lsn_of(1, 1), lsn_of(1, MACHINE.reader_window))] * 5
    assert learn_nodes(reader, Nodeset(1, EVERYONE), NOW, MACHINE) is None


def test_records_are_given_in_order_and_once() -> None:
    """Re-ordering and De-duplication: what comes early waits, what comes again is dropped."""
    reader, _, events = taken(receive(READING, entries(0, {2: RECORD}, upto=2), NOW, MACHINE))
    assert (events, reader.next_lsn) == ([], lsn_of(1, 1))
    reader, _, events = taken(receive(reader, entries(1, {1: RECORD, 2: RECORD}, upto=2), NOW, MACHINE))
    assert [(event["kind"], event["esn"], event["digest"]) for event in events] == [
        (notes.DELIVER, 1, 10),
        (notes.DELIVER, 2, 20),
    ]
    reader, _, events = taken(receive(reader, entries(2, {1: RECORD, 2: RECORD}, upto=2), NOW, MACHINE))
    assert (events, reader.buffer) == ([], {})


def test_a_hole_plug_is_a_gap_of_one_and_a_bridge_ends_the_epoch() -> None:
    """Reporting gaps: neither needs an f-majority. The next epoch may have other nodes."""
    reader, sent, events = taken(receive(READING, entries(0, {1: HOLE, 2: BRIDGE}, upto=2), NOW, MACHINE))
    assert [(event["arg"], event["esn"], event["upto_esn"]) for event in events] == [
        (HOLE, 1, 1),
        (BRIDGE, 2, ESN_MAX),
    ]
    assert (reader.next_lsn, reader.nodes) == (lsn_of(2, 1), frozenset())
    assert sent == [WhichNodes(1, 2)]


def test_a_loss_is_reported_after_an_f_majority_only() -> None:
    """Gap detection algorithm: of five nodes and three copies, three have to say that they hold nothing."""
    reader, _, events = taken(receive(READING, entries(0, {3: RECORD}, upto=3), NOW, MACHINE))
    reader, _, more = taken(receive(reader, entries(1, {}, upto=3), NOW, MACHINE))
    assert events == more == []
    reader, _, events = taken(receive(reader, entries(2, {}, upto=3), NOW, MACHINE))
    loss, record = events
    assert (loss["arg"], loss["esn"], loss["upto_esn"], loss["nodes"]) == (DATALOSS, 1, 2, frozenset({0, 1, 2}))
    assert (record["kind"], record["esn"]) == (notes.DELIVER, 3)


def test_an_answer_for_a_part_proves_nothing_about_the_rest() -> None:
    reader = READING
    for node, upto in ((0, 3), (1, 1), (2, 1)):
        reader, _, events = taken(receive(reader, entries(node, {3: RECORD} if upto == 3 else {}, upto), NOW, MACHINE))
        assert events == []


def test_an_answer_must_go_on_where_the_last_one_ended() -> None:
    """Answers overtake each other; between two there may be records that are still on their way."""
    assert receive(READING, entries(0, {5: RECORD}, upto=5, first=4), NOW, MACHINE) is None
    reader, _, _ = taken(receive(READING, entries(0, {}, upto=3), NOW, MACHINE))
    assert receive(reader, entries(0, {}, upto=2), NOW, MACHINE) is None
    reader, _, _ = taken(receive(reader, entries(0, {5: RECORD}, upto=5, first=4), NOW, MACHINE))
    assert reader.cursors == {0: lsn_of(1, 5)}


def test_after_a_loss_of_copies_all_nodes_must_answer_again() -> None:
    """Authoritative Status: what nodes said before copies were moved no longer proves that nothing is there."""
    reader, _, _ = taken(receive(READING, entries(1, {}, upto=3), NOW, MACHINE))
    lost = replace(MACHINE, statuses=Statuses().with_lost(0))
    assert receive(reader, entries(2, {}, upto=3), NOW, lost) is None
    reader, sent, _ = taken(poll(reader, Poll(), NOW, lost))
    assert (reader.cursors, len(sent)) == ({}, 5)
