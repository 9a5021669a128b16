"""Seals: which appends and which recoveries a shard refuses, and what it tells of its epochs when it is sealed.

LogDevice, server/storage/SealStorageTask.cpp; common/protocol/STORE_Message.cpp, checkIfPreempted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reference_impl.log.lsn import epoch_of, esn_of, lsn_of


class Seals(NamedTuple):
    """What a shard has promised.

    Attributes:
        normal: the greatest epoch that a recovery sealed; kept on disk.
        soft: one less than the greatest epoch that stored anything here: its sequencer must have sealed that much.
    """

    normal: int = 0
    soft: int = 0


class Sealed(NamedTuple):
    """A shard's answer to a seal.

    Attributes:
        preempted_by: the seal that stands against it; 0 where it succeeded.
        seals: what the shard has promised from now on.
    """

    preempted_by: int
    seals: Seals


def seal(seals: Seals, epoch: int) -> Sealed:
    """A seal succeeds unless a strictly higher one is there, normal or soft; an equal one is a repetition.

    LogDevice, server/storage/SealStorageTask.cpp, executeImpl. A soft seal is looked at only after the normal one is
    kept, so a seal that it preempts is kept all the same.
    """
    if seals.normal > epoch:
        return Sealed(seals.normal, seals)
    return Sealed(seals.soft if seals.soft > epoch else 0, seals._replace(normal=epoch))


def seal_for_purging(seals: Seals, epoch: int) -> Sealed:
    """A shard that purges seals itself; only normal seals stand against it, and it learns of its epochs all the same.

    LogDevice, server/storage/SealStorageTask.cpp, sealForPurging.
    """
    if seals.normal > epoch:
        return Sealed(seals.normal, seals)
    return Sealed(0, seals._replace(normal=epoch))


def may_append(seals: Seals, epoch: int, *, is_draining: bool = False) -> bool:
    """Appends of sealed epochs are refused; a sequencer that is being replaced may finish despite a soft seal.

    LogDevice, common/protocol/STORE_Message.cpp, checkIfPreempted.
    """
    return epoch > (seals.normal if is_draining else max(seals.normal, seals.soft))


def may_mutate(seals: Seals, recovery: int) -> bool:
    """A recovery is refused where a later one has sealed; its own seal lets it pass: checkIfPreempted."""
    return recovery >= seals.normal


class EpochInfo(NamedTuple):
    """What a shard tells of an epoch; all 0 where it has nothing of it.

    Attributes:
        known_good: the last known good ESN, as far as the shard was told.
        last: the greatest ESN that it holds.
        tail: the greatest ESN that it holds at or below the last known good one; 0 for none.
    """

    known_good: int = 0
    last: int = 0
    tail: int = 0


def epoch_infos(
    known_good: Mapping[int, int], clean: int, upto: int, released: Mapping[int, int] | None = None
) -> dict[int, EpochInfo]:
    """A sealed shard tells of every epoch after the last clean one, up to the seal, that is not empty.

    LogDevice, server/storage/SealStorageTask.cpp, getEpochInfo. ``known_good`` is what each LSN's copy says of the last
    known good ESN; ``released`` what the shard was told of an epoch apart from any copy.
    """
    told = released or {}
    epochs = sorted({epoch_of(lsn) for lsn in known_good if clean < epoch_of(lsn) <= upto})
    infos: dict[int, EpochInfo] = {}
    for epoch in epochs:
        held = {esn_of(lsn): good for lsn, good in known_good.items() if epoch_of(lsn) == epoch}
        good = max([told.get(epoch, 0), *held.values()])
        infos[epoch] = EpochInfo(good, max(held), max((esn for esn in held if esn <= good), default=0))
    return infos


def tail_lsns(infos: Mapping[int, EpochInfo]) -> Iterable[int]:
    """The last record of each epoch that needs no recovery: SealStorageTask.cpp, getTailRecord."""
    return [lsn_of(epoch, info.tail) for epoch, info in infos.items() if info.tail]
