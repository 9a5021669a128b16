"""Seals, and what a sealed shard tells: LogDevice, server/storage/SealStorageTask.cpp; STORE_Message.cpp."""

from __future__ import annotations

import pytest

from reference_impl.log.lsn import lsn_of
from reference_impl.log.repair.seals import (
    EpochInfo,
    Sealed,
    Seals,
    epoch_infos,
    may_append,
    may_mutate,
    seal,
    seal_for_purging,
    tail_lsns,
)


@pytest.mark.parametrize(
    ("before", "epoch", "after"),
    [
        (Seals(), 4, Sealed(0, Seals(4, 0))),
        (Seals(4, 4), 4, Sealed(0, Seals(4, 4))),
        (Seals(5, 0), 4, Sealed(5, Seals(5, 0))),
        (Seals(5, 7), 4, Sealed(5, Seals(5, 7))),
        (Seals(2, 7), 4, Sealed(7, Seals(4, 7))),
    ],
)
def test_a_strictly_higher_seal_preempts(before: Seals, epoch: int, after: Sealed) -> None:
    """An equal one does not; one that a soft seal preempts is kept all the same."""
    assert seal(before, epoch) == after


def test_soft_seals_do_not_hinder_purging() -> None:
    assert seal_for_purging(Seals(2, 7), 4) == Sealed(0, Seals(4, 7))
    assert seal_for_purging(Seals(5, 0), 4) == Sealed(5, Seals(5, 0))


def test_who_may_store() -> None:
    """Appends above both seals, or above the normal one while draining; recoveries at their own seal too."""
    seals = Seals(3, 5)
    assert [epoch for epoch in range(8) if may_append(seals, epoch)] == [6, 7]
    assert [epoch for epoch in range(8) if may_append(seals, epoch, is_draining=True)] == [4, 5, 6, 7]
    assert [epoch for epoch in range(8) if may_mutate(seals, epoch)] == [3, 4, 5, 6, 7]


def test_what_a_sealed_shard_tells() -> None:
    """Of epochs after the last clean one, up to the seal, that have anything: here, of 2 and 5."""
    held = {(1, 9): 8, (2, 1): 0, (2, 3): 2, (2, 2): 1, (5, 7): 0, (6, 1): 0}
    copies = {lsn_of(*at): good for at, good in held.items()}
    infos = epoch_infos(copies, clean=1, upto=5)
    assert infos == {2: EpochInfo(2, 3, 2), 5: EpochInfo(0, 7, 0)}
    assert tail_lsns(infos) == [lsn_of(2, 2)]
    assert epoch_infos(copies, clean=4, upto=5, released={5: 7})[5] == EpochInfo(7, 7, 7)
