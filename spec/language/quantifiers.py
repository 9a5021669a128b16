"""Quantifiers over domains: ``count``, ``some``, ``every`` and ``none`` of a comprehension.

``count(... for domain in domains("rack"))`` runs its body once, with ``domain`` standing for the set of nodes of any
rack. Comprehensions over a plain Python tuple (``for scope in SCOPES``) are spelt out: one formula for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import reduce

from spec.language.handles import Bool, Int, Set, as_term
from spec.language.refusals import AuthorMistake
from spec.language.terms import Count, Var, leaves
from spec.language.vocabulary import SCOPES

DOMAIN = Var(0)
"""The one bound variable: domains are not nested."""

_scope: ContextVar[str | None] = ContextVar("scope", default=None)


def domains(scope: str) -> Iterator[Set]:
    """The domains of a location scope, one standing for all: for use inside count, some, every and none.

    Raises:
        AuthorMistake: there is no such scope, or the comprehension ranges over domains already.
    """
    if scope not in SCOPES:
        raise AuthorMistake(f"no location scope {scope!r}", f"Scopes are {', '.join(SCOPES)}")
    if _scope.get() is not None:
        raise AuthorMistake("domains inside domains", "Name the inner count first, outside the comprehension")
    _scope.set(scope)
    yield Set(DOMAIN)


def _run(bodies: Iterable[Bool]) -> tuple[list[Bool], str | None]:
    """Run a comprehension once; give its bodies and the scope that it ranges over, if any."""
    token = _scope.set(None)
    try:
        found = list(bodies)
        scope = _scope.get()
    finally:
        _scope.reset(token)
    for body in found:
        if not isinstance(body, Bool):
            raise AuthorMistake(f"the comprehension gives {body!r}", "Its body must be a formula")
    if scope is not None and any(leaves(body.term, Count) for body in found):
        raise AuthorMistake("domains inside domains", "Name the inner count first, outside the comprehension")
    return found, scope


def count(bodies: Iterable[Bool]) -> Int:
    """How many domains satisfy the body.

    Raises:
        AuthorMistake: the comprehension does not range over domains.
    """
    found, scope = _run(bodies)
    if scope is None:
        raise AuthorMistake("count needs domains", "Write count(... for domain in domains('rack'))")
    return Int(Count(scope, DOMAIN, as_term(found[0], "bool")))


def _quantify(
    bodies: Iterable[Bool], over_domains: Callable[[str, Bool], Bool], spelt_out: Callable[[Bool, Bool], Bool]
) -> Bool:
    found, scope = _run(bodies)
    if scope is not None:
        return over_domains(scope, found[0])
    if not found:
        raise AuthorMistake("a quantifier over nothing", "The tuple that it ranges over is empty")
    return reduce(spelt_out, found)


def some(bodies: Iterable[Bool]) -> Bool:
    """The body holds for at least one."""
    return _quantify(
        bodies, lambda scope, body: Int(Count(scope, DOMAIN, as_term(body, "bool"))) > 0, lambda a, b: a | b
    )


def every(bodies: Iterable[Bool]) -> Bool:
    """The body holds for all."""
    return _quantify(
        bodies, lambda scope, body: Int(Count(scope, DOMAIN, as_term(~body, "bool"))) == 0, lambda a, b: a & b
    )


def none(bodies: Iterable[Bool]) -> Bool:
    """The body holds for none."""
    return ~some(bodies)
