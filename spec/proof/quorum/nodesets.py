"""Reconfiguration: f-majorities and copysets of an old nodeset and a new one."""

from __future__ import annotations

from typing import Final

from spec.log.quorum import is_f_majority
from spec.log.replication import can_replicate
from spec.proof.quorum.columns import COPYSET, HEARD, REPLICATION, meet, nodes
from spec.proof.theorems import Theorem

OLD: Final = nodes("old")
NEW: Final = nodes("new")

_EPOCHS = "LogDevice, Read path, Metadata log: each range of epochs has its own nodeset"
_UNION = "LogDevice, common/LogRecoveryRequest.cpp: seals go to the union of the nodesets"

_OF_OLD = is_f_majority(HEARD, OLD, OLD, REPLICATION)
_OF_NEW = is_f_majority(HEARD, NEW, NEW, REPLICATION)
_OF_BOTH = is_f_majority(HEARD, OLD | NEW, OLD | NEW, REPLICATION)
_ENOUGH: Final = {"the copies are enough": can_replicate(COPYSET, REPLICATION).term}
_ONLY_ADDED: Final = {"nodes were only added": (OLD <= NEW).term}

NEW_MISSES_OLD: Final = Theorem(
    "quorum.nodesets.new_misses_old",
    "an f-majority of the new nodeset meets the copysets of the old one",
    "Whoever asked an f-majority of the new nodeset asked a holder of each record of the old one: this does not "
    "follow, so records are looked for in the nodeset of their own epoch.",
    _EPOCHS,
    {
        "the copies lie in the old nodeset": (COPYSET <= OLD).term,
        **_ENOUGH,
        "the new nodeset can hold a record": can_replicate(NEW, REPLICATION).term,
        "the nodes that answered are an f-majority of the new nodeset": _OF_NEW.term,
    },
    meet(HEARD, COPYSET).term,
    refutable=True,
    scopes=(),
)

OLD_MISSES_NEW: Final = Theorem(
    "quorum.nodesets.old_misses_new",
    "an f-majority from before nodes were added meets later copysets",
    "Where nodes were only added, whoever asked an f-majority of the old nodeset asked a holder of each record of the "
    "new one: this does not follow.",
    _EPOCHS,
    {
        **_ONLY_ADDED,
        "the copies lie in the new nodeset": (COPYSET <= NEW).term,
        **_ENOUGH,
        "the old nodeset can hold a record": can_replicate(OLD, REPLICATION).term,
        "the nodes that answered are an f-majority of the old nodeset": _OF_OLD.term,
    },
    meet(HEARD, COPYSET).term,
    refutable=True,
    scopes=(),
)

ONLY_ADDED: Final = Theorem(
    "quorum.nodesets.only_added",
    "an f-majority after nodes were added meets earlier copysets",
    "Where nodes were only added, whoever asked an f-majority of the new nodeset asked a holder of each record of the "
    "old one.",
    _EPOCHS,
    {
        **_ONLY_ADDED,
        "the copies lie in the old nodeset": (COPYSET <= OLD).term,
        **_ENOUGH,
        "the nodes that answered are an f-majority of the new nodeset": _OF_NEW.term,
    },
    meet(HEARD, COPYSET).term,
)

UNION_MEETS: Final = Theorem(
    "quorum.nodesets.union_meets",
    "an f-majority of both nodesets together meets every copyset",
    "Whoever asked an f-majority of the union asked a holder of each record of either nodeset, or of both at once.",
    _UNION,
    {
        "the copies lie in the old nodeset and the new one": (COPYSET <= (OLD | NEW)).term,
        **_ENOUGH,
        "the nodes that answered are an f-majority of the union": _OF_BOTH.term,
    },
    meet(HEARD, COPYSET).term,
)

UNION_SERVES_BOTH: Final = Theorem(
    "quorum.nodesets.union_serves_both",
    "an f-majority of both nodesets together is one of each",
    "What is an f-majority of the union is an f-majority of the old nodeset and of the new one.",
    _UNION,
    {"the nodes that answered are an f-majority of the union": _OF_BOTH.term},
    (_OF_OLD & _OF_NEW).term,
)

EACH_IS_NOT_UNION: Final = Theorem(
    "quorum.nodesets.each_is_not_union",
    "f-majorities of both nodesets meet the copysets of both together",
    "Whoever asked an f-majority of each nodeset asked a holder of a record that lies partly in one and partly in the "
    "other: this does not follow.",
    _UNION,
    {
        "the copies lie in the old nodeset and the new one": (COPYSET <= (OLD | NEW)).term,
        **_ENOUGH,
        "the old nodeset can hold a record": can_replicate(OLD, REPLICATION).term,
        "so can the new one": can_replicate(NEW, REPLICATION).term,
        "the nodes that answered are an f-majority of the old nodeset": _OF_OLD.term,
        "and of the new one": _OF_NEW.term,
    },
    meet(HEARD, COPYSET).term,
    refutable=True,
    scopes=(),
)
