"""Where the rule of f-majority stops being exact, or a looser reading of it stops being sound: smallest examples.

Each statement is one that a reader might take for granted; none of them follows.
"""

from __future__ import annotations

from typing import Final

from spec.language.handles import Int
from spec.language.quantifiers import domains, every
from spec.language.terms import Col
from spec.log.replication import can_replicate, domains_touched, is_exact_copyset
from spec.proof.quorum.columns import COPYSET, GAP_DETECTION, HEARD, NODESET, REPLICATION, SHARDS, meet
from spec.proof.theorems import Theorem

CAP: Final = Int(Col("cap", "int"))
"""How many members of a copyset one rack may hold."""

_ACROSS_RACKS = REPLICATION.at("rack")
_ACROSS_REGIONS = REPLICATION.at("region")
_SELECTOR = "LogDevice, common/CopySetSelector.h: how the members of a copyset are chosen"

ONE_ANSWER_PER_RACK: Final = Theorem(
    "quorum.limits.one_answer_per_rack",
    "an answer from each of enough racks is enough",
    "Whoever heard from |racks| - R_rack + 1 racks, one node of each at least, asked a holder of each record: this "
    "does not follow, for another node of the same rack may hold the copy.",
    f"{GAP_DETECTION}: the client has heard from all of the nodes on 4 racks",
    {
        "copies are asked for across racks": (REPLICATION.at("rack") > 1).term,
        "the nodes that answered belong to the nodeset": (HEARD <= NODESET).term,
        "some node of |racks| - R_rack + 1 racks answered": (
            domains_touched(HEARD, "rack") >= domains_touched(NODESET, "rack") - REPLICATION.at("rack") + 1
        ).term,
        "the copies lie in the nodeset": (COPYSET <= NODESET).term,
        "the copies are enough": can_replicate(COPYSET, REPLICATION).term,
    },
    meet(HEARD, COPYSET).term,
    refutable=True,
    scopes=("rack",),
)

CROSSING_SCOPES: Final = Theorem(
    "quorum.limits.crossing_scopes",
    "domains that cross hold an exact copyset",
    "Enough nodes, in enough racks and enough regions, hold R copies so spread: this does not follow where racks cross "
    "regions, for the nodes may share one rack or one region. There an f-majority, though sound, asks for too much.",
    "LogDevice, common/NodeLocation.h: a rack belongs to one region; this is why that matters",
    {
        "copies are asked for across racks": (_ACROSS_RACKS > 0).term,
        "and across regions": (_ACROSS_REGIONS > 0).term,
        "there are enough nodes": (NODESET.size() >= SHARDS).term,
        "in enough racks": (domains_touched(NODESET, "rack") >= _ACROSS_RACKS).term,
        "and in enough regions": (domains_touched(NODESET, "region") >= _ACROSS_REGIONS).term,
        "R copies are not too few": ((SHARDS >= _ACROSS_RACKS) & (SHARDS >= _ACROSS_REGIONS)).term,
    },
    (
        (COPYSET <= NODESET)
        & (COPYSET.size() <= SHARDS)
        & (domains_touched(COPYSET, "rack") >= _ACROSS_RACKS)
        & (domains_touched(COPYSET, "region") >= _ACROSS_REGIONS)
    ).term,
    located=True,
    choice="copyset",
    refutable=True,
)

EXACTLY_SO_MANY_RACKS: Final = Theorem(
    "quorum.limits.exactly_so_many_racks",
    "enough nodes hold a copyset in exactly R_rack racks",
    "Nodes that could hold a whole record could do so in just as many racks as are asked for: this does not follow, "
    "for they may all be in different racks. Where copies must not be spread further, an f-majority asks for too much.",
    _SELECTOR,
    {
        "copies are asked for across racks": (REPLICATION.at("rack") > 0).term,
        "the nodes could hold a whole record": can_replicate(NODESET, REPLICATION).term,
    },
    (
        (COPYSET <= NODESET)
        & is_exact_copyset(COPYSET, REPLICATION)
        & (domains_touched(COPYSET, "rack") == REPLICATION.at("rack"))
    ).term,
    located=True,
    choice="copyset",
    refutable=True,
    scopes=("rack",),
)

CAPPED_RACKS: Final = Theorem(
    "quorum.limits.capped_racks",
    "enough nodes hold a copyset of few members in each rack",
    "Nodes that could hold a whole record could do so with no more than m members in a rack: this does not follow, for "
    "they may all lie in one. Where racks have such a cap, an f-majority asks for too much.",
    _SELECTOR,
    {
        "a rack may hold a member": (CAP > 0).term,
        "the nodes could hold a whole record": can_replicate(NODESET, REPLICATION).term,
    },
    (
        (COPYSET <= NODESET)
        & is_exact_copyset(COPYSET, REPLICATION)
        & every((rack & COPYSET).is_empty() | ((rack & COPYSET).size() <= CAP) for rack in domains("rack"))
    ).term,
    choice="copyset",
    refutable=True,
    scopes=("rack",),
)
