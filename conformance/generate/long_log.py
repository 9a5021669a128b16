"""The long log: one log with a large share of all events, from copies of one run that follow one another in it.

The run is cut where its epochs are clean: the next copy begins with the next epoch, at a later time, for other readers.
So each copy but the first adds as many outcomes as the one before it. That is not believed: two, three and four copies
are judged by the fold, and must differ by the same.
"""

from __future__ import annotations

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
from spec.events import Clean
from spec.language.events import kinds
from spec.language.outcomes import Judgement

ATTEMPTS: Final = 50
"""Runs that are tried; about every other one can be cut."""


class NoLongLog(RuntimeError):
    """No run was found whose copies can follow one another: a defect of this generator, or of the machine."""


def found(order: Order, stored: Path) -> None:
    """Keep a run that breaks no rule when it is cut.

    Raises:
        NoLongLog: none was found.
    """
    for attempt in range(ATTEMPTS):
        plan = order.long_log(attempt)
        simulated(plan, stored)
        rows = tile_in(stored).rows
        epoch = rows.column("epoch")
        clean = set(epoch[np.isin(rows.kind, kinds(Clean))].tolist())
        end = next(number for number in range(1, len(clean) + 2) if number not in clean)
        with appending(stored, header_for(plan), in_order=True) as append:
            append(rows.table.filter(pa.array(~np.isin(rows.kind, AT_LSNS) | (epoch < end))))
        if end > 1 and not judged(stored, ()).violations:
            return
    raise NoLongLog(f"{ATTEMPTS} runs of one log were cut, and each breaks a rule")


def step_of(tile: Tile) -> Shift:
    """By what the next copy of a run of one log is shifted that goes on with that log."""
    epochs = tile.at_lsns.column("epoch")
    return replace(tile.size, log=0, epoch=int(epochs.max()))


def shifts(tile: Tile, number: int, first: Shift) -> Iterator[Shift]:
    """The shifts of so many copies that follow one another in one log."""
    step = step_of(tile)
    for copy in range(number):
        yield first.plus(step, copy)


def truth_of(stored: Path, faults: Iterable[EventRow]) -> tuple[Judgement, Judgement]:
    """What is true of two copies, and what each further one adds.

    Raises:
        NoLongLog: they break a rule, or do not add the same.
    """
    faults = list(faults)
    two, three, four = (_together(stored, number, faults) for number in (2, 3, 4))
    step = three.counts.copy()
    step.subtract(two.counts)
    after = four.counts.copy()
    after.subtract(three.counts)
    if four.violations or step != after:
        raise NoLongLog("copies of one run that follow one another in one log break rules, or do not add the same")
    return two, Judgement(step)


def _together(stored: Path, number: int, faults: list[EventRow]) -> Judgement:
    """What is true of so many copies."""
    tile, several = tile_in(stored), stored.with_name(f"{stored.stem}-{number}.parquet")
    with appending(several, open_trace(stored).header) as append:
        for shift in shifts(tile, number, Shift()):
            append(tile.rows.shifted(shift))
    return judged(several, faults)
