"""Long runs on disk: simulated once for all test processes, and again when a source that decides them changes."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from conformance.cli_simulate import header_for
from conformance.trace import parquet_writing
from conformance.trace.open import Parquet, open_trace
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from tests.support.simulated import place

ROOT: Final = Path(__file__).parent.parent.parent
HOME: Final = ROOT / "build" / "tests"
DECISIVE: Final = ("spec/**/*.py", "reference_impl/**/*.py", "conformance/*.py", "conformance/trace/*.py")
"""The sources that decide the events and how they are stored."""


def stored_run(plan: SimulationPlan, home: Path = HOME) -> Parquet:
    """The sorted trace of a plan's run; of runs of other sources or plans none is kept."""
    path = home / f"run-{_fingerprint(plan)}.parquet"
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True)
        for old in home.glob("run-*.parquet"):
            old.unlink(missing_ok=True)
        events = sorted(simulate(plan), key=place)
        parquet_writing.write_events(path, header_for(plan), events, in_order=True)
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    return trace


def _fingerprint(plan: SimulationPlan) -> str:
    sources = sorted({path for pattern in DECISIVE for path in ROOT.glob(pattern)})
    text = b"".join(path.read_bytes() for path in sources)
    return sha256(repr(plan).encode() + text).hexdigest()[:16]
