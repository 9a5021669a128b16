"""Which leader epoch acknowledged a record: Kafka's acknowledgements name an offset and no epoch.

Where a copy or a delivery shows the same payload at the same offset, its epoch is known. Where nothing does (the tail
of a deposed leader was cut off) it is inferred: a leader epoch never gives an offset twice, and truncation discards the
tail of the lower epoch (Apache Kafka, KIP-101). So it is the greatest epoch seen below the one that now holds the
offset; where nobody holds it, the client's last known one, and none above that of the next record, for leader epochs
rise along a log; and never one that gave the offset to another payload. Where no row tells any epoch, there is one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from conformance.importers.copies import Copy, Record
from conformance.importers.kafka_rows import ClientRow
from conformance.trace.errors import MissingField


class Epochs:
    """The leader epochs of all logs, as far as a recording shows them.

    Args:
        rows: the history, in time order.
        earlier: copies that were seen before a restart.
        final: copies at the end; they and deliveries outweigh what was seen earlier and may have been cut off.
    """

    def __init__(self, rows: Sequence[ClientRow], earlier: Iterable[Copy], final: Iterable[Copy]) -> None:
        self.seen: dict[str, set[int]] = defaultdict(set)
        self.inferred = 0
        self._of: dict[Record, int] = {}
        self._now: dict[tuple[str, int], int] = {}
        self._given: dict[tuple[str, int, int], int] = {}
        self._last: dict[tuple[str, str], int] = {}
        before = sorted(earlier, key=lambda held: held.epoch)
        for copy in before:
            self._note(copy.record, copy.epoch, lasting=False)
        lasting = [(copy.record, copy.epoch) for copy in final]
        told = [row for row in rows if row.epoch >= 0]
        one_epoch = not (before or lasting or told)
        given = (row for row in (rows if one_epoch else told) if row.kind == "deliver")
        lasting += [(row.record, max(row.epoch, 0)) for row in given]
        for record, epoch in sorted(lasting, key=lambda held: held[1]):
            self._note(record, epoch, lasting=True)
        self._held = {log: sorted(offset for held, offset in self._now if held == log) for log in self.seen}

    def _note(self, record: Record, epoch: int, *, lasting: bool) -> None:
        self.seen[record.log].add(epoch)
        self._of[record] = epoch
        self._given[record.log, epoch, record.offset] = record.digest
        if lasting:
            self._now[record.log, record.offset] = epoch

    def of_delivery(self, row: ClientRow) -> int:
        """The epoch of a delivered record.

        Raises:
            MissingField: the row does not say it, others do, and none of them tells of this record.
        """
        if row.epoch >= 0:
            return row.epoch
        if row.record not in self._of:
            why = "other rows tell theirs, and none, nor a replica, tells that of this value at this offset"
            raise row.line.refuse(
                MissingField("epoch is missing", why, "record the epoch of every deliver, or of none")
            )
        return self._of[row.record]

    def of_ack(self, row: ClientRow) -> tuple[int, bool]:
        """The epoch in which a record was acknowledged, and whether it is inferred."""
        told = row.epoch if row.epoch >= 0 else self._of.get(row.record)
        epoch = self._infer(row) if told is None else told
        self.inferred += told is None
        self.seen[row.log].add(epoch)
        self._given.setdefault((row.log, epoch, row.offset), row.digest)
        self._last[row.client, row.log] = epoch
        return epoch, told is None

    def _infer(self, row: ClientRow) -> int:
        seen = sorted(self.seen[row.log])
        now = self._now.get((row.log, row.offset))
        if now is None:
            known = self._last.get((row.client, row.log), seen[-1] if seen else 0)
            epoch = min(known, self._of_next(row, known))
        else:
            below = bisect_left(seen, now)
            epoch = seen[below - 1] if below else max(now - 1, 0)
        while epoch > 0 and self._given.get((row.log, epoch, row.offset), row.digest) != row.digest:
            epoch -= 1
        return epoch

    def _of_next(self, row: ClientRow, beyond: int) -> int:
        """The epoch of the next record of the log that lasts; another number beyond all of them."""
        held = self._held.get(row.log, [])
        place = bisect_left(held, row.offset)
        return self._now[row.log, held[place]] if place < len(held) else beyond
