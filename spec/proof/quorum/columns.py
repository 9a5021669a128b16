"""The columns that theorems about quorums speak of: sets of nodes, a replication property, a few numbers.

The theorems use the terms of the rules themselves, such as ``is_f_majority`` and ``can_replicate``: there is no second
formula.
"""

from __future__ import annotations

from typing import Final

from spec.language.handles import Bool, Factors, Int, Set
from spec.language.quantifiers import every
from spec.language.terms import Col
from spec.log.replication import LOCATED


def nodes(name: str) -> Set:
    """A set of nodes of which nothing is known yet."""
    return Set(Col(name, "set"))


HEARD: Final = nodes("heard")
"""Nodes that have answered."""
NODESET: Final = nodes("nodeset")
"""Nodes on which copies may have been stored."""
NONEMPTY: Final = nodes("nonempty")
"""Nodes that may hold records: the nodeset without those that are AUTHORITATIVE_EMPTY."""
AUTHORITATIVE: Final = nodes("authoritative")
"""Nodes whose answers count."""
COPYSET: Final = nodes("copyset")
"""Where the copies of a record lie."""
REPLICATION: Final = Factors(Col("replication", "factors"))
COPIES: Final = Int(Col("copies", "int"))
"""How many members a copyset has."""

SHARDS: Final = REPLICATION.at("shard")
"""How many copies are asked for, where every node counts for itself."""
ONLY_SHARDS: Final = every(REPLICATION.at(scope) == 0 for scope in LOCATED)
"""No copies are asked for across racks, regions or any other scope."""

HIDDEN: Final = NONEMPTY - (HEARD & AUTHORITATIVE)
"""Nodes that may hold a record without anybody knowing."""

GAP_DETECTION: Final = "LogDevice, Read path, Gap detection algorithm"
STATUS: Final = "LogDevice, Read path, Authoritative Status"
RECOVERY: Final = "LogDevice, Recovery, Log recovery"


def just_when(a: Bool, b: Bool) -> Bool:
    """Both are true, or neither is."""
    return a.implies(b) & b.implies(a)


def meet(a: Set, b: Set) -> Bool:
    """Two sets have a node in common."""
    return ~(a & b).is_empty()
