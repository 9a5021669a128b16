"""Successive recoveries: what one stored or sealed, the next one learns.

A recovery reads digests from an f-majority and stores its outcome on nodes that can replicate; it takes one set of each
kind, because two sets of the same kind need not meet.
"""

from __future__ import annotations

from typing import Final

from spec.log.quorum import is_f_majority
from spec.log.replication import can_replicate
from spec.proof.quorum.columns import AUTHORITATIVE, NODESET, NONEMPTY, RECOVERY, REPLICATION, meet, nodes
from spec.proof.theorems import Theorem

SEALED: Final = nodes("sealed")
"""Nodes that store no more appends of the epoch."""
DIGESTED: Final = nodes("digested")
"""Nodes whose digests a recovery has read."""
STORED: Final = nodes("stored")
"""Nodes on which an earlier recovery, or an append, left its copies."""
STORED_AGAIN: Final = nodes("stored_again")

_DIGEST = "LogDevice, common/Digest.h: a digest takes an f-majority; its records are stored where they can replicate"

SEAL_STOPS_ACKS: Final = Theorem(
    "quorum.recovery.seal_stops_acks",
    "a sealed f-majority stops acknowledgements",
    "Once an f-majority is sealed, no append of the epoch can reach enough nodes to be acknowledged.",
    f"{RECOVERY}: it tells the storage nodes to reject records with smaller epochs",
    {
        "the sealed nodes are an f-majority": is_f_majority(SEALED, NODESET, NODESET, REPLICATION).term,
        "an append is stored on other nodes of the nodeset": (STORED <= (NODESET - SEALED)).term,
    },
    (~can_replicate(STORED, REPLICATION)).term,
)

NEXT_ONE_LEARNS: Final = Theorem(
    "quorum.recovery.next_one_learns",
    "a later recovery learns what an earlier one stored",
    "A digest of an f-majority has a node on which the outcome of every earlier recovery was stored.",
    f"{_DIGEST}; {RECOVERY}: it replicates the outcome to the correct number of nodes",
    {
        "the earlier recovery stored enough copies": can_replicate(STORED, REPLICATION).term,
        "it stored them on nodes that may hold records": (STORED <= NONEMPTY).term,
        "only nodes that may hold records count": (AUTHORITATIVE <= NONEMPTY).term,
        "the later digest is of an f-majority": is_f_majority(DIGESTED, NONEMPTY, AUTHORITATIVE, REPLICATION).term,
    },
    meet(DIGESTED & AUTHORITATIVE, STORED).term,
)

DIGEST_IS_NO_COPYSET: Final = Theorem(
    "quorum.recovery.digest_is_no_copyset",
    "an f-majority can hold a record",
    "Nodes that were enough for a digest are enough to store its outcome: this does not follow, so recovery waits for "
    "both.",
    "LogDevice, common/EpochRecovery.cpp: an incomplete digest goes on only if the mutable nodes can replicate",
    {
        "the nodeset can hold a record": can_replicate(NODESET, REPLICATION).term,
        "the digest is of an f-majority": is_f_majority(DIGESTED, NODESET, NODESET, REPLICATION).term,
        "it is of the nodeset": (DIGESTED <= NODESET).term,
    },
    can_replicate(DIGESTED, REPLICATION).term,
    refutable=True,
    scopes=(),
)

COPYSETS_NEED_NOT_MEET: Final = Theorem(
    "quorum.recovery.copysets_need_not_meet",
    "any two copysets meet",
    "Two sets of nodes that each hold a record have a node in common: this does not follow, so to store an outcome is "
    "not to learn one.",
    _DIGEST,
    {
        "one recovery stored enough copies": can_replicate(STORED, REPLICATION).term,
        "so did another": can_replicate(STORED_AGAIN, REPLICATION).term,
        "copies are asked for": (REPLICATION.at("node") > 0).term,
    },
    meet(STORED, STORED_AGAIN).term,
    refutable=True,
    scopes=(),
)
