"""The recovery of one epoch, event by event: LogDevice, common/EpochRecovery.cpp and common/RecoverySet.cpp."""

from __future__ import annotations

import pytest

from reference_impl.log.repair.epoch_machine import (
    EpochRecovery,
    NodeState,
    State,
    activate,
    machine_of,
    on_cleaned,
    on_death,
    on_digested,
    on_grace_expired,
    on_moved,
    on_mutated,
    on_sealed,
    on_silence,
    on_status,
    on_timeout,
)
from spec.log.status import Status
from tests.support.repairs import by_sequencer, flat

SEALING, SEALED, DIGESTING = NodeState.SEALING, NodeState.SEALED, NodeState.DIGESTING


def started(shards: int = 4, *sealed: int) -> EpochRecovery:
    """An active machine of two copies, with some shards sealed."""
    machine = activate(machine_of(flat(shards, 2), seal=9))
    for shard in sealed:
        machine = on_sealed(machine, shard, 0)
    return machine


def digested(machine: EpochRecovery, *shards: int) -> EpochRecovery:
    for shard in shards:
        machine = on_digested(machine, shard)
    return machine


def mutating() -> EpochRecovery:
    """A machine that is about to store a bridge on shards 0, 1 and 2; shard 3 was not heard."""
    return on_grace_expired(digested(started(4, 0, 1, 2), 0, 1, 2))


def states(machine: EpochRecovery) -> tuple[NodeState, ...]:
    return tuple(machine.nodes.values())


def test_digests_wait_for_an_f_majority_of_seals() -> None:
    assert started(4, 0, 1).state is State.SEAL_OR_INACTIVE
    machine = started(4, 0, 1, 2)
    assert (machine.state, states(machine)) == (State.DIGEST, (DIGESTING, DIGESTING, DIGESTING, SEALING))
    assert states(on_sealed(machine, 3, 0)) == (DIGESTING,) * 4


def test_digests_wait_for_shards_that_can_hold_copies() -> None:
    """One shard of three is an f-majority of three copies, and cannot hold any of them."""
    machine = activate(machine_of(flat(3, 3), seal=9))
    for shard, state in enumerate((State.SEAL_OR_INACTIVE, State.SEAL_OR_INACTIVE, State.DIGEST)):
        machine = on_sealed(machine, shard, 0)
        assert machine.state is state


def test_sealing_does_not_wait_for_earlier_epochs_and_digests_do() -> None:
    machine = machine_of(flat(3, 2), seal=9)
    for shard in range(3):
        machine = on_sealed(machine, shard, 0)
    assert (machine.state, states(machine)) == (State.SEAL_OR_INACTIVE, (SEALED,) * 3)
    assert activate(machine).state is State.DIGEST


def test_the_greatest_last_known_good_esn_counts() -> None:
    machine = on_sealed(on_sealed(started(), 0, 7), 1, 3)
    assert machine.known_good == 7


def test_an_f_majority_ends_the_digest_after_the_grace_period_and_everybody_at_once() -> None:
    machine = digested(started(4, 0, 1, 2, 3), 0, 1, 2)
    assert (machine.state, machine.in_grace) == (State.DIGEST, True)
    assert on_grace_expired(machine).state is State.MUTATION
    assert digested(machine, 3).state is State.MUTATION
    assert on_grace_expired(digested(started(4, 0, 1, 2), 0, 1)).state is State.DIGEST


def test_read_only_shards_lend_their_copies_and_are_not_mutated() -> None:
    machine = started(4, 0, 1, 2)
    for shard in (0, 1):
        machine = on_digested(machine, shard, ((1, by_sequencer()),), is_writable=False)
    machine = digested(machine, 2)
    assert (machine.state, machine.in_grace) == (State.DIGEST, False)
    machine = on_grace_expired(digested(on_sealed(machine, 3, 0), 3))
    assert machine.state is State.MUTATION
    assert machine.plan is not None
    assert (machine.plan.tail_esn, machine.pending) == (1, frozenset({1, 2}))
    assert states(machine) == (NodeState.DIGESTED,) * 2 + (NodeState.MUTATABLE,) * 2


def test_mutation_cleaning_and_the_end() -> None:
    machine = mutating()
    assert (machine.state, machine.pending) == (State.MUTATION, frozenset({1}))
    assert on_mutated(machine, 2) == machine
    machine = on_mutated(machine, 1)
    assert (machine.state, states(machine)) == (State.CLEAN, (NodeState.CLEANING,) * 3 + (SEALING,))
    for shard in (0, 1):
        machine = on_cleaned(machine, shard)
    assert machine.state is State.CLEAN
    assert on_cleaned(machine, 3) == machine
    assert on_cleaned(machine, 2).state is State.ADVANCE_LCE


