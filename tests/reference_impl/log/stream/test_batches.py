"""Messages that arrive together do what they do one by one: server/read_path/CatchupOneStream.cpp."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.log.stream import inputs
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.outputs import Delivered, GapDelivered
from reference_impl.log.stream.surroundings import LogAttributes
from reference_impl.log.stream.timers import Timer
from tests.support.read_streams import Reading, e

SHARDS = 4
LAST = 30


def shard_messages() -> st.SearchStrategy[list[tuple[int, ...]]]:
    """For each shard, which of the ESNs it has; a hole where a number is odd and large."""
    return st.lists(
        st.lists(st.integers(1, LAST), unique=True).map(sorted).map(tuple), min_size=SHARDS, max_size=SHARDS
    )


def reached(
    have: list[tuple[int, ...]], cuts: list[int], reading: Reading, *, together: bool, turns: list[int]
) -> list[Any]:
    """What is given when every shard sends what it has up to each cut, in these turns."""
    ends = [0, *sorted(set(cuts)), LAST]
    at = dict.fromkeys(range(SHARDS), 0)
    for turn in (*turns, *(shard for _ in ends for shard in range(SHARDS))):
        shard = turn % SHARDS
        if at[shard] + 1 == len(ends):
            continue
        first, upto = ends[at[shard]] + 1, ends[at[shard] + 1]
        at[shard] += 1
        records = tuple(inputs.Record(shard, e(esn), hole=esn % 7 == 0) for esn in have[shard] if first <= esn <= upto)
        gap = inputs.Gap(shard, e(first), e(upto), GapReason.NO_RECORDS)
        reading.tell(*([inputs.Batch(shard, records, gap)] if together else [*records, gap]))
        if Timer.GRACE in reading.stream.timers and turn % 3 == 0:
            reading.fire(Timer.GRACE)
    return [one[:3] for one in reading.said(object) if isinstance(one, Delivered | GapDelivered)]


@settings(max_examples=60)
@given(
    have=shard_messages(),
    cuts=st.lists(st.integers(1, LAST - 1), max_size=4),
    turns=st.lists(st.integers(0, 3 * SHARDS), max_size=12),
    single_copy=st.booleans(),
)
def test_a_batch_is_its_messages(have: list[Any], cuts: list[int], turns: list[int], *, single_copy: bool) -> None:
    """The same records and gaps come of it, in the same order."""
    log = LogAttributes(1, single_copy)
    one, other = (
        reached(
            have, cuts, Reading(SHARDS, {"node": 2}, log, capacity=2 * LAST).started(), together=together, turns=turns
        )
        for together in (True, False)
    )
    assert one == other
