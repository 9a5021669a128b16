"""Porcupine, a judge of linearizability, as a program that is built from ``tests/real/porcupine`` when first needed.

Source: A. Athalye, Porcupine (github.com/anishathalye/porcupine), in the version that ``go.mod`` and ``go.sum`` lock.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.record.go import build
from spec.client.history import History
from tests.support.history_operations import Inexpressible, operations

SOURCES: Final = Path(__file__).parents[1] / "real" / "porcupine"

IS_ILLEGAL: Final = {"Ok": False, "Illegal": True}


@dataclass(frozen=True)
class Porcupine:
    """The program."""

    path: Path

    def judge(self, histories: Iterable[History]) -> list[tuple[History, bool]]:
        """Those of the histories that can be told as operations, and whether no linearizable log explains them."""
        told = [(one, operations(one)) for one in histories]
        judged = [(one, done) for one, done in told if not isinstance(done, Inexpressible)]
        said = self.answer("".join(f"{json.dumps(done)}\n" for _, done in judged))
        assert said.returncode == 0, said.stderr
        return [(one, IS_ILLEGAL[answer]) for (one, _), answer in zip(judged, said.stdout.split(), strict=True)]

    def answer(self, lines: str) -> subprocess.CompletedProcess[str]:
        """What the program says to lines of input."""
        return subprocess.run([str(self.path)], check=False, input=lines, capture_output=True, text=True)


def built() -> Porcupine:
    """The program, built anew if its sources changed.

    Raises:
        PackagesUnavailable: there is no Go here, or no way to the locked version of Porcupine.
        LockMismatch: what came is not the locked version.
        BuildFailed: the sources are wrong.
    """
    return Porcupine(build(SOURCES))
