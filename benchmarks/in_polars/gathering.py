"""Gathering: the events of a view or table, grouped by the key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add, and_, or_
from typing import Final

import polars as pl

from benchmarks.in_polars.words import Writer
from spec.language.declare import Rowset
from spec.language.events import kinds
from spec.language.orders import POSITIONS
from spec.language.parameters import Parameters
from spec.language.terms import Agg, Field, Lit, Op, Term, leaves
from spec.language.vocabulary import TOTAL

KIND: Final = pl.col("kind")

_JOINS: Final[dict[str, Callable[[pl.Expr], pl.Expr]]] = {
    "any": lambda said: said.any(),
    "count": lambda said: said.sum(),
    "min": lambda said: said.min(),
    "max": lambda said: said.max(),
    "union": lambda said: said.bitwise_or(),
    "common": lambda said: said.bitwise_and(),
}
"""What the events of a row say together."""

_TOGETHER: Final[dict[str, Callable[[Sequence[pl.Expr]], pl.Expr]]] = {
    "any": lambda said: reduce(or_, said),
    "count": lambda said: reduce(add, said),
    "min": lambda said: pl.min_horizontal(*said),
    "max": lambda said: pl.max_horizontal(*said),
    "union": lambda said: reduce(or_, [one.fill_null(0) for one in said]),
    "common": lambda said: pl.when(pl.any_horizontal(one.is_not_null() for one in said)).then(
        reduce(and_, [one.fill_null(-1) for one in said])
    ),
}
"""What several classes of event say together."""


class Events:
    """The events of one trace.

    Args:
        frame: its Parquet.
        made_of: for each shared column, the columns by field that it is made of, with their kinds of event.
        parameters: what the trace's header fixes.
    """

    def __init__(
        self, frame: pl.LazyFrame, made_of: Mapping[str, Mapping[str, tuple[int, ...]]], parameters: Parameters
    ) -> None:
        self.frame, self.made_of, self.parameters = frame, made_of, parameters
        self.writer = Writer(parameters, self._field)

    def gathered(self, rowset: type[Rowset], wanted: Iterable[str]) -> pl.LazyFrame:
        """One row for each key, or for each event; an event whose key is not known makes no row."""
        keys = {name: term for name in rowset.key if isinstance(term := rowset.base[name], Field)}
        by = [self.writer.value(term).alias(f"c_{name}") for name, term in keys.items()]
        events = self.frame.filter(KIND.is_in(kinds(rowset.events)), *(one.is_not_null() for one in by))
        others = {name: rowset.base[name] for name in wanted if name not in keys}
        if rowset.grouped:
            return events.group_by(by).agg(self._together(term).alias(f"c_{name}") for name, term in others.items())
        said = (self._alone(term).alias(f"c_{name}") for name, term in others.items())
        return events.select(*by, *said)

    def _field(self, field: Field) -> pl.Expr:
        """A field of the events that have it, NULL in all others; a position is one number."""
        if field.column in POSITIONS:
            _, high, low, *_ = POSITIONS[field.column]
            return self._stored(field, high) * (1 << self.parameters.low_bits) + self._stored(field, low)
        return self._stored(field, field.column)

    def _stored(self, field: Field, column: str) -> pl.Expr:
        have = set(kinds(field.event))
        fields = {name: have.intersection(those) for name, those in self.made_of[column].items()}
        cases = [pl.when(KIND.is_in(sorted(those))).then(pl.col(name)) for name, those in fields.items() if those]
        return pl.coalesce(cases).cast(pl.Int64)

    def _said(self, agg: Agg) -> Iterator[tuple[pl.Expr, pl.Expr, pl.Expr | None]]:
        """For each class of event: which count, what they say, and which do not know one of the two."""
        for event, term in agg.of:
            here = KIND.is_in(kinds(event))
            chosen = here if agg.where is None else here & self.writer.value(agg.where)
            said = chosen if isinstance(term, Lit) else pl.when(chosen).then(self.writer.value(term))
            doubt = chosen.is_null() | (chosen & said.is_null())
            yield chosen, said, doubt if _may_be_null(term, event) or _may_be_null(agg.where, event) else None

    def _together(self, term: Term) -> pl.Expr:
        """What the events of one row say together; NULL as soon as one of them does not know."""
        if not isinstance(term, Agg):
            raise TypeError(f"{term} is no aggregate, and no key")
        parts = [*self._said(term)]
        found = _TOGETHER[term.fn]([_JOINS[term.fn](said) for _, said, _ in parts])
        found = found.cast(pl.Int64) if term.fn == "count" else found
        nothing = pl.lit(value=False) if term.fn == "any" else pl.lit(0, pl.Int64)
        found = found.fill_null(nothing) if term.fn in TOTAL else found
        doubts = [doubt.any() for *_, doubt in parts if doubt is not None]
        if not doubts:
            return found
        sure = ~reduce(or_, doubts)
        return pl.when(sure | found if term.fn == "any" else sure).then(found)

    def _alone(self, term: Term) -> pl.Expr:
        """What one event says that is a row of its own."""
        if not isinstance(term, Agg):
            return self.writer.value(term)
        parts = [*self._said(term)]
        said = [said.cast(pl.Int64) if term.fn == "count" else said for _, said, _ in parts]
        found = _TOGETHER[term.fn](said)
        if term.fn not in TOTAL:
            return found
        chosen = reduce(or_, [chosen for chosen, *_ in parts])
        return found if term.fn in ("any", "count") else pl.when(chosen).then(found).when(~chosen).then(0)


def _may_be_null(term: Term | None, event: type) -> bool:
    """Whether events of this class may not know a term though they know all their fields."""
    if term is None:
        return False
    here = set(kinds(event))
    some = any(not here.issubset(kinds(field.event)) for field in leaves(term, Field))
    return some or any(op.name == "when" for op in leaves(term, Op))
