"""What a storage node sends to readers: LogDevice, Read path, How reads happen; Single Copy Delivery.

server/read_path/CatchupOneStream.cpp: in the order of LSNs, no further than the window and what is released.
"""

from __future__ import annotations

from typing import Any

from reference_impl.log.copies import Copy
from reference_impl.log.delivery.shipping import Stored, Stream, shippers
from reference_impl.log.delivery.shuffle import FIXED_SEEDS
from reference_impl.log.lsn import lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading_messages import Began, MoveWindow, Shipped, StartSending, StopSending, Unknown
from reference_impl.log.serving.catching_up import BATCH, sends
from reference_impl.log.serving.requests import move_window, start_sending, stop_sending
from reference_impl.log.serving.sending import Sending
from reference_impl.log.storage import after_crash, release
from reference_impl.log.storage_messages import Release
from reference_impl.log.stream.inputs import GapReason
from spec.events import HOLE, RECORD
from tests.support.machines import NOW, machine_of, taken

MACHINE = machine_of()
COPYSET = frozenset({0, 1, 2})


def e(esn: int) -> int:
    """The LSN of an ESN of epoch 1."""
    return lsn_of(1, esn)


def holding(*esns: int, released: int = 0, node: int = 1, becomes: int = RECORD) -> NodeLog:
    """A node with copies at these ESNs, which knows that so many are released."""
    here = NodeLog(0, node, released=e(released))
    for esn in esns:
        here = here._replace(copies=here.copies.with_(e(esn), Copy(becomes, 10 * esn, 0, 1, COPYSET)))
    return here


def asked(first: int = 1, high: int = 9, **others: Any) -> StartSending:
    """A START of stream 7 over connection 1."""
    fields: dict[str, Any] = {"connection": 1, "opens": True, "order": 1, "until": e(1000), "version": 1} | others
    return StartSending(stream=7, first=e(first), window_high=e(high), **fields)


def esns(message: Shipped) -> tuple[list[int], int]:
    """The ESNs of what was sent, and up to which ESN there is nothing else."""
    return [lsn - e(0) for lsn, _ in message.records], message.upto - e(0)


def test_a_start_is_answered_and_what_is_released_follows() -> None:
    """Nothing is shown before it is released: then in order, and with a gap up to the end of the batch."""
    here, (began, shipped), _ = taken(start_sending(holding(1, 3, 4, released=3), asked(), NOW, MACHINE))
    assert (began.version, began.released, began.number, shipped.number) == (1, e(3), 0, 1)
    assert esns(shipped) == ([1, 3], 3)
    _, (more,), _ = taken(release(here, Release(e(8), {}), NOW, MACHINE))
    assert (esns(more), more.number) == (([4], 8), 2)


def test_a_node_decides_once_for_a_block() -> None:
    """Copies in a row that share a copyset are sent or skipped together: Read path, Copyset index."""
    looked_at: list[int] = []

    def decided(sending: Sending, lsn: int, copy: Copy) -> bool:
        looked_at.append(lsn - e(0))
        return copy.copyset == COPYSET

    machine = MACHINE.deciding(sends.otherwise(decided))
    here = holding(1, 2, 3, 6, 7, released=7)
    for esn in (4, 5):
        here = here._replace(copies=here.copies.with_(e(esn), Copy(RECORD, 10 * esn, 0, 1, frozenset({1, 3}))))
    _, (_, shipped), _ = taken(start_sending(here, asked(single_copy=True), NOW, machine))
    assert esns(shipped) == ([1, 2, 3, 6, 7], 7)
    assert looked_at == [1, 4, 6]


def test_nothing_is_sent_beyond_the_window_before_it_moves() -> None:
    """Flow control: WINDOW allows more; an earlier window allows nothing less."""
    here, (_, shipped), _ = taken(start_sending(holding(1, 5, released=9), asked(high=3), NOW, MACHINE))
    assert esns(shipped) == ([1], 3)
    assert move_window(here, MoveWindow(7, 1, 1, e(2), 2), NOW, MACHINE) is not None
    here, (more,), _ = taken(move_window(here, MoveWindow(7, 1, 1, e(6), 2), NOW, MACHINE))
    assert esns(more) == ([5], 6)
    here, _, _ = taken(move_window(here, MoveWindow(7, 1, 1, e(4), 3), NOW, MACHINE))
    assert here.serving.streams[7].high == e(6)


def test_a_window_of_other_filters_is_passed_over() -> None:
    """It speaks of what was asked for before."""
    here, _, _ = taken(start_sending(holding(released=9), asked(high=3), NOW, MACHINE))
    here, _, _ = taken(move_window(here, MoveWindow(7, 1, 5, e(8), 2), NOW, MACHINE))
    assert here.serving.streams[7].high == e(3)


