"""A reader joined with nodes, the metadata log, the event log and a clock: LogDevice, Read path, How reads happen.

What it does with what it hears is tested with the read stream; here is how it hears.
"""

from __future__ import annotations

from typing import Any

from reference_impl.kernel.step import After, step
from reference_impl.log import trace_events
from reference_impl.log.copies import Copy
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Nodeset, WhichNodes
from reference_impl.log.reader import Reader
from reference_impl.log.reading import HANDLERS, record_of
from reference_impl.log.reading_messages import (
    Alarm,
    Began,
    MoveWindow,
    Poll,
    Shipped,
    StartReading,
    StartSending,
    StatusesTold,
    Unknown,
)
from reference_impl.log.statuses import Statuses
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.timers import Timer
from spec.events import BRIDGE, DATALOSS, HOLE, RECORD
from spec.log.status import Status
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = machine_of()


def e(esn: int) -> int:
    """The LSN of an ESN of epoch 1."""
    return lsn_of(1, esn)


def asking() -> tuple[Reader, list[Any]]:
    """A reader that knows the nodeset, and what it asked of the nodes."""
    reader, _, _ = taken(step(HANDLERS, Reader(0, 1), StartReading(e(1)), NOW, MACHINE))
    reader, sent, _ = taken(step(HANDLERS, reader, Nodeset(1, EVERYONE), NOW, MACHINE))
    return reader, sent


def reading(*nodes: int) -> Reader:
    """A reader to which these nodes have answered."""
    reader, _ = asking()
    for node in nodes or EVERYONE:
        reader, _, _ = taken(step(HANDLERS, reader, Began(node, 1, 1, 0, 1, e(0)), NOW, MACHINE))
    return reader


def shipped(node: int, copies: dict[int, int], upto: int, number: int = 1, first: int = 1) -> Shipped:
    """What a node sends of these ESNs: what each is, with ten times the ESN as digest."""
    held = tuple((e(esn), Copy(what, 10 * esn, 0, 1, frozenset())) for esn, what in copies.items())
    return Shipped(node, 1, 1, number, held, e(first), e(upto))


def test_it_asks_for_the_nodeset_and_then_all_its_nodes() -> None:
    """All send all: every node of the epoch is asked, up to the end of the window."""
    reader, sent, events = taken(step(HANDLERS, Reader(0, 1), StartReading(e(1)), NOW, MACHINE))
    assert (sent, kinds_of(events)) == ([WhichNodes(1, 1)], [trace_events.READ])
    reader, sent, _ = taken(step(HANDLERS, reader, Nodeset(1, EVERYONE), NOW, MACHINE))
    assert len(sent) == 5
    assert all(isinstance(one, StartSending) and (one.opens, one.window_high) == (True, e(32)) for one in sent)
    assert step(HANDLERS, reader, Nodeset(2, EVERYONE), NOW, MACHINE) is None


def test_records_are_given_in_order_and_once() -> None:
    """Re-ordering and De-duplication: what comes early waits, what comes again is dropped."""
    reader, _, events = taken(step(HANDLERS, reading(), shipped(0, {2: RECORD}, upto=2), NOW, MACHINE))
    assert (events, reader.next_lsn) == ([], e(1))
    reader, _, events = taken(step(HANDLERS, reader, shipped(1, {1: RECORD, 2: RECORD}, upto=2), NOW, MACHINE))
    assert [(event["kind"], event["esn"], event["digest"]) for event in events] == [
        (trace_events.DELIVER, 1, 10),
        (trace_events.DELIVER, 2, 20),
    ]
    reader, _, events = taken(step(HANDLERS, reader, shipped(2, {1: RECORD, 2: RECORD}, upto=2), NOW, MACHINE))
    assert events == []


def test_a_message_waits_for_those_before_it() -> None:
    """The stream believes a node that it has sent everything before."""
    reader, _, events = taken(
        step(HANDLERS, reading(), shipped(0, {2: RECORD}, upto=2, number=2, first=2), NOW, MACHINE)
    )
    assert events == []
    assert reader.stream is not None
    assert reader.stream.senders[0].next_lsn == 0
    _, _, events = taken(step(HANDLERS, reader, shipped(0, {1: RECORD}, upto=1), NOW, MACHINE))
    assert [event["esn"] for event in events] == [1, 2]


def test_a_hole_plug_is_a_gap_of_one_and_a_bridge_ends_the_epoch() -> None:
    """Reporting gaps: neither needs an f-majority. The metadata of the next epoch are asked for."""
    reader, sent, events = taken(step(HANDLERS, reading(), shipped(0, {1: HOLE, 2: BRIDGE}, upto=2), NOW, MACHINE))
    assert [(event["arg"], event["esn"]) for event in events] == [(HOLE, 1), (BRIDGE, 2)]
    assert reader.next_lsn == lsn_of(2, 0)
    assert WhichNodes(1, 2) in sent
    assert record_of(0, e(1), Copy(BRIDGE, 0, 1, 1, frozenset()))[:4] == (0, e(1), True, True)