def test_nothing_to_store_goes_on_to_cleaning() -> None:
    machine = activate(machine_of(flat(3, 2), seal=9, bridge_in_empty_epoch=False))
    for shard in range(3):
        machine = on_sealed(machine, shard, 0)
    assert digested(machine, 0, 1, 2).state is State.CLEAN


def test_with_nobody_left_there_is_nothing_to_recover() -> None:
    machine = started(2)
    for shard in range(2):
        machine = on_status(machine, shard, Status.AUTHORITATIVE_EMPTY)
    assert machine.state is State.ADVANCE_LCE
    assert machine.plan is None


def test_without_authority_the_rest_decides() -> None:
    """Too many shards are being rebuilt, and rebuilding waits for recovery; a shard that is down counts as such."""
    machine = on_status(started(4, 0, 1), 2, Status.UNDERREPLICATION)
    assert machine.state is State.SEAL_OR_INACTIVE
    machine = on_status(machine, 3, Status.UNAVAILABLE)
    assert machine.state is State.DIGEST
    machine = digested(machine, 0, 1)
    assert (machine.state, machine.pending) == (State.CLEAN, frozenset())


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_a_new_status_in_the_mutation_set_restarts(steps: int) -> None:
    """Even after the last shard was cleaned; the shard is sealed anew."""
    machine = mutating()
    after = [(on_mutated, 1), *((on_cleaned, shard) for shard in range(3))]
    for step, argument in after[:steps]:
        machine = step(machine, argument)
    machine = on_status(machine, 1, Status.UNDERREPLICATION)
    assert (machine.state, machine.plan, machine.pending) == (State.SEAL_OR_INACTIVE, None, frozenset())
    assert states(machine) == (SEALED, SEALING, SEALED, SEALING)
    again = on_sealed(machine, 1, 0)
    assert (again.state, dict(again.statuses)) == (State.DIGEST, {})


def test_statuses_of_others_do_not_matter_any_more() -> None:
    machine = mutating()
    assert on_status(machine, 3, Status.UNDERREPLICATION).state is State.MUTATION
    assert on_death(machine, 3) == machine
    assert on_status(machine, 7, Status.UNAVAILABLE) == machine
    assert on_status(machine, 0, Status.FULLY_AUTHORITATIVE) == machine


def test_a_shard_that_dies_stays_sealed() -> None:
    machine = on_death(mutating(), 1)
    assert (machine.state, states(machine)) == (State.DIGEST, (DIGESTING, DIGESTING, DIGESTING, SEALING))
    assert machine.digests == {}


def test_too_slow_is_begun_again() -> None:
    assert on_timeout(mutating()).state is State.DIGEST
    done = on_mutated(mutating(), 1)
    for shard in range(3):
        done = on_cleaned(done, shard)
    assert on_timeout(done) == done


def test_late_answers_change_nothing() -> None:
    machine = mutating()
    assert on_digested(machine, 0, ((5, by_sequencer()),)) == machine
    assert on_grace_expired(machine) == machine
    assert on_sealed(machine, 0, 0) == machine
    late = on_sealed(machine, 3, 0)
    assert (late.state, states(late)[3]) == (State.MUTATION, SEALED)


def test_a_silent_shard_is_done_without_if_the_others_can_hold_copies() -> None:
    """It counts as one that was only heard, and purges when it is back; two of two copies must stay."""
    machine = on_silence(mutating(), 0)
    assert (machine.state, machine.nodes[0]) == (State.MUTATION, NodeState.DIGESTED)
    assert on_silence(machine, 1) == machine
    assert on_silence(started(4, 0, 1, 2), 0) == started(4, 0, 1, 2)


def test_the_last_shard_to_clean_may_fall_silent() -> None:
    machine = on_mutated(mutating(), 1)
    machine = on_cleaned(on_cleaned(machine, 0), 1)
    assert machine.state is State.CLEAN
    assert on_silence(machine, 2).state is State.ADVANCE_LCE
    assert on_silence(machine, 0) == machine


def test_digests_begin_anew_when_copies_were_moved() -> None:
    """Until it is decided; what was decided was true when it was read."""
    machine = on_moved(digested(started(4, 0, 1, 2), 0))
    assert (machine.state, machine.digests, machine.nodes[0]) == (State.DIGEST, {}, DIGESTING)
    assert on_moved(mutating()) == mutating()
