"""f-majority: who must have answered before absence may be concluded.

Sources: LogDevice, Read path (Gap detection algorithm, Authoritative Status); common/FailureDomainNodeSet-inl.h for
complete domains, and common/AuthoritativeStatus.h for what a status means. Where the document's formula and the code
differ, the formula is kept as the variant ``written``.
"""

from __future__ import annotations

from enum import StrEnum

from spec.language.definition import definition
from spec.language.handles import Bool, Factors, Int, Set
from spec.language.quantifiers import count, domains, some
from spec.language.scopes import SCOPES
from spec.log.replication import LOCATED, domains_touched, is_kept


class Authority(StrEnum):
    """How far a set of answers may be trusted: LogDevice, common/FailureDomainNodeSet.h, FmajorityResult."""

    NONE = "NONE"
    AUTHORITATIVE_INCOMPLETE = "AUTHORITATIVE_INCOMPLETE"
    AUTHORITATIVE_COMPLETE = "AUTHORITATIVE_COMPLETE"
    NON_AUTHORITATIVE = "NON_AUTHORITATIVE"


def complete_domains(answered: Set, nonempty: Set, scope: str) -> Int:
    """How many domains have an answer, and one from every node that may hold records.

    LogDevice, common/FailureDomainNodeSet-inl.h: partial domains count for nothing.
    """
    return count(~(domain & answered).is_empty() & ((domain & nonempty) <= answered) for domain in domains(scope))


@definition
def is_f_majority(heard: Set, nonempty: Set, authoritative: Set, replication: Factors) -> Bool:
    """At some scope, fewer domains than a copyset needs are left that have not answered completely.

    LogDevice, Read path, Gap detection algorithm; common/FailureDomainNodeSet-inl.h, isFmajority. ``nonempty`` are
    the nodes of the nodeset that are not AUTHORITATIVE_EMPTY; ``authoritative`` those of them whose answers count.
    """
    answered = heard & authoritative
    by_shard = some(answered.size() + replication.at(scope) > nonempty.size() for scope in SCOPES)
    by_scope = some(
        is_kept(replication, scope)
        & (complete_domains(answered, nonempty, scope) + replication.at(scope) > domains_touched(nonempty, scope))
        for scope in LOCATED
    )
    return by_shard | by_scope


@definition
def is_complete(heard: Set, authoritative: Set) -> Bool:
    """Every node whose answer counts has answered.

    LogDevice, Read path, Authoritative Status: all nodes that are FULLY_AUTHORITATIVE said they don't have it.
    """
    return authoritative <= heard


@definition
def is_f_majority_as_written(heard: Set, nodeset: Set, replication: Factors) -> Bool:
    """As many nodes as |nodeset| - R + 1 answered, or whole racks as many as |racks| - R_rack + 1.

    LogDevice, Read path, Gap detection algorithm, to the letter: no statuses, every domain of the nodeset counts.
    """
    asked = replication.at("node") > 0
    by_node = asked & ((heard & nodeset).size() >= nodeset.size() - replication.at("node") + 1)
    by_scope = some(
        (replication.at(scope) > 0)
        & (
            complete_domains(heard & nodeset, nodeset, scope)
            >= domains_touched(nodeset, scope) - replication.at(scope) + 1
        )
        for scope in SCOPES[2:]
    )
    return by_node | by_scope


def authority(*, f_majority: bool, complete: bool) -> Authority:
    """What the two questions together say of a set of answers.

    LogDevice, common/FailureDomainNodeSet-inl.h: an f-majority is authoritative; all answers that count, without an
    f-majority, are only the best that can be had.
    """
    if f_majority:
        return Authority.AUTHORITATIVE_COMPLETE if complete else Authority.AUTHORITATIVE_INCOMPLETE
    return Authority.NON_AUTHORITATIVE if complete else Authority.NONE