def test_much_is_sent_in_batches() -> None:
    """Each speaks of the LSNs up to its last record, the last one up to the end."""
    here = holding(*range(1, BATCH + 3), released=BATCH + 5)
    _, (_, one, two), _ = taken(start_sending(here, asked(high=99), NOW, MACHINE))
    assert esns(one) == (list(range(1, BATCH + 1)), BATCH)
    assert esns(two) == ([BATCH + 1, BATCH + 2], BATCH + 5)


def test_a_copy_that_cannot_be_read_is_a_gap_of_its_own() -> None:
    """GAP_Message.h, CHECKSUM_FAIL: the node may lack a record there, and says so."""
    here = holding(1, 2, 3, released=4)
    spoilt = Copy(RECORD, 20, 0, 1, COPYSET, damaged=True)
    here = here._replace(copies=here.copies.with_(e(2), spoilt))
    _, (_, *sent), _ = taken(start_sending(here, asked(), NOW, MACHINE))
    assert [(*esns(one), one.reason) for one in sent] == [
        ([1], 1, GapReason.NO_RECORDS),
        ([], 2, GapReason.CHECKSUM_FAIL),
        ([3], 4, GapReason.NO_RECORDS),
    ]


def test_what_the_reader_lacks_is_sent_again() -> None:
    here, _, _ = taken(start_sending(holding(1, released=9), asked(), NOW, MACHINE))
    here, again, _ = taken(move_window(here, MoveWindow(7, 1, 1, e(9), 1), NOW, MACHINE))
    assert [message.number for message in again] == [1]
    assert taken(move_window(here, MoveWindow(7, 1, 1, e(9), 2), NOW, MACHINE))[1] == []


def test_a_start_over_the_same_connection_goes_on_counting() -> None:
    """A rewind: the reader knows by STARTED from where on the new filters count."""
    here, _, _ = taken(start_sending(holding(1, released=9), asked(), NOW, MACHINE))
    again = asked(first=2, order=2, version=2, opens=False)
    here, (began, shipped), _ = taken(start_sending(here, again, NOW, MACHINE))
    assert (began.number, began.version, shipped.number, esns(shipped)) == (2, 2, 3, ([], 9))
    assert start_sending(here, asked(), NOW, MACHINE) is None


def test_a_crash_forgets_who_reads() -> None:
    """The reader is told, since it waits for what nobody will repeat; what is newly opened is served."""
    here, _, _ = taken(start_sending(holding(1, released=9), asked(), NOW, MACHINE))
    here = after_crash(here)
    assert (here.serving.life, here.serving.streams) == (2, {})
    for late in (MoveWindow(7, 1, 1, e(9), 2), asked(order=2, opens=False)):
        handler = move_window if isinstance(late, MoveWindow) else start_sending
        assert taken(handler(here, late, NOW, MACHINE))[1] == [Unknown(1, 1)]  # type: ignore[arg-type]
    _, (began,), _ = taken(start_sending(here, asked(connection=2, order=3), NOW, MACHINE))
    assert began == Began(1, 2, 2, 0, 1, 0)


def test_a_stream_that_was_stopped_is_sent_nothing() -> None:
    here, _, _ = taken(start_sending(holding(), asked(), NOW, MACHINE))
    assert stop_sending(here, StopSending(7, 0), NOW, MACHINE) is None
    here, _, _ = taken(stop_sending(here, StopSending(7, 1), NOW, MACHINE))
    assert taken(release(here, Release(e(8), {}), NOW, MACHINE))[1] == []
    assert start_sending(here, asked(), NOW, MACHINE) is None


def test_in_single_copy_delivery_one_node_sends_a_record_and_every_node_a_hole() -> None:
    """Primary recipient; LocalLogStoreReadFilter for holes."""
    (primary,) = shippers(Stream(0, seeds=FIXED_SEEDS), Stored(e(1), (0, 1, 2)))
    for node in COPYSET:
        start = asked(single_copy=True)
        _, (_, shipped), _ = taken(start_sending(holding(1, released=1, node=node), start, NOW, MACHINE))
        assert esns(shipped) == ([1] if node == primary else [], 1)
        plug = holding(1, released=1, node=node, becomes=HOLE)
        assert esns(taken(start_sending(plug, start, NOW, MACHINE))[1][1]) == ([1], 1)
    others = [
        node
        for node in COPYSET - {primary}
        if esns(
            taken(
                start_sending(
                    holding(1, released=1, node=node),
                    asked(single_copy=True, filtered_out=frozenset({primary})),
                    NOW,
                    MACHINE,
                )
            )[1][1]
        )
        == ([1], 1)
    ]
    assert len(others) == 1
