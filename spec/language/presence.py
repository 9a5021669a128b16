"""Presence: what a formula can come to in a trace in which only some kinds of event occur.

A column that is made of other kinds says nothing, or that nothing occurred; so a condition may be false in every row.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final, TypeAlias

from spec.language.declare import Rowset
from spec.language.events import kinds
from spec.language.terms import Agg, Col, Field, Lit, Lookup, Op, Param, Term
from spec.language.vocabulary import TOTAL

Truth: TypeAlias = bool | None
"""A truth value, or NULL."""

Outcomes: TypeAlias = frozenset[Truth]
"""What a truth value can be; any other value that is known counts as both truths."""

KNOWN: Final[Outcomes] = frozenset((True, False))
NULL: Final[Outcomes] = frozenset((None,))
ANY: Final = KNOWN | NULL


def _and(a: Truth, b: Truth) -> Truth:
    return False if a is False or b is False else None if a is None or b is None else True


def _not(a: Truth) -> Truth:
    return None if a is None else not a


CONNECTIVES: Final[dict[str, Callable[..., Truth]]] = {
    "and": _and,
    "or": lambda a, b: _not(_and(_not(a), _not(b))),
    "implies": lambda a, b: _not(_and(a, _not(b))),
    "not": _not,
}


def can_be(term: Term, rows: type[Rowset], here: frozenset[int]) -> Outcomes:
    """What a term over base and neighbour columns can be in some row, where only these kinds of event occur."""
    match term:
        case Lit(bool() as value):
            return frozenset((value,))
        case Lit() | Param():
            return KNOWN
        case Col(name) if name in rows.near:
            return can_be(rows.inline(rows.near[name].of), rows, here) | NULL
        case Col(name):
            return KNOWN if name in rows.key else can_be(rows.base[name], rows, here)
        case Field(event):
            return NULL if here.isdisjoint(kinds(event)) else ANY
        case Lookup(dimension, _, _, key):
            no_key = any(can_be(part, rows, here) == NULL for part in key)
            return NULL if no_key or here.isdisjoint(kinds(dimension.events)) else ANY
        case Agg(fn, of) if here.isdisjoint(kind for event, _ in of for kind in kinds(event)):
            return frozenset((False,)) if fn == "any" else KNOWN if fn in TOTAL else NULL
        case Op(name, args):
            return _operation(name, [can_be(arg, rows, here) for arg in args])
        case _:
            return ANY


def _operation(name: str, args: list[Outcomes]) -> Outcomes:
    """What an operation can come to; every one that has no line of its own is NULL where an operand is."""
    match name, args:
        case (("and" | "or" | "implies" | "not"), _):
            return frozenset(CONNECTIVES[name](*values) for values in product(*args))
        case "known", [one]:
            return frozenset(value is not None for value in one)
        case "is", _:
            return frozenset((False,)) if NULL in args else KNOWN
        case "when", [value, condition]:
            return value | NULL if True in condition else NULL
        case _:
            return NULL if NULL in args else KNOWN.union(*args)
