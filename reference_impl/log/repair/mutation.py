"""Mutation: which copies of an ESN are as the outcome wants them, and which must be written again.

LogDevice, common/Digest.cpp, needsMutation; common/EpochRecovery.cpp, mutateEpoch.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from reference_impl.log.repair.digest import Entry
from reference_impl.log.repair.held import Held, Shards


class Becomes(StrEnum):
    """What a recovery makes of an ESN."""

    RECORD = "RECORD"
    HOLE = "HOLE"
    BRIDGE = "BRIDGE"


class Comparison(NamedTuple):
    """The copies of an ESN beside the outcome.

    Attributes:
        is_needed: the outcome is not yet replicated.
        stored: this same recovery has stored the outcome there, in an earlier attempt.
        amend: the payload is right, and what the copy says of itself is not.
        conflict: there is a hole where a record must be, or the other way round.
    """

    is_needed: bool
    stored: Shards
    amend: Shards
    conflict: Shards


class Mutation(NamedTuple):
    """What a recovery stores at an ESN, and who must take it.

    Attributes:
        target: the copy that is stored, before the recovery puts its own seal epoch on it; None for a new hole.
    """

    esn: int
    becomes: Becomes
    target: Held | None = None
    stored: Shards = frozenset()
    amend: Shards = frozenset()
    conflict: Shards = frozenset()

    @property
    def required(self) -> Shards:
        """Whoever holds any copy must take the outcome, or copies of one record would name different copysets."""
        return self.stored | self.amend | self.conflict


def compare(entry: Entry, seal: int, can_replicate: Callable[[Shards], bool], *, is_complete: bool) -> Comparison:
    """An outcome is stored again unless enough copies are already as they must be, and none contradicts it.

    LogDevice, common/Digest.cpp, needsMutation. Where every shard that counts has answered, copies that equal the
    target will do, whoever wrote them; otherwise only those that this recovery itself has written, for others may lie
    where it cannot see them.
    """
    target, stored, amend, conflict = entry.target, set[int](), set[int](), set[int]()
    for shard, held in entry.copies.items():
        is_same = held.flags() == target.flags()
        if is_same and held.by_recovery and held.number == seal and not entry.is_moved:
            stored.add(shard)
        elif held.is_hole != target.is_hole:
            conflict.add(shard)
        else:
            amend.add(shard)
    equal = frozenset(shard for shard, held in entry.copies.items() if held.flags() == target.flags())
    is_needed = bool(conflict) or (bool(amend) and not is_complete) or not can_replicate(equal)
    return Comparison(is_needed, frozenset(stored), frozenset(amend), frozenset(conflict))
