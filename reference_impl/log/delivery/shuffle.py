"""Shuffling a copyset: every node that has a record brings its copyset into the same order, from the same seed.

LogDevice, Read path, Single copy delivery: each storage node in the copyset deterministically shuffles it;
server/locallogstore/LocalLogStore.cpp, copysetShuffle; common/Random.h, XorShift128PRNG. Copysets that are alike are
shuffled alike, so consecutive records with a sticky copyset come from one node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from struct import error, pack
from typing import Final

from reference_impl.log.delivery.spooky import Seeds, hash128

FIXED_SEEDS: Final[Seeds] = (0x59D2D101D78F02AD, 0x430BFB34B1CD41E1)
"""What all readers shuffle by with a fixed seed: LogDevice, server/locallogstore/LocalLogStore.cpp."""

REMEMBERED: Final = 4096
"""So many orders of copysets are remembered: records of a log share few copysets."""

_WORD: Final = (1 << 32) - 1


class Reordering(StrEnum):
    """How a storage node orders a copyset before it looks who is first: common/SCDCopysetReordering.h."""

    NONE = "NONE"
    HASH_SHUFFLE = "HASH_SHUFFLE"
    HASH_SHUFFLE_CLIENT_SEED = "HASH_SHUFFLE_CLIENT_SEED"


def seeds_of(reordering: Reordering, session: str = "") -> Seeds | None:
    """The seeds of a stream: none without shuffling, the fixed ones, or those of the client's session.

    LogDevice, common/protocol/START_Message.cpp: the hash of the client's session id, from the fixed seeds.
    """
    match reordering:
        case Reordering.NONE:
            return None
        case Reordering.HASH_SHUFFLE:
            return FIXED_SEEDS
        case Reordering.HASH_SHUFFLE_CLIENT_SEED:
            return hash128(session.encode(), FIXED_SEEDS)


def copyset_hash(copyset: Sequence[int], seeds: Seeds) -> Seeds:
    """The hash of a copyset's nodes in stored order, each as 16 bits.

    LogDevice, server/locallogstore/LocalLogStore.cpp, copysetShuffle: shards of one node count alike.

    Raises:
        ValueError: a number is no number of a node.
    """
    try:
        return hash128(pack(f"<{len(copyset)}h", *copyset), seeds)
    except error as cause:
        raise ValueError(f"copyset {list(copyset)} has a number that is no node's: nodes count up to 32767") from cause


def order_of(copyset: Sequence[int], seeds: Seeds) -> tuple[int, ...]:
    """The places of a copyset's members in the order into which these seeds shuffle it.

    LogDevice, server/locallogstore/LocalLogStore.cpp, copysetShuffle: each place in turn is exchanged with itself or a
    later one.

    Raises:
        ValueError: a number is no number of a node.
    """
    order = list(range(len(copyset)))
    numbers = _xorshift(copyset_hash(copyset, seeds))
    for here in range(len(order) - 1):
        there = here + next(numbers) % (len(order) - here)
        order[here], order[there] = order[there], order[here]
    return tuple(order)


_known_order_of = lru_cache(REMEMBERED)(order_of)


def shuffled(copyset: Sequence[int], seeds: Seeds | None) -> tuple[int, ...]:
    """A copyset in the order in which its members are asked; without seeds, as it is stored.

    LogDevice, Read path, Single copy delivery: if shuffle mode is turned off, the first node in the copyset sends.

    Raises:
        ValueError: a number is no number of a node.
    """
    stored = tuple(copyset)
    return stored if seeds is None else tuple(stored[place] for place in _known_order_of(stored, seeds))


def _xorshift(seeds: Seeds) -> Iterator[int]:
    """Marsaglia's xorshift128 on 32-bit words; all zeros would stay zeros, so they become a one."""
    first, second = seeds if any(seeds) else (0, 1)
    x, y, z, w = first & _WORD, first >> 32, second & _WORD, second >> 32
    while True:
        t = (x ^ x << 11) & _WORD
        x, y, z, w = y, z, w, w ^ w >> 19 ^ t ^ t >> 8
        yield w
