"""Running a history: each step is done to a log through its adapter, and what clients see is recorded.

One step follows the other, so that a history can be repeated and made smaller. Clients overlap all the same: what
counts is when each of them asked and was answered. Appends that are to happen together do so, if the adapter can.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from conformance.trace.header import Header
from conformance.trace.rows import EventRow, Rows
from quorate import recording
from quorate.adapters.driven import Driven
from quorate.adapters.protocol import BEGINNING, UNKNOWN_OUTCOMES, AtEnd, Gap, Lsn, Record, Refused
from quorate.adapters.protocol import Step as Given
from quorate.positions import epoch_and_esn
from quorate.suite.steps import (
    PLACES,
    Append,
    Drain,
    Fault,
    Hear,
    Jump,
    Look,
    Plan,
    Seal,
    Seek,
    Step,
    Tail,
    Take,
    Together,
    Trim,
)

STEPS_MAX: Final = 100
"""Steps beyond one for each append after which a reader that drains a log stops, whatever it is told."""


@dataclass(frozen=True)
class Run:
    """A history that was run.

    Attributes:
        plan: what was done.
        header: of the trace.
        lines: the events, as lines of a trace.
    """

    plan: Plan
    header: Header
    lines: tuple[bytes, ...]

    @cached_property
    def said(self) -> list[dict[str, Any]]:
        """What each line says."""
        return [json.loads(line) for line in self.lines]

    @cached_property
    def events(self) -> list[EventRow]:
        """The events, checked."""
        return list(map(Rows(self.header).from_json, self.said))


def run(plan: Plan, factory: Callable[[], Any], timeout_s: float) -> Run:
    """Do what a plan says to a new log.

    Raises:
        AdapterError: one of its kinds, if the adapter does what none may do.
    """
    with closing(Driven(factory, timeout_s)) as log:
        running = Running(log)
        for step in plan:
            running.do(step)
        return Run(plan, running.recording.header(), tuple(running.lines))


class Running:
    """What is under way on one log.

    Args:
        log: a new and empty one.
    """

    def __init__(self, log: Driven) -> None:
        self.log = log
        self.lines: list[bytes] = []
        subject = recording.Subject(log.system, log.promises, log.nodes)
        self.recording = recording.Recording(self.lines.append, subject)
        self._known: list[Lsn] = []
        self._streams: dict[str, Iterator[Given]] = {}
        self._unheard: dict[str, tuple[recording.Append, Lsn]] = {}

    def do(self, step: Step) -> None:
        """Do one step.

        Raises:
            AdapterError: one of its kinds, if the adapter does what none may do.
        """
        match step:
            case Append(client, payload, unheard):
                self._append(client, payload, unheard=unheard)
            case Together(appends, seals):
                self._append_together(appends, seals=seals)
            case Hear(client):
                self._hear(client)
            case Seek(client, where):
                self._seek(client, where)
            case Take(client, steps):
                self._read(client, steps, until_the_end=False)
            case Drain(client):
                self._read(client, len(self.lines) + STEPS_MAX, until_the_end=True)
            case Tail(client):
                self._tail(client)
            case Trim(known):
                self._trim(known)
            case Seal():
                self._try("seal")
            case Look(node):
                self._look(node)
            case Fault(what, node):
                self._fault(what, node)
            case Jump(node, by_ms):
                self._try("jump_clock", node, by_ms)

    def _append(self, client: str, payload: str, *, unheard: bool) -> None:
        append = self.recording.writer(client).append(payload)
        (answer,) = self.log.answers([(client, payload.encode())])
        if not unheard:
            self._tell(append, answer)
            return
        append.unknown()
        if not isinstance(answer, Exception):
            self._unheard[client] = append, answer

    def _append_together(self, appends: tuple[tuple[str, str], ...], *, seals: bool) -> None:
        asked = [self.recording.writer(client).append(payload) for client, payload in appends]
        answers = self.log.answers([(client, payload.encode()) for client, payload in appends], seals=seals)
        for append, answer in zip(asked, answers, strict=True):
            self._tell(append, answer)

    def _tell(self, append: recording.Append, answer: Lsn | Exception) -> None:
        match answer:
            case Refused():
                append.refused()
            case Exception():
                append.unknown()
            case lsn:
                append.acknowledged(lsn)
                self._learn(lsn)

    def _hear(self, client: str) -> None:
        if client in self._unheard:
            self._tell(*self._unheard.pop(client))

    def _learn(self, lsn: Lsn) -> None:
        if lsn not in self._known:
            self._known.append(lsn)

    def _seek(self, client: str, where: str) -> None:
        start = self._place(where)
        self._streams[client] = self.log.read(client, start)
        self.recording.reader(client).begin(start)

    def _place(self, where: str) -> Lsn:
        """The LSN that a word means; the beginning while nobody knows of any LSN."""
        if not self._known or where == "beginning":
            return BEGINNING
        if where not in PLACES:
            return self._known[int(where[1:]) % len(self._known)]
        newest, _ = max(map(epoch_and_esn, self._known))
        before = [lsn for lsn in self._known if where == "end" or epoch_and_esn(lsn)[0] < newest]
        if not before:
            return BEGINNING
        last = max(before, key=epoch_and_esn)
        return last + 1 if isinstance(last, int) else (last[0], last[1] + 1)

    def _read(self, client: str, steps: int, *, until_the_end: bool) -> None:
        """Read on; what a reader cannot be told because of a fault ends its read."""
        if client not in self._streams:
            self._seek(client, "beginning")
        reader, stream = self.recording.reader(client), self._streams[client]
        for _ in range(steps):
            asked = reader.ask()
            try:
                step = next(stream)
            except UNKNOWN_OUTCOMES:
                del self._streams[client]
                return
            match step:
                case Record(lsn, payload):
                    reader.given(lsn, payload)
                    self._learn(lsn)
                case Gap(first, last, reason):
                    reader.gap(first, last, reason)
                case AtEnd(lsn):
                    reader.at_end(lsn, asked)
                    if until_the_end:
                        return

    def _tail(self, client: str) -> None:
        if "tail" in self.log.can:
            reader = self.recording.reader(client)
            asked = reader.ask()
            with suppress(*UNKNOWN_OUTCOMES):
                reader.at_end(self.log.tail(client), asked)

    def _trim(self, known: int) -> None:
        if "trim" in self.log.can and self._known:
            upto = self._known[known % len(self._known)]
            self.recording.trim(upto)
            self._try("trim", upto)

    def _look(self, node: str) -> None:
        if "holds" in self.log.can and node in self.log.nodes:
            with suppress(*UNKNOWN_OUTCOMES):
                for record in self.log.holds(node):
                    self.recording.holds(node, record.lsn, record.payload)

    def _fault(self, what: str, node: str) -> None:
        if what in self.log.can and node in self.log.nodes:
            self.recording.fault(what, node)
            self._try(what, node)

    def _try(self, name: str, *words: object) -> None:
        if name in self.log.can:
            with suppress(*UNKNOWN_OUTCOMES):
                self.log.do(name, *words)
