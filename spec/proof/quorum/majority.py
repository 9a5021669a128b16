"""f-majority: what its definition achieves at any number of scopes, and what it does not."""

from __future__ import annotations

from typing import Final

from spec.log.quorum import is_f_majority, is_f_majority_as_written
from spec.log.replication import can_replicate
from spec.proof.quorum.columns import (
    AUTHORITATIVE,
    COPYSET,
    GAP_DETECTION,
    HEARD,
    HIDDEN,
    NODESET,
    NONEMPTY,
    REPLICATION,
    meet,
    nodes,
)
from spec.proof.theorems import Theorem

OTHERS: Final = nodes("others")
MORE: Final = nodes("more")
"""At least the nodes that were there before."""

SOUND: Final = Theorem(
    "quorum.f_majority.sound",
    "an f-majority is sound",
    "The complement of an f-majority cannot contain a copyset.",
    f"{GAP_DETECTION}: by definition, the complement of the f-majority cannot contain a copy set",
    {
        "only nodes that may hold records count": (AUTHORITATIVE <= NONEMPTY).term,
        "the copies lie where no answer counts": (COPYSET <= HIDDEN).term,
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
    },
    (~is_f_majority(HEARD, NONEMPTY, AUTHORITATIVE, REPLICATION)).term,
)

TIGHT: Final = Theorem(
    "quorum.f_majority.tight",
    "an f-majority is tight",
    "Without an f-majority, the nodes that have not answered could hold a whole record: no weaker test is sound.",
    f"{GAP_DETECTION}: there aren't enough of them in the nodeset to replicate the record",
    {"there is no f-majority": (~is_f_majority(HEARD, NONEMPTY, AUTHORITATIVE, REPLICATION)).term},
    can_replicate(HIDDEN, REPLICATION).term,
)

MEETS: Final = Theorem(
    "quorum.f_majority.meets_copysets",
    "an f-majority meets every copyset",
    "Whoever asked an f-majority asked a holder of each record.",
    f"{GAP_DETECTION}: a set of nodes that intersects every possible copyset",
    {
        "the nodes that answered are an f-majority": is_f_majority(HEARD, NODESET, NODESET, REPLICATION).term,
        "the copies lie in the nodeset": (COPYSET <= NODESET).term,
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
    },
    meet(HEARD, COPYSET).term,
)

MORE_ANSWERS: Final = Theorem(
    "quorum.f_majority.more_answers",
    "more answers keep an f-majority",
    "What is an f-majority remains one when more nodes answer.",
    f"{GAP_DETECTION}: a set of nodes that intersects every possible copyset",
    {
        "some nodes are an f-majority": is_f_majority(HEARD, NONEMPTY, AUTHORITATIVE, REPLICATION).term,
        "they and more have answered": (HEARD <= MORE).term,
    },
    is_f_majority(MORE, NONEMPTY, AUTHORITATIVE, REPLICATION).term,
)

MORE_THAT_COUNT: Final = Theorem(
    "quorum.f_majority.more_that_count",
    "answers that come to count keep an f-majority",
    "What is an f-majority remains one when the answers of more nodes count.",
    "LogDevice, common/FailureDomainNodeSet.h: a node that becomes authoritative only adds",
    {
        "some nodes are an f-majority": is_f_majority(HEARD, NONEMPTY, AUTHORITATIVE, REPLICATION).term,
        "their answers and more count": (AUTHORITATIVE <= MORE).term,
    },
    is_f_majority(HEARD, NONEMPTY, MORE, REPLICATION).term,
)

MORE_NODES: Final = Theorem(
    "quorum.f_majority.more_nodes",
    "more nodes do not make an f-majority",
    "What is an f-majority of more nodes was one before there were more: an empty node that is left out only helps.",
    f"{GAP_DETECTION}; common/FailureDomainNodeSet.h: AUTHORITATIVE_EMPTY nodes leave the effective nodeset",
    {
        "the nodes that answered are an f-majority of more": is_f_majority(
            HEARD, MORE, AUTHORITATIVE, REPLICATION
        ).term,
        "some of them may hold records": (NONEMPTY <= MORE).term,
    },
    is_f_majority(HEARD, NONEMPTY, AUTHORITATIVE, REPLICATION).term,
)

NEED_NOT_MEET: Final = Theorem(
    "quorum.f_majority.need_not_meet",
    "any two f-majorities meet",
    "Two f-majorities have a node in common: this does not follow, for an f-majority meets copysets, not its like.",
    "LogDevice, common/FailureDomainNodeSet.h: an f-majority meets every copyset",
    {
        "the nodeset can hold a record": can_replicate(NODESET, REPLICATION).term,
        "some nodes are an f-majority": is_f_majority(HEARD, NODESET, NODESET, REPLICATION).term,
        "so are others": is_f_majority(OTHERS, NODESET, NODESET, REPLICATION).term,
    },
    meet(HEARD, OTHERS).term,
    refutable=True,
    scopes=(),
)

WRITTEN: Final = Theorem(
    "quorum.f_majority.written",
    "the document's formula is sound",
    "Where every node is up and has a location, |nodeset| - R + 1 answers, or as many whole racks, leave no copyset.",
    f"{GAP_DETECTION}: |nodeset|-R+1, and |num_racks|-Rrack+1 for racks",
    {
        "the copies lie where nobody answered": (COPYSET <= (NODESET - HEARD)).term,
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
    },
    (~is_f_majority_as_written(HEARD, NODESET, REPLICATION)).term,
    located=True,
    nested=True,
)