def test_a_loss_is_reported_after_an_f_majority_and_a_grace_period() -> None:
    """Gap detection algorithm: of five nodes and three copies, three have to say that they hold nothing."""
    reader = reading()
    for node in range(3):
        reader, _, events = taken(step(HANDLERS, reader, shipped(node, {1: RECORD, 4: RECORD}, upto=4), NOW, MACHINE))
        assert [event["esn"] for event in events] == [1] * (node == 0)
    _, _, events = taken(step(HANDLERS, reader, alarm(reader, Timer.GRACE), NOW, MACHINE))
    loss, record = events
    assert (loss["arg"], loss["esn"], loss["upto_esn"], loss["nodes"]) == (DATALOSS, 2, 3, frozenset({0, 1, 2}))
    assert (record["kind"], record["esn"]) == (trace_events.DELIVER, 4)


def alarm(reader: Reader, timer: Timer, shard: int = -1) -> Alarm:
    """A timer of the reader's as it rings."""
    return Alarm(timer, shard, reader.alarms.running[timer, shard])


def test_a_timer_that_was_stopped_does_nothing() -> None:
    reader = reading()
    for node in range(3):
        reader, _, _ = taken(step(HANDLERS, reader, shipped(node, {3: RECORD}, upto=3), NOW, MACHINE))
    grace = alarm(reader, Timer.GRACE)
    reader, _, _ = taken(step(HANDLERS, reader, shipped(3, {1: RECORD, 2: RECORD}, upto=3), NOW, MACHINE))
    assert step(HANDLERS, reader, grace, NOW, MACHINE) is None


def test_a_node_that_does_not_answer_is_asked_again() -> None:
    """Over another connection: the first START may still come, and would begin to count anew."""
    reader, _ = asking()
    reader, sent, _ = taken(step(HANDLERS, reader, alarm(reader, Timer.STARTED, 3), NOW, MACHINE))
    assert [(one.connection, one.opens, one.order) for one in sent] == [(2, True, 2)]


def test_a_node_that_was_started_anew_is_asked_anew() -> None:
    """Whether it says so, or is heard with another life."""
    for heard in (
        step(HANDLERS, reading(), Unknown(2, 1), NOW, MACHINE),
        step(HANDLERS, reading(), Began(2, 2, 1, 0, 1, e(0)), NOW, MACHINE),
    ):
        reader, _, _ = taken(heard)
        assert reader.stream is not None
        assert reader.stream.senders[2].connection is Connection.RECONNECT_PENDING
        reader, sent, _ = taken(step(HANDLERS, reader, alarm(reader, Timer.RECONNECT, 2), NOW, MACHINE))
        assert [(one.connection, one.opens) for one in sent] == [(2, True)]
        assert step(HANDLERS, reader, Unknown(2, 1), NOW, MACHINE) is None


def test_what_may_be_lost_is_said_again() -> None:
    """The metadata log is asked until it answers, nodes are told the window and which message is missing."""
    reader, _, _ = taken(step(HANDLERS, Reader(0, 1), StartReading(e(1)), NOW, MACHINE))
    assert taken(step(HANDLERS, reader, Poll(), NOW, MACHINE))[1] == [WhichNodes(1, 1)]
    assert taken(step(HANDLERS, reading(2), Poll(), NOW, MACHINE))[1] == [MoveWindow(1, 1, 1, e(32), 1)]


def test_the_event_log_counts_for_nodes_that_do_not_send() -> None:
    """Authoritative Status: the connection to a node that is gone is closed, and then its status is believed.

    Where what it held lies elsewhere now, everyone is asked anew.
    """
    reader = reading()
    reader, _, _ = taken(
        step(HANDLERS, reader, StatusesTold(Statuses(1, 1, underreplicated=frozenset({4}))), NOW, MACHINE)
    )
    assert reader.stream is not None
    assert reader.stream.senders[4].status is Status.UNDERREPLICATION
    empty = StatusesTold(Statuses(2, 2, empty=frozenset({4})))
    reader, _, _ = taken(step(HANDLERS, reader, empty, NOW, MACHINE))
    assert step(HANDLERS, reader, empty, NOW, MACHINE) is None
    reader, sent, _ = taken(step(HANDLERS, reader, alarm(reader, Timer.REWIND), NOW, MACHINE))
    assert [(one.version, one.opens) for one in sent] == [(2, False)] * 4 + [(2, True)]


def test_timers_run_as_the_stream_asks() -> None:
    """One for each node that has not answered."""
    stepped = step(HANDLERS, Reader(0, 1), StartReading(e(1)), NOW, MACHINE)
    assert stepped is not None
    learned = step(HANDLERS, stepped[0], Nodeset(1, EVERYONE), NOW, MACHINE)
    assert learned is not None
    alarms = [effect.message for effect in learned[1] if isinstance(effect, After)]
    assert sorted(one.shard for one in alarms if one.timer is Timer.STARTED) == sorted(EVERYONE)
