"""The meaning of terms, on plain Python values: this reading defines the others.

Sets are frozensets, a replication property is a mapping from scope to copies, NULL is None, and nothing here is
clever. Truth follows Kleene: an operation on NULL is NULL, but a connective is settled by one decisive operand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import and_, eq, ge, gt, le, lt, ne, or_
from typing import Any, Final

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

DECISIVE: Final = {"and": False, "or": True, "implies": False}
"""The truth value of a connective's first operand that settles it."""


class Evaluator:
    """Where the leaves of a term are looked up: one event or one row, with parameters and dimensions."""

    def __init__(self, of: Mapping[str, Value], parameters: Parameters, tables: Tables) -> None:
        self.of, self.parameters, self.tables = of, parameters, tables

    def value(self, term: Term, domain: frozenset[int] = frozenset()) -> Value:
        """The value of a term; ``domain`` is what a bound variable stands for."""
        match term:
            case Op():
                return self._operation(term.name, term.args, domain)
            case Field():
                return self.of[term.column] if self.of["kind"] in kinds(term.event) else None
            case Col():
                return self.of[term.name]
            case Lit():
                return term.value
            case Param():
                return self.parameters.number(term.name)
            case Var():
                return domain
            case Lookup(dimension, column, _, key):
                row = self.tables[dimension].get(tuple(self.value(part, domain) for part in key))
                return None if row is None else row[column]
            case Count(scope, _, body):
                return self._count(scope, body)
            case _:
                raise TypeError(f"{term} belongs to a view's declaration, not to a row")

    def _count(self, scope: str, body: Term) -> int | None:
        said = [self.value(body, domain) for domain in self.parameters.domains_of(scope)]
        return None if None in said else sum(said)

    def _operation(self, name: str, args: tuple[Term, ...], domain: frozenset[int]) -> Value:
        first = self.value(args[0], domain)
        if name in DECISIVE and first is DECISIVE[name]:  # the others need not be looked at
            return name != "and"
        values = [first, *[self.value(arg, domain) for arg in args[1:]]]
        if name in STRICT:
            return None if None in values else STRICT[name](*values)
        match name:
            case "and":
                return kleene_and(*values)
            case "or":
                return kleene_not(kleene_and(*map(kleene_not, values)))
            case "implies":
                return kleene_not(kleene_and(values[0], kleene_not(values[1])))
            case "known":
                return values[0] is not None
            case "is":
                return None not in values and values[0] == values[1]
            case "when":
                return values[0] if values[1] is True else None
        if None in values:
            return None
        if name == "window":
            return window(*values, most=self.parameters.size)
        if name.startswith(FACTOR):
            return values[0].get(name.removeprefix(FACTOR), 0)
        return self._position(name)(*values)

    def _position(self, name: str) -> Callable[[int], int]:
        """Operations on positions with their low part."""
        bits = self.parameters.low_bits
        return {
            "high": lambda position: position >> bits,
            "first": lambda high: high << bits,
            "last": lambda high: (high << bits) + (1 << bits) - 1,
        }[name]


def window(start: int, length: int, size: int, *, most: int) -> frozenset[int]:
    """The places of a ring from a start on, as far as sets have room for them."""
    return frozenset(place for place in range(min(size, most)) if (place - start) % size < length)


def kleene_and(a: bool | None, b: bool | None, /) -> bool | None:  # noqa: FBT001 - truth values are the subject
    """False if one is false, true if both are true, else unknown."""
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def kleene_not(a: bool | None, /) -> bool | None:  # noqa: FBT001 - truth values are the subject
    """Unknown stays unknown."""
    return None if a is None else not a
