"""Authoritative status: what may be concluded when data is lost, and from whom.

A node of the nodeset is FULLY_AUTHORITATIVE or UNAVAILABLE, and then its answers count; or UNDERREPLICATION: it may
have held records that are gone; or AUTHORITATIVE_EMPTY: whatever it held was copied elsewhere, which is the contract
on which every effective nodeset rests.
"""

from __future__ import annotations

from typing import Final

from spec.log.quorum import is_complete, is_f_majority
from spec.log.replication import can_replicate
from spec.proof.quorum.columns import (
    AUTHORITATIVE,
    COPYSET,
    HEARD,
    NODESET,
    NONEMPTY,
    REPLICATION,
    STATUS,
    nodes,
)
from spec.proof.theorems import Theorem

UNAVAILABLE: Final = nodes("unavailable")
"""Nodes that are down, with their data."""
LOST: Final = NONEMPTY - AUTHORITATIVE
"""Nodes that are UNDERREPLICATION: their data is gone, and not yet copied elsewhere."""
NOBODY: Final = NONEMPTY - NONEMPTY

_F_MAJORITY = is_f_majority(HEARD, NONEMPTY, AUTHORITATIVE, REPLICATION)

_SAID_NO: Final = {
    "no node that answered has a copy": (COPYSET & HEARD & AUTHORITATIVE).is_empty().term,
}
_NOBODY_HAS_IT: Final = {
    "the copies lie on nodes that may hold records": (COPYSET <= NONEMPTY).term,
    **_SAID_NO,
}
_ONLY_NONEMPTY: Final = {"only nodes that may hold records count": (AUTHORITATIVE <= NONEMPTY).term}
_ALL_THAT_COUNT: Final = {"all nodes whose answers count have answered": is_complete(HEARD, AUTHORITATIVE).term}

PROVES_ABSENCE: Final = Theorem(
    "quorum.status.f_majority_proves_absence",
    "an f-majority proves that a record was never there",
    "When an f-majority of authoritative nodes had no copy, the record never had enough copies to be acknowledged, "
    "whatever was lost.",
    f"{STATUS}: an f-majority of FULLY_AUTHORITATIVE nodes said they don't have the record",
    _NOBODY_HAS_IT | _ONLY_NONEMPTY | {"the nodes that answered are an f-majority": _F_MAJORITY.term},
    (~can_replicate(COPYSET, REPLICATION)).term,
)

COMPLETE: Final = Theorem(
    "quorum.status.complete_proves_loss",
    "complete answers prove a loss",
    "When all nodes whose answers count had no copy, every copy is on a node whose data is gone.",
    f"{STATUS}; common/AuthoritativeStatus.h: UNAVAILABLE nodes must answer too",
    _NOBODY_HAS_IT | _ALL_THAT_COUNT,
    (COPYSET <= LOST).term,
)

ALL_COPIES_LOST: Final = Theorem(
    "quorum.status.complete_needs_all_copies_lost",
    "complete answers take the loss of a whole record",
    "When all nodes whose answers count had no copy of an acknowledged record, those whose data is gone held enough "
    "copies to acknowledge it: R of them, not fewer.",
    f"{STATUS}: the reader is allowed to issue a gap even though it does not have an f-majority",
    _NOBODY_HAS_IT | _ALL_THAT_COUNT | {"the copies are enough": can_replicate(COPYSET, REPLICATION).term},
    can_replicate(COPYSET & LOST, REPLICATION).term,
)

COMPLETE_AS_WRITTEN: Final = Theorem(
    "quorum.status.complete_as_written",
    "complete answers of FULLY_AUTHORITATIVE nodes prove a loss",
    "When all FULLY_AUTHORITATIVE nodes had no copy, every copy is on a node whose data is gone: this does not follow, "
    "because a copy may be on a node that is merely down.",
    f"{STATUS}: all nodes that are FULLY_AUTHORITATIVE said they don't have the record",
    _NOBODY_HAS_IT
    | {"all FULLY_AUTHORITATIVE nodes have answered": is_complete(HEARD, AUTHORITATIVE - UNAVAILABLE).term},
    (COPYSET <= LOST).term,
    refutable=True,
)

