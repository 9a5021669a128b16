"""The metadata log as nodes and messages: how it is written, who waits for it, and how it is read.

LogDevice, Read path, Metadata log; common/LogRecoveryRequest.cpp, readSequencerMetaData; common/MetaDataLogReader.h.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reference_impl.kernel.step import Send, step
from reference_impl.log import addresses, trace_events
from reference_impl.log.activation import begin
from reference_impl.log.context import METADATA_LOG, PURGING
from reference_impl.log.epoch_store import EpochStore, give_epoch, set_written
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import EpochGiven, NextEpoch, Nodeset, Recover, Recovered, WhereLies
from reference_impl.log.metadata_log_writer import (
    Describer,
    describe,
    kept,
    read_again,
    recovered,
    shown,
    write_again,
    written,
)
from reference_impl.log.metadata_messages import (
    Describe,
    KeepMetadata,
    MetadataKept,
    MetadataRead,
    ReadAgain,
    ReadMetadata,
    SetWritten,
    WriteAgain,
    WrittenSet,
)
from reference_impl.log.metadata_nodes import MetadataNode, keep, show
from reference_impl.log.metadata_reading import Finder, Reading, asked_anew, find, heard, look_for
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reader import Reader
from reference_impl.log.reading import HANDLERS
from reference_impl.log.reading_messages import Poll, StartReading
from reference_impl.log.recovering import begin as begin_recovery
from reference_impl.log.recovery import Recovery
from reference_impl.log.sequencer import Role, Sequencer
from reference_impl.log.storage import release
from reference_impl.log.storage_messages import Release
from reference_impl.log.stream.surroundings import Metadata
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = replace(machine_of(), variants=frozenset({METADATA_LOG, PURGING}))
NODES, OTHERS = frozenset({0, 1, 2, 3}), frozenset({1, 2, 3, 4})
FIRST = Metadata(1, NODES, MACHINE.replication)
THIRD = Metadata(3, OTHERS, MACHINE.replication)
BOTH = (FIRST, THIRD)


def given(store: EpochStore) -> tuple[EpochStore, EpochGiven]:
    """The next epoch, with its metadata."""
    after, sent, _ = taken(give_epoch(store, NextEpoch(2, 7), NOW, MACHINE))
    return after, sent[0]


def test_the_epoch_store_gives_metadata_with_an_epoch() -> None:
    store, epoch = given(EpochStore(0, NODES))
    assert epoch.metadata == store.records[-1] == Metadata(1, store.nodesets[1], MACHINE.replication)
    assert not epoch.is_written


def test_metadata_change_only_once_those_before_are_written() -> None:
    """Otherwise a sequencer that fails early would leave a gap in the history."""
    store = EpochStore(0, OTHERS, 2, 0, {1: NODES, 2: NODES}, records=(FIRST,))
    late, epoch = given(store)
    assert (late.nodesets[3], epoch.metadata, epoch.is_written) == (NODES, FIRST, False)
    store, sent, _ = taken(set_written(store, SetWritten(1, 2), NOW, MACHINE))
    assert sent == [WrittenSet(1)]
    late, epoch = given(store)
    assert late.records == (FIRST, epoch.metadata)
    assert epoch.metadata is not None
    assert (epoch.metadata.since, late.nodesets[3] <= OTHERS) == (3, True)


def test_a_sequencer_has_its_metadata_written_at_once() -> None:
    asking = Sequencer(0, 2, Role.ASKING, asked_ns=7)
    _, sent, _ = taken(begin(asking, EpochGiven(7, 3, {3: OTHERS}, {}, THIRD, False), NOW, MACHINE))
    assert sent == [Describe(3, THIRD, False), Recover(3, {3: OTHERS}, {})]


def describing() -> Describer:
    """The third epoch's metadata are being written."""
    here, sent, _ = taken(describe(Describer(0, 2), Describe(3, THIRD, False), NOW, MACHINE))
    assert sent == [KeepMetadata(THIRD, 2)] * 5
    return here


