"""Epoch recovery metadata: how a shard that missed a recovery learns what became of the epoch.

LogDevice, common/GetEpochRecoveryMetadataRequest.cpp; server/CleanedResponseRequest.h.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from reference_impl.log.repair.nodeset import counted
from spec.log.status import Status


class Known(StrEnum):
    """What a shard knows of an epoch's recovery, or what all those asked know together."""

    OK = "OK"
    """It has the metadata."""
    EMPTY = "EMPTY"
    """The epoch is clean and was empty: there is no metadata to keep."""
    NOTREADY = "NOTREADY"
    """It has not cleaned the epoch itself."""
    UNKNOWN = "UNKNOWN"
    """Everybody who counts was asked, and nobody knows."""


class Metadata(NamedTuple):
    """What a recovery leaves on each shard that it cleaned.

    Attributes:
        known_good: the last known good ESN above which it decided every ESN.
        last_esn: the last ESN of its digest.
    """

    known_good: int
    last_esn: int


class Reply(NamedTuple):
    """A shard's answer.

    Attributes:
        known: what it knows of each epoch; of those that are left out it says nothing.
        is_final: asking it again would not help; an overloaded shard's answer is not.
        is_too_old: it does not understand questions about several epochs at once.
    """

    shard: int
    known: Mapping[int, Known]
    is_final: bool = True
    is_too_old: bool = False


def metadata_of(known_good: int, last_esn: int) -> Metadata | None:
    """Nothing is kept of an epoch of which recovery found nothing: server/CleanedResponseRequest.h.

    A bridge alone makes no epoch: the digest, not the outcome, decides.
    """
    return Metadata(known_good, last_esn) if known_good or last_esn else None


def gathered(
    epochs: Iterable[int],
    shards: Iterable[int],
    statuses: Mapping[int, Status],
    replies: Iterable[Reply],
    *,
    is_single_empty_enough: bool = True,
    can_replicate: Callable[[frozenset[int]], bool] | None = None,
) -> dict[int, Known] | None:
    """One shard's metadata settles an epoch, and so does one that calls it empty; else all who count must answer.

    Or as many as could hold a record together, if each of them knows of every epoch (StorageSetAccessor, REPLICATION).

    LogDevice, common/GetEpochRecoveryMetadataRequest.cpp, checkIfDone and buildEpochRecoveryStateMap; the setting
    single-empty-erm. None while the answers do not suffice. A shard that is too old for the question puts an end to it:
    the metadata that is there holds, and nothing counts as empty (sendGetEpochRecoveryMetadataRequest).
    """
    asked, known = list(epochs), dict[int, Known]()
    silent = {shard for shard in shards if counted(statuses.get(shard, Status.FULLY_AUTHORITATIVE)).counts}
    enough = {Known.OK, Known.EMPTY} if is_single_empty_enough else {Known.OK}
    helpful: set[int] = set()
    for reply in replies:
        if reply.is_too_old and len(asked) > 1:
            return {epoch: Known.OK if known.get(epoch) is Known.OK else Known.UNKNOWN for epoch in asked}
        if reply.is_final:
            silent.discard(reply.shard)
        if _helps(reply, known):
            helpful.add(reply.shard)
        for epoch, said in reply.known.items():
            if said is Known.OK or (said is Known.EMPTY and known.get(epoch) is not Known.OK):
                known[epoch] = said
        is_enough = all(known.get(epoch) in enough for epoch in asked)
        if not silent or is_enough or (can_replicate is not None and can_replicate(frozenset(helpful))):
            return {epoch: known.get(epoch, Known.UNKNOWN) for epoch in asked}
    return None if silent else dict.fromkeys(asked, Known.UNKNOWN)


def _helps(reply: Reply, known: Mapping[int, Known]) -> bool:
    """Whether a shard could tell of all epochs whose metadata are not there yet: processResponse."""
    open_ones = [said for epoch, said in reply.known.items() if known.get(epoch) is not Known.OK]
    return bool(reply.known) and all(said in (Known.OK, Known.EMPTY) for said in open_ones)
