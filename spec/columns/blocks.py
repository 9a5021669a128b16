"""Blocks: judge any contiguous piece of a sorted trace, and merge pieces in order.

A verdict that rows outside may still change waits. What a block leaves behind is a small table of rows: those that
wait, the neighbours they look at, and those that rows outside may look at. Merging is concatenating these tables,
joining rows of equal key and judging again with the same code, so a summary needs no word of its own for any rule.

How many rows a block leaves: at each border one row, and for each neighbour column one more for each partition that
crosses it; whatever the length of partitions. Not bounded by that are rows whose verdict hangs on what lies
outside: before the first or after the last known value of their partition (records after the last release), below
a ``highest`` value that began outside or a ``lowest`` one that goes on there, where what the block holds of it does not
decide, and all rows of a partition that crosses the border in a view whose key is not in the trace's order.
A row waits only if Kleene's logic cannot settle it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from spec.columns.column import Array, Raw
from spec.columns.dimensions import Tables
from spec.columns.events import Events
from spec.columns.mistakes import MixedParts
from spec.columns.order import changes
from spec.columns.parts import BlockSummary, Waiting
from spec.columns.piece import BLOCK, Piece, blocks_of, joined_pieces
from spec.columns.plan import Plan, order_of, plans_of
from spec.columns.rows import Borders, Rows
from spec.columns.settling import leave, settle
from spec.columns.shape import view_order
from spec.columns.states import State, concatenated, joined
from spec.language.outcomes import Judgement
from spec.language.parameters import Parameters
from spec.language.rule import Rule

ROWS_TOGETHER = 1 << 12
"""``check`` lets all rows of a view wait if a block has so few: to judge those of many blocks takes no longer."""

BLOCKS_MERGED = 64
ROWS_MERGED = 1 << 20
"""``check`` merges what blocks leave behind when it has this many of them, or this many rows."""


def check_block(
    rules: Sequence[Rule],
    raw: Raw,
    parameters: Parameters,
    tables: Tables,
    *,
    begins: bool = False,
    together: int = 0,
) -> BlockSummary:
    """Judge one contiguous block of a trace in its order; ``begins``: nothing comes before it.

    The rows of a view that has no more than ``together`` of them here all wait.

    Raises:
        MissingColumn: a column of ``needed_columns`` was not given.
        NotSorted: the events are in another order.
        NullKey: an event does not know its place in that order.
        PositionOverflow: a part of a position does not fit.
        MemberOutOfRange: a member is beyond those that the header lists.
    """
    part = BlockSummary(tuple(rule.id for rule in rules), begins=begins)
    piece = Piece(raw, parameters)
    if not piece.size or not rules:
        return part
    plans = plans_of(rules)
    part.span = piece.check_order(order_of(rules), by_own=not all(plan.view.grouped for plan in plans))
    borders = Borders(None if begins else part.span[0], part.span[1])
    for plan in plans:
        rows = Rows(plan, Events(plan.view, piece).state, borders, parameters, tables)
        if rows.size > together:
            settle(rows, None, part)
        else:
            leave(rows, part)
    return part


def merge(
    rules: Sequence[Rule], parts: Iterable[BlockSummary], parameters: Parameters, tables: Tables, *, close: bool = False
) -> BlockSummary:
    """Parts of neighbouring blocks as one; ``close``: there is no more trace on either side.

    Parts may come in any order, but no block between them may be missing: what lies between the first and the last of
    them is taken for all there is.

    Raises:
        MixedParts: they overlap, or other rules were judged.
    """
    ids = tuple(rule.id for rule in rules)
    given = list(parts)
    if any(part.rules != ids for part in given):
        raise _mixed("the parts were judged by other rules", "Merge parts of check_block with the same rules")
    filled = sorted(((part.span, part) for part in given if part.span is not None), key=lambda pair: pair[0])
    whole = BlockSummary(ids)
    for part in given:
        whole.judgement.merge(part.judgement)
    if not filled:
        return whole
    if any(b[0] < a[1] for (a, _), (b, _) in pairwise(filled)):
        raise _mixed("two parts overlap", "Give each event of the sorted trace to one block")
    whole.span, whole.begins = (filled[0][0][0], filled[-1][0][1]), filled[0][1].begins
    borders = Borders(None if close or whole.begins else whole.span[0], None if close else whole.span[1])
    for plan in plans_of(rules):
        states, todo = _joined(plan, [part.rows[plan.name] for _, part in filled if plan.name in part.rows])
        if states:
            settle(Rows(plan, states.__getitem__, borders, parameters, tables), todo, whole)
    return whole


def check(rules: Sequence[Rule], raws: Iterable[Raw], parameters: Parameters, tables: Tables) -> Judgement:
    """Judge a whole trace, given in order and in pieces of any size; the answer is ``ReferenceEvaluator.judge``'s."""
    return deque(check_run(rules, raws, parameters, tables, begins=True, ends=True), maxlen=1)[0].judgement


