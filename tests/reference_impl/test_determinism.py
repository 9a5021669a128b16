"""One seed is one run: the promise of ``reference_impl.kernel.simulator``, to the byte."""

import hashlib
import os
import subprocess
import sys

import pytest

from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate

PROGRAM = """
from hashlib import sha256
from reference_impl.simulate import SimulationPlan, simulate
events = simulate(SimulationPlan(seed=5, events=3000))
print(sha256(repr([{**event, "nodes": sorted(event.get("nodes", ()))} for event in events]).encode()).hexdigest())
"""


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_gives_the_same_events(seed: int) -> None:
    """Twice in one process."""
    first, again = (list(simulate(SimulationPlan(seed=seed, events=4000))) for _ in range(2))
    assert first == again


def test_another_process_gives_the_same_bytes() -> None:
    """Not even the order in which Python hashes strings matters."""
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(said) == 1
    assert len(said.pop().strip()) == hashlib.sha256().digest_size * 2


def test_another_seed_gives_another_run() -> None:
    """A seed that decides nothing would test nothing."""
    runs = [list(simulate(SimulationPlan(seed=seed, events=500))) for seed in range(3)]
    assert runs[0] != runs[1] != runs[2] != runs[0]


def test_a_longer_run_begins_as_a_shorter_one() -> None:
    """Where logs have the same share, the bound on events only cuts, as long as there are logs left to open."""
    short, long = (
        list(simulate(SimulationPlan(seed=3, events=500 * logs, logs=logs, open_logs=2))) for logs in (8, 12)
    )
    assert len({event["log"] for event in short if "log" in event}) < 8
    assert len(short) == 4000
    assert short == long[:4000]
