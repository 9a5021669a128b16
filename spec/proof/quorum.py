"""f-majority: what its definition achieves, and what the document's wording does not.

The theorems use the terms of the rules themselves, ``is_f_majority`` and ``can_replicate``: there is no second formula.
"""

from __future__ import annotations

from typing import Final

from spec.language.handles import Factors, Int, Set
from spec.language.quantifiers import every, some
from spec.language.terms import Col
from spec.language.vocabulary import SCOPES
from spec.log.quorum import is_complete, is_f_majority, is_f_majority_as_written
from spec.log.replication import can_replicate, is_exact_copyset
from spec.proof.theorems import Theorem

HEARD: Final = Set(Col("heard", "set"))
"""Nodes that have answered."""
NODESET: Final = Set(Col("nodeset", "set"))
"""Nodes on which copies may have been stored."""
NONEMPTY: Final = Set(Col("nonempty", "set"))
"""Nodes that may hold records: the nodeset without those that are AUTHORITATIVE_EMPTY."""
AUTHORITATIVE: Final = Set(Col("authoritative", "set"))
"""Nodes whose answers count."""
UNAVAILABLE: Final = Set(Col("unavailable", "set"))
"""Nodes that are down, with their data."""
COPYSET: Final = Set(Col("copyset", "set"))
"""Where the copies of an acknowledged record lie."""
REPLICATION: Final = Factors(Col("replication", "factors"))
COPIES: Final = Int(Col("copies", "int"))
"""How many members a copyset has."""

HIDDEN: Final = NONEMPTY - (HEARD & AUTHORITATIVE)
"""Nodes that may hold a record without anybody knowing."""

_GAP_DETECTION = "LogDevice, Read path, Gap detection algorithm"
_STATUS = "LogDevice, Read path, Authoritative Status"

SOUND: Final = Theorem(
    "an f-majority is sound",
    "The complement of an f-majority cannot contain a copyset.",
    f"{_GAP_DETECTION}: by definition, the complement of the f-majority cannot contain a copy set",
    {
        "only nodes that may hold records count": (AUTHORITATIVE <= NONEMPTY).term,
        "the copies lie where no answer counts": (COPYSET <= HIDDEN).term,
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
    },
    (~is_f_majority(HEARD, NONEMPTY, AUTHORITATIVE, REPLICATION)).term,
)

TIGHT: Final = Theorem(
    "an f-majority is tight",
    "Without an f-majority, the nodes that have not answered could hold a whole record: no weaker test is sound.",
    f"{_GAP_DETECTION}: there aren't enough of them in the nodeset to replicate the record",
    {"there is no f-majority": (~is_f_majority(HEARD, NONEMPTY, AUTHORITATIVE, REPLICATION)).term},
    can_replicate(HIDDEN, REPLICATION).term,
)

EXACT: Final = Theorem(
    "enough nodes hold an exact copyset",
    "Nodes that could hold a whole record could do so with no more copies than were asked for.",
    "LogDevice, common/CopySetSelector.h: a copyset has R members",
    {
        "the nodes could hold a whole record": can_replicate(NODESET, REPLICATION).term,
        "as many copies are asked for as the greatest factor": (
            every(REPLICATION.at(scope) <= COPIES for scope in SCOPES)
            & some(REPLICATION.at(scope) == COPIES for scope in SCOPES)
        ).term,
    },
    is_exact_copyset(COPYSET, REPLICATION).term,
    located=True,
    nested=True,
    picked=("copyset", NODESET.term, COPIES.term),
)

QUORUMS_MEET: Final = Theorem(
    "an f-majority meets every copyset",
    "A set of nodes that intersects every possible copyset: whoever asked an f-majority asked a holder of each record.",
    f"{_GAP_DETECTION}: a set of nodes that intersects every possible copyset",
    {
        "the nodes that answered are an f-majority": is_f_majority(HEARD, NODESET, NODESET, REPLICATION).term,
        "the copies lie in the nodeset": (COPYSET <= NODESET).term,
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
    },
    (~(HEARD & COPYSET).is_empty()).term,
)

WRITTEN_IS_SOUND: Final = Theorem(
    "the document's formula is sound",
    "Where every node is up and has a location, |nodeset| - R + 1 answers, or as many whole racks, leave no copyset.",
    f"{_GAP_DETECTION}: |nodeset|-R+1, and |num_racks|-Rrack+1 for racks",
    {
        "the copies lie where nobody answered": (COPYSET <= (NODESET - HEARD)).term,
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
    },
    (~is_f_majority_as_written(HEARD, NODESET, REPLICATION)).term,
    located=True,
    nested=True,
)

_NOBODY_HAS_IT: Final = {
    "the copies lie on nodes that may hold records": (COPYSET <= NONEMPTY).term,
    "no node that answered has a copy": (COPYSET & HEARD & AUTHORITATIVE).is_empty().term,
}

COMPLETE: Final = Theorem(
    "complete answers prove a loss",
    "When all nodes whose answers count had no copy, every copy is on a node whose data is gone.",
    f"{_STATUS}; common/AuthoritativeStatus.h: UNAVAILABLE nodes must answer too",
    _NOBODY_HAS_IT | {"all nodes whose answers count have answered": is_complete(HEARD, AUTHORITATIVE).term},
    (COPYSET <= (NONEMPTY - AUTHORITATIVE)).term,
)

COMPLETE_AS_WRITTEN: Final = Theorem(
    "complete answers of FULLY_AUTHORITATIVE nodes prove a loss",
    "When all FULLY_AUTHORITATIVE nodes had no copy, every copy is on a node whose data is gone: this does not follow, "
    "because a copy may be on a node that is merely down.",
    f"{_STATUS}: all nodes that are FULLY_AUTHORITATIVE said they don't have the record",
    _NOBODY_HAS_IT
    | {"all FULLY_AUTHORITATIVE nodes have answered": is_complete(HEARD, AUTHORITATIVE - UNAVAILABLE).term},
    (COPYSET <= (NONEMPTY - AUTHORITATIVE)).term,
    refutable=True,
)

THEOREMS: Final = (SOUND, TIGHT, EXACT, QUORUMS_MEET, WRITTEN_IS_SOUND, COMPLETE, COMPLETE_AS_WRITTEN)
"""All theorems about small topologies."""

UNBOUNDED: Final = tuple(theorem for theorem in THEOREMS if not (theorem.nested or theorem.located))
"""Those that do not depend on how domains of different scopes lie in each other: they hold for any number of nodes."""
