"""Histories in Jepsen's form, as JSON lines: operations of processes, each begun and ended on a line of its own.

Sources: io.jepsen/history, README (a history is totally ordered; ``type`` is invoke, ok, fail or info; ``process``,
``f``, ``value``, ``time``); jepsen.tests.kafka, Operations (``send``, ``poll`` and ``txn`` with micro-operations, what
they return, ``subscribe``, ``assign``, ``seek-to-beginning?`` and ``rebalance-log``); ligurio/elle-cli, README (such
histories in JSON). A simple ``append`` or ``read`` is read too: its value is a record, its offset beside or before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.lines import Line
from conformance.trace.errors import Mistyped
from conformance.trace.typed import sequence

FIELDS: Final = frozenset({"type", "process", "f"})
"""What tells this form from others."""

TYPES: Final = {"ok": "ok", "fail": "failed", "info": "unknown"}
"""How an operation ends, and the plain form's word for it."""

SENDS: Final = ("send", "append")
POLLS: Final = ("poll", "read")
MOVES: Final = ("subscribe", "assign", "crash")
"""Operations after which a process reads on from elsewhere."""

IGNORED: Final = ("debug-topic-partitions",)
FUNCTIONS: Final = (*SENDS, *POLLS, "txn", *MOVES, *IGNORED)

_PARTS: Final = (["send"], ["poll"])


class MicroOperation(NamedTuple):
    """One part of an operation: a ``send`` or ``poll``, to which log, and with what; an operation may have several."""

    does_send: bool
    log: Any
    value: Any


def plain_rows(lines: Iterable[Line]) -> Iterator[Line]:
    """The same history in the plain form; what the nemesis does is left out.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    reading = _Reading()
    for line in lines:
        if type(line.value("process")) is int:
            yield from reading.rows(line)


class _Reading:
    """Reads lines in their order.

    Attributes:
        begun: the operation that each process is at: the line that began it.
        read: the logs that each process has read.
    """

    def __init__(self) -> None:
        self.begun: dict[int, Line] = {}
        self.read: dict[int, dict[Any, None]] = defaultdict(dict)

    def rows(self, line: Line) -> Iterator[Line]:
        process, said = line.whole("process"), line.words("type")
        _known(line, "f", FUNCTIONS)
        _known(line, "type", ("invoke", *TYPES))
        if said == "invoke":
            if process in self.begun:
                other = f"the other one is that of line {self.begun[process].number}"
                advice = "give clients that do several things at once a process for each"
                raise line.refuse(Contradiction(f"process {process} begins two operations at once", other, advice))
            self.begun[process] = line
            yield from _invocations(line)
        else:
            began = self.begun.pop(process, None)
            if began is None or began.words("f") != line.words("f"):
                what = f"process {process} ends {line.words('f')!r}"
                raise line.refuse(Contradiction(what, "it has not begun that", "record whole histories"))
            yield from self._end(began, line, process, TYPES[said])

    def _end(self, began: Line, line: Line, process: int, outcome: str) -> Iterator[Line]:
        asked, told = _parts(began), _parts(line if outcome == "ok" else began)
        if [part.does_send for part in asked] != [part.does_send for part in told]:
            why = f"line {began.number} began others"
            raise line.refuse(Contradiction("the parts of this operation differ", why, "record whole histories"))
        function = line.words("f")
        if function in MOVES or (outcome == "ok" and line.said.get("rebalance-log")):
            yield from self._move(line, process)
        if function == "assign" and outcome == "ok" and line.said.get("seek-to-beginning?") is True:
            yield from (_row(line, op="seek", log=log, offset=0) for log in _sequence(line, line.value("value")))
        for number, (wanted, part) in enumerate(zip(asked, told, strict=True)):
            if part.does_send:
                yield _row(line, op="append", id=f"{began.number}.{number}", **_sent(line, wanted, part, outcome))
            elif outcome == "ok":
                yield from self._polled(line, process, part)
            else:
                yield from self._move(line, process)

    def _polled(self, line: Line, process: int, part: MicroOperation) -> Iterator[Line]:
        """What a process was given, log by log."""
        by_log = part.value if isinstance(part.value, dict) else {part.log: part.value}
        for log, records in by_log.items():
            self.read[process][log] = None
            if line.has("offset"):
                yield _row(line, op="read", log=log, offset=line.value("offset"), value=records)
                continue
            for record in _sequence(line, records or []):
                offset, value = _pair(line, record)
                yield _row(line, op="read", log=log, offset=offset, value=value)

    def _move(self, line: Line, process: int) -> Iterator[Line]:
        """Nobody says from where a process reads on."""
        yield from (_row(line, op="read", log=log, outcome="unknown") for log in self.read[process])


def _invocations(line: Line) -> Iterator[Line]:
    for number, part in enumerate(_parts(line)):
        if part.does_send:
            yield _row(line, op="invoke", log=part.log, value=part.value, id=f"{line.number}.{number}")


def _parts(line: Line) -> list[MicroOperation]:
    """The parts of an operation, as a line begins or ends it."""
    function, said = line.words("f"), line.said.get("value")
    if function not in (*SENDS, *POLLS, "txn"):
        return []
    if isinstance(said, list) and said and all(isinstance(part, list) and part[:1] in _PARTS for part in said):
        return [_part(line, part) for part in said]
    if function == "txn":
        raise line.refuse(Mistyped(f"value is {said!r:.40}", "a txn has parts, send or poll", "record Jepsen's form"))
    return [MicroOperation(function in SENDS, None, said)]


def _part(line: Line, said: list[Any]) -> MicroOperation:
    if said[0] == "poll":
        return MicroOperation(does_send=False, log=None, value=said[1] if len(said) > 1 else {})
    if len(said) != len(("send", "log", "value")):
        raise line.refuse(Mistyped(f"a part is {said!r:.60}", "a send has a log and a value", "record Jepsen's form"))
    return MicroOperation(does_send=True, log=said[1], value=said[2])


def _sent(line: Line, wanted: MicroOperation, told: MicroOperation, outcome: str) -> dict[str, Any]:
    """What was appended, and how that ended; an append whose offset nobody was told may be anywhere."""
    offset, value = line.said.get("offset"), told.value
    if outcome == "ok" and offset is None and isinstance(value, list) and value != wanted.value:
        offset, value = _pair(line, value)
    said = {"log": told.log, "value": wanted.value if value is None else value}
    if outcome != "ok":
        return {**said, "outcome": outcome}
    return {**said, "outcome": "unknown"} if offset is None else {**said, "outcome": "ok", "offset": offset}


def _row(line: Line, **said: Any) -> Line:
    told = {name: value for name, value in said.items() if value is not None or name == "value"}
    time = {"time_ns": line.said["time"]} if line.has("time") else {}
    return Line({"client": line.value("process"), **time, **told}, line.path, line.number)


def _pair(line: Line, said: Any) -> tuple[Any, Any]:
    if not isinstance(said, list) or len(said) != len(("offset", "value")):
        raise line.refuse(Mistyped(f"a record is {said!r:.60}", "it must be [offset, value]", "record Jepsen's form"))
    return said[0], said[1]


def _sequence(line: Line, said: Any) -> list[Any]:
    with line.placing():
        return sequence("value", said)


def _known(line: Line, field: str, known: Sequence[str]) -> None:
    if (said := line.words(field)) not in known:
        raise line.refuse(UnknownRow(f"{field} {said!r:.40}", f"known are {', '.join(known)}", "one of these"))
