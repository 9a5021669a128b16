"""Digests: what the shards of a nodeset hold of one epoch, gathered ESN by ESN.

LogDevice, common/Digest.h and common/Digest.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from reference_impl.log.repair.held import Copies, Held, Shards, precedence


class Entry(NamedTuple):
    """What a digest knows of one ESN.

    Attributes:
        target: the copy that is believed; the outcome is made of it.
        copies: what each shard holds.
        is_moved: the target's offset was corrected, so every copy of it has a wrong one.
    """

    target: Held
    copies: Copies
    is_moved: bool = False


Digest: TypeAlias = Mapping[int, Entry]
"""The entries by ESN, in ascending order."""

Arrival: TypeAlias = tuple[int, int, Held]
"""A shard, an ESN, and what the shard holds there."""


def digest_of(arrivals: Iterable[Arrival]) -> Digest:
    """Of all copies the one with the highest precedence is believed; of equals, the one that came first.

    LogDevice, common/Digest.cpp, onRecord. Which of two equals comes first is up to the network.
    """
    targets: dict[int, Held] = {}
    copies: dict[int, dict[int, Held]] = {}
    for shard, esn, held in arrivals:
        copies.setdefault(esn, {})[shard] = held
        if esn not in targets or precedence(targets[esn]) < precedence(held):
            targets[esn] = held
    return {esn: Entry(targets[esn], copies[esn]) for esn in sorted(targets)}


def kept(digest: Digest, shards: Shards) -> Digest:
    """Copies of shards that will not be mutated are forgotten, but what they made the digest believe is not.

    LogDevice, common/Digest.cpp, removeNodeIf: such a shard may hold the only copy of an acknowledged record.
    """
    return {
        esn: entry._replace(copies={shard: held for shard, held in entry.copies.items() if shard in shards})
        for esn, entry in digest.items()
    }


def above(digest: Digest, esn: int) -> Digest:
    """The entries above an ESN: LogDevice, common/Digest.cpp, trim."""
    return {at: entry for at, entry in digest.items() if at > esn}
