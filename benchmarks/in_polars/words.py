"""Words: each word of the rules' vocabulary as a Polars expression. Polars' own logic is Kleene's.

Sets are numbers of 64 bits, so a topology may have 64 members at most; no word of rings is here, which rules of logs do
not use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any, Final

import polars as pl

from spec.language.parameters import FACTOR_BITS, Parameters, mask
from spec.language.scopes import SCOPES
from spec.language.terms import Col, Count, Lit, Op, Param, Term, Var
from spec.language.vocabulary import FACTOR

_STRICT: Final[dict[str, Callable[..., pl.Expr]]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "neg": lambda a: -a,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "not": lambda a: ~a,
    "implies": lambda a, b: ~a | b,
    "known": lambda a: a.is_not_null(),
    "is": lambda a, b: a.eq_missing(b),
    "when": lambda a, condition: pl.when(condition).then(a),
    "one": lambda member: pl.lit(2, pl.Int64).pow(member),
    "meet": lambda a, b: a & b,
    "join": lambda a, b: a | b,
    "minus": lambda a, b: a & ~b,
    "subset": lambda a, b: (a & ~b) == 0,
    "size": lambda a: a.bitwise_count_ones().cast(pl.Int64),
}
"""Each word of the vocabulary."""


class Writer:
    """Writes terms over events or rows.

    Args:
        parameters: what the trace's header fixes.
        leaf: writes a field of an event, a column of a row, or what a row looked up.
    """

    def __init__(self, parameters: Parameters, leaf: Callable[[Any], pl.Expr]) -> None:
        self.parameters, self.leaf = parameters, leaf

    def value(self, term: Term, domain: int = 0) -> pl.Expr:
        """The expression of a term; ``domain`` is the mask for which a bound variable stands."""
        match term:
            case Op(name, args):
                return self._operation(name, [self.value(arg, domain) for arg in args])
            case Lit(value):
                return pl.lit(value, pl.Boolean if isinstance(value, bool) else pl.Int64)
            case Param(name):
                return pl.lit(self.parameters.number(name), pl.Int64)
            case Var():
                return pl.lit(domain, pl.Int64)
            case Count(scope, _, body):
                masks = [mask(members, 1)[0] for members in self.parameters.domains_of(scope)]
                return reduce(add, [self.value(body, one).cast(pl.Int64) for one in masks], pl.lit(0, pl.Int64))
            case _:
                return self.leaf(term)

    def _operation(self, name: str, args: list[pl.Expr]) -> pl.Expr:
        room = 1 << self.parameters.low_bits
        match name:
            case "high":
                return args[0] // room
            case "first":
                return args[0] * room
            case "last":
                return args[0] * room + (room - 1)
            case _ if name.startswith(FACTOR):
                return (args[0] // (1 << FACTOR_BITS * SCOPES.index(name.removeprefix(FACTOR)))) & 127
            case _:
                return _STRICT[name](*args)


def of_row(term: Term) -> pl.Expr:
    """A column of a row."""
    if not isinstance(term, Col):
        raise TypeError(f"{term} is no column of a row")
    return pl.col(f"c_{term.name}")
