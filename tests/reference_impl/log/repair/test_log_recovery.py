"""The recovery of a log over what its shards hold, and what a reader sees: LogDevice, Recovery; Reporting gaps."""

from __future__ import annotations

from collections.abc import Mapping

from reference_impl.log.lsn import ESN_MAX, lsn_of
from reference_impl.log.repair.held import Held, Shards
from reference_impl.log.repair.log_recovery import Circumstances, digest_now, recover
from reference_impl.log.repair.mutation import Becomes, Mutation
from reference_impl.log.repair.reading import Piece, Told, read
from reference_impl.log.repair.stores import Store, Stores, takers, written
from spec.log.status import Status
from tests.support.repairs import bridge, by_recovery, by_sequencer, flat, hole

FOUR = flat(4, 2)
NOBODY: Shards = frozenset()


def stores(held: Mapping[int, Mapping[tuple[int, int], Held]], known_good: Mapping[int, int] | None = None) -> Stores:
    """What four shards hold; of epoch 1 some know a last known good ESN."""
    return {
        shard: Store(
            {lsn_of(*at): one for at, one in held.get(shard, {}).items()},
            {1: known_good[shard]} if known_good and shard in known_good else {},
        )
        for shard in range(4)
    }


def content(found: Stores, epoch: int = 1) -> dict[int, tuple[bool, bool, Shards]]:
    """For each ESN, whether it is a hole and a bridge, and who holds it."""
    return {
        esn: (entry.target.is_hole, entry.target.is_bridge, frozenset(entry.copies))
        for esn, entry in digest_now(found, epoch, found).items()
    }


def test_outcomes_are_stored_on_enough_shards() -> None:
    """On all who hold a copy, and as many more as needed; with everybody heard, good copies stay as they are."""
    before = stores({0: {(1, 1): by_sequencer(), (1, 3): by_sequencer()}, 1: {(1, 1): by_sequencer()}})
    after, (done,) = recover(before, [(1, FOUR)], Circumstances(seal=5))
    assert content(after) == {
        1: (False, False, frozenset({0, 1})),
        2: (True, False, frozenset({0, 1})),
        3: (False, False, frozenset({0, 1})),
        4: (True, True, frozenset({0, 1})),
    }
    assert after[0].copies[lsn_of(1, 1)] == by_sequencer()
    assert after[1].copies[lsn_of(1, 3)] == by_recovery(5)
    assert done.tail == (1, 3)


def test_who_takes_an_outcome() -> None:
    mutation = Mutation(1, Becomes.RECORD, by_sequencer(), amend=frozenset({3}))
    assert takers(mutation, FOUR, frozenset({1, 2, 3})) == {1, 3}
    assert takers(mutation, FOUR, frozenset({3})) == {3}
    assert written(Mutation(1, Becomes.BRIDGE, hole(2)), 7) == bridge(7)
    assert written(Mutation(1, Becomes.HOLE), 7) == hole(7)


def test_a_shard_that_was_absent_purges_its_copies() -> None:
    """Good ones as well, for they lie elsewhere now; up to the recovery's last known good ESN nothing is touched."""
    held = {0: {(1, 1): by_sequencer(), (1, 2): by_sequencer(), (1, 9): by_sequencer()}, 1: {(1, 2): by_sequencer()}}
    before = stores(held, known_good={1: 1})
    after, _ = recover(before, [(1, FOUR)], Circumstances(seal=5, absent=frozenset({0})))
    assert list(after[0].esns(1)) == [1]
    assert [esn for esn in content(after) if esn > 1] == [2, 3]


def test_a_read_only_shard_lends_its_copy_and_purges_it() -> None:
    before = stores({0: {(1, 1): by_sequencer()}})
    after, _ = recover(before, [(1, FOUR)], Circumstances(seal=5, read_only=frozenset({0})))
    assert content(after) == {1: (False, False, frozenset({1, 2})), 2: (True, True, frozenset({1, 2}))}


def test_strays_of_an_empty_epoch_are_deleted_unless_known_good() -> None:
    """The word of others that an epoch is empty does not stand against good records of one's own."""
    met = Circumstances(seal=5, absent=frozenset({0}), bridge_in_empty_epoch=False)
    strays = {0: {(1, 1): by_sequencer(), (1, 2): by_sequencer()}}
    after, _ = recover(stores(strays), [(1, FOUR)], met)
    assert content(after) == {}
    after, _ = recover(stores(strays, known_good={0: 1}), [(1, FOUR)], met)
    assert list(content(after)) == [1, 2]


