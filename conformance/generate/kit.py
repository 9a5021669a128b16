"""The kit: all tiles of an order with what is true of them, in a folder that whoever writes files can read.

Each tile is simulated, and then judged, by a piece of work of its own; any number may be done at the same time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from conformance.generate import long_log
from conformance.generate.ordering import VARIETY, Order
from conformance.generate.tiles import Tile, faults_in, header_for, judged, simulated, tile_in
from conformance.generate.truth import from_plain, to_plain
from conformance.trace.header import Header
from reference_impl.plan import SimulationPlan
from spec.language.outcomes import Judgement

LONG_LOG: Final = "long-log"


@dataclass(frozen=True)
class Kit:
    """All tiles of an order.

    Attributes:
        header: of the trace, and of each tile.
        correct: different runs of the correct machine.
        broken: a run of each mutant, by name.
        long_log: the run that the long log is made of, if there is one.
    """

    header: Header
    correct: tuple[Tile, ...]
    broken: dict[str, Tile]
    long_log: Tile | None


def simulate_one(order: Order, folder: Path, number: int) -> None:
    """Simulate a tile."""
    simulated(order.plans[number], folder / f"{number}.parquet")


def find_long_log(order: Order, folder: Path, _number: int) -> None:
    """Simulate and judge the long log's tile, when all others are there."""
    *others, stored = _stored(order, folder)
    _keep(long_log.found(order, stored, faults_in(others)), stored)


def judge_one(order: Order, folder: Path, number: int) -> None:
    """Judge another tile among the faults of all."""
    stored = _stored(order, folder)
    _keep([judged(stored[number], faults_in(stored))], stored[number])


def _keep(truth: Iterable[Judgement], stored: Path) -> None:
    stored.with_suffix(".json").write_text(json.dumps([to_plain(one) for one in truth]), encoding="utf-8")


def truths(order: Order, folder: Path) -> list[list[Judgement]]:
    """What is true of each tile; of the long log's, of two copies, and what each further one adds."""
    texts = (one.with_suffix(".json").read_text(encoding="utf-8") for one in _stored(order, folder))
    return [[from_plain(one) for one in json.loads(text)] for text in texts]


@lru_cache(maxsize=1)
def kit_of(order: Order, folder: Path) -> Kit:
    """The tiles in a folder; whoever writes several files reads them once."""
    tiles = [tile_in(one) for one in _stored(order, folder)]
    names = [plan.mutant for plan in order.plans[VARIETY:]]
    return Kit(
        header_for(SimulationPlan()),
        tuple(tiles[:VARIETY]),
        dict(zip(names, tiles[VARIETY:], strict=False)),
        tiles[-1] if order.skew else None,
    )


def _stored(order: Order, folder: Path) -> list[Path]:
    names = [*map(str, range(len(order.plans))), *([LONG_LOG] if order.skew else [])]
    return [folder / f"{name}.parquet" for name in names]
