"""Coverage: whose answers show that an entry was never acknowledged.

Entries are striped: entry ``e`` goes to a write set, the members ``e, e + 1, ...`` of the ensemble, round robin, and is
acknowledged by an ack quorum of them. Members of the ensemble are numbered from 0, as nodes are.

Source: Apache BookKeeper, client/RoundRobinDistributionSchedule.java; the write quorum is W, the ack quorum A, the size
of the ensemble E.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_

from spec.language.definition import definition
from spec.language.handles import Bool, Int, Set, one_of
from spec.language.quantifiers import every
from spec.language.terms import Lit


@definition
def is_ack_quorum(stored: Set, write_set: Set, ack_quorum: Int) -> Bool:
    """Enough members of the write set have stored the entry to acknowledge it.

    BookKeeper, client/RoundRobinDistributionSchedule.java, AckSet: an entry is acknowledged after A successes.
    """
    return (write_set & stored).size() >= ack_quorum


@definition
def is_covered(answered: Set, write_set: Set, ack_quorum: Int) -> Bool:
    """Fewer members of the write set are silent than acknowledge an entry.

    BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet: of the W members, fewer than A unknown.
    """
    return (write_set - answered).size() < ack_quorum


@definition
def has_enough_of_the_ensemble(answered: Set, ensemble: Set, ack_quorum: Int) -> Bool:
    """All but A - 1 members of the whole ensemble have answered, whatever the write set.

    BookKeeper's TLA+ specification of the protocol: a cohort of (E - A) + 1 of the ensemble.
    """
    return (ensemble & answered).size() >= ensemble.size() - ack_quorum + 1


def write_set(entry: int, ensemble_size: int, write_quorum: int) -> tuple[int, ...]:
    """The members of the ensemble to which an entry goes, in the order of the schedule.

    Raises:
        ValueError: the write quorum does not fit the ensemble, or the entry has no number.
    """
    if not 1 <= write_quorum <= ensemble_size or entry < 0:
        raise ValueError(
            f"no write set for entry {entry} with write quorum {write_quorum} of {ensemble_size}: "
            "entries count from 0, and 1 <= write quorum <= ensemble size"
        )
    return tuple((entry + step) % ensemble_size for step in range(write_quorum))


def is_covered_throughout(answered: Set, ensemble_size: int, write_quorum: int, ack_quorum: Int) -> Bool:
    """Every write set of a striped ensemble is covered: what is asked before the last entry is known.

    BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet, checkCovered: for every first member.

    Raises:
        ValueError: the write quorum does not fit the ensemble.
    """
    write_sets = (write_set(first, ensemble_size, write_quorum) for first in range(ensemble_size))
    return every(is_covered(answered, members(numbers), ack_quorum) for numbers in write_sets)


def members(numbers: Iterable[int]) -> Set:
    """These members of the ensemble, of which there is at least one."""
    return reduce(or_, (one_of(Int(Lit(number))) for number in numbers))
