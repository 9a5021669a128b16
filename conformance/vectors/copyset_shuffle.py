"""Cases of copyset shuffling: ``input_node_ids`` as stored become ``expected``, by ``mode`` and two seeds.

``hash128``, where given, is the copyset's hash; ``client_session_id`` is what the client's seeds come from. A case of
the list ``statistical`` only says how often the first of three nodes stays first.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.parts import differences, each, node, one_of
from reference_impl.log.delivery.shuffle import Reordering, copyset_hash, seeds_of, shuffled
from reference_impl.log.delivery.spooky import Seeds

RECORDS: Final = 1000
NODES: Final = 99
SEED: Final = 0xABCDDCBA
SESSION: Final = "mock_client_session_id"
"""The set-up of LocalLogStoreReaderTest.cpp, SingleCopyDeliverySeededShuffleCopysets."""


def seen(case: Case, where: str) -> tuple[str, ...]:
    """How a case differs from the order, the hash and the seeds of its copyset.

    Raises:
        DamagedVectors: the case is no case of shuffling.
    """
    mode = one_of(Reordering, case.get("mode"), where)
    given = (_word(case.get("seed1"), "seed1", where), _word(case.get("seed2"), "seed2", where))
    copyset, expected = each(case, "input_node_ids", where, node), each(case, "expected", where, node)
    found = differences(expected, shuffled(copyset, None if mode is Reordering.NONE else given))
    if "hash128" in case:
        found += differences(each(case, "hash128", where, _word), copyset_hash(copyset, given), "hash")
    return found + _wrong_seeds(case, mode, given, where)


def seen_ratio(case: Case, where: str) -> tuple[str, ...]:
    """How often the first of three nodes, the others being drawn, stays first, if outside of what is expected.

    Raises:
        DamagedVectors: the case gives no range.
    """
    expected = part(case, "expected_ratio_shipped_by_N0", list, where)
    if len(expected) != len(("least", "most")) or not all(isinstance(bound, float) for bound in expected):
        raise DamagedVectors("the range of a ratio is none", repr(expected), "two fractions, such as [0.3, 0.4]", where)
    seeds = seeds_of(one_of(Reordering, case.get("mode"), where), SESSION)
    draw = Random(SEED)
    copysets = [[0, *draw.sample(range(1, NODES), 2)] for _ in range(RECORDS)]
    ratio = sum(shuffled(copyset, seeds)[0] == 0 for copyset in copysets) / RECORDS
    return () if expected[0] <= ratio <= expected[1] else differences(tuple(expected), ratio, "shipped by the first")


def _wrong_seeds(case: Case, mode: Reordering, given: Seeds, where: str) -> tuple[str, ...]:
    if mode is Reordering.HASH_SHUFFLE_CLIENT_SEED and "client_session_id" not in case:
        return ()
    session = part(case, "client_session_id", str, where) if "client_session_id" in case else ""
    seeds = seeds_of(mode, session)
    return () if seeds is None else differences(given, seeds, "seeds")


def _word(value: Any, name: str, where: str) -> int:
    try:
        word = int(value, 16) if isinstance(value, str) else -1
    except ValueError:
        word = -1
    if not 0 <= word < 1 << 64:
        raise DamagedVectors("a word is none", f"{name} is {value!r}", "64 bits, such as 0x59d2d101d78f02ad", where)
    return word
