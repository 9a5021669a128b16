"""Prepared terms: what ``spec.language.meaning`` says of an event, as a function that looks at one after another.

A term is walked once, not once for each event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import TypeAlias

from spec.language.meaning import DECISIVE, STRICT, Evaluator, Value, kleene_and, kleene_not
from spec.language.parameters import Parameters
from spec.language.terms import Field, Lit, Op, Term

Prepared: TypeAlias = Callable[[Mapping[str, Value]], Value]
"""Gives a term's value in an event that has all its fields."""


def prepared(term: Term, parameters: Parameters) -> Prepared:
    """A function that gives a term's value in any event of the class whose fields it speaks of."""
    match term:
        case Field(_, _, column):
            return itemgetter(column)
        case Lit(value):
            return lambda _: value
        case Op("known", (value,)):
            said = prepared(value, parameters)
            return lambda event: said(event) is not None
        case Op("and" | "or" as name, (one, other)):
            return _connected(name, prepared(one, parameters), prepared(other, parameters))
        case Op(name, (one, other)) if name in STRICT:
            return _strict(STRICT[name], prepared(one, parameters), prepared(other, parameters))
        case _:
            return lambda event: Evaluator(event, parameters, {}).value(term)


def _strict(does: Callable[[Value, Value], Value], one: Prepared, other: Prepared) -> Prepared:
    def value(event: Mapping[str, Value]) -> Value:
        first, second = one(event), other(event)
        return None if first is None or second is None else does(first, second)

    return value


def _connected(name: str, one: Prepared, other: Prepared) -> Prepared:
    decisive = DECISIVE[name]

    def value(event: Mapping[str, Value]) -> Value:
        first = one(event)
        if first is decisive:
            return decisive
        second = other(event)
        return kleene_and(first, second) if name == "and" else kleene_not(kleene_and(*map(kleene_not, (first, second))))

    return value
