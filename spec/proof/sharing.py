"""Sharing: equal parts of a theorem's terms become one object.

The same words come again and again in a theorem: a definition names each scope, and every scope speaks of the same
sets. Where equal parts are one object, a reading can remember what it made of each, by its identity.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from spec.language.terms import Count, Op, Term


class Shared(NamedTuple):
    """Terms, and all their different parts."""

    terms: list[Term]
    parts: list[Term]


def shared(terms: Iterable[Term]) -> Shared:
    """The same terms over sets, numbers and domains, in which equal parts are one object."""
    seen: dict[Any, Term] = {}
    return Shared([_shared(term, seen) for term in terms], list(seen.values()))


def _shared(term: Term, seen: dict[Any, Term]) -> Term:
    match term:
        case Op(name, args):
            below = tuple(_shared(arg, seen) for arg in args)
            return seen.setdefault((name, *map(id, below)), Op(name, below))
        case Count(scope, var, body):
            inside = _shared(body, seen)
            return seen.setdefault((scope, var, id(inside)), Count(scope, var, inside))
        case _:
            # True is equal to 1, but no number.
            return seen.setdefault((type(getattr(term, "value", None)), term), term)
