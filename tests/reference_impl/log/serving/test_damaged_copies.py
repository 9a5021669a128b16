"""What nodes send where copies are damaged or lost, and what readers make of it.

LogDevice, common/protocol/GAP_Message.h, CHECKSUM_FAIL and UNDER_REPLICATED; Read path, Compression.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.log.context import COMPRESSED, REGIONS, LogContext
from reference_impl.log.copies import Copy
from reference_impl.log.frames import expands, frame_of
from reference_impl.log.lsn import lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading import told_by
from reference_impl.log.reading_messages import Shipped, StartSending
from reference_impl.log.serving.requests import start_sending
from reference_impl.log.stream.inputs import Batch, GapReason
from spec.events import BRIDGE, RECORD
from tests.support.machines import NOW, machine_of, taken

Said = tuple[list[int], int, GapReason]


def e(esn: int) -> int:
    """The LSN of an ESN of epoch 1."""
    return lsn_of(1, esn)


def holding(*esns: int, damaged: tuple[int, ...]) -> NodeLog:
    """A node with copies at these ESNs, of which some are damaged; the last one is a bridge."""
    here = NodeLog(0, 1, released=e(9))
    for esn in esns:
        becomes = BRIDGE if esn == esns[-1] else RECORD
        copy = Copy(becomes, 0 if becomes else 10 * esn, 0, 1, frozenset({0, 1, 2}), esn in damaged)
        here = here._replace(copies=here.copies.with_(e(esn), copy))
    return here


def sent(here: NodeLog, context: LogContext) -> list[Shipped]:
    """What the node sends to whoever asks for ESN 1 to 9."""
    start = StartSending(7, 1, True, 1, e(1), e(1000), e(9), 1)
    _, messages, _ = taken(start_sending(here, start, NOW, context))
    return [message for message in messages if isinstance(message, Shipped)]


def numbered(messages: list[Shipped]) -> list[Said]:
    """The ESNs of the records in each message, up to which ESN there is nothing else, and why."""
    return [([lsn - e(0) for lsn, _ in one.records], one.upto - e(0), one.reason) for one in messages]


def heard(messages: list[Shipped], context: LogContext) -> list[Batch]:
    """What a reader tells its stream of them."""
    found = [one for message in messages for one in told_by(message, context)]
    return [one for one in found if isinstance(one, Batch)]


def variant(name: str) -> LogContext:
    """A machine that does something besides."""
    return replace(machine_of(), variants=frozenset({name}))


def test_a_copy_that_cannot_be_read_is_a_gap_of_its_own() -> None:
    assert numbered(sent(holding(1, 2, 3, 5, damaged=(2,)), machine_of())) == [
        ([1], 1, GapReason.NO_RECORDS),
        ([], 2, GapReason.CHECKSUM_FAIL),
        ([3, 5], 9, GapReason.NO_RECORDS),
    ]


class TestRegions:
    """A node that knows where it may lack copies says so of all that region, and of what it has there."""

    def test_it_reaches_from_the_first_to_the_last(self) -> None:
        messages = sent(holding(1, 2, 3, 4, 6, damaged=(2, 4)), variant(REGIONS))
        assert numbered(messages) == [
            ([1], 1, GapReason.NO_RECORDS),
            ([3], 4, GapReason.UNDER_REPLICATED),
            ([6], 9, GapReason.NO_RECORDS),
        ]
        batches = heard(messages, variant(REGIONS))
        assert [[record.under_replicated for record in batch.records] for batch in batches] == [
            [False],
            [True],
            [False],
        ]

    def test_without_damage_there_is_none(self) -> None:
        assert numbered(sent(holding(1, 2, damaged=()), variant(REGIONS))) == [([1, 2], 9, GapReason.NO_RECORDS)]


class TestFrames:
    """Records are sent as they lie on disk, compressed: only the reader sees whether they are what was written."""

    @pytest.mark.parametrize("digest", [0, 1, -1, 2**63 - 1, -(2**63)])
    def test_what_comes_out_went_in(self, digest: int) -> None:
        copy = Copy(RECORD, digest, 0, 1, frozenset())
        assert expands(frame_of(copy)) == digest
        assert expands(frame_of(copy._replace(damaged=True))) is None

    def test_damaged_records_are_sent_and_noticed(self) -> None:
        context = variant(COMPRESSED)
        messages = sent(holding(1, 2, 3, damaged=(2,)), context)
        assert numbered(messages) == [([1, 2, 3], 9, GapReason.NO_RECORDS)]
        (batch,) = heard(messages, context)
        assert [(record.digest, record.damaged) for record in batch.records] == [(10, False), (20, True), (0, False)]

    def test_plugs_and_bridges_have_no_payload(self) -> None:
        context = variant(COMPRESSED)
        assert numbered(sent(holding(1, 2, damaged=(2,)), context)) == [
            ([1], 1, GapReason.NO_RECORDS),
            ([], 2, GapReason.CHECKSUM_FAIL),
            ([], 9, GapReason.NO_RECORDS),
        ]
