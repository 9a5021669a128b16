"""What gateway and nodes send each other for an iterator. Synnax, Segment distribution, Execution Flow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from spec.segment.iterator.commands import Command


@dataclass(frozen=True)
class CallRequest:
    """A call, as the emitter makes it and the broadcaster sends it to every node; calls are numbered from 1."""

    number: int
    command: Command


@dataclass(frozen=True)
class Acknowledgement:
    """A node has carried out a request: whether it was true there, and the error it met."""

    number: int
    ok: bool
    error: str | None = None


@dataclass(frozen=True)
class Data:
    """Samples of one channel that a request has read, as many as one message carries."""

    number: int
    channel: str
    times: tuple[int, ...]


@dataclass(frozen=True)
class End:
    """A node has sent all that it will send."""


Reply: TypeAlias = Acknowledgement | Data | End
