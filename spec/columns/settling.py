"""Settling: count the verdicts that nothing outside a block can change, and keep the rows that the others need.

PurgeSurvivor are the rows that wait, the rows that these look at, and the rows that rows outside may look at.
"""

from __future__ import annotations

import numpy as np

from spec.columns.column import Array, Mask
from spec.columns.order import places
from spec.columns.parts import BlockSummary, Waiting
from spec.columns.plan import Clause
from spec.columns.rows import Outcomes, Rows
from spec.language.outcomes import Outcome, Violation


def settle(rows: Rows, todo: Array | None, part: BlockSummary) -> None:
    """Settle what can be settled into a part; keep in it the rows that the rest needs."""
    plan = rows.plan
    if not rows.size:
        return
    keep = np.zeros(rows.size, np.bool_) if rows.partial is None else rows.partial.copy()
    late: list[Array] = []
    for number, clause in enumerate(plan.clauses):
        mine = None if todo is None else (todo[number >> 3] >> (number & 7) & 1).view(np.bool_)
        waits = _count(rows, clause, rows.outcomes(clause), mine, part)
        late.append(waits)
        keep[waits] = True
        for name in clause.near if len(waits) else ():
            source = rows.seen(name).source(waits)
            keep[source[source >= 0]] = True
    if rows.borders == (None, None):
        return
    for name in plan.near:
        keep[rows.seen(name).carry] = True
    kept = places(keep)
    bits = np.zeros((-(-len(late) // 8), len(kept)), np.uint8)
    for number, waits in enumerate(late):
        bits[number >> 3, np.searchsorted(kept, waits)] |= np.uint8(1 << (number & 7))
    part.rows[plan.name] = Waiting({name: rows.state(name).take(kept) for name in plan.base}, bits)


def leave(rows: Rows, part: BlockSummary) -> None:
    """Settle nothing: all rows wait."""
    plan = rows.plan
    if rows.size:
        todo = np.full((-(-len(plan.clauses) // 8), rows.size), 255, np.uint8)
        part.rows[plan.name] = Waiting({name: rows.state(name) for name in plan.base}, todo)


def _count(rows: Rows, clause: Clause, said: Outcomes, mine: Mask | None, part: BlockSummary) -> Array:
    """Count what one rule says of rows that do not wait; give the rows that do."""
    at, instance, holds, violated, wait = said
    if mine is not None:
        mine = mine if at is None else mine[at]
        wait = None if wait is None else wait & mine
    now = mine if wait is None else ~wait if mine is None else mine & ~wait
    if now is not None:
        instance, holds, violated = instance & now, holds & now, violated & now
    good, bad = int(np.count_nonzero(holds)), int(np.count_nonzero(violated))
    part.judgement.count(clause.rule, Outcome.HOLDS, good)
    part.judgement.count(clause.rule, Outcome.VIOLATED, bad)
    part.judgement.count(clause.rule, Outcome.UNKNOWN, int(np.count_nonzero(instance)) - good - bad)
    if bad:
        broken = _rows_at(at, violated)
        keys = (rows.state(name).value[broken].tolist() for name in rows.plan.view.key)
        part.judgement.violations |= {Violation(clause.rule, key) for key in zip(*keys, strict=True)}
    return np.zeros(0, np.intp) if wait is None else _rows_at(at, wait)


def _rows_at(at: Array | None, chosen: Mask) -> Array:
    found = places(chosen)
    return found if at is None else at[found]