def test_tails_are_handed_on_over_empty_epochs() -> None:
    before = stores({0: {(2, 1): by_sequencer()}})
    _, done = recover(before, [(epoch, FOUR) for epoch in (1, 2, 3)], Circumstances(seal=5))
    assert [one.tail for one in done] == [None, (2, 1), (2, 1)]


def test_an_epoch_that_cannot_be_recovered_holds_up_the_others() -> None:
    """Two shards of four do not answer, and have their data."""
    before = stores({0: {(1, 1): by_sequencer()}})
    after, done = recover(before, [(1, FOUR), (2, FOUR)], Circumstances(seal=5, absent=frozenset({2, 3})))
    assert (after, done) == (before, ())
    gone = {2: Status.UNAVAILABLE, 3: Status.UNDERREPLICATION}
    _, done = recover(before, [(1, FOUR), (2, FOUR)], Circumstances(5, frozenset({2, 3}), statuses=gone))
    assert [one.epoch for one in done] == [1, 2]


def test_too_few_writable_shards_hold_up_the_recovery_unless_everybody_was_heard() -> None:
    """With no more to hope for, it stores what it can."""
    before, read_only = stores({0: {(1, 1): by_sequencer()}}), frozenset({1, 2, 3})
    assert recover(before, [(1, FOUR)], Circumstances(5, frozenset({3}), read_only)) == (before, ())
    after, _ = recover(before, [(1, FOUR)], Circumstances(5, NOBODY, read_only))
    assert content(after) == {1: (False, False, frozenset({0})), 2: (True, True, frozenset({0}))}


def test_with_nobody_to_write_to_epochs_pass_as_they_are() -> None:
    before = stores({0: {(1, 1): by_sequencer()}})
    gone = dict.fromkeys(range(4), Status.UNDERREPLICATION)
    after, (done,) = recover(before, [(1, FOUR)], Circumstances(5, frozenset(range(4)), statuses=gone))
    assert (done.plan, done.tail) == (None, None)
    assert after == before


# ------------------------------------------------------------------------------------------------ readers


def pieces(held: Mapping[tuple[int, int], Held], first: tuple[int, int], upto: tuple[int, int]) -> list[Piece]:
    return list(read({lsn_of(*at): one for at, one in held.items()}, lsn_of(*first), lsn_of(*upto)))


def piece(told: Told, first: tuple[int, int], last: tuple[int, int] | None = None) -> Piece:
    return Piece(told, lsn_of(*first), lsn_of(*(last or first)))


def test_a_bridge_takes_the_reader_to_the_end_of_the_epoch() -> None:
    """Over the holes that may lie above it, and on to the next epoch's first record."""
    held = {(1, 1): by_sequencer(), (1, 2): bridge(5), (1, 4): hole(5), (2, 1): by_sequencer()}
    assert pieces(held, (1, 1), (2, 1)) == [
        piece(Told.RECORD, (1, 1)),
        piece(Told.BRIDGE, (1, 2), (1, ESN_MAX)),
        piece(Told.BRIDGE, (2, 0)),
        piece(Told.RECORD, (2, 1)),
    ]
    assert pieces(held, (1, 2), (1, 7)) == [piece(Told.BRIDGE, (1, 2), (1, 7))]


def test_loss_is_told_only_inside_an_epoch() -> None:
    """Between two epochs, and before an epoch's first record, it looks like a bridge."""
    held = {(1, 3): by_sequencer(), (1, 5): hole(4), (1, 7): by_sequencer(), (2, 4): by_sequencer()}
    assert [(found.told, found.first) for found in pieces(held, (1, 1), (2, 4))] == [
        (Told.BRIDGE, lsn_of(1, 1)),
        (Told.RECORD, lsn_of(1, 3)),
        (Told.DATALOSS, lsn_of(1, 4)),
        (Told.HOLE, lsn_of(1, 5)),
        (Told.DATALOSS, lsn_of(1, 6)),
        (Told.RECORD, lsn_of(1, 7)),
        (Told.BRIDGE, lsn_of(1, 8)),
        (Told.RECORD, lsn_of(2, 4)),
    ]


def test_a_first_record_far_into_an_epoch_follows_a_loss() -> None:
    """Farther than the sequencer's window, something before it must have been acknowledged."""
    assert pieces({(1, 2000): by_sequencer()}, (1, 1), (1, 2000))[0].told is Told.DATALOSS


def test_an_empty_log_is_one_gap() -> None:
    assert pieces({}, (1, 1), (3, 0)) == [piece(Told.BRIDGE, (1, 1), (3, 0))]
