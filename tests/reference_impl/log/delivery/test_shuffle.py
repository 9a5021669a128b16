"""Shuffling a copyset: LogDevice, Read path, Single copy delivery.

Hashes and orders come from the ``spookyhash`` package, an independent binding of SpookyHash V2, for every length at
which the hash takes another path; they agree with it at all lengths from 0 to 419.
"""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.delivery.shuffle import (
    FIXED_SEEDS,
    Reordering,
    _xorshift,
    copyset_hash,
    order_of,
    seeds_of,
    shuffled,
)
from reference_impl.log.delivery.spooky import Seeds, hash128

words = st.integers(0, 2**64 - 1)
copysets = st.lists(st.integers(0, 200), max_size=127, unique=True)


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, (0x657B3E1C9185C530, 0xED9778F7118AB750)),
        (3, (0xF94D35069430F892, 0xC86C28A733A1EA71)),
        (15, (0xF6C8AF0358418001, 0xAB3180AD58325D02)),
        (16, (0x7C9C6BC3334EC0D5, 0x8C12B38A701E19D4)),
        (24, (0xF6B8F3C37066C679, 0xF9B4C32001092572)),
        (40, (0x8EC480E427956974, 0x0ED8044F9E682BA4)),
        (191, (0x734AD5E6856F635D, 0x3A747BDE6E701C32)),
        (192, (0x9DFA70B190D5C617, 0x1658C2F3EC910AD9)),
        (254, (0x2D36638B3BC6E419, 0xB5CC1B5470D76F95)),
    ],
)
def test_spooky_hash(length: int, expected: Seeds) -> None:
    """folly/hash/SpookyHashV2.cpp: short below 192 bytes, long from there on."""
    assert hash128(bytes(range(length)), (7, 9)) == expected


@pytest.mark.parametrize(
    ("copyset", "expected"),
    [([4, 5], [4, 5]), ([5, 4], [5, 4]), ([11, 7, 3], [11, 3, 7]), ([20, 21, 22], [22, 21, 20])],
)
def test_orders_by_the_fixed_seeds(copyset: list[int], expected: list[int]) -> None:
    """LocalLogStore.cpp, copysetShuffle: the stored order counts."""
    assert list(shuffled(copyset, seeds_of(Reordering.HASH_SHUFFLE))) == expected


def test_a_copyset_of_120_nodes() -> None:
    """Above 95 members the message is long: the hash takes its other path."""
    copyset = range(100, 220)
    assert copyset_hash(copyset, FIXED_SEEDS) == (0x365E1791EC482454, 0xD02020A817245E89)
    assert list(islice(shuffled(copyset, FIXED_SEEDS), 6)) == [192, 141, 155, 153, 219, 136]


def test_a_session_has_seeds_of_its_own() -> None:
    """START_Message.cpp: the hash of the client's session id, from the fixed seeds."""
    seeds = seeds_of(Reordering.HASH_SHUFFLE_CLIENT_SEED, "reader-17")
    assert seeds == (0x1A87B0996EA2EFD2, 0xFFECE490C8AEB0FB)
    assert shuffled([20, 21, 22], seeds) == (21, 22, 20)
    assert seeds_of(Reordering.NONE) is None
    assert shuffled([3, 1, 2], None) == (3, 1, 2)


@given(copyset=copysets, seeds=st.tuples(words, words))
def test_nothing_is_lost(copyset: list[int], seeds: Seeds) -> None:
    """A shuffle is an order of the same nodes, and the same each time: every node computes it for itself."""
    order = order_of(copyset, seeds)
    assert sorted(order) == list(range(len(copyset)))
    assert shuffled(copyset, seeds) == tuple(copyset[place] for place in order) == shuffled(copyset, seeds)


def test_zeros_do_not_stay_zeros() -> None:
    """LocalLogStore.cpp: a generator of zeros would give nothing else."""
    assert list(islice(_xorshift((0, 0)), 4)) == list(islice(_xorshift((0, 1)), 4))
    assert any(islice(_xorshift((0, 0)), 4))


@pytest.mark.parametrize("number", [1 << 15, -(1 << 15) - 1])
def test_numbers_that_no_node_has(number: int) -> None:
    """A node's number has 16 bits: include/types.h, node_index_t."""
    with pytest.raises(ValueError, match="no node's"):
        shuffled([1, number], FIXED_SEEDS)
