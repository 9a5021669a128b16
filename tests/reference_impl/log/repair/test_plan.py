"""What a recovery decides for an epoch: LogDevice, Recovery, Log recovery; common/EpochRecovery.cpp, mutateEpoch."""

from __future__ import annotations

import pytest

from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.digest import Entry
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.mutation import Becomes, Mutation, compare
from reference_impl.log.repair.plan import BridgesFrom, Plan, finished, plan_of
from spec.log.quorum import Authority
from tests.support.repairs import bridge, by_recovery, by_sequencer, chosen, digest, flat, hole, streamed

THREE = flat(3, 2)
FOUR = flat(4, 2)
NONE: frozenset[int] = frozenset()


def becomes(plan: Plan) -> dict[int, str]:
    """What is stored at each ESN."""
    return {mutation.esn: mutation.becomes.value for mutation in plan.mutations}


def compared(entry: Entry, *, is_complete: bool = False) -> tuple[bool, set[int], set[int], set[int]]:
    seen = compare(entry, 9, FOUR.can_replicate, is_complete=is_complete)
    return seen.is_needed, set(seen.stored), set(seen.amend), set(seen.conflict)


# ---------------------------------------------------------------------------------------------- mutations


def test_copies_of_others_are_amended() -> None:
    assert compared(Entry(by_sequencer(2), {0: by_sequencer(2), 1: by_sequencer(1)})) == (True, set(), {0, 1}, set())


def test_copies_of_this_recovery_are_stored() -> None:
    entry = Entry(by_recovery(9), {0: by_recovery(9), 1: by_recovery(9)})
    assert compared(entry) == (False, {0, 1}, set(), set())
    assert compared(entry._replace(is_moved=True)) == (True, set(), {0, 1}, set())
    assert compared(Entry(by_recovery(9), {0: by_recovery(9)})) == (True, {0}, set(), set())


def test_holes_and_records_conflict() -> None:
    copies = {0: by_sequencer(2), 1: hole(9)}
    assert compared(Entry(hole(9), copies), is_complete=True) == (True, {1}, set(), {0})
    assert compared(Entry(by_recovery(8), copies), is_complete=True) == (True, set(), {0}, {1})


def test_a_complete_digest_leaves_equal_copies_alone() -> None:
    """Whoever wrote them, if they can hold the record; copies of earlier waves stay beside them."""
    equal = {0: by_sequencer(2), 1: by_sequencer(2), 2: by_sequencer(1)}
    assert compared(Entry(by_sequencer(2), equal), is_complete=True) == (False, set(), {0, 1, 2}, set())
    fewer = {0: by_sequencer(2), 2: by_sequencer(1)}
    assert compared(Entry(by_sequencer(2), fewer), is_complete=True)[0]


def test_a_hole_that_must_be_a_bridge_is_amended() -> None:
    copies = {0: hole(9), 1: hole(9)}
    assert compared(Entry(bridge(9), copies)) == (True, set(), {0, 1}, set())


def test_all_who_hold_a_copy_must_take_the_outcome() -> None:
    mutation = Mutation(1, Becomes.HOLE, None, frozenset({0}), frozenset({1}), frozenset({2}))
    assert mutation.required == {0, 1, 2}


def test_a_stream_is_stored_again_although_enough_have_it() -> None:
    """Recovery 7 has not heard shard 0, so its hole lies on shard 2; recovery 9 has not heard shard 2.

    Unless recovery 9 stores the whole stream anew, recovery 11 lets that hole overrule what a whole copyset has.
    """
    told = digest((0, 1, streamed()), (0, 2, streamed()), (1, 2, streamed()))
    assert becomes(plan_of(told, chosen(THREE, seal=9, mutation_set={0, 1}))) == {1: "RECORD", 2: "RECORD", 3: "BRIDGE"}
    assert outcome_after_a_hole(streamed()._replace(number=9, by_recovery=True)) == {1: "RECORD", 2: "RECORD"}
    assert outcome_after_a_hole(streamed()) == {1: "RECORD", 2: "BRIDGE"}


def outcome_after_a_hole(second: Held) -> dict[int, str]:
    """What recovery 11 makes of two records, the first by recovery 9, from shard 1 and from shard 2 with its holes."""
    first = streamed()._replace(number=9, by_recovery=True)
    kept, holes = ((1, 1, first), (1, 2, second), (1, 3, bridge(9))), ((2, 1, bridge(7)), (2, 2, hole(7)))
    plan = plan_of(digest(*kept, *holes), chosen(THREE, seal=11, mutation_set={1, 2}))
    return {mutation.esn: mutation.becomes.value for mutation in plan.decided[:2]}


# -------------------------------------------------------------------------------------------------- plans


