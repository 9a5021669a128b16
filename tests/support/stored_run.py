"""Long runs on disk: simulated once for all test processes, and again when a source that decides them changes."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final

import pyarrow as pa

from conformance.cli_simulate import header_for
from conformance.trace.arrow import to_batches
from conformance.trace.files import atomic
from conformance.trace.header import Header
from conformance.trace.open import Parquet, open_trace
from conformance.trace.parquet_writing import Target
from conformance.trace.rows import EventRow
from reference_impl.heading import recording_of
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.client.bookkeeping import kept

ROOT: Final = Path(__file__).parent.parent.parent
HOME: Final = ROOT / "build" / "tests"
DECISIVE: Final = ("spec/**/*.py", "reference_impl/**/*.py", "conformance/*.py", "conformance/trace/*.py")
"""The sources that decide the events and how they are stored."""

ROW_GROUPS: Final = 4
"""A run has some, however short it is: engines judge them in pieces."""


def stored_run(plan: SimulationPlan, home: Path = HOME) -> Parquet:
    """The sorted trace of a plan's run; of runs of other sources or plans none is kept."""
    path = home / f"run-{_fingerprint(plan)}.parquet"
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True)
        for old in home.glob("run-*.parquet"):
            old.unlink(missing_ok=True)
        _write(path, header_for(plan), kept(simulate(plan), recording_of(plan)), -(-plan.events // ROW_GROUPS))
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    return trace


def _write(path: Path, header: Header, events: Iterable[EventRow], group: int) -> None:
    with atomic(path) as unfinished:
        target = Target(unfinished, header, in_order=True, group=group)
        for batch in to_batches(events, header, place=str(path)):
            target.write(pa.Table.from_batches([batch]))
        target.close()


def _fingerprint(plan: SimulationPlan) -> str:
    sources = sorted({path for pattern in DECISIVE for path in ROOT.glob(pattern)})
    text = b"".join(path.read_bytes() for path in sources)
    return sha256(repr(plan).encode() + text).hexdigest()[:16]
