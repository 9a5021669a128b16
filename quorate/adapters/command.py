"""Adapters in any language: a program that is asked and answers in JSON lines.

One process serves one log after the other. What is said, and by which version, stands in
docs/reference/adapter-protocol.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quorate.adapters.errors import AdapterNonsense
from quorate.adapters.program import Program, lsn_of
from quorate.adapters.protocol import CAPABILITIES, TIMEOUT_S, AtEnd, Gap, Lsn, Record, Step


class Command:
    """A factory of adapters: each call gives a new and empty log of a program that runs on.

    Args:
        argv: the program and its arguments.
        timeout_s: how long an answer may take.
    """

    def __init__(self, argv: Sequence[str], timeout_s: float = TIMEOUT_S) -> None:
        self.argv, self.timeout_s = tuple(argv), timeout_s
        self._program: Program | None = None

    def __call__(self) -> CommandLog:
        """A new and empty log; the program is started where it does not run.

        Raises:
            AdapterError: one of its kinds, if the program cannot be started or does not speak the protocol.
        """
        if self._program is not None and not self._program.is_alive():
            self.close()
        self._program = self._program or Program(self.argv, self.timeout_s)
        self._program.ask("open")
        return CommandLog(self._program)

    def close(self) -> None:
        """End the program."""
        program, self._program = self._program, None
        if program is not None:
            program.end()


class CommandLog:
    """One log of a program, as an adapter; it has the methods that the program says it can do."""

    def __init__(self, program: Program, client: str = "") -> None:
        self._program, self._of = program, {"client": client} if client else {}
        self.system, self.promises, self.nodes = program.system, program.promises, program.nodes

    def append(self, payload: bytes) -> Lsn:
        """Append a record; the protocol carries text.

        Raises:
            Refused, Indefinite: as the program says.
            AdapterError: one of its kinds, for what else the program does.
        """
        return self._program.lsn("append", payload=payload.decode(), **self._of)

    def read(self, start: Lsn) -> Iterator[Step]:
        """Read from an LSN on, step by step.

        Raises:
            Indefinite: as the program says.
            AdapterError: one of its kinds, for what else the program does.
        """
        stream = self._program.next_stream()
        self._program.ask("read", stream=stream, start=start, **self._of)
        while True:
            yield _step(self._program.ask("next", stream=stream), self._program)

    def __getattr__(self, name: str) -> Any:
        """A capability, if the program has it."""
        if name not in CAPABILITIES or name not in self._program.can:
            raise AttributeError(f"{self._program.called} cannot {name}")
        program = self._program
        match name:
            case "tail":
                return lambda: program.lsn("tail", **self._of)
            case "trim":
                return lambda upto: _done(program.ask("trim", upto=upto))
            case "seal":
                return lambda: _done(program.ask("seal"))
            case "holds":
                return lambda node: _records(program.ask("holds", node=node), program)
            case "client":
                return lambda name: CommandLog(program, name)
            case "jump_clock":
                return lambda node, by_ms: _done(program.ask("jump_clock", node=node, by_ms=by_ms))
            case "close":
                return lambda: _done(program.ask("close"))
            case _:
                return lambda node: _done(program.ask(name, node=node))


def _step(said: Mapping[str, Any], program: Program) -> Step:
    match said:
        case {"at_end": _}:
            return AtEnd(lsn_of(said, "at_end", program))
        case {"gap": [first, last], "reason": str(reason)}:
            return Gap(lsn_of({"gap": first}, "gap", program), lsn_of({"gap": last}, "gap", program), reason)
        case {"lsn": _, "payload": str(payload)}:
            return Record(lsn_of(said, "lsn", program), payload.encode())
    why = "a step has lsn and payload, or gap and reason, or at_end"
    raise AdapterNonsense(f"it said {dict(said)!r:.80}", why, "docs/reference/adapter-protocol.md", program.called)


def _records(said: Mapping[str, Any], program: Program) -> list[Record]:
    match said.get("records"):
        case [*records]:
            return [_record(one, program) for one in records]
    raise AdapterNonsense(f"it said {dict(said)!r:.80}", "it says its records", '{"records": []}', program.called)


def _record(said: object, program: Program) -> Record:
    step = _step(said, program) if isinstance(said, Mapping) else said
    if isinstance(step, Record):
        return step
    raise AdapterNonsense(f"it said {said!r:.80}", "a record has lsn and payload", "see the protocol", program.called)


def _done(_: Mapping[str, Any]) -> None:
    """An answer that says only that it was done."""
