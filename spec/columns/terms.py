"""Terms: the value of a term for whole columns.

An evaluator knows the leaves: fields of events, or columns of rows. What operations do to values is told in
``spec.columns.operations``, what NULL does in ``spec.columns.kleene``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from spec.columns.column import Array, Column
from spec.columns.kleene import (
    compared,
    how_many,
    is_everywhere,
    is_known,
    is_nowhere,
    is_same,
    kleene_and,
    kleene_not,
    kleene_or,
    strict,
    when,
)
from spec.columns.mistakes import UnsupportedLookup
from spec.columns.operations import masks_of, one, operations_of
from spec.columns.overflow import OVERFLOWS, refuse_overflow
from spec.language.parameters import Parameters
from spec.language.terms import Col, Count, Field, Lit, Lookup, Op, Param, Term, Var

DOMAINS_AT_ONCE: Final = 1 << 15
"""How many values a count over domains works on at once: with few rows, all domains together."""


class Evaluator:
    """Where the leaves of a term are looked up: columns of events or of rows, with parameters.

    Args:
        parameters: what the trace's header fixes.
        size: how many events or rows there are.
    """

    def __init__(self, parameters: Parameters, size: int) -> None:
        self.parameters, self.size = parameters, size
        self._operations = operations_of(parameters)

    def leaf(self, term: Field | Col) -> Column:
        """The column of a field of events, or of a view's row."""
        raise NotImplementedError

    def value(self, term: Term, domains: Array | None = None) -> Column:
        """The value of a term; ``domains`` are the masks that a bound variable stands for, on the first axis."""
        match term:
            case Op(name, args):
                first = self.value(args[0], domains)
                if name in DECIDED and (said := DECIDED[name](first)) is not None:
                    return said
                return self._operation(name, [first, *(self.value(arg, domains) for arg in args[1:])])
            case Field() | Col():
                return self.leaf(term)
            case Lit(value):
                return _constant(value)
            case Lookup(dimension, column):
                raise UnsupportedLookup(
                    "a lookup by what is no column of a row",
                    f"{dimension.__name__}.{column}",
                    "a dimension is looked up once for each row, not for each event or domain",
                    "Aggregate the key first, and look it up in a column of the view",
                )
            case Param(name):
                return Column(np.asarray(self.parameters.number(name), np.int64))
            case Var():
                return Column(np.zeros((), np.int64) if domains is None else domains)
            case Count(scope, _, body):
                return self._count(scope, body)
            case _:
                raise TypeError(f"{term} belongs to a view's declaration, not to a row")

    def _count(self, scope: str, body: Term) -> Column:
        masks = masks_of(self.parameters.domains_of(scope), self.parameters.words)
        total, step = Column(np.zeros((), np.int64)), max(1, DOMAINS_AT_ONCE // max(1, self.size))
        for first in range(0, len(masks), step):
            some = masks[first : first + step]
            total = strict(np.add, [total, how_many(self.value(body, some), len(some))])
        return total

    def _operation(self, name: str, args: list[Column]) -> Column:
        if name in CONNECTIVES:
            return CONNECTIVES[name](*args)
        if name in COMPARISONS:
            return compared(self._operations[name], args, less=COMPARISONS[name])
        if name == "one":
            return strict(lambda member: one(member, args[0].known, self.parameters), args)
        found = strict(self._operations[name], args)
        if name in OVERFLOWS:
            refuse_overflow(name, found, args, self.parameters.low_bits)
        return found


@lru_cache(typed=True)
def _constant(value: int) -> Column:
    return Column(np.asarray(value))


COMPARISONS: Final = {"<": True, "<=": True, ">": False, ">=": False}
"""Operations that may be settled before their operands are, and whether they ask if the first is the lesser."""

CONNECTIVES: Final[dict[str, Callable[..., Column]]] = {
    "and": kleene_and,
    "not": kleene_not,
    "or": kleene_or,
    "implies": lambda a, b: kleene_or(kleene_not(a), b),
    "known": is_known,
    "is": is_same,
    "when": when,
}
"""Operations that may be known though an operand is not, or the other way round."""

DECIDED: Final[dict[str, Callable[[Column], Column | None]]] = {
    "and": lambda a: a if is_nowhere(a) else None,
    "or": lambda a: a if is_everywhere(a) else None,
    "implies": lambda a: kleene_not(a) if is_nowhere(a) else None,
}
"""What connectives come to where their first operand says it of all rows: the second is not looked at."""
