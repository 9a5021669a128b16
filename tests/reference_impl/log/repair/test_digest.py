"""What a digest believes of an ESN, of streams, of bridges and of offsets: LogDevice, common/Digest.cpp."""

from __future__ import annotations

import pytest

from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.bridges import NOWHERE, apply_bridges, bridge_esn, tail_esn, with_bridge
from reference_impl.log.repair.digest import Digest, above, kept
from reference_impl.log.repair.held import Held, precedence
from reference_impl.log.repair.offsets import with_offsets
from reference_impl.log.repair.streams import plug_broken_streams
from tests.support.repairs import bridge, by_recovery, by_sequencer, digest, hole, streamed


def holes(found: Digest) -> list[int]:
    """The ESNs that became holes."""
    return [esn for esn, entry in found.items() if entry.target.is_hole]


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        (by_sequencer(1), by_sequencer(2)),
        (by_sequencer(99), by_recovery(0)),
        (by_sequencer(99), hole(1)),
        (by_recovery(3), hole(4)),
        (hole(3), by_recovery(4)),
        (by_sequencer(7), by_sequencer(0)),
        (by_sequencer(0), by_recovery(1)),
    ],
)
def test_precedence(weaker: Held, stronger: Held) -> None:
    """Recovery over sequencer, then the later seal or wave; a wave of 0 is an old recovery's, above every sequencer."""
    assert precedence(weaker) < precedence(stronger)
    for first, second in ((weaker, stronger), (stronger, weaker)):
        assert digest((0, 1, first), (1, 1, second))[1].target == stronger


def test_of_equals_the_first_is_believed() -> None:
    assert digest((0, 1, hole(4)), (1, 1, by_recovery(4)))[1].target.is_hole
    assert not digest((1, 1, by_recovery(4)), (0, 1, hole(4)))[1].target.is_hole


def test_what_a_shard_told_is_believed_after_it_is_left_out() -> None:
    """A read-only shard may hold the only copy of an acknowledged record."""
    entry = kept(digest((0, 1, by_recovery(7)), (1, 1, hole(5))), frozenset({1}))[1]
    assert entry.target == by_recovery(7)
    assert dict(entry.copies) == {1: hole(5)}


def test_entries_are_in_order() -> None:
    found = digest((0, 5, by_sequencer()), (1, 2, by_sequencer()), (0, 9, by_sequencer()))
    assert list(found) == [2, 5, 9]
    assert list(above(found, 2)) == [5, 9]


# ----------------------------------------------------------------------------------------------- streams


def test_streams_end_at_a_hole_and_other_records_do_not() -> None:
    told = digest((0, 4, streamed()), (0, 5, hole(3)), (0, 6, streamed()), (1, 7, by_sequencer()), (1, 8, streamed()))
    assert holes(plug_broken_streams(told, known_good=3)) == [5, 6, 8]


def test_streams_end_at_a_missing_record() -> None:
    told = digest((0, 2, streamed()), (0, 4, streamed()))
    assert holes(plug_broken_streams(told, known_good=1)) == [4]
    assert holes(plug_broken_streams(told, known_good=0)) == [2, 4]


def test_a_hole_in_a_stream_keeps_the_wave_of_the_record() -> None:
    """It counts as written by whoever wrote the record, not by recovery."""
    target = plug_broken_streams(digest((0, 4, streamed())), known_good=1)[4].target
    assert target == streamed()._replace(is_hole=True, in_stream=False)


def test_streams_at_or_below_the_last_known_good_one_stay() -> None:
    told = digest((0, 2, streamed()), (0, 3, streamed()))
    assert holes(plug_broken_streams(told, known_good=2)) == []
    assert holes(plug_broken_streams(digest((0, 2, hole(1)), (0, 3, streamed())), known_good=2)) == [2]


# ----------------------------------------------------------------------------------------------- bridges


