"""Appender stages, with the example of LogDevice, Single Copy Delivery, Appender stages: [3, 2, 1, 0, 4], R 3, X 2."""

from __future__ import annotations

from itertools import permutations

import pytest

from reference_impl.log.appender_stages import Appender, Stage, appender_of, on_stored
from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.shipping import Stored, Stream, ships

COPYSET = (3, 2, 1, 0, 4)
EXAMPLE = appender_of(COPYSET, 3)


def after(*nodes: int, appender: Appender = EXAMPLE) -> tuple[Appender, list[Nodes]]:
    """The append once these have stored it, one after the other, and who was told to delete it each time."""
    told = []
    for node in nodes:
        appender, to_delete = on_stored(appender, node)
        told.append(to_delete)
    return appender, told


def shippers(*down: int) -> Nodes:
    """Who sends the record in the end, with these nodes down."""
    appender, _ = after(2, 0, 4, 3, 1)
    record, listed = Stored(1, COPYSET), frozenset(down)
    up = appender.holders - listed
    return frozenset(node for node in up if ships(Stream(node, known_down=listed, replication=3), record))


def test_the_candidate_copyset() -> None:
    """Five members for three copies; one sync leader and as many leaders as copies, if nothing else is said."""
    assert (EXAMPLE.extras, EXAMPLE.stage) == (2, Stage.REPLICATION)
    assert (EXAMPLE.sync_leaders, EXAMPLE.leaders) == (1, 3)


def test_any_copies_end_the_replication_stage() -> None:
    """N2, N0 and N4 have it: the writer is answered, and the two that do not are scattered."""
    two, _ = after(2, 0)
    assert not two.is_acknowledged
    three, told = after(2, 0, 4)
    assert (three.is_acknowledged, three.is_released, three.stage) == (True, False, Stage.SYNC_LEADERS)
    assert told == [frozenset()] * 3
    assert [node in three.holders for node in COPYSET] == [False, True, False, True, True]


@pytest.mark.parametrize("stored", [*permutations(COPYSET, 3)])
def test_writers_never_wait_for_leaders(stored: tuple[int, ...]) -> None:
    """Whichever three: availability of writes comes first."""
    assert after(*stored)[0].is_acknowledged


def test_the_sync_leader_releases_it() -> None:
    """N3 has it: N4 is told to delete it, and readers may have it."""
    appender, told = after(2, 0, 4, 3)
    assert (set(told[-1]), appender.stage, appender.is_released) == ({4}, Stage.LEADER_REDUNDANCY, True)
    assert [node in appender.holders for node in COPYSET] == [True, True, False, True, False]


def test_without_the_sync_leader_nothing_is_released() -> None:
    """However many others have it: so a leader that is silent stalls the log's readers."""
    appender, _ = after(2, 1, 0, 4)
    assert (appender.stage, appender.is_released) == (Stage.SYNC_LEADERS, False)


def test_all_leaders_end_the_append() -> None:
    """N1 has it: N0 is told to delete it, and the extras are the right-most members."""
    appender, told = after(2, 0, 4, 3, 1)
    assert (set(told[-1]), appender.stage) == ({0}, Stage.DONE)
    assert [node in appender.holders for node in COPYSET] == [True, True, True, False, False]


@pytest.mark.parametrize("order", [*permutations(COPYSET)])
def test_extras_end_up_on_the_right(order: tuple[int, ...]) -> None:
    """In whatever order they store it: as many keep it as copies are asked for, the left-most ones."""
    appender, told = after(*order)
    assert appender.holders == {3, 2, 1}
    assert sorted(node for nodes in told for node in nodes) == [0, 4]
    assert after(*order, *order)[0] == appender


def test_who_ships_it_then() -> None:
    """N3 in steady state; N2 without it; N1 without both."""
    assert [shippers(), shippers(3), shippers(3, 2)] == [{3}, {2}, {1}]


def test_before_that_nobody_might() -> None:
    """Were it released after replication, the first of the copyset would leave readers without it."""
    three, _ = after(2, 0, 4)
    record = Stored(1, COPYSET)
    assert {node for node in three.holders if ships(Stream(node), record)} == set()
    assert {node for node in three.holders if ships(Stream(node, replication=3), record)} == {0, 4}


def test_without_extras_the_stages_are_one() -> None:
    """A copyset of as many members as copies: the later form, which waits for all of one wave."""
    single = appender_of((3, 2, 1), 3)
    assert single.extras == 0
    two, _ = after(3, 2, appender=single)
    assert two.stage is Stage.REPLICATION
    three, told = after(3, 2, 1, appender=single)
    assert (three.stage, told) == (Stage.DONE, [frozenset()] * 3)


def test_several_sync_leaders() -> None:
    """With two, N2 has to have it as well."""
    appender = appender_of(COPYSET, 3, sync_leaders=2)
    assert not after(3, 1, 0, appender=appender)[0].is_released
    assert after(3, 2, 0, appender=appender)[0].is_released


def test_strangers_change_nothing() -> None:
    """Only members of the copyset count."""
    assert on_stored(EXAMPLE, 9) == (EXAMPLE, frozenset())


@pytest.mark.parametrize(("copies", "sync", "leaders"), [(6, 1, 1), (0, 0, 0), (3, 2, 1), (3, 1, 4), (3, -1, 2)])
def test_what_cannot_be_asked_for(copies: int, sync: int, leaders: int) -> None:
    """More copies than members, or more of one kind of leader than of the next."""
    with pytest.raises(ValueError, match="as many as"):
        appender_of(COPYSET, copies, sync, leaders)
