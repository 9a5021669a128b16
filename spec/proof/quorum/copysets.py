"""Copysets: nodes in enough domains hold one with no more members than copies are asked for, if domains are nested.

For any number of nodes, domains and nested scopes this follows scope by scope, from the largest to the smallest. Choose
one node of each of R domains of the largest scope. A choice in different domains of one scope is a choice in different
domains of every smaller scope (``NESTED_CHOICE``). Where a smaller scope asks for more, enough further domains are left
(``ROOM``); one node of each makes a choice of as many as are asked for, again in different domains (``WIDER``); and
what the larger scopes had, they keep (``MORE_HOLDERS``). Racks and regions stand for any two scopes.
"""

from __future__ import annotations

from typing import Final

from spec.language.handles import Factors
from spec.language.quantifiers import count, domains, every
from spec.language.scopes import SCOPES
from spec.language.terms import Col
from spec.log.replication import can_replicate, domains_touched, is_exact_copyset
from spec.proof.quorum.columns import COPIES, COPYSET, NODESET, REPLICATION, nodes
from spec.proof.theorems import Theorem

FEWER: Final = Factors(Col("fewer", "factors"))
"""A property that asks for no more at any scope."""
CHOSEN: Final = nodes("chosen")
"""Nodes chosen so far."""
ADDED: Final = nodes("added")
"""Nodes to choose besides."""

_EXACTLY = "LogDevice, common/CopySetSelector.h: a copyset has R members"
_SCOPES = "LogDevice, common/configuration/ReplicationProperty.h: a factor for each scope, never more for a larger one"


MORE_HOLDERS: Final = Theorem(
    "quorum.copyset.more_holders",
    "more copies keep a copyset",
    "What can hold a record can do so with more nodes besides.",
    "LogDevice, common/FailureDomainNodeSet.h, canReplicate: enough domains at every scope",
    {
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
        "there are more": (COPYSET <= NODESET).term,
    },
    can_replicate(NODESET, REPLICATION).term,
)

FEWER_COPIES: Final = Theorem(
    "quorum.copyset.fewer_copies",
    "what is enough for more copies is enough for fewer",
    "Nodes that can hold a record can hold one of which fewer copies are asked for.",
    _SCOPES,
    {
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
        "no scope asks for more": every(FEWER.at(scope) <= REPLICATION.at(scope) for scope in SCOPES).term,
    },
    can_replicate(COPYSET, FEWER).term,
    located=True,
    nested=True,
)

ROOM: Final = Theorem(
    "quorum.copyset.room",
    "a choice leaves room for more",
    "Where nodes lie in enough domains, those that a choice does not touch make up for what it lacks.",
    _EXACTLY,
    {"the nodes lie in enough racks": (domains_touched(NODESET, "rack") >= COPIES).term},
    (
        count(~(rack & NODESET).is_empty() & (rack & CHOSEN).is_empty() for rack in domains("rack"))
        >= COPIES - CHOSEN.size()
    ).term,
)

WIDER: Final = Theorem(
    "quorum.copyset.wider",
    "a choice is widened without waste",
    "Nodes in different domains, and one more of each of some further domains, are as many nodes in as many domains.",
    _EXACTLY,
    {
        "each node chosen has a rack of its own": (domains_touched(CHOSEN, "rack") >= CHOSEN.size()).term,
        "so has each node to add": (domains_touched(ADDED, "rack") >= ADDED.size()).term,
        "no rack has some of both": every(
            (rack & CHOSEN).is_empty() | (rack & ADDED).is_empty() for rack in domains("rack")
        ).term,
    },
    (
        (domains_touched(CHOSEN | ADDED, "rack") >= CHOSEN.size() + ADDED.size())
        & ((CHOSEN | ADDED).size() >= CHOSEN.size() + ADDED.size())
    ).term,
)

NESTED_CHOICE: Final = Theorem(
    "quorum.copyset.nested_choice",
    "nodes apart at a large scope are apart at a smaller one",
    "Nodes of different regions have different racks, if every node has a rack, and every rack one region.",
    "LogDevice, common/NodeLocation.h: a location names the domains from the largest to the smallest",
    {
        "racks count": (REPLICATION.at("rack") > 0).term,
        "each node chosen has a region of its own": (domains_touched(CHOSEN, "region") >= CHOSEN.size()).term,
    },
    (domains_touched(CHOSEN, "rack") >= CHOSEN.size()).term,
    located=True,
    nested=True,
)

EXACT: Final = Theorem(
    "quorum.copyset.exact",
    "enough nodes hold an exact copyset",
    "Nodes that could hold a whole record could do so with no more copies than were asked for.",
    _EXACTLY,
    {"the nodes could hold a whole record": can_replicate(NODESET, REPLICATION).term},
    ((COPYSET <= NODESET) & is_exact_copyset(COPYSET, REPLICATION)).term,
    located=True,
    nested=True,
    choice="copyset",
)
