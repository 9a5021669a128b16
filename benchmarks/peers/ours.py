"""quorate's own explorer, in a process of its own like every peer's: the text in the spec, lowered for one engine.

    python -m benchmarks.peers.ours ENGINE MANAGERS

explores and prints how many states it found and what the search alone took, as JSON. The explorer counts its search
from where the text is lowered and compiled; starting, importing, lowering and compiling are what the process took
besides.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

from benchmarks.peers.peer import Explored, NotInstalled, PeerFailed, answer
from benchmarks.processor import Measured

ROOT: Final = Path(__file__).parent.parent.parent

Engine = Literal["numpy", "numba"]


def explore(engine: Engine, managers: int) -> Explored:
    """Explore two-phase commit with one of our engines.

    Raises:
        NotInstalled: the engine's package is not here.
        PeerFailed: the search did not end.
    """
    if find_spec(engine) is None:
        raise NotInstalled(f"{engine} is not installed (pip install 'quorate[compiled]')")
    with Measured() as whole:
        text = answer([sys.executable, "-m", "benchmarks.peers.ours", engine, str(managers)], ROOT)
    found: dict[str, Any] = json.loads(text)
    prepare_cpu_s = max(whole.cpu_s - found["search_cpu_s"], 0.0)
    return Explored(version(engine), found["distinct"], prepare_cpu_s, found["search_cpu_s"], whole.wall_s)


def searched(engine: Engine, managers: int) -> dict[str, float]:
    """Search in this process; give how many states were found, and the CPU seconds of the search alone.

    Raises:
        PeerFailed: another engine did the work, or the search stopped before the end.
    """
    from reference_impl.kernel.explorer.search import explore as search  # noqa: PLC0415 - part of what is measured
    from spec.protocols import two_phase  # noqa: PLC0415 - as above

    found = search(two_phase.transaction(managers), engine=engine)
    if found.engine != engine or not found.complete:
        raise PeerFailed(f"{engine} was asked to search to the end; {found.engine} did, complete: {found.complete}")
    return {"distinct": found.distinct, "search_cpu_s": found.cpu_s}


if __name__ == "__main__":
    print(json.dumps(searched("numba" if sys.argv[1] == "numba" else "numpy", int(sys.argv[2]))))
