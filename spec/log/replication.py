"""Replication property and copysets: where the copies of a record may lie.

Sources: LogDevice, Read path (Copyset, Gap detection algorithm); common/configuration/ReplicationProperty.h and
common/FailureDomainNodeSet.h of LogDevice for what counts at each scope.
"""

from __future__ import annotations

from typing import Final

from spec.language.definition import definition
from spec.language.handles import Bool, Factors, Int, Set, parameter
from spec.language.quantifiers import count, domains, every
from spec.language.scopes import SCOPES

LOCATED: Final = SCOPES[1:]
"""Scopes at which nodes have a location: all but the shard itself."""


def promised_copies() -> Int:
    """How many copies an acknowledgement promises, as the trace's header says; 0 if it names no number."""
    return parameter("copies")


def larger_than(scope: str) -> tuple[str, ...]:
    """The location scopes that lie around this one."""
    return SCOPES[SCOPES.index(scope) + 1 :]


def is_kept(replication: Factors, scope: str) -> Bool:
    """A scope counts only where it asks for more copies than every larger scope does.

    LogDevice, common/FailureDomainNodeSet.h: a scope that asks for no more than a larger one adds nothing.
    """
    asks = replication.at(scope) > 0
    around = larger_than(scope)
    return asks & every(replication.at(larger) < replication.at(scope) for larger in around) if around else asks


def domains_touched(nodes: Set, scope: str) -> Int:
    """How many domains of a scope have one of these nodes."""
    return count(~(domain & nodes).is_empty() for domain in domains(scope))


@definition
def can_replicate(nodes: Set, replication: Factors) -> Bool:
    """The nodes lie in enough different domains, at every scope, to hold a whole copyset.

    LogDevice, Write path: copies in R different nodes, spread over the racks or regions that the property names.
    A shard always is a domain of its own: as many shards are needed as the property's greatest factor.
    """
    enough = every(nodes.size() >= replication.at(scope) for scope in SCOPES)
    spread = every(
        ~is_kept(replication, scope) | (domains_touched(nodes, scope) >= replication.at(scope)) for scope in LOCATED
    )
    return enough & spread


@definition
def is_exact_copyset(copyset: Set, replication: Factors) -> Bool:
    """A copyset has exactly as many members as the property's greatest factor, and they are spread well enough.

    LogDevice, common/CopySetSelector.h: a copyset has R members.
    """
    no_more = ~every(copyset.size() > replication.at(scope) for scope in SCOPES)
    return can_replicate(copyset, replication) & no_more
