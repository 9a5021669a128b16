"""SPIN, which makes a C program of a Promela model that searches in one thread."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.peers.peer import Explored, Order, answer, distinct_states, installed, printed
from benchmarks.processor import Measured

NAME: Final = "SPIN"
MODEL: Final = Path(__file__).with_name("two_phase.pml")
COMPILE: Final = ("-O2", "-DSAFETY", "-DNOREDUCE", "-DNOCOMP", "-DMEMLIM=16000", "-o", "pan", "pan.c")
"""Of SPIN's exact searches the fastest here: states are so small that it does not pay to compress them."""

ORDER: Final[dict[Order, tuple[str, ...]]] = {"breadth": ("-DBFS",), "depth": ()}

DEPTH: Final = 100
"""The longest path: a manager takes at most three steps that change something, and the coordinator one."""


def explore(order: Order, managers: int) -> Explored:
    """Explore two-phase commit, with a hash table of the right size from the start.

    Raises:
        NotInstalled: SPIN or the compiler is not here.
        PeerFailed: SPIN did not search to the end.
    """
    spin = installed("spin", "apt-get install spin")
    compiler = installed("gcc", "apt-get install gcc")
    with TemporaryDirectory(prefix="quorate-spin-") as name:
        folder = Path(name)
        with Measured() as prepared:
            answer([spin, f"-DMANAGERS={managers}", "-a", MODEL], folder)
            answer([compiler, *ORDER[order], *COMPILE], folder)
        table = distinct_states(managers).bit_length() + 1
        with Measured() as searched:
            text = answer([folder / "pan", "-n", f"-m{DEPTH}", f"-w{table}"], folder)
    version, distinct = answer_in(text)
    return Explored(version, distinct, prepared.cpu_s, searched.cpu_s, prepared.wall_s + searched.wall_s)


def answer_in(text: str) -> tuple[str, int]:
    """Give SPIN's version and the number of distinct states, read from what the search prints.

    Raises:
        PeerFailed: it found an error.
    """
    printed(r"(errors: 0)$", text, NAME)
    return printed(r"Spin Version (\S+)", text, NAME), int(printed(r"^ *(\d+) states, stored", text, NAME))
