"""Quantifiers: ``count``, ``some``, ``every`` and ``none`` of a comprehension.

``count(... for domain in domains("rack"))`` runs its body once, with ``domain`` standing for the set of members of any
rack; ``every(... for voter in Voter)`` does so with any element of a protocol text's sort. Comprehensions over a plain
Python tuple (``for scope in SCOPES``) are spelt out: one formula for each element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Literal

from spec.language.handles import Bool, Int, Set, as_term
from spec.language.ranges import Ranges, comprehension, open_ranges
from spec.language.refusals import AuthorMistake
from spec.language.scopes import SCOPES
from spec.language.terms import Count, Quantified, Var, leaves

DOMAIN = Var(0)
"""The one variable that stands for a domain: domains are not nested."""


def domains(scope: str) -> Iterator[Set]:
    """The domains of a location scope, one standing for all: for use inside count, some, every and none.

    Raises:
        AuthorMistake: there is no such scope, or the comprehension ranges over domains already.
    """
    if scope not in SCOPES:
        raise AuthorMistake(f"no location scope {scope!r}", f"Scopes are {', '.join(SCOPES)}")
    ranges = open_ranges()
    if ranges is None:
        raise AuthorMistake("domains outside of a quantifier", "Write count(... for domain in domains('rack'))")
    if ranges.scope is not None:
        raise AuthorMistake("domains inside domains", "Name the inner count first, outside the comprehension")
    ranges.scope = scope
    yield Set(DOMAIN)


def _run(bodies: Iterable[Bool]) -> tuple[list[Bool], Ranges]:
    """Run a comprehension once; give its bodies and what it ranges over, if anything."""
    with comprehension() as ranges:
        found = list(bodies)
    for body in found:
        if not isinstance(body, Bool):
            raise AuthorMistake(f"the comprehension gives {body!r}", "Its body must be a formula")
    if ranges.scope is not None and any(leaves(body.term, Count) for body in found):
        raise AuthorMistake("domains inside domains", "Name the inner count first, outside the comprehension")
    return found, ranges


def count(bodies: Iterable[Bool]) -> Int:
    """How many domains satisfy the body.

    Raises:
        AuthorMistake: the comprehension does not range over domains.
    """
    found, ranges = _run(bodies)
    if ranges.scope is None:
        raise AuthorMistake("count needs domains", "Write count(... for domain in domains('rack'))")
    return Int(Count(ranges.scope, DOMAIN, as_term(found[0], "bool")))


def _quantify(kind: Literal["every", "some"], bodies: Iterable[Bool]) -> Bool:
    found, ranges = _run(bodies)
    if not found:
        raise AuthorMistake("a quantifier over nothing", "The tuple that it ranges over is empty")
    if ranges.scope is not None:
        body = found[0] if kind == "some" else ~found[0]
        number = Int(Count(ranges.scope, DOMAIN, as_term(body, "bool")))
        return number > 0 if kind == "some" else number == 0
    if ranges.binders:
        return Bool(Quantified(kind, tuple(reversed(ranges.binders)), as_term(found[0], "bool")))
    return reduce(lambda a, b: a | b if kind == "some" else a & b, found)


def some(bodies: Iterable[Bool]) -> Bool:
    """The body holds for at least one."""
    return _quantify("some", bodies)


def every(bodies: Iterable[Bool]) -> Bool:
    """The body holds for all."""
    return _quantify("every", bodies)


def none(bodies: Iterable[Bool]) -> Bool:
    """The body holds for none."""
    return ~some(bodies)