def test_metadata_are_written_once_they_are_replicated() -> None:
    here = describing()
    for node in (0, 1):
        here, sent, _ = taken(kept(here, MetadataKept(3, node), NOW, MACHINE))
        assert sent == []
    here, sent, _ = taken(kept(here, MetadataKept(3, 4), NOW, MACHINE))
    assert sent == [SetWritten(3, 2)]
    assert kept(here, MetadataKept(1, 3), NOW, MACHINE) is None
    here, _, _ = taken(written(here, WrittenSet(3), NOW, MACHINE))
    assert here.is_written


def test_who_is_silent_is_asked_again() -> None:
    """First the nodes, then the epoch store; nobody once it knows."""
    here, _, _ = taken(kept(describing(), MetadataKept(3, 0), NOW, MACHINE))
    assert taken(write_again(here, WriteAgain(3), NOW, MACHINE))[1] == [KeepMetadata(THIRD, 2)] * 4
    here = here._replace(stored=frozenset({0, 1, 4}))
    assert taken(write_again(here, WriteAgain(3), NOW, MACHINE))[1] == [SetWritten(3, 2)]
    assert taken(write_again(here._replace(is_written=True), WriteAgain(3), NOW, MACHINE))[1] == []
    assert write_again(here, WriteAgain(2), NOW, MACHINE) is None


def test_what_an_earlier_sequencer_wrote_is_not_written_again() -> None:
    _, sent, _ = taken(describe(Describer(0, 2), Describe(4, THIRD, True), NOW, MACHINE))
    assert sent == []


def test_a_recovery_is_over_once_the_metadata_can_be_read() -> None:
    """Three copies make a copyset; nodes that have other records do not count."""
    done = Recovered(3, {})
    here, sent, _ = taken(recovered(describing(), done, NOW, MACHINE))
    assert sent == [ReadMetadata(addresses.describer(0, 2), 3)] * 5
    here, _, _ = taken(shown(here, MetadataRead(3, 0, BOTH), NOW, MACHINE))
    assert shown(here, MetadataRead(3, 1, (FIRST,)), NOW, MACHINE) is None
    assert shown(here, MetadataRead(2, 1, BOTH), NOW, MACHINE) is None
    here, _, _ = taken(shown(here, MetadataRead(3, 3, BOTH), NOW, MACHINE))
    assert taken(read_again(here, ReadAgain(3), NOW, MACHINE))[1] == [ReadMetadata(addresses.describer(0, 2), 3)] * 3
    here, sent, events = taken(shown(here, MetadataRead(3, 4, BOTH), NOW, MACHINE))
    assert (sent, kinds_of(events)) == ([done], [trace_events.DESCRIBED])
    assert (events[0]["arg"], events[0]["nodes"], events[0]["nodes_b"]) == (3, OTHERS, frozenset({0, 3, 4}))
    assert read_again(here, ReadAgain(3), NOW, MACHINE) is None
    assert shown(here, MetadataRead(3, 1, BOTH), NOW, MACHINE) is None


def test_what_ends_a_recovery_waits_for_the_metadata() -> None:
    _, effects = begin_recovery(Recovery(0, 2), Recover(1, {1: NODES}, {}), NOW, MACHINE) or (None, ())
    assert effects == (Send(addresses.describer(0, 2), Recovered(1, {})),)


def test_a_node_keeps_records_in_order_and_none_twice() -> None:
    here, sent, _ = taken(keep(MetadataNode(0, 1), KeepMetadata(THIRD, 2), NOW, MACHINE))
    assert sent == [MetadataKept(3, 1)]
    here, _, _ = taken(keep(here, KeepMetadata(FIRST, 2), NOW, MACHINE))
    again, sent, _ = taken(keep(here, KeepMetadata(THIRD, 4), NOW, MACHINE))
    assert (here.records, again, sent) == (BOTH, here, [MetadataKept(3, 1)])
    assert taken(show(here, ReadMetadata(addresses.reader(0, 1), 5), NOW, MACHINE))[1] == [MetadataRead(5, 1, BOTH)]