def check_run(
    rules: Sequence[Rule],
    raws: Iterable[Raw],
    parameters: Parameters,
    tables: Tables,
    *,
    begins: bool = False,
    ends: bool = False,
) -> Iterator[BlockSummary]:
    """Judge a run of a trace, given in order and in pieces of any size; gives every part it makes, last that of all.

    ``begins``: nothing comes before the run; ``ends``: nothing comes after it.

    What waits is merged from left to right every so many blocks. So memory does not grow with what looks back
    (``previous``, ``latest``, ``highest``), however long a partition. It grows with what is still undecided: rows that
    look ahead past the last known value of their partition, such as records after the last release, those that hold
    only while no ``lowest`` value falls, such as a record that was acknowledged before every release that covers it,
    and all rows of a partition in views whose key is not in the trace's order. For what is raised see ``check_block``.
    """
    parts: list[BlockSummary] = []
    blocks = rows = 0
    for raw in joined_pieces(raws, BLOCK):
        for block in blocks_of(raw):
            first = begins and not parts
            parts.append(check_block(rules, block, parameters, tables, begins=first, together=ROWS_TOGETHER))
            yield parts[-1]
            blocks, rows = blocks + 1, rows + parts[-1].waiting
            if blocks >= BLOCKS_MERGED or rows >= ROWS_MERGED:
                low = _worth_merging(parts)
                parts[low:] = [merge(rules, parts[low:], parameters, tables)]
                yield parts[-1]
                blocks = rows = 0
    yield merge(rules, parts, parameters, tables, close=ends)


def _worth_merging(parts: Sequence[BlockSummary]) -> int:
    """The first of the last parts that are merged now: a large one only once as much has come after it.

    So each row is joined again a logarithmic number of times, even where nothing can be settled.
    """
    first, rows = len(parts) - 1, parts[-1].waiting
    while first and parts[first - 1].waiting <= rows:
        first, rows = first - 1, rows + parts[first - 1].waiting
    return first


def _mixed(what: str, advice: str) -> MixedParts:
    return MixedParts(what, "merge", "their rows cannot be joined", advice)


def _joined(plan: Plan, tables: list[Waiting]) -> tuple[Mapping[str, State], Array]:
    """The rows of several parts in the view's order; what two parts say of one row is joined."""
    if not tables:
        return {}, np.zeros(0, np.uint8)
    base = {name: concatenated([table.states[name] for table in tables]) for name in plan.base}
    todo = np.concatenate([table.todo for table in tables], axis=-1)
    order = view_order(plan.view, lambda name: base[name].value)
    if order is not None:
        base, todo = {name: state.take(order) for name, state in base.items()}, todo[:, order]
    if not plan.view.grouped or not todo.shape[-1]:
        return base, todo
    starts = changes([base[name].value for name in plan.view.key])
    if len(starts) == todo.shape[-1]:
        return base, todo
    base = {name: joined(plan.view.base[name], state, starts) for name, state in base.items()}
    return base, np.bitwise_or.reduceat(todo, starts, axis=-1)
