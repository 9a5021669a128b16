"""The big trace: millions of events with planted violations, in two layouts, as ``quorate generate`` writes them.

Everything lies under ``build/benchmarks`` and is made anew when the sources that decide it change.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Final

from conformance.generate import truth
from conformance.generate.generating import Work, generate, here
from conformance.generate.ordering import LEAST, Order
from spec.language.outcomes import Judgement

ROOT: Final = Path(__file__).parent.parent
HOME: Final = ROOT / "build" / "benchmarks"
SEED: Final = 11

OURS: Final = re.compile(r"trace-[0-9a-f]{12}")
"""Names of the folders that are made here, and so may be removed when they are out of date."""

DECISIVE: Final = (
    *("spec/*.py", "spec/language/*.py", "spec/log/*.py", "spec/client/**/*.py", "spec/events/*.py"),
    *("reference_impl/**/*.py", "conformance/generate/*.py", "conformance/trace/*.py"),
)
"""The sources that decide events, verdicts and files."""


@dataclass(frozen=True)
class BigTrace:
    """A trace on disk in two layouts, and what is true of it.

    Attributes:
        in_order: a folder of files sorted by (log, LSN, seq).
        by_time: a folder of files in the order of the clocks.
        sample: as few events as can be generated, for what is slow.
        events: how many events there are.
        truth: what every reading must say of it.
        sample_truth: what every reading must say of the sample.
    """

    in_order: Path
    by_time: Path
    sample: Path
    events: int
    truth: Judgement
    sample_truth: Judgement


def big_trace(events: int, home: Path = HOME, *, skew: float = 0.0) -> BigTrace:
    """The trace with about this many events, from disk if it was made of the same sources before.

    Args:
        events: how many.
        home: where traces are kept.
        skew: which share of all events one log has.

    Raises:
        BadOrder: there are too few events to plant a violation in.
    """
    folder = home / f"trace-{_fingerprint()}"
    for old in home.glob("*") if home.exists() else ():
        if OURS.fullmatch(old.name) and old != folder:
            rmtree(old)
    in_order, sample = Order(events, SEED, skew=skew), Order(LEAST, SEED)
    name = f"{events}-{skew}" if skew else f"{events}"
    big = _made(in_order, folder / f"{name}-sorted")
    by_time = _made(replace(in_order, layout="time"), folder / f"{name}-time")
    few = _made(sample, folder / "sample")
    told, little = truth.read(big), truth.read(few)
    return BigTrace(big, by_time, few, told.events, told.judgement, little.judgement)


def _made(order: Order, folder: Path) -> Path:
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        generate(order, folder, _told)
    return folder


def _told(what: str, count: int, work: Work) -> None:
    print(f"  {what}", file=sys.stderr, flush=True)
    here(what, count, work)


def _fingerprint() -> str:
    """A few letters that change whenever a source that decides the trace does."""
    files = sorted({path for glob in DECISIVE for path in ROOT.glob(glob)} | {Path(__file__)})
    return sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]
