"""Judging at once: a trace of which books can be kept at once, judged in memory by two threads, without a sorted copy.

Nothing is written. Two threads work: while one keeps the books, the other finds the order of the trace, which does not
hang on them; then both judge, block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np

from conformance.check.engines import Progress
from conformance.trace.at_once import MOST
from conformance.trace.header import Header
from conformance.trace.keeping import with_recorder
from conformance.trace.open import Parquet, Trace
from spec.columns.blocks import check_block, merge
from spec.columns.books import Said
from spec.columns.column import Array, Column, Raw, end_to_end
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.order import places, stable_order
from spec.columns.plan import by_order, needed_columns, needed_columns_of_dimensions
from spec.language.bookkeeping import BOOKS
from spec.language.orders import Order
from spec.language.outcomes import Judgement
from spec.language.rule import Rule, rules_about

THREADS: Final = 2

BLOCK: Final = 1 << 18
"""Events that one thread judges at once: so few that both have enough to do."""


@dataclass(frozen=True)
class JudgedAtOnce:
    """What rules say of a trace, and how many events it has with those that its books add."""

    judgement: Judgement
    events: int


def judged_at_once(rules: Sequence[Rule], trace: Trace, progress: Progress) -> JudgedAtOnce | None:
    """What rules say of a trace in Parquet that is not sorted; None where that takes a sorted copy.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    books = trace.header.family.books
    if not isinstance(trace, Parquet) or trace.sorted or books.at_once is None or BOOKS in trace.header.recorders:
        return None
    events = sum(part.rows for part in trace.parts)
    kinds = trace.kinds() if events <= MOST else frozenset[int]()
    if not kinds or not kinds <= books.noted:
        return None
    progress("judging", 0, events)
    mine = rules_about(rules, kinds | _added(trace.header))
    raws = list(trace.raws(columns_at_once(mine, trace.header)))
    return judged_in_memory(mine, {name: end_to_end([raw[name] for raw in raws]) for name in raws[0]}, trace.header)


def columns_at_once(rules: Sequence[Rule], header: Header) -> frozenset[str]:
    """The columns that books read and fill in, those of rules, and the recorder."""
    books = header.family.books
    return frozenset({*books.reads, *books.fills_sets, "recorder"}) | _columns_of(rules)


def _columns_of(rules: Sequence[Rule]) -> frozenset[str]:
    """The columns that rules read, themselves and in the tables that they look up."""
    return needed_columns(rules) | needed_columns_of_dimensions(dimensions_of(rules))


def judged_in_memory(rules: Sequence[Rule], raw: Raw, header: Header) -> JudgedAtOnce | None:
    """What rules say of events of which books are kept, in any order; None where these are odd.

    Args:
        rules: rules in force, each about some kind of event that occurs.
        raw: the columns of ``columns_at_once``; ``recorder`` holds places in the header.
        header: of the trace, before books are kept.
    """
    books = header.family.books
    if books.at_once is None or any(order != header.sorted_by for order in by_order(rules)):
        return None
    with ThreadPoolExecutor(THREADS) as pool:
        saying = pool.submit(books.at_once.said, raw, with_recorder(header))
        order = _order(raw, header.sorted_by, header.low_bits)
        said: Said | None = saying.result()
        if said is None:
            return None
        told = Told(raw, said, _with_added(order, raw, said, header), tuple(_columns_of(rules)))
        return JudgedAtOnce(_judged(rules, told, header, pool), len(told.order))


@dataclass(frozen=True)
class Told:
    """A whole trace with what its books say and add, of which blocks are put in order when they are wanted.

    Attributes:
        raw: the columns of the trace, in any order.
        said: what its books say of these, and add to them.
        order: the rows of ``raw``, and after them those that are added, in the order of the trace.
        names: the columns that are wanted.
    """

    raw: Raw
    said: Said
    order: Array
    names: tuple[str, ...]

    @property
    def blocks(self) -> range:
        """Where each block begins."""
        return range(0, len(self.order), BLOCK)

    def block(self, first: int) -> Raw:
        """One block of the trace."""
        rows = self.order[first : first + BLOCK]
        recorded = len(self.raw["kind"].value)
        is_added = rows >= recorded
        if not is_added.any():
            return {name: self._recorded(name).take(rows) for name in self.names}
        own, added = rows[~is_added], rows[is_added] - recorded
        back = stable_order(np.concatenate([places(~is_added), places(is_added)]))
        nothing = Column(np.zeros(len(self.said.added["kind"].value), np.int64))
        both = ((name, self._recorded(name), self.said.added.get(name, nothing)) for name in self.names)
        return {name: end_to_end([mine.take(own), more.take(added)]).take(back) for name, mine, more in both}

    def _recorded(self, name: str) -> Column:
        return self.said.filled.get(name, self.raw[name])


def _added(header: Header) -> frozenset[int]:
    """The kinds of event that books add."""
    return frozenset(number for number, shape in header.shapes.items() if shape.word in header.family.added)


def _order(raw: Raw, order: Order, low_bits: int) -> Array:
    """The order of the trace."""
    partition, *parts, own = (raw[name].value for name in order.stored)
    place = (parts[0] << low_bits) + parts[1] if order.position.low else parts[0]
    rows = stable_order(raw["recorder"].value)
    for key in (own, place, partition):
        rows = rows[stable_order(key[rows])]
    return rows


def _with_added(order: Array, raw: Raw, said: Said, header: Header) -> Array:
    """The order of a trace in which what its books add has its place."""
    count, by = len(said.added["kind"].value), header.sorted_by.stored
    if not count:
        return order
    keys = {name: Column(np.concatenate([raw[name].value[order], said.added[name].value])) for name in by}
    code = np.full(count, len(header.recorders), np.int32)
    keys["recorder"] = Column(np.concatenate([raw["recorder"].value[order], code]))
    rows = np.concatenate([order, np.arange(len(order), len(order) + count)])
    ordered: Array = rows[_order(keys, header.sorted_by, header.low_bits)]
    return ordered


def _judged(rules: Sequence[Rule], told: Told, header: Header, pool: ThreadPoolExecutor) -> Judgement:
    """What rules say of a whole trace."""
    parameters, dimensions = header.parameters(), dimensions_of(rules)
    tables = gather(dimensions, map(told.block, told.blocks) if dimensions else (), parameters)
    parts = pool.map(
        lambda first: check_block(rules, told.block(first), parameters, tables, begins=not first), told.blocks
    )
    return merge(rules, parts, parameters, tables, close=True).judgement
