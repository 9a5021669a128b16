"""What was observed of shards: what a node holds of a log, and what it says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reference_impl.log.copies import Nodes
from reference_impl.replay.streams import Content


class Held(NamedTuple):
    """What a node holds at an LSN.

    Attributes:
        becomes: RECORD, HOLE or BRIDGE.
        recovery: the epoch of the recovery that wrote it, 0 for the sequencer.
        rebuilt: it may be a copy that rebuilding made, of something an earlier writer wrote.
        late: it came when the LSN was released already, so readers may have been told that it is not there.
        copyset: where the copies lie, as this one says; None where nobody knows.
    """

    becomes: int
    digest: int | None
    recovery: int
    wave: int
    rebuilt: bool
    late: bool
    copyset: Nodes | None = None

    @property
    def content(self) -> Content:
        """What it says of the LSN, whoever wrote it."""
        return self.becomes, self.digest


class Shard:
    """What one node says of one log.

    Attributes:
        seal: it takes no appends of this epoch and those before it; a wipe takes it away.
        promised: the greatest seal that it ever had.
        settled: the epochs of which it knows what became; a wipe takes that away.
        copies: what it holds, by LSN.
        trimmed: its trim point, 0 where it has none.
        deleted: what it held up to there, or on a disk that it lost; what it sent of that as a donor may come late.
        going: what it is losing with its disk, the next one last.
        soft: it takes no appends of this epoch and those before it, for it stored of a later one.
        softly: the epoch that it has just sealed softly, before it stores of the next one; else None.
        purged: up to this epoch, its copies are repaired, where that is recorded; a wipe takes that away.
        keeping: the last LSN that it told of since it purged that epoch; 0 while it told of none.
        telling: epoch, recovery, LSN and time of the last copy that it told of, if that was the last thing it did.
    """

    __slots__ = (
        "copies",
        "deleted",
        "going",
        "keeping",
        "promised",
        "purged",
        "seal",
        "settled",
        "soft",
        "softly",
        "telling",
        "trimmed",
    )

    def __init__(self) -> None:
        self.soft = self.purged = self.keeping = 0
        self.softly: int | None = None
        self.seal = self.promised = -1
        self.trimmed = 0
        self.settled: set[int] = set()
        self.copies: dict[int, Held] = {}
        self.deleted: dict[int, Held] = {}
        self.going: list[int] = []
        self.telling: tuple[int, int, int, int | None] | None = None

    def held_between(self, first: int, last: int) -> Iterator[int]:
        """The LSNs of a range at which it holds something, in order.

        A trace may name any LSN, so it looks at the range or at all copies, whichever are fewer.
        """
        if last - first < len(self.copies):
            return (lsn for lsn in range(first, last + 1) if lsn in self.copies)
        return iter(sorted(lsn for lsn in self.copies if first <= lsn <= last))

    def next_held(self, first: int, last: int) -> int | None:
        """The first LSN of a range at which it holds something; None if there is none."""
        return next(self.held_between(first, last), None)
