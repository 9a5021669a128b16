"""A whole trace in memory, judged in parts that wait for nothing, in any order, by several threads.

Parts are cut so that each has all that is to be known of its rows (``spec.columns.cutting``); where rows look at others
beyond, these are found beforehand (``spec.columns.beyond``). A view that cannot be cut so is judged block by block, and
merged (``spec.columns.blocks``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from spec.columns.beyond import ALONE, Seen, judge_beside, seen_from_beyond
from spec.columns.blocks import check_block, merge
from spec.columns.column import Array, Column
from spec.columns.cutting import Cut, cut_anywhere, cut_between_places, cut_by_key, cut_of, needs_order
from spec.columns.dimensions import Tables
from spec.columns.events import Events
from spec.columns.parts import BlockSummary
from spec.columns.piece import Piece, TracePosition, are_of
from spec.columns.plan import Plan, needed_columns, plans_of
from spec.columns.rows import Borders, Rows
from spec.columns.settling import settle
from spec.language.events import kinds
from spec.language.outcomes import Judgement
from spec.language.rule import Rule

Judging: TypeAlias = Callable[[], BlockSummary]
"""The judging of one part, which any thread may do."""


@dataclass(frozen=True)
class Whole:
    """A whole trace in memory.

    Attributes:
        piece: its events, in any order.
        order: in the trace's order, the events of the kinds that ``kinds_in_order`` names, at least.
        tables: the dimensions that rules look up.
        size: how many events a part has, about.
    """

    piece: Piece
    order: Array
    tables: Tables
    size: int

    def rows(self, plan: Plan) -> Array:
        """The events of a plan's view, in the trace's order where that matters."""
        wanted = kinds(plan.view.events)
        if needs_order(plan):
            return self.order[are_of(self.piece.kind[self.order], wanted)]
        chosen = self.piece.positions(wanted)
        return np.arange(self.piece.size) if chosen is None else chosen


class Some(Piece):
    """Some events of a piece, in some order; a column of them is made when it is asked for.

    Args:
        whole: the piece.
        rows: which events.
    """

    def __init__(self, whole: Piece, rows: Array) -> None:
        self.whole, self.rows = whole, rows
        self._taken: dict[str, Column] = {}
        super().__init__(whole.raw, whole.parameters)

    def column(self, name: str) -> Column:
        """A column by its name in the vocabulary; see ``Piece.column``."""
        if name not in self._taken:
            self._taken[name] = self.whole.column(name).take(self.rows)
        return self._taken[name]


def kinds_in_order(rules: Sequence[Rule]) -> frozenset[int]:
    """The kinds of event that must be given in the trace's order."""
    return frozenset(kind for plan in plans_of(rules) if needs_order(plan) for kind in kinds(plan.view.events))


def judge_whole(rules: Sequence[Rule], whole: Whole, pool: Executor) -> Judgement:
    """What rules say of a whole trace; for what is raised see ``check_block``."""
    found = Judgement()
    work = [judging for plan in plans_of(rules) for judging in _work(plan, rules, whole, pool)]
    for part in pool.map(_done, work):
        found.merge(part.judgement)
    return found


def _done(judging: Judging) -> BlockSummary:
    return judging()


def _work(plan: Plan, rules: Sequence[Rule], whole: Whole, pool: Executor) -> Iterable[Judging]:
    """The judging of all parts of one view."""
    rows, how = whole.rows(plan), cut_of(plan)
    if not len(rows):
        return ()
    if how is Cut.NOWHERE:
        return (partial(_in_blocks, [rule for rule in rules if rule.view is plan.view], whole, rows),)
    if how is Cut.BETWEEN_PLACES:
        return _in_order(plan, whole, cut_between_places(plan, whole.piece, rows, whole.size), pool)
    parts = cut_anywhere(rows, whole.size) if how is Cut.ANYWHERE else cut_by_key(plan, whole.piece, rows, whole.size)
    return (partial(_alone, plan, whole, part) for part in parts if len(part))


def _alone(plan: Plan, whole: Whole, rows: Array) -> BlockSummary:
    """Judge a part that has all that its rows are made of and look at."""
    part, is_ordered = BlockSummary(()), needs_order(plan)
    arranged = is_ordered or plan.view.grouped
    events = Events(plan.view, Some(whole.piece, rows), in_trace_order=is_ordered, arranged=arranged)
    settle(Rows(plan, events.state, ALONE, whole.piece.parameters, whole.tables), None, part)
    return part


def _in_order(plan: Plan, whole: Whole, parts: Sequence[Array], pool: Executor) -> Iterable[Judging]:
    """Judge parts that stand in the trace's order, each beside what it looks at in others."""
    order = plan.view.sorted_by
    partition, position = (whole.piece.column(name).value for name in (order.partition, order.place))
    first, last = ([TracePosition(int(partition[p[at]]), int(position[p[at]])) for p in parts] for at in (0, -1))
    borders = map(Borders, [None, *last[:-1]], [*first[1:], None])

    def look(rows: Array, between: Borders) -> Seen:
        return seen_from_beyond(plan, Some(whole.piece, rows), between, whole.tables)

    def judge(number: int) -> BlockSummary:
        piece = Some(whole.piece, parts[number])
        return judge_beside(plan, piece, seen[:number], seen[number + 1 :], whole.tables)

    seen = list(pool.map(look, parts, borders)) if plan.near and len(parts) > 1 else []
    return (partial(judge, number) for number in range(len(parts)))


def _in_blocks(rules: Sequence[Rule], whole: Whole, rows: Array) -> BlockSummary:
    """Judge a view whose rows go on from part to part."""
    parameters = whole.piece.parameters
    columns = {name: whole.piece.column(name) for name in needed_columns(rules)}
    blocks = ({name: column.take(some) for name, column in columns.items()} for some in cut_anywhere(rows, whole.size))
    parts = [check_block(rules, raw, parameters, whole.tables, begins=not number) for number, raw in enumerate(blocks)]
    return merge(rules, parts, parameters, whole.tables, close=True)
