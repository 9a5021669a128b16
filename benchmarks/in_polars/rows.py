"""Rows: what the rows of one view look up and see around them, and what rules say of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from benchmarks.in_polars.words import Writer, of_row
from spec.language.declare import Dimension
from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.language.sql.views import Sheet
from spec.language.terms import Along, Col, Lookup, Term, walk

_LOOKS: Final[dict[str, Callable[[pl.Expr], pl.Expr]]] = {
    "previous": lambda said: said.shift(1),
    "latest": lambda said: said.forward_fill(),
    "next": lambda said: said.backward_fill(),
    "highest": lambda said: said.cum_max().forward_fill(),
    "lowest": lambda said: said.cum_min(reverse=True).backward_fill(),
}
"""What a row sees of its partition."""


class Rows:
    """The rows of one view, with what they looked up so far.

    Args:
        frame: their base columns.
        tables: the tables.
        parameters: what the trace's header fixes.
    """

    def __init__(
        self, frame: pl.LazyFrame, tables: Mapping[type[Dimension], pl.LazyFrame], parameters: Parameters
    ) -> None:
        self.frame, self.tables = frame, tables
        self.joined: dict[tuple[type[Dimension], tuple[Term, ...]], str] = {}
        self.writer = Writer(parameters, self._leaf)

    def _leaf(self, term: Col | Lookup) -> pl.Expr:
        if isinstance(term, Lookup):
            return pl.col(f"{self.joined[term.dimension, term.key]}_{term.column}")
        return of_row(term)

    def look_up(self, terms: Iterable[Term]) -> None:
        """Join what terms look up; a key may look something up itself, and that comes first."""
        for term in terms:
            for lookup in reversed([part for part in walk(term) if isinstance(part, Lookup)]):
                if (lookup.dimension, lookup.key) not in self.joined:
                    self._join(lookup)

    def _join(self, lookup: Lookup) -> None:
        name = f"d{len(self.joined)}"
        keys = [self.writer.value(part).alias(f"{name}k{n}") for n, part in enumerate(lookup.key)]
        names = [f"{name}k{n}" for n in range(len(keys))]
        table = self.tables[lookup.dimension].select(
            *(pl.col(f"k_{key}").alias(one) for key, one in zip(lookup.dimension.key, names, strict=True)),
            pl.col("^v_.*$").name.map(lambda column: f"{name}_{column.removeprefix('v_')}"),
        )
        self.frame = self.frame.with_columns(keys).join(table, on=names, how="left")
        self.joined[lookup.dimension, lookup.key] = name

    def look_around(self, sheet: Sheet) -> None:
        """Add what neighbours say, in the order of the view's key."""
        if not sheet.near:
            return
        inline = sheet.view.inline
        self.look_up(inline(part) for near in sheet.near.values() for part in (near.of, *near.partition))
        self.frame = self.frame.sort([f"c_{name}" for name in sheet.view.key], maintain_order=True)
        self.frame = self.frame.with_columns(
            self._seen(near, inline).alias(f"c_{name}") for name, near in sheet.near.items()
        )

    def _seen(self, near: Along, inline: Callable[[Term], Term]) -> pl.Expr:
        said = _LOOKS[near.fn](self.writer.value(inline(near.of)))
        parts = [self.writer.value(inline(part)) for part in near.partition]
        return said.over(parts) if parts else said

    def outcomes(self, rules: Sequence[Rule]) -> pl.Expr:
        """Two bits for each rule: 0 no instance, 1 holds, 2 unknown, 3 violated."""
        said = [self._outcome(rule).cast(pl.Int64) * 4**place for place, rule in enumerate(rules)]
        return pl.sum_horizontal(said)

    def _outcome(self, rule: Rule) -> pl.Expr:
        given, claim = map(self.writer.value, rule.parts)
        truth = pl.when(claim).then(1).when(claim.is_null()).then(2).otherwise(3)
        return pl.when(given).then(truth).when(given.is_null()).then(pl.when(claim).then(1).otherwise(2)).otherwise(0)
