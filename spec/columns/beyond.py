"""Beyond: rows of other parts that the rows of one part look at.

A part is cut between two places of the trace, so its rows are whole; what they look at may lie in any part before or
after. Each part is asked once for the rows that others may see, a few for each neighbour column, and these stand
before and after the rows of the part that is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from spec.columns.column import Array
from spec.columns.dimensions import Tables
from spec.columns.events import Events
from spec.columns.order import places
from spec.columns.parts import BlockSummary
from spec.columns.piece import Piece
from spec.columns.plan import Plan
from spec.columns.rows import Borders, Rows
from spec.columns.settling import settle
from spec.columns.states import State, concatenated
from spec.language.terms import Col, leaves

Seen: TypeAlias = Mapping[str, State]
"""Rows that others may look at: what neighbour columns read of them."""

ALONE = Borders(None, None)
"""There is nothing beyond, or all of it is here."""


def seen_from_beyond(plan: Plan, piece: Piece, between: Borders, tables: Tables) -> Seen:
    """The rows of a part that others may look at; it lies between the last place before it and the first after it."""
    looking = _looking(plan)
    rows = Rows(looking, Events(plan.view, piece).state, between, piece.parameters, tables)
    keep = np.zeros(rows.size, np.bool_)
    for name in looking.near:
        keep[rows.seen(name).carry] = True
    kept = places(keep)
    return {name: rows.state(name).take(kept) for name in looking.base}


def _looking(plan: Plan) -> Plan:
    """The plan without its rules: no more than what neighbour columns read."""
    read = {column.name for term, _ in plan.near.values() for column in leaves(term, Col)} & set(plan.base)
    return replace(plan, clauses=(), base=tuple(dict.fromkeys((*plan.view.key, *sorted(read)))))


def judge_beside(
    plan: Plan, piece: Piece, before: Sequence[Seen], after: Sequence[Seen], tables: Tables
) -> BlockSummary:
    """Judge a part beside the rows that it may look at, in the trace's order."""
    part, own = BlockSummary(()), Events(plan.view, piece)
    first = plan.view.key[0]
    sizes = [sum(seen[first].value.shape[-1] for seen in side) for side in (before, after)]
    rows = Rows(plan, _beside(own.state, before, after, sizes), ALONE, piece.parameters, tables)
    todo = np.zeros((-(-len(plan.clauses) // 8), rows.size), np.uint8)
    todo[:, sizes[0] : rows.size - sizes[1]] = 255
    settle(rows, todo if any(sizes) else None, part)
    return part


def _beside(
    own: Callable[[str], State], before: Sequence[Seen], after: Sequence[Seen], sizes: Sequence[int]
) -> Callable[[str], State]:
    """What is said of the rows of a part and of those beside them, where neighbour columns read it; else nothing."""

    def state(name: str) -> State:
        mine = own(name)
        sides = (
            [seen[name] for seen in side] if side and name in side[0] else [_nothing(mine.value, size)]
            for side, size in zip((before, after), sizes, strict=True)
        )
        left, right = sides
        return concatenated([*left, mine, *right]) if any(sizes) else mine

    return state


def _nothing(like: Array, size: int) -> State:
    return State(np.zeros((*like.shape[:-1], size), like.dtype), np.zeros(size, np.bool_))
