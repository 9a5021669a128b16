"""The metadata log: beside each log another one, whose records say where the records of its epochs lie.

LogDevice, Read path, Metadata log; common/MetaDataLogReader.h. The epoch store has the newest epoch's metadata only;
the metadata log has them all, and one record speaks of all epochs up to the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.log.copies import Nodes
from reference_impl.log.stream.surroundings import EPOCH_LAST, Metadata, Source


class Range(NamedTuple):
    """Epochs with the same metadata, from the first to the last; the last range has no end yet."""

    since: int
    until: int
    metadata: Metadata

    @property
    def source(self) -> Source:
        """Whether later metadata may come, which then would be of later epochs."""
        return Source.LAST if self.until == EPOCH_LAST else Source.NOT_LAST


@decision
def with_epoch(
    records: Sequence[Metadata], epoch: int, shards: Nodes, replication: Mapping[str, int]
) -> tuple[Metadata, ...]:
    """The records once an epoch has begun: one more only if its nodeset or its replication is another one.

    LogDevice, Read path, Metadata log.

    Raises:
        ValueError: the log has metadata of this epoch, or of a later one.
    """
    if not records:
        return (Metadata(epoch, shards, replication),)
    last = records[-1]
    if epoch <= last.since:
        raise ValueError(f"epoch {epoch} cannot begin after epoch {last.since}: epochs are given in rising order")
    is_news = (shards, dict(replication)) != (last.shards, dict(last.replication))
    return (*records, Metadata(epoch, shards, replication)) if is_news else tuple(records)


@decision
def ranges(records: Sequence[Metadata]) -> tuple[Range, ...]:
    """What the records say of which epochs: each holds up to the epoch before the next one."""
    ends = [*(record.since - 1 for record in records[1:]), EPOCH_LAST]
    return tuple(Range(record.since, until, record) for record, until in zip(records, ends, strict=False))


def found_in(known: Iterable[Range], epoch: int) -> Range | None:
    """The range of an epoch, where its records lie, among those that are known; None where it is of none of them."""
    return next((found for found in known if found.since <= epoch <= found.until), None)
