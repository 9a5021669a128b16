"""|nodeset| - R + 1: how many answers it takes where every node counts for itself, and how many nodes may fail."""

from __future__ import annotations

from typing import Final

from spec.log.quorum import is_f_majority
from spec.log.replication import can_replicate
from spec.proof.quorum.columns import (
    COPIES,
    COPYSET,
    GAP_DETECTION,
    HEARD,
    NODESET,
    ONLY_SHARDS,
    REPLICATION,
    SHARDS,
    just_when,
    meet,
    nodes,
)
from spec.proof.theorems import Theorem

FAILED: Final = nodes("failed")
OTHERS: Final = nodes("others")
UP: Final = NODESET - FAILED

ENOUGH: Final = Theorem(
    "quorum.size.enough",
    "|nodeset| - R + 1 answers are enough",
    "Whoever asked |nodeset| - R + 1 nodes asked one of any R.",
    f"{GAP_DETECTION}: if the client hears from |nodeset|-R+1 nodes, that's an f-majority",
    {
        "the nodes that answered belong to the nodeset": (HEARD <= NODESET).term,
        "the copies lie in the nodeset": (COPYSET <= NODESET).term,
        "there are R copies": (COPYSET.size() >= COPIES).term,
        "|nodeset| - R + 1 nodes answered": (HEARD.size() >= NODESET.size() - COPIES + 1).term,
    },
    meet(HEARD, COPYSET).term,
)

NO_FEWER: Final = Theorem(
    "quorum.size.no_fewer",
    "no fewer answers are enough",
    "Where only |nodeset| - R nodes answered, the others are enough for a record that nobody knows of.",
    f"{GAP_DETECTION}: there could still be a copy replicated on the nodes that have not answered",
    {"no more than |nodeset| - R nodes answered": (HEARD.size() <= NODESET.size() - COPIES).term},
    ((NODESET - HEARD).size() >= COPIES).term,
)

FORMULA: Final = Theorem(
    "quorum.size.formula",
    "the rule is |nodeset| - R + 1 where only shards count",
    "Where no scope but the shard asks for copies, the rule of f-majority and the formula say the same.",
    f"{GAP_DETECTION}; common/FailureDomainNodeSet-inl.h, isFmajority",
    {
        "copies are asked for of shards alone": ONLY_SHARDS.term,
        "the nodes that answered belong to the nodeset": (HEARD <= NODESET).term,
    },
    just_when(is_f_majority(HEARD, NODESET, NODESET, REPLICATION), HEARD.size() >= NODESET.size() - SHARDS + 1).term,
)

FAILURES: Final = Theorem(
    "quorum.size.failures",
    "min(N - R, R - 1) nodes may fail",
    "Records can be written and their absence proved just when no more than min(N - R, R - 1) nodes have failed.",
    f"{GAP_DETECTION}: R nodes to write, |nodeset|-R+1 to conclude that nothing was written",
    {
        "copies are asked for of shards alone": ONLY_SHARDS.term,
        "the failed nodes belong to the nodeset": (FAILED <= NODESET).term,
    },
    just_when(
        can_replicate(UP, REPLICATION) & is_f_majority(UP, NODESET, NODESET, REPLICATION),
        (FAILED.size() <= NODESET.size() - SHARDS) & (FAILED.size() <= SHARDS - 1),
    ).term,
)

FEW_COPIES_MEET: Final = Theorem(
    "quorum.size.few_copies_meet",
    "two f-majorities meet where copies are few",
    "Where 2 R is no more than |nodeset| + 1, any two f-majorities have a node in common.",
    "LogDevice, common/FailureDomainNodeSet.h: an f-majority meets copysets; others only by their size",
    {
        "copies are asked for of shards alone": ONLY_SHARDS.term,
        "some nodes are an f-majority": is_f_majority(HEARD, NODESET, NODESET, REPLICATION).term,
        "so are others": is_f_majority(OTHERS, NODESET, NODESET, REPLICATION).term,
        "2 R is no more than |nodeset| + 1": (NODESET.size() + 1 >= SHARDS + SHARDS).term,
    },
    meet(HEARD, OTHERS).term,
)