def test_an_f_majority_must_answer() -> None:
    """Of five nodes three hold each record, so that three must answer: two may both have missed it."""
    reading = asked_anew(Reading(), 3)
    for node in (0, 1):
        stepped = heard(reading, MetadataRead(1, node, (FIRST,)), MACHINE)
        assert stepped is not None
        assert stepped[1] is None
        reading = stepped[0]
    stepped = heard(reading, MetadataRead(1, 4, BOTH), MACHINE)
    assert stepped is not None
    assert stepped[1] is not None
    assert (stepped[0].is_over, stepped[1].metadata) == (True, THIRD)


def test_answers_to_earlier_questions_do_not_count() -> None:
    assert heard(asked_anew(asked_anew(Reading(), 3), 3), MetadataRead(1, 0, BOTH), MACHINE) is None


def test_a_purging_node_reads_the_metadata_log() -> None:
    """It asks as often as there are releases, and is told once an f-majority has answered."""
    stepped = release(NodeLog(0, 1), Release(lsn_of(3, 0), {}), NOW, MACHINE)
    assert stepped is not None
    assert Send(addresses.finder(0, 1), WhereLies(1, 2)) in stepped[1]
    finder, sent, _ = taken(look_for(Finder(0, 1), WhereLies(1, 2), NOW, MACHINE))
    assert sent == [ReadMetadata(addresses.finder(0, 1), 0)] * 5
    finder, _, _ = taken(find(finder, MetadataRead(0, 0, BOTH), NOW, MACHINE))
    assert taken(look_for(finder, WhereLies(1, 2), NOW, MACHINE))[1] == sent[:4]
    finder, _, _ = taken(find(finder, MetadataRead(0, 2, (FIRST,)), NOW, MACHINE))
    finder, sent, _ = taken(find(finder, MetadataRead(0, 3, (FIRST,)), NOW, MACHINE))
    assert (sent, finder.readings) == ([Nodeset(2, NODES)], {})
    assert find(finder, MetadataRead(0, 4, BOTH), NOW, MACHINE) is None


def read_by(reader: Reader, *answers: tuple[Metadata, ...]) -> tuple[Reader, list[Any], list[dict[str, Any]]]:
    """The reader after nodes have answered its last question, what it then sent, and what was recorded."""
    said: tuple[Reader, list[Any], list[dict[str, Any]]] = (reader, [], [])
    for node, records in enumerate(answers):
        said = taken(step(HANDLERS, said[0], MetadataRead(said[0].reading.ticket, node, records), NOW, MACHINE))
    return said


def test_a_reader_reads_the_metadata_log() -> None:
    reader, sent, _ = taken(step(HANDLERS, Reader(0, 1), StartReading(lsn_of(1, 1)), NOW, MACHINE))
    assert sent == [ReadMetadata(addresses.reader(0, 1), 1)] * len(EVERYONE)
    reader, _, events = read_by(reader, (FIRST,), (), (FIRST,))
    assert kinds_of(events) == [trace_events.LEARNT]
    assert (events[0]["epoch"], events[0]["nodes"], events[0]["arg"]) == (1, NODES, 1)
    assert reader.stream is not None
    assert reader.stream.known.last_epoch == 1
    assert frozenset(reader.stream.senders) == NODES


def test_a_reader_waits_for_an_epoch_that_is_not_there() -> None:
    """Nobody has a record: it asks anew, so that earlier answers do not count."""
    reader, _, _ = taken(step(HANDLERS, Reader(0, 1), StartReading(lsn_of(1, 1)), NOW, MACHINE))
    reader, sent, _ = read_by(reader, (), (), ())
    assert (sent, reader.reading) == ([], Reading(1, 2))
    assert taken(step(HANDLERS, reader, Poll(), NOW, MACHINE))[1] == [ReadMetadata(addresses.reader(0, 1), 2)] * 5


def test_an_epoch_without_a_record_of_its_own_is_of_the_range_before() -> None:
    reader, _, _ = taken(step(HANDLERS, Reader(0, 1), StartReading(lsn_of(2, 1)), NOW, MACHINE))
    reader, _, events = read_by(reader, (FIRST,), BOTH, (FIRST,))
    assert [(event["epoch"], event["nodes"]) for event in events if event["kind"] == trace_events.LEARNT] == [
        (2, NODES)
    ]
