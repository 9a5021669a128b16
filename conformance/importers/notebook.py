"""A notebook: steps of plain clients become events of a trace.

A log has one epoch, and an offset is an ESN. Who records is said by whoever imports: each client for itself, where only
its own order is known, or one recorder for all, where the order of everything is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from conformance.importers.actors import names_of, numbers_of
from conformance.importers.errors import Contradiction
from conformance.importers.journal import Journal
from conformance.importers.steps import WRITING, Did, Payload, Step
from spec.events import HOLE
from spec.events.universes import LOGS, READERS, WRITERS

EPOCH: Final = 1
"""The one epoch of logs that have none."""

_ESN_BITS_LEAST: Final = 32
_WRITES: Final = ("invoke", "ack", "fail", "indefinite")
_READS: Final = ("read", "deliver", "gap", "at_end")


class Notebook:
    """Writes the steps of a recording into a journal, in their order.

    Args:
        steps: all steps of all clients, of each client in the order in which it took them.
        recorder_of: who records what a client does.

    Raises:
        TraceError: one of its kinds, with the line, if steps contradict each other.

    Attributes:
        journal: takes the events.
        logs: the number of each log.
        writers: names of those who append, by number.
        readers: names of those who read, by number.
        esn_bits: how many bits offsets need, if they need more than usual.
    """

    def __init__(self, steps: Sequence[Step], recorder_of: Callable[[str], str]) -> None:
        self.journal = Journal()
        self.recorder_of = recorder_of
        self.logs = {log: number for number, log in enumerate(sorted({step.log for step in steps}))}
        self.esn_bits = max(_ESN_BITS_LEAST, max((step.offset for step in steps), default=0).bit_length())
        self._actors = numbers_of(step.client for step in steps)
        writers = names_of(self._actors, {step.client for step in steps if step.did in WRITING})
        readers = names_of(self._actors, {step.client for step in steps if step.did not in WRITING})
        logs = {number: log for log, number in self.logs.items()}
        self.named = {LOGS.section: logs, WRITERS.section: writers, READERS.section: readers}
        self._begun: dict[tuple[str, object], tuple[int, Step]] = {}
        self._next: dict[tuple[str, str], int] = {}
        self._latest: dict[tuple[str, object], tuple[int, int | None]] = {}
        self._declare(steps)
        for step in steps:
            if step.did in WRITING:
                self._write_append(step)
            else:
                self._write_read(step)
                self._latest[step.client, step.name] = (self.journal.count(recorder_of(step.client)), step.time_ns)

    def _declare(self, steps: Sequence[Step]) -> None:
        kept: dict[str, dict[str, None]] = {}
        for step in steps:
            words = _WRITES if step.did in WRITING else _READS
            kept.setdefault(self.recorder_of(step.client), {}).update(dict.fromkeys(words))
        for recorder, words_kept in kept.items():
            self.journal.declare(recorder, "client", dict.fromkeys(words_kept, "complete"))

    def _write_append(self, step: Step) -> None:
        name = (step.client, step.name)
        said: dict[str, object] = {"writer": self._actors[step.client], **_said(step.payload)}
        self._check(step, self._begun.get(name))
        if step.did is not Did.INVOKED and not step.is_guess:
            said |= {"invoked": self._begun[name][0]}
        if step.did is Did.ACKNOWLEDGED:
            said |= _at(step)
        seq = self._add(step, step.did.value, **said)
        if step.did is Did.INVOKED:
            self._begun[name] = seq, step

    def _check(self, step: Step, begun: tuple[int, Step] | None) -> None:
        """An append begins once, and is answered after that, as what it began; rules judge answers that differ."""
        fault = ""
        if step.did is Did.INVOKED:
            fault = "begins twice" if begun else ""
        elif begun is None:
            fault = "ends, and never began"
        elif (begun[1].log, begun[1].payload) != (step.log, step.payload):
            fault = "ends as that of another payload, or to another log"
        if fault:
            what, why = f"append {step.name!r:.40} {fault}", f"client {step.client!r:.40} has one of this name"
            advice = "import one recording at a time, and name a restarted client anew"
            raise Contradiction(what, why, advice).at(f"line {step.line.number}")

    def _write_read(self, step: Step) -> None:
        match step.did:
            case Did.LOST_ITS_PLACE:
                self._next.pop((step.client, step.log), None)
            case Did.BEGAN_AT:
                self._begin(step)
            case Did.GIVEN | Did.TOLD_OF_NOTHING:
                self._answer(step)
            case Did.TOLD_OF_THE_END:
                seq, time_ns = self._latest.get((step.client, step.name), (0, None))
                asked = {"invoked": seq, "invoked_at_ns": time_ns}
                self._add(step, step.did.value, reader=self._actors[step.client], **_at(step), **asked)
            case _:
                pass

    def _begin(self, step: Step) -> None:
        """The reader goes on from an offset; where it stands there already, it just reads on."""
        place = (step.client, step.log)
        if self._next.get(place) != step.offset:
            self._next[place] = step.offset
            before = (EPOCH, step.offset - 1) if step.offset else (EPOCH - 1, (1 << self.esn_bits) - 1)
            self._add_read(step, Did.BEGAN_AT.value, before)

    def _answer(self, step: Step) -> None:
        """The reader is given a record, or told that there is none, at an offset."""
        if (step.client, step.log) not in self._next:
            self._begin(step)
        self._next[step.client, step.log] = step.offset + 1
        said = {"reason": HOLE} if step.did is Did.TOLD_OF_NOTHING else _said(step.payload)
        self._add_read(step, step.did.value, (EPOCH, step.offset), **said)

    def _add_read(self, step: Step, kind: str, upto: tuple[int, int], **fields: object) -> None:
        span = {**_at(step), "upto_epoch": upto[0], "upto_esn": upto[1]}
        self._add(step, kind, reader=self._actors[step.client], **span, **fields)

    def _add(self, step: Step, kind: str, **fields: object) -> int:
        said = {"time_ns": step.time_ns, "log": self.logs[step.log], **fields, **step.more}
        return self.journal.add(self.recorder_of(step.client), kind, **said)


def _at(step: Step) -> Mapping[str, object]:
    return {"epoch": EPOCH, "esn": step.offset}


def _said(payload: Payload | None) -> Mapping[str, object]:
    return {} if payload is None else {"digest": payload.digest, "payload": payload.text}
