"""The meaning of terms, on plain Python values: this reading defines the others.

Sets are frozensets, a replication property is a mapping from scope to copies, NULL is None, and nothing here is
clever. Truth follows Kleene: an operation on NULL is NULL, but a connective is settled by one decisive operand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import and_, eq, ge, gt, le, lt, ne, or_
from typing import Any, Final, TypeAlias

from spec.language.events import kinds
from spec.language.parameters import Parameters
from spec.language.terms import Col, Count, Field, Lit, Lookup, Op, Param, Term, Var
from spec.language.vocabulary import FACTOR

Value = Any
"""None, bool, int, frozenset of ints, or a mapping from scope to copies."""

Tables = Mapping[type, Mapping[tuple[Value, ...], Mapping[str, Value]]]
"""The rows of each dimension, by key."""

STRICT: Final[dict[str, Callable[..., Value]]] = {
    "=": eq,
    "<>": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "neg": lambda a: -a,
    "not": lambda a: not a,
    "one": lambda member: frozenset({member}),
    "meet": and_,
    "join": or_,
    "minus": lambda a, b: a - b,
    "subset": le,
    "size": len,
}
"""Operations that are NULL as soon as one operand is."""


def window(start: int, length: int, size: int, *, most: int) -> frozenset[int]:
    """The places of a ring from a start on, as far as sets have room for them."""
    return frozenset(place for place in range(min(size, most)) if (place - start) % size < length)


OF_PARAMETERS: Final[dict[str, Callable[..., Value]]] = {
    "window": lambda parameters, *ring: window(*ring, most=parameters.size),
    "high": lambda parameters, position: position >> parameters.low_bits,
    "first": lambda parameters, high: high << parameters.low_bits,
    "last": lambda parameters, high: (high << parameters.low_bits) + (1 << parameters.low_bits) - 1,
}
"""The same, of which what a trace's header fixes is a part: places of a ring, and positions with their low part."""

DECISIVE: Final = {"and": False, "or": True, "implies": False}
"""The truth value of a connective's first operand that settles it."""

REMEMBERED: Final = 1 << 13
"""What so many terms mean is remembered."""


class Evaluator:
    """Where the leaves of a term are looked up: one event or one row, with parameters and dimensions."""

    __slots__ = ("of", "parameters", "tables")

    def __init__(self, of: Mapping[str, Value], parameters: Parameters, tables: Tables) -> None:
        self.of, self.parameters, self.tables = of, parameters, tables

    def value(self, term: Term, domain: frozenset[int] = frozenset()) -> Value:
        """The value of a term; ``domain`` is what a bound variable stands for."""
        return meant(term)(self, domain)


Meant: TypeAlias = Callable[[Evaluator, frozenset[int]], Value]
"""Gives the value of a term where an evaluator looks, for what a bound variable stands for."""

_meant: dict[int, tuple[Term, Meant]] = {}


def meant(term: Term) -> Meant:
    """What a term means: it is walked once, not once for each event or row."""
    found = _meant.get(id(term))
    if found is None:
        if len(_meant) >= REMEMBERED:
            _meant.clear()
        found = _meant[id(term)] = term, _read(term)
    return found[1]


def _read(term: Term) -> Meant:
    match term:
        case Op(name, args):
            return _operation(name, *map(_read, args))
        case Field(event, _, column):
            have = kinds(event)
            return lambda at, _: at.of[column] if at.of["kind"] in have else None
        case Col(name):
            return lambda at, _: at.of[name]
        case Lit(value):
            return lambda _at, _: value
        case Param(name):
            return lambda at, _: at.parameters.number(name)
        case Var():
            return lambda _, domain: domain
        case Lookup(dimension, column, _, key):
            return _lookup(dimension, column, [_read(part) for part in key])
        case Count(scope, _, body):
            return _count(scope, _read(body))
        case _:
            raise TypeError(f"{term} belongs to a view's declaration, not to a row")


def _lookup(dimension: type, column: str, key: Sequence[Meant]) -> Meant:
    def value(at: Evaluator, domain: frozenset[int]) -> Value:
        row = at.tables[dimension].get(tuple(part(at, domain) for part in key))
        return None if row is None else row[column]

    return value


def _count(scope: str, body: Meant) -> Meant:
    def value(at: Evaluator, _: frozenset[int]) -> Value:
        said = [body(at, domain) for domain in at.parameters.domains_of(scope)]
        return None if None in said else sum(said)

    return value


def _operation(name: str, *args: Meant) -> Meant:
    match name, args:
        case ("and" | "or" | "implies", (one, other)):
            return _connected(name, one, other)
        case "known", (one,):
            return lambda at, domain: one(at, domain) is not None
        case "is", (one, other):
            return _is_same(one, other)
        case "when", (one, condition):
            return lambda at, domain: one(at, domain) if condition(at, domain) is True else None
        case _ if name in STRICT:
            return _strict(STRICT[name], *args)
        case _ if name in OF_PARAMETERS:
            return _of_parameters(OF_PARAMETERS[name], args)
        case _ if name.startswith(FACTOR):
            scope = name.removeprefix(FACTOR)
            return _strict(lambda factors: factors.get(scope, 0), *args)
        case _:
            raise TypeError(f"{name} is no operation of the vocabulary")


def _strict(does: Callable[..., Value], *args: Meant) -> Meant:
    one, *others = args

    def of_one(at: Evaluator, domain: frozenset[int]) -> Value:
        first = one(at, domain)
        return None if first is None else does(first)

    def of_two(at: Evaluator, domain: frozenset[int]) -> Value:
        first, second = one(at, domain), others[0](at, domain)
        return None if first is None or second is None else does(first, second)

    return of_two if others else of_one


def _of_parameters(does: Callable[..., Value], args: Sequence[Meant]) -> Meant:
    def value(at: Evaluator, domain: frozenset[int]) -> Value:
        values = [arg(at, domain) for arg in args]
        return None if None in values else does(at.parameters, *values)

    return value


def _connected(name: str, one: Meant, other: Meant) -> Meant:
    decisive = DECISIVE[name]

    def value(at: Evaluator, domain: frozenset[int]) -> Value:
        first = one(at, domain)
        if first is decisive:  # the other need not be looked at
            return name != "and"
        second = other(at, domain)
        if name == "and":
            return kleene_and(first, second)
        first = first if name == "implies" else kleene_not(first)
        return kleene_not(kleene_and(first, kleene_not(second)))

    return value


def _is_same(one: Meant, other: Meant) -> Meant:
    def value(at: Evaluator, domain: frozenset[int]) -> Value:
        first, second = one(at, domain), other(at, domain)
        return first is not None and second is not None and first == second

    return value


def kleene_and(a: bool | None, b: bool | None, /) -> bool | None:  # noqa: FBT001 - truth values are the subject
    """False if one is false, true if both are true, else unknown."""
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def kleene_not(a: bool | None, /) -> bool | None:  # noqa: FBT001 - truth values are the subject
    """Unknown stays unknown."""
    return None if a is None else not a