def test_a_bridge_overrules_what_lies_above_it() -> None:
    """Also at shards that never saw it; what it makes a hole is as good as written with it."""
    found = apply_bridges(digest((0, 2, bridge(5)), (1, 2, by_sequencer()), (1, 4, by_sequencer(8))))
    assert holes(found) == [2, 4]
    assert found[4].target.number == 5
    assert found[4].copies[1] == by_sequencer(8)


def test_a_bridge_overrules_no_later_recovery_and_none_of_its_own() -> None:
    told = digest((0, 2, bridge(5)), (1, 2, by_recovery(6)), (1, 3, by_recovery(5)), (1, 4, by_recovery(4)))
    assert holes(apply_bridges(told)) == [4]


def test_a_bridge_overrules_nothing_below_it() -> None:
    assert holes(apply_bridges(digest((0, 1, by_sequencer()), (0, 2, bridge(5))))) == [2]


def test_of_a_shards_bridges_the_strongest_counts() -> None:
    for first, second in ((7, 5), (5, 7)):
        told = digest((0, 1, bridge(first)), (0, 2, bridge(second)), (1, 3, by_recovery(6)))
        assert holes(apply_bridges(told)) == [1, 2, 3]


def test_the_new_bridge_stands_after_the_last_record() -> None:
    """Holes above it are normal, so it need not be the highest of the epoch."""
    told = apply_bridges(digest((0, 3, by_sequencer()), (0, 5, hole(4)), (0, 9, bridge(4))))
    assert (tail_esn(told, 1), bridge_esn(told, 1, for_empty_epoch=False)) == (3, 4)
    assert not any(entry.target.is_bridge for entry in told.values())
    assert with_bridge(told, 5)[5].target.is_bridge
    assert with_bridge(told, 4) == told


@pytest.mark.parametrize(
    ("known_good", "for_empty_epoch", "expected"),
    [(0, False, NOWHERE), (0, True, 1), (7, False, 8), (ESN_MAX, True, NOWHERE)],
)
def test_the_bridge_of_an_epoch_without_a_digest(known_good: int, for_empty_epoch: bool, expected: int) -> None:
    assert bridge_esn({}, known_good, for_empty_epoch=for_empty_epoch) == expected


def test_an_epoch_of_holes_is_not_empty() -> None:
    assert bridge_esn(digest((0, 6, hole(2))), 0, for_empty_epoch=False) == 1


def test_no_bridge_after_the_greatest_esn() -> None:
    assert bridge_esn(digest((0, ESN_MAX, by_sequencer())), 5, for_empty_epoch=True) == NOWHERE


# ----------------------------------------------------------------------------------------------- offsets


def sized(held: Held, offset_bytes: int | None, payload_bytes: int = 10) -> Held:
    return held._replace(offset_bytes=offset_bytes, payload_bytes=payload_bytes)


def test_holes_add_no_bytes() -> None:
    told = digest(
        (0, 3, sized(by_sequencer(), 30)), (0, 4, sized(hole(2), 30)), (0, 5, sized(by_sequencer(), 50)),
    )  # fmt: skip
    found = with_offsets(told, known_good=3)
    assert [(entry.target.offset_bytes, entry.is_moved) for entry in found.values()] == [
        (30, False), (30, False), (40, True),
    ]  # fmt: skip


def test_offsets_start_where_they_are_known() -> None:
    told = digest((0, 1, sized(by_sequencer(), 99)))
    assert with_offsets(told, known_good=0)[1].target.offset_bytes == 10
    told = digest((0, 6, sized(by_sequencer(), 99)))
    assert with_offsets(told, known_good=5, base_bytes=70)[6].target.offset_bytes == 80
    assert with_offsets(told, known_good=5) == told


def test_a_copy_that_tells_no_offset_gets_none() -> None:
    told = digest((0, 1, sized(by_sequencer(), None)), (0, 2, sized(by_sequencer(), 11)))
    found = with_offsets(told, known_good=0)
    assert [entry.target.offset_bytes for entry in found.values()] == [None, 20]
