"""Readers as texts never see them: they come, read a little of what may be read, begin anew, and go away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from reference_impl.log.lsn import ESN_BITS
from reference_impl.telling.chronicle import Chronicle
from spec.events import DATALOSS, RECORD, Deliver, Gap, Read

READERS: Final = 3


class Content(NamedTuple):
    """What is at one LSN: a record with a payload, or a hole or bridge."""

    becomes: int
    digest: int


@dataclass
class Reading:
    """One read: the log and epoch, and the next ESN."""

    log: int
    epoch: int
    esn: int


class Readers:
    """Readers of one cluster.

    Args:
        chronicle: where they write.
        chance: of all that they choose.
        are_eager: a new reader reads all that may be read, whenever anybody looks.

    Attributes:
        lost: log and LSN of all that was reported as lost.
    """

    def __init__(self, chronicle: Chronicle, chance: Random, *, are_eager: bool) -> None:
        self.chronicle, self.chance, self.are_eager = chronicle, chance, are_eager
        self.reads: dict[int, Reading] = {}
        self.came = 0
        self.lost: set[tuple[int, int]] = set()

    @property
    def names(self) -> list[str]:
        """The names of their recorders."""
        return [reader_name(number) for number in range(max(READERS, self.came))]

    def look(self, log: int, epoch: int, contents: Sequence[Content]) -> None:
        """Some reader goes on with the ESNs of an epoch from 1 on, as far as these contents go, or not so far."""
        if not contents:
            return
        reader = self._next()
        reading = self.reads.get(reader)
        if reading is None or reading.log != log or reading.epoch != epoch or self._begins_anew():
            esn = 1 if self.are_eager else self.chance.randint(1, len(contents))
            reading = self.begin(reader, log, epoch, esn)
        left = contents[reading.esn - 1 :]
        for content in left if self.are_eager else left[: self.chance.randint(0, len(left))]:
            self.give(reader, content)

    def give_at(self, log: int, epoch: int, esn: int, content: Content) -> None:
        """Some reader that came to this LSN, or begins there, is given what is at it."""
        there = [reader for reader, at in self.reads.items() if at == Reading(log, epoch, esn)]
        reader = self.chance.choice([*there, self._next()])
        if reader not in there:
            self.begin(reader, log, epoch, esn)
        self.give(reader, content)

    def begin(self, reader: int, log: int, epoch: int, esn: int) -> Reading:
        """A reader begins to read."""
        self.came = max(self.came, reader + 1)
        reading = self.reads[reader] = Reading(log, epoch, esn)
        upto = {"upto_epoch": epoch, "upto_esn": esn - 1}
        self.chronicle.write(reader_name(reader), Read, log=log, epoch=epoch, esn=esn, reader=reader, **upto)
        return reading

    def give(self, reader: int, content: Content) -> None:
        """A reader is given what is at its next LSN."""
        at = self.reads[reader]
        where = {"log": at.log, "epoch": at.epoch, "esn": at.esn, "upto_epoch": at.epoch, "upto_esn": at.esn}
        name = reader_name(reader)
        if content.becomes == RECORD:
            self.chronicle.write(name, Deliver, **where, reader=reader, digest=content.digest)
        else:
            self.chronicle.write(name, Gap, **where, reader=reader, reason=content.becomes)
        at.esn += 1

    def lose(self, log: int, epoch: int, esn: int, **why: object) -> None:
        """A new reader begins at an LSN, and reports it as lost."""
        reader = max(self.came, READERS)
        self.begin(reader, log, epoch, esn)
        self.report(reader, log, epoch, esn, **why)
        self.reads[reader].esn += 1

    def report(self, reader: int, log: int, epoch: int, esn: int, **why: object) -> None:
        """A reader reports an LSN as lost."""
        where = {"log": log, "epoch": epoch, "esn": esn, "upto_epoch": epoch, "upto_esn": esn}
        self.chronicle.write(reader_name(reader), Gap, **where, reader=reader, reason=DATALOSS, **why)
        self.lost.add((log, (epoch << ESN_BITS) + esn))

    def _next(self) -> int:
        return self.came if self.are_eager else self.chance.randrange(READERS)

    def _begins_anew(self) -> bool:
        return self.chance.random() < 1 / 4


def reader_name(reader: int) -> str:
    """The name of a reader's recorder."""
    return f"reader-{reader}"
