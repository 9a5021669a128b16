"""Porcupine, a judge of linearizability that others wrote, as the peer that judges the same histories.

Its model of a log is ``benchmarks/porcupine/main.go``: appends in one order, reads, checks of the tail. It takes clocks
as they stand. Source: A. Athalye, Porcupine (github.com/anishathalye/porcupine), in the version that ``go.mod`` locks.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.client_anomalies import AT_END, DELIVER, INDEFINITE, INVOKE, READ, Told
from conformance.record.go import build

SOURCES: Final = Path(__file__).parent / "porcupine"


@dataclass(frozen=True)
class Answer:
    """What Porcupine says of a history: Ok, Illegal, or Unknown if time was not enough; and how long it took."""

    said: str
    wall_s: float


@dataclass(frozen=True)
class Peer:
    """The program."""

    path: Path

    def judge(self, told: Told, limit_s: int) -> Answer:
        """What it says of a history within some time; what it takes to read the history does not count."""
        given = json.dumps(operations(told))
        ended = subprocess.run([str(self.path), str(limit_s)], input=given, capture_output=True, text=True, check=False)
        if ended.returncode:
            return Answer("it died", float("nan"))
        said, wall_s = ended.stdout.split()
        return Answer(said, float(wall_s))


def peer() -> Peer:
    """The program, built on first use.

    Raises:
        PackagesUnavailable: there is no Go here, or no way to the locked version of Porcupine.
        BuildFailed: the sources are wrong.
    """
    return Peer(build(SOURCES))


def operations(told: Told) -> list[dict[str, Any]]:
    """A history as operations, each from a call to a return.

    An append of unknown outcome that nobody was given explains nothing, and is left out; any other has no return, so it
    may take effect at any later time, or never.
    """
    end = int(told.time.max()) + 1
    return [*_appends(told, end), *_reads(told), *_looks(told)]


def _appends(told: Told, end: int) -> list[dict[str, Any]]:
    begins, answers = (
        np.flatnonzero(told.kind == INVOKE),
        np.flatnonzero((told.append >= 0) & (told.kind != INVOKE)),
    )
    answers = answers[np.argsort(told.append[answers])]
    begins = begins[np.argsort(told.append[begins])]
    is_unknown = told.kind[answers] == INDEFINITE
    returns = np.where(is_unknown, end, told.time[answers])
    said = zip(told.time[begins], returns, told.hidden[begins], told.digest[begins], is_unknown, strict=True)
    return [
        _operation("append", *map(int, (call, ended, lsn)), payload=int(payload), unknown=bool(unknown))
        for call, ended, lsn, payload, unknown in said
        if lsn
    ]


def _reads(told: Told) -> list[dict[str, Any]]:
    """What a read was given it saw at that instant; it went on from just after what it had been given before."""
    rows = np.flatnonzero(np.isin(told.kind, (READ, DELIVER)))
    rows = rows[np.lexsort((told.time[rows], told.actor[rows]))]
    came_to = np.where(told.kind[rows] == READ, told.lsn[rows], told.lsn[rows] + 1)
    since = np.append(0, came_to[:-1])
    given = told.kind[rows] == DELIVER
    said = zip(told.time[rows[given]], told.lsn[rows[given]], told.digest[rows[given]], since[given], strict=True)
    return [
        _operation("read", int(time), int(time), int(lsn), payload=int(payload), **{"from": int(begin)})
        for time, lsn, payload, begin in said
    ]


def _looks(told: Told) -> list[dict[str, Any]]:
    asked = {int(told.append[row]): int(told.time[row]) for row in np.flatnonzero(told.kind == 0)}
    return [
        _operation("check_tail", asked[int(told.append[row])], int(told.time[row]), int(told.lsn[row]))
        for row in np.flatnonzero(told.kind == AT_END)
    ]


def _operation(kind: str, call: int, ended: int, lsn: int, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "call": call, "return": ended, "lsn": lsn, **more}
