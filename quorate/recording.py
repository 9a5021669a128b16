"""Recording: what clients do and are told becomes the events of a trace, in one order for all of them.

Threads and asyncio tasks may share one recording: each event gets its number and is written while a lock is held.
Source of what is written: docs/reference/trace-format.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from threading import Lock
from typing import Final, Literal, TypeAlias

from conformance.importers.journal import digest_of_bytes
from conformance.trace.errors import Mistyped
from conformance.trace.header import Header, Member, Recorder, System
from quorate.adapters.protocol import Lsn
from quorate.positions import before, epoch_and_esn
from spec.events import FAULTS, GAP_KINDS, RECORD
from spec.events.universes import LOGS, NODES, READERS, WRITERS

Payload: TypeAlias = bytes | str
"""What a record holds; a text is the same payload as its bytes in UTF-8."""

RECORDER: Final = "clients"
KINDS: Final = ("invoke", "ack", "fail", "indefinite", "read", "deliver", "gap", "at_end", "trim")
"""The kinds of event that clients have, by word; a recording claims to be complete in them."""

SHOWN: Final = 100
"""Characters of a payload that a trace keeps for people; what tells payloads apart is their hash."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is recorded, as the header of the trace says it.

    Attributes:
        system: the name of the log's software, perhaps with its version.
        promises: what the log promises, by the names that ``quorate rules promises`` lists.
        nodes: names of the nodes that faults may hit.
        unseen: kinds of event, of ``KINDS``, that happen and are not recorded, such as ``trim``.
        esn_bits: how many bits the number in an LSN may have.
    """

    system: str = "log"
    promises: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    esn_bits: int = 32


class Recording:
    """Writes one line of a trace for each thing that a client does or is told.

    Args:
        write: takes each line, whole, in order.
        subject: what is recorded.
        clock: a clock in nanoseconds.
    """

    def __init__(
        self, write: Callable[[bytes], object], subject: Subject, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self.subject = subject
        self._write, self._clock = write, clock
        self._lock, self._next = Lock(), 0
        self._looks: dict[str, int] = {}
        self._clients: dict[Literal["writer", "reader"], dict[str, int]] = {"writer": {}, "reader": {}}
        self._numbers: dict[str, int] = {}
        self._logs: dict[str, int] = {}

    def writer(self, name: str, log: str = "log") -> Writer:
        """A client that appends to a log, by its name: the same name is the same client."""
        return Writer(self, self._number("writer", name), self._log(log))

    def reader(self, name: str, log: str = "log") -> Reader:
        """A client that reads a log, by its name: the same name is the same client."""
        return Reader(self, self._number("reader", name), self._log(log))

    def trim(self, upto: Lsn, log: str = "log") -> None:
        """Somebody asks that everything up to an LSN be deleted: record this before you ask.

        Raises:
            BadLsn: it is no position in a log.
        """
        epoch, esn = epoch_and_esn(upto)
        self.add(f'"kind":"trim","log":{self._log(log)},"epoch":{epoch},"esn":{esn}')

    def fault(self, what: str, node: str) -> None:
        """A fault of a node begins or ends: ``crash``, ``restart``, ``pause``, ``resume``, ``partition`` or ``heal``.

        Raises:
            Mistyped: the vocabulary has no such fault, or the subject no such node.
        """
        if what not in FAULTS or node not in self.subject.nodes:
            known = f"faults are {', '.join(FAULTS)}; nodes are {', '.join(self.subject.nodes) or 'none'}"
            raise Mistyped(f"fault {what!r:.40} of node {node!r:.40}", known, "name the nodes when recording begins")
        self.add(f'"kind":"fault","node":{self.subject.nodes.index(node)},"what":{FAULTS[what]}')

    def holds(self, node: str, lsn: Lsn, payload: Payload, log: str = "log") -> None:
        """Somebody looked at what a node holds, and saw a record there.

        Raises:
            Mistyped: the subject has no such node, or the payload is neither bytes nor text.
            BadLsn: it is no position in a log.
        """
        if node not in self.subject.nodes:
            known = f"nodes are {', '.join(self.subject.nodes) or 'none'}"
            raise Mistyped(f"node {node!r:.40}", known, "name the nodes when recording begins")
        epoch, esn = epoch_and_esn(lsn)
        place = f'"kind":"store","log":{self._log(log)},"epoch":{epoch},"esn":{esn}'
        said = f'{place},"node":{self.subject.nodes.index(node)},"becomes":{RECORD},"recovery":0,{_said(payload)}'
        with self._lock:
            number = self._looks.get(node, 0)
            self._write(f'{{"recorder":{encode_basestring_ascii(node)},"seq":{number},{said}}}\n'.encode())
            self._looks[node] = number + 1

    def add(self, said: str) -> int:
        """Write down one event, given as the members of a JSON object; gives its number."""
        with self._lock:
            number = self._next
            line = f'{{"recorder":"{RECORDER}","seq":{number},"time_ns":{self._clock()},{said}}}\n'
            self._write(line.encode())
            self._next = number + 1
        return number

    def now(self) -> Question:
        """The moment before the next event."""
        with self._lock:
            return Question(self._next, self._clock())

    def header(self, *, note: str = "", named: bool = True) -> Header:
        """The header of the trace, as far as it is known now.

        Args:
            note: what people should read beside a verdict.
            named: say what clients and logs are called.

        Raises:
            TraceError: one of its kinds, if the subject says what no header may.
        """
        records: dict[str, Literal["complete", "partial"]] = {
            kind: "complete" for kind in KINDS if kind not in self.subject.unseen
        }
        called = {LOGS: self._logs, WRITERS: self._clients["writer"], READERS: self._clients["reader"]}
        looked = self._looks if named else self.subject.nodes  # who is looked at yet, nobody knows at the beginning
        looks = {node: Recorder("node", {"store": "partial"}) for node in looked}
        return Header(
            system=System(self.subject.system),
            members={NODES.section: tuple(map(Member, self.subject.nodes))},
            recorders={RECORDER: Recorder("client", records), **looks},
            clock_bound_ns=0,
            named={section.section: _by_number(numbers) for section, numbers in called.items()} if named else {},
            low_bits=self.subject.esn_bits,
            promises=dict.fromkeys(self.subject.promises, True),
            note=note,
        )

    def _number(self, role: Literal["writer", "reader"], name: str) -> int:
        with self._lock:
            number = self._numbers.setdefault(name, len(self._numbers))
            return self._clients[role].setdefault(name, number)

    def _log(self, name: str) -> int:
        with self._lock:
            return self._logs.setdefault(name, len(self._logs))


@dataclass(frozen=True, slots=True)
class Question:
    """The moment at which a reader asked something.

    Attributes:
        number: that of the next event.
        time_ns: what the clock said.
    """

    number: int
    time_ns: int


@dataclass(frozen=True, slots=True)
class Writer:
    """A client that appends."""

    recording: Recording
    number: int
    log: int

    def append(self, payload: Payload) -> Append:
        """The client asks for an append: record this before you ask, and then what the answer is.

        Raises:
            Mistyped: the payload is neither bytes nor text.
        """
        said = f'"log":{self.log},"writer":{self.number},{_said(payload)}'
        return Append(self.recording, said, self.recording.add(f'"kind":"invoke",{said}'))


@dataclass(frozen=True, slots=True)
class Append:
    """An append that has begun. A client that gave up may hear later: it may be answered more than once."""

    recording: Recording
    said: str
    number: int

    def acknowledged(self, lsn: Lsn) -> None:
        """The client was told that its record is safe, at this LSN.

        Raises:
            BadLsn: it is no position in a log.
        """
        epoch, esn = epoch_and_esn(lsn)
        self.recording.add(f'"kind":"ack","epoch":{epoch},"esn":{esn},{self.said},"invoked":{self.number}')

    def refused(self) -> None:
        """The client was told that the append certainly did not happen, and never will."""
        self.recording.add(f'"kind":"fail",{self.said},"invoked":{self.number}')

    def unknown(self) -> None:
        """The client does not know what became of its append: a time-out, a lost connection."""
        self.recording.add(f'"kind":"indefinite",{self.said},"invoked":{self.number}')


@dataclass(frozen=True, slots=True)
class Reader:
    """A client that reads; what it passes over in silence it claims to be empty."""

    recording: Recording
    number: int
    log: int

    def begin(self, lsn: Lsn) -> None:
        """The reader begins to read at an LSN, or goes on from there anew.

        Raises:
            BadLsn: it is no position in a log.
        """
        place = epoch_and_esn(lsn)
        self._step("read", place, before(*place, self.recording.subject.esn_bits))

    def given(self, lsn: Lsn, payload: Payload) -> None:
        """The reader is given a record.

        Raises:
            BadLsn: it is no position in a log.
            Mistyped: the payload is neither bytes nor text.
        """
        place = epoch_and_esn(lsn)
        self._step("deliver", place, place, _said(payload))

    def gap(self, first: Lsn, last: Lsn, reason: str) -> None:
        """The reader is told that there is nothing for it from one LSN to another, both included.

        Args:
            first: where the gap begins.
            last: where it ends.
            reason: a word of docs/reference/trace-format.md, Gaps, such as ``hole`` or ``trim``.

        Raises:
            BadLsn: one of them is no position in a log.
            Mistyped: there is no such reason.
        """
        if reason not in GAP_KINDS:
            raise Mistyped(f"gap reason {reason!r:.40}", f"known are {', '.join(GAP_KINDS)}", "one of these")
        self._step("gap", epoch_and_esn(first), epoch_and_esn(last), f'"reason":{GAP_KINDS[reason]}')

    def ask(self) -> Question:
        """The reader asks whether there is more: take this before you ask, and give it to ``at_end``."""
        return self.recording.now()

    def at_end(self, lsn: Lsn, asked: Question) -> None:
        """The reader is told that nothing lies at an LSN yet, nor beyond, as of when it asked.

        Raises:
            BadLsn: it is no position in a log.
        """
        when = f'"invoked":{asked.number},"invoked_at_ns":{asked.time_ns}'
        epoch, esn = epoch_and_esn(lsn)
        self.recording.add(
            f'"kind":"at_end","log":{self.log},"reader":{self.number},"epoch":{epoch},"esn":{esn},{when}'
        )

    def _step(self, kind: str, place: tuple[int, int], upto: tuple[int, int], more: str = "") -> None:
        span = f'"epoch":{place[0]},"esn":{place[1]},"upto_epoch":{upto[0]},"upto_esn":{upto[1]}'
        more = more and f",{more}"
        self.recording.add(f'"kind":"{kind}","log":{self.log},"reader":{self.number},{span}{more}')


def _said(payload: Payload) -> str:
    match payload:
        case bytes():
            data = payload
        case str():
            data = payload.encode(errors="surrogatepass")
        case _:
            raise Mistyped(f"payload {payload!r:.40}", "a record holds bytes or text", "encode it")
    text = data.decode(errors="backslashreplace")
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    return f'"digest":{digest_of_bytes(data)},"payload":{encode_basestring_ascii(shown)}'


def _by_number(numbers: Mapping[str, int]) -> dict[int, str]:
    return {number: name for name, number in numbers.items()}
