"""Segment layers in any language: a program that carries out operations on channels, asked in JSON lines.

What is said stands in docs/how-to/compare-configurations.md; the hello is that of every adapter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from conformance.segment.histories import Samples
from conformance.segment.operations import WORDS, Ask, Commit, Iterate, Open, Operation, Put, Read, Write
from quorate.adapters.errors import AdapterNonsense
from quorate.adapters.program import Program
from quorate.adapters.protocol import TIMEOUT_S

NAMES: Final = {"span": "span_ns", "time": "time_ns"}
"""Arguments of calls, with their unit."""


class CommandChannels:
    """A segment layer that a program is: it begins anew for each script.

    Args:
        program: the running program.
        channels: the channels of the script.

    Raises:
        AdapterError: one of its kinds, if it does not answer, or says nothing that has a meaning.
    """

    def __init__(self, program: Program, channels: Sequence[str]) -> None:
        self._program, self._channels = program, set(channels)
        program.ask("begin", channels=sorted(channels))

    def does(self, operation: Operation) -> tuple[bool, Samples]:
        """Ask the program to carry out an operation.

        Raises:
            AdapterError: one of its kinds, as above.
        """
        word, said = question_of(operation)
        answer = self._program.ask(word, **said)
        ok, read = answer.get("ok"), answer.get("read", {})
        if not isinstance(ok, bool) or not self._is_read(read):
            what, why = f"it said {dict(answer)!r:.80}", "ok is a truth value, and read has times by channel"
            raise AdapterNonsense(what, why, '{"id": 5, "ok": true, "read": {"a": [10]}}', self._program.called)
        return ok, read

    def settles(self) -> None:
        """Every answer was whole."""

    def _is_read(self, read: object) -> bool:
        return isinstance(read, Mapping) and all(
            channel in self._channels and isinstance(times, list) and all(type(time) is int for time in times)
            for channel, times in read.items()
        )


def started(argv: Sequence[str], timeout_s: float = TIMEOUT_S) -> Program:
    """Start a program that is asked for the segment layer that it is.

    Raises:
        AdapterError: one of its kinds, if it cannot be started, or says another hello.
    """
    return Program(argv, timeout_s)


def question_of(operation: Operation) -> tuple[str, dict[str, Any]]:
    """An operation as a program is asked for it: a word, and what it is about."""
    match operation:
        case Put(channel, times):
            return "put", {"channel": channel, "times_ns": list(times)}
        case Open(writer, channels):
            return "open", {"writer": writer, "channels": list(channels)}
        case Write(writer, channel, times):
            return "write", {"writer": writer, "channel": channel, "times_ns": list(times)}
        case Commit(writer):
            return "commit", {"writer": writer}
        case Iterate(iterator, channels, (start, end), chunk):
            said = {"channels": list(channels), "start_ns": start, "end_ns": end, "chunk": chunk}
            return "iterate", {"iterator": iterator, **said}
        case Read(channels, (start, end)):
            return "read", {"channels": list(channels), "start_ns": start, "end_ns": end}
        case Ask(name, command):
            said = {NAMES[part]: value for part, value in vars(command).items() if value is not None}
            return WORDS[type(command)], {"name": name, **said}
