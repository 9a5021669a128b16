"""Proofs do not mind who collects garbage, and when.

Justified by z3's pull request 6332. What is left out here ends the process, so that it has one of its own.
"""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.z3

PROGRAM = """
import gc, itertools, threading
import z3
from spec.proof.contexts import undisturbed

over = threading.Event()
def collect():
    while not over.is_set():
        gc.collect()

class Ring:
    def __init__(self, *held):
        self.ring, self.held = self, held

collector = threading.Thread(target=collect)
collector.start()
context = undisturbed(z3.Context())
for _ in range(60):
    numbers = [z3.Int(f"number {n}", context) for n in range(60)]
    solver = z3.Solver(ctx=context)
    solver.add(*(one + 1 < other for one, other in itertools.pairwise(numbers)), numbers[-1] < numbers[0] + 50)
    Ring(solver, [number + n for n, number in enumerate(numbers)])
    assert solver.check() == z3.unsat
over.set()
collector.join()
print("whole")
"""


def test_what_another_thread_collects_harms_no_proof() -> None:
    """Without care it ends in a crash within seconds, or never."""
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stdout) == (0, "whole\n"), ended.stderr
