"""What an adapter is: a class with ``append`` and ``read``, and whatever else its log can do.

Any method may be a coroutine, and ``read`` an asynchronous iterator. What a log cannot do, its adapter leaves out: the
suite looks for each method by its name, and skips, with a reason, what needs one that is not there.
Source: this is the project's own; docs/reference/adapter-protocol.md tells it for people and for other languages.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

Lsn: TypeAlias = int | tuple[int, int]
"""A position in a log: a number, or an epoch and a number in it. A log without epochs uses numbers alone."""

BEGINNING: Final = 0
"""Where a read begins that is to see all that a log has, whatever its first LSN."""


@dataclass(frozen=True, slots=True)
class Record:
    """A reader is given a record."""

    lsn: Lsn
    payload: bytes


@dataclass(frozen=True, slots=True)
class Gap:
    """A reader is told that there is nothing for it from ``first`` to ``last``, both included.

    Attributes:
        reason: ``hole``, ``trim``, ``dataloss`` or another word of docs/reference/trace-format.md, Gaps.
    """

    first: Lsn
    last: Lsn
    reason: str


@dataclass(frozen=True, slots=True)
class AtEnd:
    """A reader is told that nothing lies at ``lsn`` yet, nor beyond, as of when it asked for this step."""

    lsn: Lsn


Step: TypeAlias = Record | Gap | AtEnd
"""One thing that a reader is given or told."""


class Refused(Exception):
    """Raised by ``append``: the record was certainly not appended, and never will be."""


class Indefinite(Exception):
    """Raised by any method: nobody knows whether it happened. ``TimeoutError`` and ``ConnectionError`` say the same."""


TIMEOUT_S: Final = 10.0
"""How long an answer of a coroutine or a program may take, if nobody says otherwise."""

UNKNOWN_OUTCOMES: Final = (Indefinite, TimeoutError, ConnectionError)
"""Errors of an adapter that say something about its log; all others are the adapter's own."""


class Log(Protocol):
    """What every adapter has. A factory without arguments makes one, for a new and empty log."""

    def append(self, payload: bytes) -> Lsn:
        """Append a record, and say where it lies once it is safe.

        Raises:
            Refused: it certainly was not appended.
            Indefinite: nobody knows. It ends by itself: a call that waits for ever is a defect of the adapter.
        """
        ...

    def read(self, start: Lsn) -> Iterator[Step]:
        """Read from an LSN on; each step is found out when it is asked for.

        Where there is nothing more, the step is ``AtEnd``. After it the iterator may end, or go on when it is asked
        again. What lies between two steps and is in no gap, the reader claims to be empty.
        """
        ...


class AsyncLog(Protocol):
    """The same for asyncio."""

    async def append(self, payload: bytes) -> Lsn:
        """As ``Log.append``; a call that takes too long is cancelled, and counts as indefinite."""
        ...

    def read(self, start: Lsn) -> AsyncIterator[Step]:
        """As ``Log.read``."""
        ...


class Capable(Log, Protocol):
    """All that an adapter may have besides. No adapter needs all of it; each method is looked for by itself.

    ``system`` (a text), ``promises`` and ``nodes`` (sequences of texts) are attributes that an adapter may have, too:
    what the software is called, what it promises, and whom ``crash`` and the others may hit.
    """

    def tail(self) -> Lsn:
        """The LSN from which on nothing lies yet."""
        ...

    def trim(self, upto: Lsn) -> None:
        """Delete everything up to an LSN, this one included, now or later."""
        ...

    def client(self, name: str) -> Log:
        """A client of its own, of the same log: it has ``append`` and ``read``, and may have ``tail``.

        Two clients may be asked at once, from threads.
        """
        ...

    def seal(self) -> None:
        """End the epoch: what is appended from now on lies in a later one."""
        ...

    def holds(self, node: str) -> Iterable[Record]:
        """The records that a node holds now; of a node that is down, those that it will have when it is started."""
        ...

    def crash(self, node: str) -> None:
        """End a node without warning; what it had in memory only is gone."""
        ...

    def restart(self, node: str) -> None:
        """Start a node that has crashed; returns when the log serves again."""
        ...

    def pause(self, node: str) -> None:
        """Let a node stand still, alive."""
        ...

    def resume(self, node: str) -> None:
        """Let a node go on that was paused."""
        ...

    def partition(self, node: str) -> None:
        """Cut a node off from all others."""
        ...

    def heal(self, node: str) -> None:
        """Connect a node again that was cut off."""
        ...

    def jump_clock(self, node: str, by_ms: int) -> None:
        """Set a node's clock forward or back."""
        ...

    def close(self) -> None:
        """The log is not needed any more."""
        ...


CAPABILITIES: Final = tuple(name for name in vars(Capable) if not name.startswith("_"))
"""The names by which an adapter is asked what it can do."""
