"""Histories: what a system answered to each operation, one line each, with what is left open made alike.

Which message carried a sample and in which order channels came is left open, so a line has, channel by channel in the
order of their names, the samples in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from conformance.segment.operations import Operation

Samples: TypeAlias = Mapping[str, Sequence[int]]
"""The times of the samples that were read, by channel, in the order in which they came."""


class System(Protocol):
    """Whatever carries out operations."""

    def does(self, operation: Operation) -> tuple[bool, Samples]:
        """Carry out an operation: whether it succeeded, and what it reads, which may still grow until it settles."""
        ...

    def settles(self) -> None:
        """Let all that is under way arrive."""
        ...


def line_of(number: int, operation: Operation, answer: tuple[bool, Samples]) -> str:
    """The line of a history: the operation, what it answered, and its number."""
    ok, samples = answer
    read = "".join(
        f" {channel} {' '.join(map(str, samples[channel]))};" for channel in sorted(samples) if samples[channel]
    )
    return f"{operation} -> {'true' if ok else 'false'}{read} #{number}"


def history(script: Sequence[Operation], system: System) -> list[str]:
    """The history of a script."""
    answers = [system.does(operation) for operation in script]
    system.settles()
    return [
        line_of(number, operation, answer)
        for number, (operation, answer) in enumerate(zip(script, answers, strict=True), start=1)
    ]
