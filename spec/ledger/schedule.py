"""The distribution schedule: which members of the ensemble have an entry, in which order, and whose answers suffice.

Apache BookKeeper, client/RoundRobinDistributionSchedule.java. Members of the ensemble are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from spec.language.handles import Bool, Int, Set
from spec.language.meaning import Evaluator
from spec.language.parameters import Parameters
from spec.language.terms import Col, Lit
from spec.ledger.coverage import is_covered_throughout, write_set

_ANSWERED: Final = Set(Col("answered", "set"))


class Quorums(NamedTuple):
    """The sizes of a ledger: E >= W >= A.

    Attributes:
        ensemble: how many bookies share the ledger.
        write: how many of them an entry goes to.
        ack: how many of those acknowledge it.
    """

    ensemble: int
    write: int
    ack: int

    def check(self) -> None:
        """Refuse sizes that do not fit: LedgerMetadataBuilder.java.

        Raises:
            ValueError: the ack quorum is not within the write quorum, or that one not within the ensemble.
        """
        if not 1 <= self.ack <= self.write <= self.ensemble:
            raise ValueError(f"{self} is no ledger: 1 <= ack quorum <= write quorum <= ensemble size")


def ensemble_set(entry: int, quorums: Quorums) -> tuple[int, ...]:
    """All members of the ensemble, those that have the entry first.

    client/RoundRobinDistributionSchedule.java, getEnsembleSet: the write set, were the write quorum the ensemble.

    Raises:
        ValueError: the entry has no number.
    """
    return write_set(entry, quorums.ensemble, quorums.ensemble)


def has_entry(entry: int, member: int, quorums: Quorums) -> bool:
    """A member has an entry if it is in the entry's write set.

    client/RoundRobinDistributionSchedule.java, hasEntry.

    Raises:
        ValueError: the entry has no number.
    """
    return member in write_set(entry, quorums.ensemble, quorums.write)


def striped_to(member: int, first: int, last: int, quorums: Quorums) -> tuple[int, ...]:
    """The entries of a range that a member has.

    client/RoundRobinDistributionSchedule.java, getEntriesStripedToTheBookie.

    Raises:
        ValueError: there is no such member, or no such range.
    """
    if not 0 <= member < quorums.ensemble or not 0 <= first <= last:
        raise ValueError(
            f"no entries {first} to {last} of member {member} in {quorums.ensemble}: members and entries count from 0, "
            "and the last entry is not before the first"
        )
    return tuple(entry for entry in range(first, last + 1) if has_entry(entry, member, quorums))


def is_covered(answered: frozenset[int], quorums: Quorums) -> bool:
    """The answers of these members suffice: of every write set, fewer than an ack quorum are silent.

    client/RoundRobinDistributionSchedule.java, QuorumCoverageSet.
    """
    return Evaluator({"answered": answered}, Parameters(quorums.ensemble), {}).value(_coverage(quorums).term) is True


@lru_cache(maxsize=64)
def _coverage(quorums: Quorums) -> Bool:
    return is_covered_throughout(_ANSWERED, quorums.ensemble, quorums.write, Int(Lit(quorums.ack)))


def covering_sets(quorums: Quorums) -> tuple[int, int]:
    """How many sets of members suffice if they answer, and how few members the smallest of them has.

    client/RoundRobinDistributionSchedule.java, QuorumCoverageSet. Looks at every subset of the ensemble.

    Raises:
        ValueError: the sizes do not fit.
    """
    quorums.check()
    members = range(quorums.ensemble)
    sets = (frozenset(chosen) for size in range(quorums.ensemble + 1) for chosen in combinations(members, size))
    covering = [len(chosen) for chosen in sets if is_covered(chosen, quorums)]
    return len(covering), min(covering)


def moved(order: Sequence[int], place: int, to: int) -> tuple[int, ...]:
    """One member moves to another place in the order, and those between close up.

    client/DistributionSchedule.java, moveAndShift.

    Raises:
        ValueError: the order has no such place.
    """
    if not (0 <= place < len(order) and 0 <= to < len(order)):
        raise ValueError(f"no place {place} or {to} among {len(order)}: places count from 0")
    rest = [*order[:place], *order[place + 1 :]]
    return (*rest[:to], order[place], *rest[to:])


def shipped_member(entry: int, step: int, quorums: Quorums) -> int:
    """The member at a step of the write set as releases from 4.16 on compute it: cut to 32 bits before the modulo.

    client/RoundRobinDistributionSchedule.java, getWriteSetBookieIndex: from entry 2147483647 on it may be another
    member, or below 0. The entry's write set is right; this is the variant as shipped.
    """
    cut = (entry + step + (1 << 31)) % (1 << 32) - (1 << 31)
    return cut % quorums.ensemble if cut >= 0 else -(-cut % quorums.ensemble)
