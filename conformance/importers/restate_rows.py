"""The rows of a Restate recording: what callers of counters saw, and what an operator saw and did.

Source of the fields: the recorder in ``conformance.record.restate``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.importers.errors import UnknownRow
from conformance.importers.faults import fault_of
from conformance.importers.lines import Line, read_lines
from conformance.importers.restate_text import Chain, Digest, nodes_of, read_chain, read_digest
from conformance.trace.errors import Mistyped

KINDS: Final = {"invoke": "invoke", "ok": "ack", "fail": "fail", "info": "indefinite"}
"""Kinds of rows of a client, and the words of the vocabulary for them."""

_COMMANDS: Final[dict[str, Callable[[str], Chain | Digest]]] = {
    "logs describe": read_chain,
    "replicated-loglet digest": read_digest,
}
_OFFSET_MAX: Final = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Call:
    """One row of a client.

    Attributes:
        kind: the word of the vocabulary.
        position: the counter's value after the call, where it was answered; else 0.
    """

    client: int
    operation: int
    kind: str
    time_ns: int
    key: str
    position: int


@dataclass(frozen=True, slots=True)
class Hurt:
    """A fault of one node."""

    what: int
    node: int


@dataclass(frozen=True, slots=True)
class Look:
    """Something that the operator saw or did."""

    time_ns: int
    seen: Chain | Digest | Hurt


def read_calls(path: Path) -> list[Call]:
    """The rows of all clients in the order of their clock.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    return sorted(map(_call, read_lines(path)), key=lambda call: call.time_ns)


def read_looks(path: Path) -> list[Look]:
    """What the operator saw of logs, and the faults; other commands, and those that failed, say nothing here.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    return sorted((look for line in read_lines(path) for look in _looks(line)), key=lambda look: look.time_ns)


def _call(line: Line) -> Call:
    said = line.words("kind")
    if said not in KINDS:
        raise line.refuse(
            UnknownRow(f"kind {said!r:.40}", f"a Restate client has {', '.join(KINDS)}", "the importer for this system")
        )
    return Call(
        client=line.whole("client"),
        operation=line.whole("op"),
        kind=KINDS[said],
        time_ns=line.whole("time_ns"),
        key=line.words("key"),
        position=_position(line) if said == "ok" else 0,
    )


def _position(line: Line) -> int:
    said = line.words("value")
    if not re.fullmatch(r"\d{1,10}", said, re.ASCII) or not 0 < int(said) <= _OFFSET_MAX:
        raise line.refuse(
            Mistyped(f"value is {said!r:.40}", "an answer is the counter's value, from 1", "record the counter example")
        )
    return int(said)


def _looks(line: Line) -> Iterator[Look]:
    time_ns = line.whole("time_ns")
    if line.has("fault"):
        yield Look(time_ns, _hurt(line))
    elif line.whole("rc", low=-255) == 0:
        command = line.words("command")
        read = next((read for start, read in _COMMANDS.items() if command.startswith(start)), None)
        if read is not None:
            text = line.words("stdout")
            with line.placing():
                seen = read(text)
            yield Look(time_ns, seen)


def _hurt(line: Line) -> Hurt:
    what = fault_of(line)
    name = line.words("node")
    with line.placing():
        nodes = nodes_of(name)
        if len(nodes) != 1:
            raise Mistyped(f"node is {name!r:.40}", "a fault hits one node", "write a fault for each node")
    return Hurt(what, nodes[0])