BEYOND_F_MAJORITY: Final = Theorem(
    "quorum.status.complete_beyond_f_majority",
    "complete answers say more only after a great loss",
    "Complete answers without an f-majority mean that the nodes whose data is gone could have held a whole record.",
    "LogDevice, common/FailureDomainNodeSet.h, FmajorityResult: NON_AUTHORITATIVE",
    _ALL_THAT_COUNT | {"there is no f-majority": (~_F_MAJORITY).term},
    can_replicate(LOST, REPLICATION).term,
)

FEW_LOST: Final = Theorem(
    "quorum.status.few_losses_stall_nobody",
    "fewer than R losses leave an f-majority",
    "Where fewer nodes lost their data than the shard asks copies for, the answers of all others are an f-majority.",
    f"{STATUS}; common/FailureDomainNodeSet-inl.h, isFmajority",
    _ALL_THAT_COUNT
    | {"fewer nodes lost their data than copies are asked for": (LOST.size() < REPLICATION.at("shard")).term},
    _F_MAJORITY.term,
)

VACUOUS: Final = Theorem(
    "quorum.status.vacuous",
    "a nodeset too small for a record needs no answers",
    "Where the nodes that may hold records could not hold a whole one, whoever answered is an f-majority, even nobody.",
    "LogDevice, common/test/FailureDomainTest.cpp, MultiScopeFMajorityWholeRegionIsEmpty",
    {"the nodes cannot hold a whole record": (~can_replicate(NONEMPTY, REPLICATION)).term},
    _F_MAJORITY.term,
)

VACUOUS_ONLY_THEN: Final = Theorem(
    "quorum.status.vacuous_only_then",
    "only a nodeset too small for a record needs no answers",
    "If nobody is an f-majority, the nodes that may hold records could not hold a whole one.",
    "LogDevice, common/test/FailureDomainTest.cpp, MultiScopeFMajorityWholeRegionIsEmpty",
    {"nobody is an f-majority": is_f_majority(NOBODY, NONEMPTY, AUTHORITATIVE, REPLICATION).term},
    (~can_replicate(NONEMPTY, REPLICATION)).term,
)

_CONTRACT_BROKEN: Final = {
    "nodes that may hold records belong to the nodeset": (NONEMPTY <= NODESET).term,
    "the copies lie in the nodeset, on empty nodes too": (COPYSET <= NODESET).term,
    **_SAID_NO,
    **_ONLY_NONEMPTY,
    "the nodes that answered are an f-majority": _F_MAJORITY.term,
}

VACUOUS_WITHOUT_CONTRACT: Final = Theorem(
    "quorum.status.vacuous_without_contract",
    "an f-majority is sound though empty nodes hold copies",
    "An f-majority proves absence even where an AUTHORITATIVE_EMPTY node holds a copy: this does not follow. Then "
    "nobody may be an f-majority, and a record is declared lost before anyone was asked.",
    f"{STATUS}: the effective nodeset leaves out nodes that have been drained, rebuilt or failed",
    _CONTRACT_BROKEN,
    (~can_replicate(COPYSET, REPLICATION)).term,
    refutable=True,
    scopes=(),
)

WITHOUT_CONTRACT: Final = Theorem(
    "quorum.status.without_contract",
    "an f-majority of enough nodes is sound though empty nodes hold copies",
    "The same where the other nodes could hold a whole record: this does not follow either.",
    f"{STATUS}: the effective nodeset leaves out nodes that have been drained, rebuilt or failed",
    _CONTRACT_BROKEN | {"the other nodes can hold a whole record": can_replicate(NONEMPTY, REPLICATION).term},
    (~can_replicate(COPYSET, REPLICATION)).term,
    refutable=True,
    scopes=(),
)
