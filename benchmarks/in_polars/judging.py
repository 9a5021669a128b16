"""Judging: all rules over one trace, as somebody who knows Polars would ask for it.

One lazy frame for each view: events scanned once, grouped by the key, neighbours over partitions of the sorted rows,
tables joined. What comes out is what ``spec.language.sql`` gives, and is decoded in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

import polars as pl

from benchmarks.in_polars.gathering import Events
from benchmarks.in_polars.rows import Rows
from benchmarks.in_polars.words import Writer, of_row
from spec.language.declare import Dimension
from spec.language.rule import Rule
from spec.language.sql.plan import looked_up
from spec.language.sql.views import Shape, Sheet, sheets_of
from spec.language.terms import Col, Sort, leaves


class Reading:
    """All rules over one trace.

    Args:
        events: the trace's events.
        rules: the rules.
    """

    def __init__(self, events: Events, rules: Sequence[Rule]) -> None:
        self.events, self.parameters = events, events.parameters
        self.sheets = sheets_of(rules)
        self.shape = Shape.of(self.sheets)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """What all rules say of all rows, as ``spec.language.sql.verdicts.decode`` reads it."""
        wanted = looked_up(self.sheets)
        made = pl.collect_all([self._table(*one) for one in wanted.items()], engine="streaming")
        tables = dict(zip(wanted, (frame.lazy() for frame in made), strict=True))
        for frame in pl.collect_all([self._judged(sheet, tables) for sheet in self.sheets], engine="streaming"):
            yield from frame.iter_rows()

    def _table(self, dimension: type[Dimension], wanted: Mapping[str, Sort]) -> pl.LazyFrame:
        terms = {name: dimension.inline(Col(name, sort)) for name, sort in wanted.items()}
        rows = self.events.gathered(dimension, {col.name for term in terms.values() for col in leaves(term, Col)})
        writer = Writer(self.parameters, of_row)
        keys = [of_row(Col(name, "int")).alias(f"k_{name}") for name in dimension.key]
        return rows.select(*keys, *(writer.value(term).alias(f"v_{name}") for name, term in terms.items()))

    def _judged(self, sheet: Sheet, tables: Mapping[type[Dimension], pl.LazyFrame]) -> pl.LazyFrame:
        """The rows of one view that were judged alike, counted; a row that breaks a rule stands alone."""
        rows = Rows(self.events.gathered(sheet.view, sheet.base), tables, self.parameters)
        rows.look_around(sheet)
        rows.look_up([part for rule in sheet.rules for part in rule.parts])
        words = [rows.outcomes(rules) for rules in sheet.words]
        frame = rows.frame.select(
            *(pl.col(f"c_{name}") for name in sheet.view.key),
            *(word.alias(f"o{number}") for number, word in enumerate(words)),
        )
        bits = [sum(4**place for place in range(len(rules))) for rules in sheet.words]
        broken = [(pl.col(f"o{n}") & (pl.col(f"o{n}") // 2) & bit) != 0 for n, bit in enumerate(bits)]
        keys: list[pl.Expr] = [pl.when(reduce(or_, broken)).then(pl.col(f"c_{name}")) for name in sheet.view.key]
        keys = [*keys, *[pl.lit(None, pl.Int64)] * (self.shape.width - len(keys))]
        shown = [pl.col(f"o{n}") if n < len(words) else pl.lit(0, pl.Int64) for n in range(self.shape.words)]
        names = [f"w{n}" for n in range(len(shown))] + [f"k{n}" for n in range(len(keys))]
        alike = [one.alias(name) for one, name in zip([*shown, *keys], names, strict=True)]
        counted = frame.select(alike).group_by(names).len()
        return counted.select(pl.lit(sheet.label), *names, "len")
