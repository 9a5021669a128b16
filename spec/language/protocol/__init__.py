"""Protocol texts: sorts, relations, actions, invariants, goals and progress, in the same connectives as rules."""

from spec.language.handles import Bool
from spec.language.protocol.leading import Leads, leads, work
from spec.language.protocol.relations import Partial, Relation, assume, require, says
from spec.language.protocol.sorts import Family, Order, Sort, constant
from spec.language.protocol.text import Protocol, action, axiom, define, goal, invariant, lemma, progress
from spec.language.protocol.world import World
from spec.language.quantifiers import every, none, some

__all__ = [
    "Bool",
    "Family",
    "Leads",
    "Order",
    "Partial",
    "Protocol",
    "Relation",
    "Sort",
    "World",
    "action",
    "assume",
    "axiom",
    "constant",
    "define",
    "every",
    "goal",
    "invariant",
    "leads",
    "lemma",
    "none",
    "progress",
    "require",
    "says",
    "some",
    "work",
]
