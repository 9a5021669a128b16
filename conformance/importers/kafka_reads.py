"""What a Kafka reader was given, and what it passed over in silence: Kafka reports no gaps.

A reader is one client's pass through one log. Where its next record does not stand at the next position, a gap of
reason ``skipped`` says that all between was passed over; so a record that was acknowledged there is seen to be lost.
A gap that ends where retention has cut the log is of reason ``trim``. Compaction and transactions leave gaps too that
cannot be told from losses: record logs without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from conformance.importers.journal import Journal
from conformance.importers.kafka_rows import ClientRow
from conformance.trace.fields import INFERRED
from spec.events import SKIPPED, TRIM

Position: TypeAlias = tuple[int, int]
"""Leader epoch and offset: an LSN."""

BEGINNING: Position = (0, 0)


@dataclass
class Reader:
    """One pass of a client through a log, written down while its deliveries come by.

    Attributes:
        esn_bits: how many bits of an LSN the offset has.
        start: the least offset that any replica holds at the end.
        last: where the last record stood; None before the first.
    """

    journal: Journal
    client: str
    actor: int
    log: int
    esn_bits: int
    start: int
    last: Position | None = None

    def deliver(self, row: ClientRow, epoch: int) -> None:
        """Write down one delivery, and before it what was passed over."""
        here = (epoch, row.offset)
        due = self._begin(row, here) if self.last is None else after(self.last)
        if due < here:
            trimmed = due[1] < self.start == row.offset
            self._skip(TRIM if trimmed else SKIPPED, due, self._before(here), row.time_ns)
        self._add("deliver", here, here, row.time_ns, digest=row.digest, payload=row.text)
        self.last = here

    def finish(self, end: Position, lost: Position, time_ns: int) -> None:
        """The reader had the last record that any replica holds; what was acknowledged beyond is passed over too.

        Args:
            end: where the last record that a replica holds stands.
            lost: where the last acknowledged record stands.
            time_ns: when it was noticed.
        """
        if self.last == end and end < lost:
            self._skip(SKIPPED, after(end), lost, time_ns)

    def _begin(self, row: ClientRow, first: Position) -> Position:
        """Where the reader began: at the log's beginning if it was given offset 0, else at its first record.

        A start at LSN 0 is not written down: no position stands before it.
        """
        if row.offset == 0:
            return BEGINNING
        self._add("read", first, self._before(first), row.time_ns)
        return first

    def _skip(self, reason: int, first: Position, last: Position, time_ns: int) -> None:
        self._add("gap", first, last, time_ns, reason=reason, **{INFERRED: True})

    def _add(self, kind: str, first: Position, last: Position, time_ns: int, **fields: object) -> None:
        self.journal.add(
            self.client,
            kind,
            time_ns=time_ns,
            log=self.log,
            reader=self.actor,
            epoch=first[0],
            esn=first[1],
            upto_epoch=last[0],
            upto_esn=last[1],
            **fields,
        )

    def _before(self, position: Position) -> Position:
        epoch, offset = position
        return (epoch, offset - 1) if offset else (epoch - 1, (1 << self.esn_bits) - 1)


def after(position: Position) -> Position:
    """The next position of the same epoch."""
    return position[0], position[1] + 1
