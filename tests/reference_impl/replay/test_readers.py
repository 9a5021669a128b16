"""Guards of what readers are given, at their borders: LogDevice, Read path, as ``reference_impl.replay.readers`` cites.

Altered runs show that a guard is asked; only here is it seen that it lets the last allowed LSN through and no further.
"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.replay.known_parameters import NOTHING_KNOWN
from reference_impl.replay.observed import Cluster, Log
from reference_impl.replay.readers import covers_no_acknowledged_record, was_released
from reference_impl.replay.trace_events import TraceEvent, readings
from spec.events import BRIDGE, DATALOSS, HOLE, SKIPPED, TRIM, Deliver, Gap
from tests.support.tiny import THREE, at


@pytest.fixture
def log() -> Log:
    """A log of which nothing is known."""
    return Log(Cluster(THREE, {}, frozenset(), NOTHING_KNOWN))


def said(event: dict[str, Any]) -> TraceEvent:
    """The event as guards read it."""
    read: TraceEvent = readings(THREE.low_bits)[event["kind"]](event)
    return read


def gap(first: int, last: int, reason: int) -> TraceEvent:
    """A reader is told of a gap in epoch 1."""
    return said(at(Gap, 1, first, reader=9, reason=reason, upto_epoch=1, upto_esn=last))


def test_a_reader_is_given_the_last_released_lsn_and_none_after_it(log: Log) -> None:
    log.released = (1 << THREE.low_bits) + 5
    assert was_released.check(log, said(at(Deliver, 1, 5, reader=9, digest=7))) is None
    assert was_released.check(log, said(at(Deliver, 1, 6, reader=9, digest=7))) is not None
    assert was_released.check(log, gap(6, 6, HOLE)) is not None
    assert was_released.check(log, gap(6, 6, TRIM)) is None, "all of a clean epoch may be trimmed"


@pytest.mark.parametrize("reason", [HOLE, BRIDGE, DATALOSS, SKIPPED])
def test_a_benign_gap_covers_nothing_acknowledged_from_its_first_lsn_to_its_last(log: Log, reason: int) -> None:
    log.epoch(1).acked.update({4, 8})
    allowed = reason == SKIPPED
    assert covers_no_acknowledged_record.check(log, gap(5, 7, reason)) is None
    for first, last in ((4, 4), (4, 7), (5, 8), (8, 8), (1, 9)):
        assert (covers_no_acknowledged_record.check(log, gap(first, last, reason)) is None) == allowed