def test_every_esn_up_to_the_bridge_has_an_outcome() -> None:
    plan = plan_of(digest((0, 4, by_sequencer())), chosen(THREE, known_good=1))
    assert becomes(plan) == {2: "HOLE", 3: "HOLE", 4: "RECORD", 5: "BRIDGE"}
    assert (plan.bridge_esn, plan.tail_esn, plan.last_esn) == (5, 4, 4)


def test_holes_above_the_bridge_are_kept() -> None:
    """So the highest copy of an epoch need not be its bridge."""
    plan = plan_of(digest((0, 1, by_sequencer()), (0, 4, hole(3))), chosen(THREE))
    assert becomes(plan) == {1: "RECORD", 2: "BRIDGE", 3: "HOLE", 4: "HOLE"}


def test_only_what_is_above_the_last_known_good_one_is_touched() -> None:
    told = digest((0, 2, by_sequencer()), (0, 3, by_sequencer()), (0, 4, by_sequencer()))
    assert becomes(plan_of(told, chosen(THREE, known_good=3))) == {4: "RECORD", 5: "BRIDGE"}


@pytest.mark.parametrize(
    ("at_tail", "is_lost"), [((0, 3, by_sequencer()), False), ((0, 3, hole(1)), True), ((0, 2, by_sequencer()), True)]
)
def test_a_tail_that_is_gone_is_known_as_such(at_tail: tuple[int, int, Held], is_lost: bool) -> None:
    plan = plan_of(digest(at_tail), chosen(THREE, known_good=3))
    assert (plan.tail_esn, plan.is_tail_lost) == (3, is_lost)


def test_a_tail_that_sealing_told_is_not_looked_for() -> None:
    """The digest begins above it: common/EpochRecovery.cpp, computeDigestStart."""
    told = digest((0, 3, hole(1)), (0, 4, by_sequencer()))
    known = chosen(THREE, known_good=3)._replace(knows_tail=True)
    assert list(finished(told, known)) == [4]
    assert not plan_of({}, known).is_tail_lost


def test_streams_are_plugged_before_bridges_are_set() -> None:
    told = digest((0, 1, by_sequencer()), (0, 3, streamed()), (1, 3, streamed()))
    assert becomes(plan_of(told, chosen(THREE))) == {1: "RECORD", 2: "BRIDGE", 3: "HOLE"}


def test_without_authority_nothing_hides_a_loss() -> None:
    """No hole where no shard has anything, no bridge; an old bridge is stored again as a hole."""
    told = digest((0, 2, by_sequencer()), (1, 3, bridge(5)))
    plan = plan_of(told, chosen(FOUR, authority=Authority.NON_AUTHORITATIVE))
    assert becomes(plan) == {2: "RECORD", 3: "HOLE"}
    assert plan.bridge_esn == 3


def test_an_epoch_up_to_the_greatest_esn() -> None:
    plan = plan_of(digest((0, ESN_MAX, by_sequencer())), chosen(THREE, known_good=ESN_MAX - 1))
    assert becomes(plan) == {ESN_MAX: "RECORD"}
    assert plan_of({}, chosen(THREE, known_good=ESN_MAX)).mutations == ()


def test_a_record_known_from_a_read_only_shard_only() -> None:
    """It is stored again on others: it may have been acknowledged."""
    plan = plan_of(digest((0, 1, by_sequencer())), chosen(THREE, mutation_set={1, 2}))
    assert plan.mutations[0] == Mutation(1, Becomes.RECORD, by_sequencer())


# ------------------------------------------------------------------------------------- an open hole, closed

STRAY = digest((2, 1, bridge(1)), (3, 1, by_sequencer()), (3, 4, by_sequencer()))
"""A finished recovery closed the epoch at 1; one who knows is read-only, and one who missed it has strays."""


def test_a_bridge_on_a_read_only_shard_still_closes_the_epoch() -> None:
    """What a finished recovery decided stays: LogDevice, Recovery, Log recovery, immutability."""
    plan = plan_of(STRAY, chosen(FOUR, seal=3, mutation_set={0, 3}))
    assert (plan.bridge_esn, becomes(plan)) == (1, {1: "BRIDGE", 2: "HOLE", 3: "HOLE", 4: "HOLE"})
    assert plan.mutations[3].conflict == {3}


def test_in_logdevices_order_a_stray_is_resurrected() -> None:
    """The variant that forgets shards before it looks at their bridges: common/EpochRecovery.cpp, startMutations."""
    plan = plan_of(STRAY, chosen(FOUR, seal=3, mutation_set={0, 3}, bridges_from=BridgesFrom.MUTATION_SET))
    assert (plan.bridge_esn, becomes(plan)) == (5, {1: "HOLE", 2: "HOLE", 3: "HOLE", 4: "RECORD", 5: "BRIDGE"})
    whole = plan_of(STRAY, chosen(FOUR, seal=3, mutation_set={0, 2, 3}, bridges_from=BridgesFrom.MUTATION_SET))
    assert whole.bridge_esn == 1
