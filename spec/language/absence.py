"""Absence: what a formula comes to in a trace that has no event of some kinds.

A small table that is made of such events has no rows, so nothing that is looked up in it is known. What is said only
where it is known is then said of nothing, and need not be doubted for the sake of events that are recorded in part.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

from spec.language.events import kinds
from spec.language.terms import Lit, Lookup, Op, Term, rebuild

NEVER = Lit(value=False)


def without(term: Term, absent: Collection[type]) -> Term:
    """The same formula where no event of these classes occurs."""
    gone = {kind for event in absent for kind in kinds(event)}
    return _without(term, gone) if gone else term


def _without(term: Term, gone: set[int]) -> Term:
    match term:
        case Op("known", (Lookup(dimension, _, _, _),)) if gone.issuperset(kinds(dimension.events)):
            return NEVER
        case Op("and" | "or" as name, args):
            parts = [_without(arg, gone) for arg in args]
            some = [part for part in parts if part != NEVER]
            if not some or (name == "and" and len(some) < len(parts)):
                return NEVER
            return reduce(lambda a, b: Op(name, (a, b)), some)
        case _:
            return rebuild(term, lambda child: _without(child, gone))
