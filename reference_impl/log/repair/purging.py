"""Purging: which copies of an epoch a shard deletes that missed its recovery.

Of what recovery decided, LogDevice deletes all, for others have replicated it anew; the machine deletes what recovery
overruled. LogDevice, server/storage/PurgeUncleanEpochs.cpp and server/storage/PurgeSingleEpoch.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from reference_impl.log.lsn import epoch_of, esn_of
from reference_impl.log.repair.metadata import Known


class Purge(NamedTuple):
    """What a shard does about one epoch.

    Attributes:
        delete: the first and last ESN of which copies go; None for nothing.
        writes_metadata: it keeps the recovery's metadata, so that it can tell others.
    """

    delete: tuple[int, int] | None = None
    writes_metadata: bool = False

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks in order, by LogDevice's names."""
        delete = ("delete_records",) if self.delete else ()
        write = ("write_recovery_metadata",) if self.writes_metadata else ()
        return (*delete, *write, "complete")


def purge_of(known: Known, recovered: int, known_good: int, last: int) -> Purge:
    """Nothing goes up to the last known good ESN of the recovery, which decided every ESN above it.

    LogDevice, server/storage/PurgeSingleEpoch.cpp, purgeRecords. ``recovered`` is what the recovery took for good,
    ``known_good`` and ``last`` are the shard's own. An epoch that is called empty although this shard knows of good
    records keeps them: recovery must have been skipped.
    """
    if known is Known.OK:
        return Purge((recovered + 1, last) if recovered < last else None, writes_metadata=True)
    if known is Known.EMPTY and known_good == 0 and last > 0:
        return Purge((1, last))
    return Purge()


def everything(lsn: int) -> bool:  # noqa: ARG001 - whichever it is
    """As shipped right copies go as well, for recovery has replicated them elsewhere: PurgeSingleEpoch.cpp."""
    return True


def deleted(lsns: Iterable[int], epoch: int, purge: Purge, is_deleted: Callable[[int], bool] = everything) -> list[int]:
    """Only the epoch that is purged loses copies, and only in the range: PurgeDeleteRecordsStorageTask."""
    if purge.delete is None:
        return []
    first, last = purge.delete
    return [lsn for lsn in lsns if epoch_of(lsn) == epoch and first <= esn_of(lsn) <= last and is_deleted(lsn)]


def is_purged(known: Known, *, is_held: bool) -> bool:
    """An epoch is purged if it has metadata to keep, or is empty for all others and not for this shard.

    LogDevice, server/storage/PurgeUncleanEpochs.cpp, onGetEpochRecoveryMetadataComplete: an epoch of which nobody
    knows is left as it is, and counts as clean all the same.
    """
    return known is Known.OK or (known is Known.EMPTY and is_held)


def ranges_to_ask(
    clean: int,
    purge_to: int,
    since: Sequence[int],
    until: int,
    held: Iterable[int],
    *,
    asks_for_empty: bool = True,
) -> list[tuple[int, int]]:
    """Others are asked for all epochs that share a nodeset at once, each nodeset on its own.

    LogDevice, server/storage/PurgeUncleanEpochs.cpp, onAllEpochMetaDataGotten; the setting get-erm-for-empty-epoch,
    without which epochs that are empty here are not asked for, and the others one by one. ``since`` are the epochs from
    which a new nodeset holds; the last one holds on beyond ``until`` if the metadata log is behind.
    """
    ends = [*(start - 1 for start in since[1:]), max(until, purge_to)]
    bounds = [(max(start, clean + 1), min(end, purge_to)) for start, end in zip(since, ends, strict=True)]
    ranges = [(first, last) for first, last in bounds if first <= last]
    if asks_for_empty:
        return ranges
    return [(epoch, epoch) for first, last in ranges for epoch in sorted(held) if first <= epoch <= last]


def cleaned(clean: int, target: int) -> int | None:
    """The last clean epoch that is written at the end, purged or not; None where it is as far already.

    LogDevice, server/storage/PurgeUncleanEpochs.cpp, allEpochsPurged.
    """
    return target if clean < target else None
