"""What a recovery makes of the copies that it hears of: LogDevice, Recovery, Log recovery and Bridge record.

common/Digest.cpp has the rules of precedence and of bridges.
"""

from __future__ import annotations

import pytest

from reference_impl.log.copies import Copy, Outcome
from reference_impl.log.lsn import lsn_of
from reference_impl.log.outcomes import best_copy, decide
from reference_impl.log.storage_messages import Digested
from spec.events import BRIDGE, HOLE, RECORD
from tests.support.machines import machine_of

MACHINE = machine_of()


def copy(becomes: int = RECORD, digest: int = 0, recovery: int = 0, wave: int = 1) -> Copy:
    """A copy of some kind."""
    return Copy(becomes, digest, recovery, wave, frozenset({0, 1, 2}))


def told(node: int, copies: dict[int, Copy], good: int = 0) -> Digested:
    """What a node tells of epoch 1, by ESN."""
    return Digested(1, 5, node, 0, good, tuple((lsn_of(1, esn), one) for esn, one in copies.items()))


def test_a_lone_copy_is_kept_and_what_is_missing_becomes_a_hole() -> None:
    """The outcome is a record if one can be found; below the last one, an ESN without any is plugged."""
    digests = [told(0, {1: copy(digest=71), 3: copy(digest=73)}), told(1, {}), told(2, {})]
    kept = (Outcome(1, RECORD, 71), Outcome(2, HOLE, 0), Outcome(3, RECORD, 73), Outcome(4, BRIDGE, 0))
    assert decide(digests, MACHINE) == (0, kept)


def test_an_empty_epoch_is_closed_by_its_bridge() -> None:
    assert decide([told(node, {}) for node in range(3)], MACHINE) == (0, (Outcome(1, BRIDGE, 0),))


def test_everything_up_to_the_last_known_good_is_settled() -> None:
    """The greatest last known good ESN that a node tells; copies below it need no decision."""
    digests = [told(0, {1: copy(), 2: copy(), 3: copy(digest=73)}), told(1, {}, good=2)]
    assert decide(digests, MACHINE) == (2, (Outcome(3, RECORD, 73), Outcome(4, BRIDGE, 0)))


@pytest.mark.parametrize(
    ("loser", "winner"),
    [
        (copy(digest=71, wave=9), copy(HOLE, recovery=2)),
        (copy(digest=71, recovery=2, wave=9), copy(HOLE, recovery=3)),
        (copy(digest=71, wave=1), copy(digest=72, wave=2)),
    ],
)
def test_later_recoveries_and_then_later_waves_are_believed(loser: Copy, winner: Copy) -> None:
    """Digest::RecordMetadata compares whether recovery wrote it and by which epoch, then the wave."""
    assert best_copy([loser, winner]) == best_copy([winner, loser]) == winner


def test_a_record_above_a_bridge_that_overrules_it_is_none() -> None:
    """Digest::applyBridgeRecords: a stray copy on a node that missed the earlier recovery stays dead."""
    digests = [told(0, {1: copy(digest=71, recovery=2), 2: copy(BRIDGE, recovery=2)}), told(1, {4: copy(digest=74)})]
    assert decide(digests, MACHINE) == (0, (Outcome(1, RECORD, 71), Outcome(2, BRIDGE, 0)))


def test_a_record_that_overrules_a_bridge_lives() -> None:
    """A later recovery found more than the one that wrote the bridge."""
    digests = [told(0, {2: copy(BRIDGE, recovery=2)}), told(1, {4: copy(digest=74, recovery=3)})]
    assert decide(digests, MACHINE)[1][-2:] == (Outcome(4, RECORD, 74), Outcome(5, BRIDGE, 0))
