"""The long log: one log with a large share of all events, from copies of one run that follow one another in it.

The run is cut where its epochs are clean: the next copy begins with the next epoch, at a later time, for other readers.
So each copy but the first adds as many outcomes as the one before it. That is not believed: two, three and four copies
are judged by the reference evaluator, and must differ by the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from conformance.generate.ordering import Order
from conformance.generate.shifting import AT_LSNS, Shift
from conformance.generate.tiles import Tile, header_for, judged, simulated, tile_in
from conformance.trace.open import open_trace
from conformance.trace.parquet_writing import appending
from conformance.trace.rows import EventRow
from reference_impl.plan import SimulationPlan
from spec.events import Clean
from spec.language.events import kinds
from spec.language.outcomes import Judgement, Outcome

ATTEMPTS: Final = 50
"""Runs that are tried; about every other one can be cut."""


class NoLongLog(RuntimeError):
    """No run was found whose copies can follow one another: a defect of this generator, or of the machine."""


def found(order: Order, stored: Path, faults: Iterable[EventRow]) -> tuple[Judgement, Judgement]:
    """Keep a run whose copies can follow one another in one log, among these faults.

    Returns:
        What is true of two copies, and what each further one adds.

    Raises:
        NoLongLog: none was found.
    """
    faults = list(faults)
    for attempt in range(ATTEMPTS):
        fits = _cut(order.long_log(attempt), stored) and not judged(stored, faults).violations
        truth = _truth_of(stored, faults) if fits else None
        if truth:
            return truth
    raise NoLongLog(f"{ATTEMPTS} runs of one log were cut, and no copies of one can follow one another")


def _cut(plan: SimulationPlan, stored: Path) -> bool:
    """Keep a run up to where its epochs are no longer clean, so that another copy can go on; whether any epoch is."""
    simulated(plan, stored)
    rows = tile_in(stored).rows
    epoch = rows.column("epoch")
    clean = set(epoch[np.isin(rows.kind, kinds(Clean))].tolist())
    end = next(number for number in range(1, len(clean) + 2) if number not in clean)
    with appending(stored, header_for(plan), in_order=True) as append:
        append(rows.table.filter(pa.array(~np.isin(rows.kind, AT_LSNS) | (epoch < end))))
    return end > 1


def step_of(tile: Tile) -> Shift:
    """By what the next copy of a run of one log is shifted that goes on with that log."""
    epochs = tile.at_lsns.column("epoch")
    return replace(tile.size, log=0, epoch=int(epochs.max()))


def shifts(tile: Tile, number: int, first: Shift) -> Iterator[Shift]:
    """The shifts of so many copies that follow one another in one log."""
    step = step_of(tile)
    for copy in range(number):
        yield first.plus(step, copy)


def _truth_of(stored: Path, faults: list[EventRow]) -> tuple[Judgement, Judgement] | None:
    """What is true of two copies, and what each further one adds; None where they break a rule or add less or more."""
    two, three, four = (_together(stored, number, faults) for number in (2, 3, 4))
    step, after = _added(three, two), _added(four, three)
    return None if four.violations or step != after else (two, Judgement(step))


def _added(more: Judgement, fewer: Judgement) -> Counter[tuple[str, Outcome]]:
    added = more.counts.copy()
    added.subtract(fewer.counts)
    return added


def _together(stored: Path, number: int, faults: list[EventRow]) -> Judgement:
    """What is true of so many copies."""
    tile, several = tile_in(stored), stored.with_name(f"{stored.stem}-{number}.parquet")
    with appending(several, open_trace(stored).header) as append:
        for shift in shifts(tile, number, Shift()):
            append(tile.rows.shifted(shift))
    return judged(several, faults)
