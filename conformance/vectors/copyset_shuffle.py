"""Cases of copyset shuffling: ``input_node_ids`` as stored become ``expected``, by ``mode`` and two seeds.

``hash128``, where given, is the copyset's hash; ``client_session_id`` is what the client's seeds come from. A case of
the list ``statistical`` only says how often the first of three nodes stays first.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final

from conformance.vectors.differences import differences
from conformance.vectors.fields import Fields
from reference_impl.log.delivery.shuffle import Reordering, copyset_hash, seeds_of, shuffled
from reference_impl.log.delivery.spooky import Seeds

RECORDS: Final = 1000
NODES: Final = 99
SEED: Final = 0xABCDDCBA
SESSION: Final = "mock_client_session_id"
"""The set-up of LocalLogStoreReaderTest.cpp, SingleCopyDeliverySeededShuffleCopysets."""

WORD: Final = re.compile(r"0x[0-9a-fA-F]{1,16}")


def seen(case: Fields) -> tuple[str, ...]:
    """How a case differs from the order, the hash and the seeds of its copyset.

    Raises:
        DamagedVectors: the case is no case of shuffling.
    """
    mode = case.one_of("mode", Reordering)
    given = (_word(case, "seed1"), _word(case, "seed2"))
    copyset, expected = case.every("input_node_ids", Fields.node), case.every("expected", Fields.node)
    found: tuple[str, ...] = ()
    found += differences(expected, shuffled(copyset, None if mode is Reordering.NONE else given))
    if "hash128" in case:
        found += differences(case.every("hash128", _word), copyset_hash(copyset, given), "hash")
    return found + _wrong_seeds(case, mode, given)


def seen_ratio(case: Fields) -> tuple[str, ...]:
    """How often the first of three nodes, the others being drawn, stays first, if outside of what is expected.

    Raises:
        DamagedVectors: the case gives no range.
    """
    name = "expected_ratio_shipped_by_N0"
    bounds = case.members(name, 2)
    least, most = (bounds.fraction(place, most=1) for place in bounds)
    if not 0 < most - least < 1:
        raise case.refuse_part("no such range", name, "two fractions, such as [0.3, 0.4]")
    seeds = seeds_of(case.one_of("mode", Reordering), SESSION)
    draw = Random(SEED)
    copysets = [[0, *draw.sample(range(1, NODES), 2)] for _ in range(RECORDS)]
    ratio = sum(shuffled(copyset, seeds)[0] == 0 for copyset in copysets) / RECORDS
    return () if least <= ratio <= most else differences((least, most), ratio, "shipped by the first")


def _wrong_seeds(case: Fields, mode: Reordering, given: Seeds) -> tuple[str, ...]:
    if mode is Reordering.HASH_SHUFFLE_CLIENT_SEED and "client_session_id" not in case:
        return ()
    seeds = seeds_of(mode, case.text("client_session_id", ""))
    return () if seeds is None else differences(given, seeds, "seeds")


def _word(case: Fields, name: str) -> int:
    if not WORD.fullmatch(case.text(name)):
        raise case.refuse_part("no machine word", name, "64 bits, such as 0x59d2d101d78f02ad")
    return int(case.text(name), 16)
