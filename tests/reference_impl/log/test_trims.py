"""Trimming at a node: the trim point, what goes with it, and what readers and recoveries are told.

LogDevice, common/protocol/TRIM_Message.h; server/read_path/CatchupOneStream.cpp.
"""

from __future__ import annotations

from typing import Final

from reference_impl.kernel.pages import Pages
from reference_impl.log import trace_events
from reference_impl.log.copies import Copy
from reference_impl.log.lsn import ESN_MAX, lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading_messages import Began, Shipped, StartSending
from reference_impl.log.rebuilding.holding import come_back
from reference_impl.log.rebuilding.messages import ComeBack
from reference_impl.log.serving.requests import start_sending
from reference_impl.log.storage import read_digest
from reference_impl.log.storage_messages import ReadDigest
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.trimming import TrimUpto, trim
from spec.events import RECORD
from tests.support.machines import NOW, kinds_of, machine_of, taken

MACHINE: Final = machine_of()


def e(esn: int, epoch: int = 1) -> int:
    """An LSN."""
    return lsn_of(epoch, esn)


def copy(digest: int) -> Copy:
    """A copy of a record that its sequencer wrote."""
    return Copy(RECORD, digest, 0, 1, frozenset({0, 1, 2}))


def node_with(*esns: int, clean: int = 1) -> NodeLog:
    """A node that has some records of epoch 1, which is clean, and may send them."""
    copies: Pages[Copy] = Pages()
    for esn in esns:
        copies = copies.with_(e(esn), copy(esn))
    return NodeLog(0, 1, seal=1, clean=clean, copies=copies, released=e(9, 2))


def start(first: int, window_high: int, until: int = e(99, 9)) -> StartSending:
    """A reader asks for everything from an LSN on."""
    return StartSending(4, 1, True, 1, first, until, window_high, 1)


class TestTrimPoint:
    """It rises, as far as was asked, within what is clean."""

    def test_what_lies_below_goes(self) -> None:
        after, _, events = taken(trim(node_with(1, 2, 3), TrimUpto(e(2)), NOW, MACHINE))
        assert (after.trimmed, [lsn for lsn, _ in after.copies.items()]) == (e(2), [e(3)])
        assert kinds_of(events) == [trace_events.TRIMMED]

    def test_a_late_request_changes_nothing(self) -> None:
        after, _, _ = taken(trim(node_with(1, 2, 3), TrimUpto(e(2)), NOW, MACHINE))
        assert trim(after, TrimUpto(e(1)), NOW, MACHINE) is None

    def test_what_may_have_to_be_recovered_stays(self) -> None:
        after, _, _ = taken(trim(node_with(1, 2), TrimUpto(e(7, 2)), NOW, MACHINE))
        assert after.trimmed == e(ESN_MAX)
        assert trim(node_with(1, 2, clean=0), TrimUpto(e(2)), NOW, MACHINE) is None

    def test_whoever_comes_back_with_nothing_has_it_again(self) -> None:
        after, _, events = taken(come_back(NodeLog(0, 1), ComeBack(2, e(5)), NOW, MACHINE))
        assert (after.seal, after.trimmed) == (2, e(5))
        assert kinds_of(events) == [trace_events.SEAL, trace_events.TRIMMED]


class TestWhatIsTold:
    """Readers are told that something is trimmed before anything else; recoveries are told nothing of it."""

    def test_a_reader_that_begins_there(self) -> None:
        here = node_with(5)._replace(trimmed=e(3))
        _, sent, _ = taken(start_sending(here, start(e(1), e(8)), NOW, MACHINE))
        told = [one for one in sent if isinstance(one, Shipped)]
        assert isinstance(sent[0], Began)
        assert [(one.first, one.upto, one.reason) for one in told] == [
            (e(1), e(3), GapReason.TRIM),
            (e(4), e(8), GapReason.NO_RECORDS),
        ]

    def test_a_window_that_ends_there_is_no_bound(self) -> None:
        here = node_with(5)._replace(trimmed=e(3))
        after, sent, _ = taken(start_sending(here, start(e(1), e(2)), NOW, MACHINE))
        assert [one.upto for one in sent if isinstance(one, Shipped)] == [e(3)]
        assert after.serving.streams[4].next_lsn == e(4)

    def test_the_end_is_one(self) -> None:
        here = node_with(5)._replace(trimmed=e(3))
        _, sent, _ = taken(start_sending(here, start(e(1), e(2), until=e(2)), NOW, MACHINE))
        assert [one.upto for one in sent if isinstance(one, Shipped)] == [e(2)]

    def test_a_reader_that_waits_there(self) -> None:
        here, _, _ = taken(start_sending(node_with(1, 2, 3), start(e(1), e(1)), NOW, MACHINE))
        _, sent, _ = taken(trim(here, TrimUpto(e(2)), NOW, MACHINE))
        assert [(one.first, one.upto, one.reason) for one in sent] == [(e(2), e(2), GapReason.TRIM)]

    def test_a_recovery_hears_nothing_of_a_part_that_is_trimmed(self) -> None:
        here = node_with(3)._replace(trimmed=e(2))
        assert read_digest(here, ReadDigest(1, 2, 1, 0, 0), NOW, MACHINE) is None
        assert read_digest(here, ReadDigest(1, 2, 1, 2, 0), NOW, MACHINE) is not None
