"""Partitions: of a dimension that rows look up under their own partition alone, a range of a trace needs a part.

Each table here is whole for each partition that it has rows of: what two of them say of one partition is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from spec.columns.column import Array
from spec.columns.dimensions import Gathered, Table, Tables, by_key, dimensions_of
from spec.columns.parts import BlockSummary
from spec.columns.states import State
from spec.language.declare import Dimension, Rowset
from spec.language.orders import Order
from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.language.terms import Col, Field, Lookup


def dimensions_by_partition(rules: Iterable[Rule], order: Order) -> tuple[type[Dimension], ...]:
    """The dimensions of which a row looks up only what is about its own partition of a trace in some order."""
    asked = tuple(rules)
    found = dimensions_of(asked)
    beyond = {one.dimension for rule in asked for one in rule.lookups if not _stays(one, rule.view, order)}
    return tuple(dimension for dimension in found if dimension not in beyond)


def dimensions_beyond(rules: Iterable[Rule], order: Order) -> list[type[Dimension]]:
    """All others that these rules look up: what a row finds there may be about any partition, or about none."""
    asked = tuple(rules)
    within = dimensions_by_partition(asked, order)
    return [dimension for dimension in dimensions_of(asked) if dimension not in within]


def _stays(lookup: Lookup, view: type[Rowset], order: Order) -> bool:
    """Whether the key begins with the partition, in the row and in the dimension."""
    first, dimension = lookup.key[0], lookup.dimension
    in_row = isinstance(first, Col) and _column(view, first.name) == order.partition
    return in_row and _column(dimension, dimension.key[0]) == order.partition


def _column(rows: type[Rowset], name: str) -> str | None:
    """The column of events that a column of rows is, if it is one."""
    term = rows.base.get(name)
    return term.column if isinstance(term, Field) else None


def needed_by(part: BlockSummary, rules: Iterable[Rule], tables: Tables, order: Order) -> Gathered:
    """Of the tables by partition, what rows may still look up that a part leaves behind."""
    asked = tuple(rules)
    names = {name for rule in asked for name in rule.view.base if _column(rule.view, name) == order.partition}
    values = [rows.states[name].value for rows in part.rows.values() for name in names & rows.states.keys()]
    partitions = np.unique(np.concatenate(values)) if values else np.zeros(0, np.int64)
    return {dimension: _about(dimension, tables[dimension], partitions) for dimension in tables}


def _about(dimension: type[Dimension], table: Table, partitions: Array) -> dict[str, State]:
    rows = np.flatnonzero(np.isin(table.base[dimension.key[0]].value, partitions))
    return {name: state.take(rows) for name, state in table.base.items()}


def together(several: Sequence[Gathered], parameters: Parameters) -> Tables:
    """The tables that some make together."""
    dimensions = several[0] if several else {}
    return {dimension: _table(dimension, [one[dimension] for one in several], parameters) for dimension in dimensions}


def _table(dimension: type[Dimension], several: list[dict[str, State]], parameters: Parameters) -> Table:
    base, firsts = by_key(dimension, several)
    return Table(dimension, {name: state.take(firsts) for name, state in base.items()}, parameters)
