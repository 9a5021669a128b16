"""What a recovery makes of the copies that it hears of: LogDevice, Recovery, Log recovery and Bridge record.

common/Digest.cpp has the rules of precedence and of bridges.
"""

from __future__ import annotations

import pytest

from reference_impl.log.copies import Copy, Outcome
from reference_impl.log.lsn import lsn_of
from reference_impl.log.outcomes import copies_by_esn, held_of, needed, outcomes_of, precedence
from reference_impl.log.repair.digest import digest_of
from reference_impl.log.repair.held import precedence as held_precedence
from reference_impl.log.repair.plan import Plan, plan_of
from spec.events import BRIDGE, HOLE, RECORD
from spec.log.quorum import Authority
from tests.support.repairs import chosen, flat


def copy(becomes: int = RECORD, digest: int = 0, recovery: int = 0, wave: int = 1) -> Copy:
    """A copy of some kind."""
    return Copy(becomes, digest, recovery, wave, frozenset({0, 1, 2}))


def plan(*held: dict[int, Copy], good: int = 0, authority: Authority = Authority.AUTHORITATIVE_INCOMPLETE) -> Plan:
    """What recovery 5 makes of what nodes hold of epoch 1, by ESN."""
    lsns = [[(lsn_of(1, esn), one) for esn, one in sorted(copies.items())] for copies in held]
    arrivals = [(node, esn, one) for node, copies in enumerate(lsns) for esn, one in copies_by_esn(copies)]
    return plan_of(digest_of(arrivals), chosen(flat(len(held), 2), 5, good, authority=authority))


def decide(*held: dict[int, Copy], good: int = 0) -> tuple[Outcome, ...]:
    """The outcomes of the same."""
    return outcomes_of(plan(*held, good=good))


def test_a_lone_copy_is_kept_and_what_is_missing_becomes_a_hole() -> None:
    """The outcome is a record if one can be found; below the last one, an ESN without any is plugged."""
    kept = (Outcome(1, RECORD, 71), Outcome(2, HOLE, 0), Outcome(3, RECORD, 73), Outcome(4, BRIDGE, 0))
    assert decide({1: copy(digest=71), 3: copy(digest=73)}, {}, {}) == kept


def test_an_empty_epoch_is_closed_by_its_bridge() -> None:
    assert decide({}, {}, {}) == (Outcome(1, BRIDGE, 0),)


def test_everything_up_to_the_last_known_good_is_settled() -> None:
    """The greatest last known good ESN that a node tells; copies below it need no decision."""
    assert decide({1: copy(), 2: copy(), 3: copy(digest=73)}, {}, good=2) == (
        Outcome(3, RECORD, 73),
        Outcome(4, BRIDGE, 0),
    )


@pytest.mark.parametrize(
    ("loser", "winner"),
    [
        (copy(digest=71, wave=9), copy(HOLE, recovery=2)),
        (copy(digest=71, recovery=2, wave=9), copy(HOLE, recovery=3)),
        (copy(digest=71, recovery=2, wave=1), copy(HOLE, recovery=2, wave=2)),
        (copy(digest=71, wave=1), copy(digest=72, wave=2)),
    ],
)
def test_later_recoveries_and_then_later_waves_are_believed(loser: Copy, winner: Copy) -> None:
    """Digest::RecordMetadata compares whether recovery wrote it and by which epoch; the wave tells rounds apart."""
    assert precedence(loser) < precedence(winner)
    assert held_precedence(held_of(loser)) < held_precedence(held_of(winner))
    known = {2: copy(digest=70)}
    assert decide({1: loser, **known}, {1: winner}) == decide({1: winner, **known}, {1: loser})
    assert decide({1: loser, **known}, {1: winner})[0] == Outcome(1, winner.becomes, winner.digest)


def test_a_record_above_a_bridge_that_overrules_it_is_none() -> None:
    """Digest::applyBridgeRecords: a stray copy on a node that missed the earlier recovery stays dead."""
    closed = {1: copy(digest=71, recovery=2), 2: copy(BRIDGE, recovery=2)}
    assert decide(closed, {4: copy(digest=74)}) == (Outcome(1, RECORD, 71), Outcome(2, BRIDGE, 0))
    beyond = plan(closed, {4: copy(digest=74)})
    assert [mutation.esn for mutation in beyond.mutations] == [1, 2, 3, 4]
    assert list(needed(beyond)) == [1, 2]


def test_a_record_that_overrules_a_bridge_lives() -> None:
    """A later recovery found more than the one that wrote the bridge."""
    found = decide({2: copy(BRIDGE, recovery=2)}, {4: copy(digest=74, recovery=3)})
    assert found[-2:] == (Outcome(4, RECORD, 74), Outcome(5, BRIDGE, 0))


def test_what_is_as_it_must_be_is_decided_and_not_stored() -> None:
    """common/Digest.cpp, needsMutation: with all answers, copies that agree are left alone."""
    held = {1: copy(digest=71)}
    known = plan(held, held, {}, authority=Authority.AUTHORITATIVE_COMPLETE)
    assert outcomes_of(known) == (Outcome(1, RECORD, 71), Outcome(2, BRIDGE, 0))
    assert needed(known) == {2: (Outcome(2, BRIDGE, 0), frozenset())}


def test_without_authority_nothing_is_plugged_and_nothing_closed() -> None:
    """common/EpochRecovery.cpp: a hole might hide a loss."""
    known = plan({1: copy(digest=71), 3: copy(digest=73)}, {}, authority=Authority.NON_AUTHORITATIVE)
    assert outcomes_of(known) == (Outcome(1, RECORD, 71), Outcome(3, RECORD, 73))
