"""The big trace: millions of events with planted violations, every one of which is known beforehand.

One simulated run of the correct machine is repeated with shifted numbers; between its copies stands one short run of
each mutant of the machine. Two layouts hold the same events: sorted by (log, LSN, seq) in several files, and by time,
where the copies run at the same time and so the events of many logs alternate.

Everything lies under ``build/benchmarks`` and is made anew when the sources that decide it change.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import numpy as np
import pyarrow as pa

from benchmarks.tiles import Shift, Tile, header, judged_together, tile, truth_from, truth_to
from conformance.trace.blocks import numbers
from conformance.trace.header import Header
from conformance.trace.parquet_writing import appending
from reference_impl.simulate import MUTANTS, SimulationPlan
from spec.language.outcomes import Judgement

ROOT: Final = Path(__file__).parent.parent
HOME: Final = ROOT / "build" / "benchmarks"
SEED: Final = 11
TILE_EVENTS: Final = 100_000
MUTANT_EVENTS: Final = 5_000
FILES: Final = 4
STAGGER_NS: Final = 7_000_003
"""How much later than the copy before it a copy begins."""

WINDOW: Final = 1 << 20
"""Events that are brought into the order of their clocks at once, about."""

OURS: Final = re.compile(r"(tiles|trace)-[0-9a-f]{12}(-[0-9]+)?")
"""Names of the folders that are made here, and so may be removed when they are out of date."""

DECISIVE: Final = ("spec/*.py", "spec/language/*.py", "spec/log/*.py", "spec/client/*.py", "reference_impl/**/*.py")
"""The sources that decide events and verdicts; those that decide the layout are the benchmark's own."""


@dataclass(frozen=True)
class BigTrace:
    """A trace on disk in two layouts, and what is true of it.

    Attributes:
        in_order: a folder of files sorted by (log, LSN, seq).
        by_time: a file in the order of the clocks.
        tile: the run that is repeated, alone.
        truth: what every reading must say of it.
        tile_truth: what every reading must say of the tile.
    """

    in_order: Path
    by_time: Path
    tile: Path
    events: int
    truth: Judgement
    tile_truth: Judgement


def big_trace(events: int, home: Path = HOME) -> BigTrace:
    """The trace with about this many events, from disk if it was made of the same sources before.

    Raises:
        ValueError: there are too few events to plant a violation in.
    """
    tiles_of, folder = home / f"tiles-{_fingerprint()}", home / f"trace-{_fingerprint()}-{events}"
    told = folder / "truth.json"
    if not told.exists():
        for old in home.glob("*") if home.exists() else ():
            if OURS.fullmatch(old.name) and _fingerprint() not in old.name:
                rmtree(old)
        _made(events, tiles_of, folder)
    said = json.loads(told.read_text())
    name = f"{said['tile']}"
    alone = json.loads((tiles_of / name / "correct.json").read_text())
    return BigTrace(
        folder / "sorted",
        folder / "time.parquet",
        tiles_of / name / "correct.parquet",
        said["events"],
        truth_from(said),
        truth_from(alone),
    )


def _fingerprint() -> str:
    """A few letters that change whenever a source that decides the trace does."""
    files = [*(path for glob in DECISIVE for path in ROOT.glob(glob)), *Path(__file__).parent.glob("*til*.py")]
    text = b"".join(path.read_bytes() for path in sorted({*files, Path(__file__)}))
    return sha256(text).hexdigest()[:12]


def _made(events: int, tiles_of: Path, folder: Path) -> None:
    size = min(TILE_EVENTS, events // 3)
    usual = [name for name, mutant in MUTANTS.items() if not mutant.setting.changes]
    names = usual[: (events // 3) // MUTANT_EVENTS]
    if not names:
        raise ValueError(f"{events} events hold no mutant: ask for at least {3 * MUTANT_EVENTS}")
    correct = tile(SimulationPlan(seed=SEED, events=size), tiles_of / str(size))
    mutants = [
        tile(SimulationPlan(seed=SEED, events=MUTANT_EVENTS, mutant=name), tiles_of / str(size)) for name in names
    ]
    rest = events - sum(len(mutant.table) for mutant in mutants)
    copies = list(placed(correct, mutants, max(1, round(rest / len(correct.table)))))
    head = header(SimulationPlan(), "copies of simulated runs with planted violations")
    (folder / "sorted").mkdir(parents=True, exist_ok=True)
    print(f"  writing {sum(len(one.table) for one, _ in copies)} events twice", file=sys.stderr, flush=True)
    _write_in_order(copies, head, folder / "sorted")
    _write_by_time(copies, head, folder / "time.parquet")
    truth = judged_together(copies)
    if not truth.violations:
        raise ValueError("no mutant broke a rule: nothing is planted")
    count = sum(len(one.table) for one, _ in copies)
    (folder / "truth.json").write_text(json.dumps(truth_to(truth) | {"events": count, "tile": size}))


def placed(correct: Tile, mutants: list[Tile], times: int) -> Iterator[tuple[Tile, Shift]]:
    """So many copies of one tile, with the others evenly between them; no two share a number."""
    after: dict[int, list[Tile]] = {}
    for number, mutant in enumerate(mutants):
        after.setdefault(number * times // len(mutants), []).append(mutant)
    log, seq, version, begun = 1, 0, 0, 0
    for copy in range(times):
        for one in (correct, *after.get(copy, [])):
            yield one, Shift(log, seq, begun, version)
            log, seq, version = log + one.size.log, seq + one.size.seq, version + one.size.version
            begun += STAGGER_NS


def _write_in_order(copies: list[tuple[Tile, Shift]], head: Header, folder: Path) -> None:
    """Several files, none of which shares a log with another; events about no log come first."""
    step = -(-len(copies) // FILES)
    for number, first in enumerate(range(0, len(copies), step)):
        with appending(folder / f"part-{number}.parquet", head, in_order=True) as append:
            if not number:
                for one, shift in copies:
                    append(one.shifted(shift, one.about_a_log(there=False)))
            for one, shift in copies[first : first + step]:
                append(one.shifted(shift, one.about_a_log(there=True)))


def _write_by_time(copies: list[tuple[Tile, Shift]], head: Header, path: Path) -> None:
    """One file; as many events at a time as memory should hold are brought into order."""
    end = max(shift.time_ns + one.size.time_ns for one, shift in copies)
    windows = -(-sum(len(one.table) for one, _ in copies) // WINDOW)
    borders = [end * number // windows for number in range(windows + 1)]
    with appending(path, head) as append:
        for low, high in itertools.pairwise(borders):
            pieces = list(_between(copies, low, high))
            if pieces:
                table = pa.concat_tables(pieces).combine_chunks()
                append(table.take(pa.array(np.argsort(numbers(table["time_ns"]).value, kind="stable"))))


def _between(copies: list[tuple[Tile, Shift]], low: int, high: int) -> Iterator[Any]:
    """What copies recorded from one time up to another."""
    for one, shift in copies:
        first, last = np.searchsorted(one.times, [low - shift.time_ns, high - shift.time_ns])
        if first < last:
            yield one.shifted(shift, one.by_time[first:last])
