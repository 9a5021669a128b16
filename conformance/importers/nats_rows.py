"""The rows of a NATS history: what clients of JetStream streams did and were told, read into steps.

Sources: NATS documentation, JetStream, Streams and Consumers (stream sequences begin at 1; an acknowledgement names the
sequence, and whether it is a duplicate; ``num_pending``: messages that a consumer has not been given); JetStream wire
API, STREAM.MSG.GET (error 10037, no message found). The names of the fields are those of the recorder.

That there is no message at a sequence says something only where it, or a later one, had been given out when it was
asked: where the row does not say when, at the client's row before. Else it may not have been there yet.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.faults import FAULT, Hurt, hurt_of
from conformance.importers.lines import Line, read_lines
from conformance.importers.payloads import payload_of
from conformance.importers.steps import Did, Payload, Step
from conformance.trace.errors import Empty, Mistyped
from conformance.trace.fields import DUPLICATE, SERVED_BY

APPENDS: Final = {
    "invoke_append": Did.INVOKED,
    "ack": Did.ACKNOWLEDGED,
    "fail": Did.REFUSED,
    "indefinite": Did.UNKNOWN,
}
"""Kinds of rows about appends."""

ASKED: Final = "asked_ns"
"""The field of a row about reading that says when the client asked."""

READS: Final = ("deliver", "reader_info", "deliver_get", "get_missing")
"""Kinds of rows about reading: by a consumer, or message by message."""

_FIRST: Final = 1
_NOTHING: Final = 0


def read_history(path: Path) -> tuple[list[Step], list[Hurt], int]:
    """The steps of a history, by the clock, the faults, and how many answers say nothing for want of their question.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    lines, faults = list[Line](), list[Hurt]()
    for line in read_lines(path):
        if line.words("kind") == FAULT:
            faults.append(hurt_of(line))
        else:
            lines.append(line)
    if not lines:
        raise Empty("no client", "the history has only faults", "check whether the clients were on").at(path)
    reading = _Reading()
    in_order = sorted(lines, key=lambda line: line.whole("time_ns"))
    steps = [step for line in in_order for step in reading.steps(line)]
    return steps, sorted(faults, key=lambda fault: fault.time_ns), reading.left_out


class _Reading:
    """Reads rows in the order of their clock.

    Attributes:
        shows: the moments at which any client was shown a greater sequence of a stream than before, with the sequence.
        shown_before: the greatest that was shown when a client of that stream had its latest row.
        next: where each consumer of each stream goes on.
        ended: the appends that were answered.
        left_out: how many answers may tell of a loss, were it known when, or from where, they were asked.
    """

    def __init__(self) -> None:
        self.shows: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.shown_before: dict[tuple[str, str], int] = defaultdict(lambda: _NOTHING)
        self.next: dict[tuple[str, str], int] = {}
        self.ended: set[tuple[str, int]] = set()
        self.left_out = 0

    def steps(self, line: Line) -> Iterator[Step]:
        """What one row tells."""
        said, client, log = line.words("kind"), line.words("client"), line.words("log")
        own: dict[str, Any] = {"line": line, "client": client, "log": log, "time_ns": line.whole("time_ns")}
        if said in APPENDS:
            yield self._append(line, APPENDS[said], own)
        elif said in READS:
            yield from self._read(line, said, own)
        else:
            known = ", ".join([*APPENDS, *READS, FAULT])
            raise line.refuse(UnknownRow(f"kind {said!r:.40}", f"a NATS history has {known}", "the system's importer"))
        self.shown_before[client, log] = self._shown(log)

    def _append(self, line: Line, did: Did, own: dict[str, Any]) -> Step:
        own |= {"name": line.whole("seq"), "payload": Payload(*payload_of(line))}
        if did is not Did.INVOKED:
            self._end(line, (own["client"], own["name"]))
        if did is not Did.ACKNOWLEDGED:
            return Step(did=did, **own)
        more = {DUPLICATE: True} if _flag(line, DUPLICATE) else {}
        return Step(did=did, offset=self._show(line), more=more, **own)

    def _end(self, line: Line, name: tuple[str, int]) -> None:
        """A client writes down one answer to each of its appends."""
        if name in self.ended:
            what, why = f"append {name[1]} ends twice", f"client {name[0]!r:.40} has one of this number"
            raise line.refuse(Contradiction(what, why, "import one recording at a time"))
        self.ended.add(name)

    def _read(self, line: Line, said: str, own: dict[str, Any]) -> Iterator[Step]:
        place = (own["client"], own["log"])
        served = {SERVED_BY: line.words("node")} if line.has("node") else {}
        if said == "reader_info":
            nothing_is_pending = not line.whole("num_pending")
            if nothing_is_pending and place in self.next:
                yield Step(did=Did.TOLD_OF_THE_END, offset=self.next[place], more=served, **own)
            elif nothing_is_pending:
                self.left_out += self._shown(own["log"]) > _NOTHING
        elif said == "get_missing":
            offset = line.whole("offset", _FIRST)
            if offset <= self._shown_when_asked(line, place):
                yield Step(did=Did.BEGAN_AT, offset=offset, **own)
                yield Step(did=Did.TOLD_OF_NOTHING, offset=offset, more=served, **own)
            else:
                self.left_out += offset <= self._shown(own["log"]) and not line.has(ASKED)
        else:
            offset = self._show(line)
            if said == "deliver_get":
                yield Step(did=Did.BEGAN_AT, offset=offset, **own)
            yield Step(did=Did.GIVEN, offset=offset, payload=Payload(*payload_of(line)), more=served, **own)
            self.next[place] = offset + 1

    def _show(self, line: Line) -> int:
        offset, log = line.whole("offset", _FIRST), line.words("log")
        if offset > self._shown(log):
            self.shows[log].append((line.whole("time_ns"), offset))
        return offset

    def _shown(self, log: str) -> int:
        """The greatest sequence of a stream that any client was shown so far."""
        return self.shows[log][-1][1] if self.shows[log] else _NOTHING

    def _shown_when_asked(self, line: Line, place: tuple[str, str]) -> int:
        """The same, when the client asked; at the latest known moment before, if it does not say when."""
        if not line.has(ASKED):
            return self.shown_before[place]
        shows, asked = self.shows[place[1]], line.whole(ASKED, 0, line.whole("time_ns"))
        before = bisect_left(shows, (asked,))
        return shows[before - 1][1] if before else _NOTHING


def _flag(line: Line, name: str) -> bool:
    said = line.said.get(name, False)
    if not isinstance(said, bool):
        raise line.refuse(Mistyped(f"{name} is {said!r:.40}", "it must be true or false", "leave it out if unknown"))
    return said
