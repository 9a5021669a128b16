"""Judging at once: a trace of which books can be kept at once, judged in memory by two threads, without a sorted copy.

Nothing is written. Two threads work: while one keeps the books, the other finds the order of the trace, which does not
hang on them; then both judge, part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np

from conformance.check.engines import Progress
from conformance.trace.arrow import stored
from conformance.trace.at_once import MOST
from conformance.trace.header import Header
from conformance.trace.keeping import with_recorder
from conformance.trace.open import Parquet, Trace
from spec.columns.books import BookEntries
from spec.columns.column import Array, Column, Raw, end_to_end
from spec.columns.compact import compact, compact_end_to_end
from spec.columns.cutting import needs_order
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.order import changes, order_by
from spec.columns.piece import Piece, are_of, kinds_of
from spec.columns.plan import by_order, needed_columns, needed_columns_of_dimensions, order_of, plans_of
from spec.columns.whole import Whole, judge_whole, kinds_in_order
from spec.language.bookkeeping import BOOKS
from spec.language.outcomes import Judgement
from spec.language.rule import Rule, rules_about

THREADS: Final = 2

BLOCK: Final = 1 << 17
"""Events that one thread judges at once: so few that they stay in its cache, and both threads have enough to do."""


@dataclass(frozen=True)
class JudgedAtOnce:
    """What rules say of a trace, and how many events it has with those that its books add."""

    judgement: Judgement
    events: int


def judged_at_once(rules: Sequence[Rule], trace: Trace, progress: Progress) -> JudgedAtOnce | None:
    """What rules say of a trace that is not sorted; None where that takes a sorted copy.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    header, books = trace.header, trace.header.family.books
    if trace.sorted or books.at_once is None or BOOKS in header.recorders:
        return None
    kinds = books.noted
    if isinstance(trace, Parquet):
        kinds = trace.kinds() if sum(part.rows for part in trace.parts) <= MOST else frozenset[int]()
    if not kinds or not kinds <= books.noted:
        return None
    mine = rules_about(rules, kinds | _added(header))
    if not _are_judged_in_memory(mine, header):
        return None
    raw = _read(trace, columns_at_once(mine, header), progress)
    if raw is None:
        return None
    here = frozenset(kinds_of(raw["kind"].value))
    return judged_in_memory(rules_about(mine, here | _added(header)), raw, header)


def _read(trace: Trace, columns: frozenset[str], progress: Progress) -> Raw | None:
    """Columns of all events of a trace, in few bytes; None if there are too many events, or some without books."""
    is_number, noted = _are_numbers(trace.header), tuple(trace.header.family.books.noted)
    pieces = {name: list[Column]() for name in columns}
    events = 0
    for raw in trace.raws(columns):
        progress("reading", events, 0)
        events += len(raw["kind"].value)
        if events > MOST or not are_of(raw["kind"].value, noted).all():
            return None
        for name, column in raw.items():
            pieces[name].append(compact(column, is_number=is_number(name)))
    return {name: compact_end_to_end(pieces.pop(name)) for name in columns} if events else None


def _are_numbers(header: Header) -> Callable[[str], bool]:
    """Whether a column has numbers, and not sets."""
    sets = {column.column for column in stored(header) if column.sort != "int"}
    return lambda name: name not in sets


def _are_judged_in_memory(rules: Sequence[Rule], header: Header) -> bool:
    """Whether all rules ask for the order of the trace."""
    return all(order == header.sorted_by for order in by_order(rules))


def columns_at_once(rules: Sequence[Rule], header: Header) -> frozenset[str]:
    """The columns that books read and fill in, those of rules, and the recorder."""
    books = header.family.books
    return frozenset({*books.reads, *books.fills_sets, "recorder"}) | _columns_of(rules)


def _columns_of(rules: Sequence[Rule]) -> frozenset[str]:
    """The columns that rules read, themselves and in the tables that they look up."""
    return needed_columns(rules) | needed_columns_of_dimensions(dimensions_of(rules))


def judged_in_memory(rules: Sequence[Rule], raw: Raw, header: Header) -> JudgedAtOnce | None:
    """What rules say of events of which books are kept, in any order; None where these are odd, or there is no rule.

    Args:
        rules: rules in force, each about some kind of event that occurs.
        raw: the columns of ``columns_at_once``; ``recorder`` holds places in the header.
        header: of the trace, before books are kept.
    """
    books = header.family.books
    if books.at_once is None or not rules or not _are_judged_in_memory(rules, header):
        return None
    parameters, dimensions = header.parameters(), dimensions_of(rules)
    with ThreadPoolExecutor(THREADS) as pool:
        own = _in_own_order(raw, header, pool)
        if own is None:
            return None
        del raw  # what was read is not needed twice
        saying = pool.submit(books.at_once.said, own, with_recorder(header))
        order = _order(rules, Piece(own, parameters))
        said: BookEntries | None = saying.result()
        if said is None:
            return None
        names = {*_columns_of(rules), "recorder"}
        piece = Piece(_with_said(own, said, names, len(header.recorders)), parameters)
        tables = gather(dimensions, [piece.raw] if dimensions else (), parameters)
        order = order if piece.size == len(own["kind"].value) else _order(rules, piece)
        return JudgedAtOnce(judge_whole(rules, Whole(piece, order, tables, BLOCK), pool), piece.size)


def _in_own_order(raw: Raw, header: Header, pool: Executor) -> Raw | None:
    """The same events by recorder and in its own order, in few bytes; None if two of them have one name."""
    keys = [raw[name].value for name in ("recorder", "seq")]
    order = order_by(*keys)
    if len(changes([key[order] for key in keys])) < len(order):
        return None
    is_number = _are_numbers(header)

    def taken(name: str) -> Column:
        return compact(raw[name], is_number=is_number(name)).take(order)

    return dict(zip(raw, pool.map(taken, raw), strict=True))


def _with_said(raw: Raw, said: BookEntries, names: Iterable[str], books: int) -> Raw:
    """The columns of a whole trace with what its books say and add; their recorder has the number after all others."""
    whole = {name: said.filled.get(name, raw[name]) for name in names}
    count = len(said.added["kind"].value)
    if not count:
        return whole
    nothing = Column(np.zeros(count, np.int64))
    added = {**said.added, "recorder": Column(np.full(count, books))}
    return {name: end_to_end([column, added.get(name, nothing)]) for name, column in whole.items()}


def _added(header: Header) -> frozenset[int]:
    """The kinds of event that books add."""
    return frozenset(number for number, shape in header.shapes.items() if shape.word in header.family.added)


def _order(rules: Sequence[Rule], piece: Piece) -> Array:
    """The events that rules want in the order of the trace, in that order."""
    order = order_of(rules)
    chosen = piece.positions(tuple(kinds_in_order(rules)))
    rows = np.arange(piece.size) if chosen is None else chosen
    is_grouped = all(plan.view.grouped for plan in plans_of(rules) if needs_order(plan))
    names = order.partition, order.place, *(() if is_grouped else (order.own, "recorder"))
    ordered: Array = rows[order_by(*(piece.column(name).value[rows] for name in names))]
    return ordered
