"""When an entry is acknowledged: Apache BookKeeper, client/RoundRobinDistributionSchedule.java, AckSet."""

from __future__ import annotations

from spec.ledger.ack_set import AckSet, complete, fail, remove
from spec.ledger.schedule import Quorums

FIVE = Quorums(5, 4, 3)
NONE = AckSet()


def test_an_ack_quorum_acknowledges() -> None:
    """Three members, of which none counts twice."""
    two = complete(complete(complete(NONE, 1), 1), 2)
    assert not two.is_acknowledged(FIVE)
    assert complete(two, 3).is_acknowledged(FIVE)


def test_too_many_failures() -> None:
    """With four members of which three must store it, the second failure is one too many."""
    one = fail(fail(NONE, 1), 1)
    assert not one.is_hopeless(FIVE)
    assert fail(one, 4).is_hopeless(FIVE)


def test_the_last_answer_counts() -> None:
    """A success clears a failure, a failure clears a success, and a replaced member has given neither."""
    assert complete(fail(NONE, 1), 1) == AckSet(stored=frozenset({1}))
    assert fail(complete(NONE, 1), 1) == AckSet(failed=frozenset({1}))
    assert remove(complete(NONE, 1), 1) == remove(fail(NONE, 1), 1) == NONE
