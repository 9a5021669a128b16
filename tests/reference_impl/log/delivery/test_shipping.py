"""Which storage nodes send a record: the tables of LogDevice, Single Copy Delivery, and what holds for any copyset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.shipping import NOBODY, Stored, Stream, shippers, ships
from reference_impl.log.delivery.shuffle import FIXED_SEEDS, shuffled

DATABASE = {
    42: (1, 0, 2, 3),
    43: (3, 5, 0, 1),
    44: (0, 1, 2, 3),
    45: (4, 0, 5, 2),
    46: (0, 3, 2, 1),
    47: (4, 3, 2, 5),
    48: (1, 4, 0, 5),
}
"""The document's example. It gives LSN 47 to N0 although its copyset does not name that node."""

LOCAL = dict.fromkeys((0, 1, 2), 1)

orders = st.permutations(range(6)).flatmap(lambda nodes: st.integers(1, 6).map(lambda size: tuple(nodes[:size])))
lists = st.frozensets(st.integers(0, 5))


def sent(node: int, *down: int, local: bool = False) -> list[int]:
    """What a node of the example sends."""
    stream = Stream(node, known_down=frozenset(down), closeness=LOCAL if local else {})
    return [lsn for lsn, copyset in DATABASE.items() if node in copyset and ships(stream, Stored(lsn, copyset))]


@pytest.mark.parametrize(
    ("down", "expected"), [((), [44, 46]), ((1,), [42, 44, 46]), ((1, 4), [42, 44, 45, 46, 48]), ((0,), [44, 46])]
)
def test_what_node_zero_sends(down: tuple[int, ...], expected: list[int]) -> None:
    """Primary recipient; Known down list, where a node that sees itself acts as if it was not listed."""
    assert sent(0, *down) == expected


def test_local_delivery_in_steady_state() -> None:
    """Local SCD, Example: N0, N1 and N2 are local, and one of them sends each record."""
    assert {node: sent(node, local=True) for node in range(6)} == {
        0: [43, 44, 45, 46],
        1: [42, 48],
        2: [47],
        3: [],
        4: [],
        5: [],
    }


def test_local_delivery_with_nodes_down() -> None:
    """Local SCD, Example: what N1 sends is as written; what N0 sends contradicts the document's own rule.

    By the rule, 42 and 48 belong to N1, which is local and up and stands first in both copysets, and 45 to N0.
    """
    assert sent(1, 0, local=True) == [42, 43, 44, 48]
    written = [42, 43, 44, 46, 48]
    assert sent(0, 0, 2, local=True) == [43, 44, 45, 46] != written


def test_higher_priorities_come_first() -> None:
    """Local SCD: the left-most node in the highest alive priority group; without one, the left-most node at all."""
    near = {3: 5, 2: 2, 1: 2}
    record = Stored(1, (0, 1, 2, 3))

    def senders(*down: int) -> Nodes:
        return frozenset(
            node for node in record.copyset if ships(Stream(node, known_down=frozenset(down), closeness=near), record)
        ) - {*down}

    assert [senders(), senders(3), senders(1, 3), senders(1, 2, 3)] == [{3}, {1}, {2}, {0}]


@given(copyset=orders, down=lists)
def test_exactly_one_sends(copyset: tuple[int, ...], down: Nodes) -> None:
    """Known down list: the first that is not listed, and listed ones before it; if all are listed, all of them."""
    sending = shippers(Stream(0, known_down=down), Stored(1, copyset))
    up = [node for node in copyset if node not in down]
    assert sending == {*copyset[: copyset.index(up[0]) + 1]} if up else sending == {*copyset}


@given(
    copyset=orders, down=lists, closeness=st.dictionaries(st.integers(0, 5), st.integers(0, 5)), seeded=st.booleans()
)
def test_one_outside_the_list_sends(
    copyset: tuple[int, ...], down: Nodes, closeness: dict[int, int], *, seeded: bool
) -> None:
    """However nodes are shuffled and near: one outside the list sends, if any is outside; someone always does."""
    stream = Stream(0, known_down=down, closeness=closeness, seeds=FIXED_SEEDS if seeded else None)
    sending = shippers(stream, Stored(1, copyset))
    assert sending
    assert len(sending - down) == bool({*copyset} - down)


def test_shuffling_comes_first() -> None:
    """LocalLogStore.cpp: the whole stored copyset is shuffled, not what the known down list leaves of it."""
    copyset = (20, 21, 22)
    assert shuffled(copyset, FIXED_SEEDS) == (22, 21, 20)
    assert shuffled(copyset[1:], FIXED_SEEDS) == (22, 21)
    stream = Stream(0, known_down=frozenset({22}), seeds=FIXED_SEEDS)
    assert shippers(stream, Stored(1, copyset)) - {22} == {21}


def test_extra_members_send_too() -> None:
    """LocalLogStore.cpp: with five members for three copies, the last two that are up send if they have the record."""
    record = Stored(1, (4, 3, 2, 1, 0))
    assert shippers(Stream(0, replication=3), record) == {4, 1, 0}
    assert shippers(Stream(0, replication=3, known_down=frozenset({1})), record) == {4, 2, 1, 0}
    assert shippers(Stream(0, replication=5), record) == shippers(Stream(0, replication=9), record) == {4}
    assert shippers(Stream(0, replication=3, closeness={3: 1}), record) == {3}


def test_holes_and_drained_records() -> None:
    """LocalLogStoreReadFilter: every node sends a hole plug, no node a drained record, however it is asked."""
    copyset = (2, 1, 0)
    assert shippers(Stream(0), Stored(1, copyset, hole=True)) == {0, 1, 2}
    assert shippers(Stream(0), Stored(1, copyset, drained=True, hole=True)) == NOBODY


def test_all_send_all() -> None:
    """All Send All mode: each storage node sends everything it has; LocalLogStore.cpp then looks at no flag either."""
    everything = Stream(0, single_copy=False, known_down=frozenset({1}))
    assert shippers(everything, Stored(1, (2, 1, 0))) == {0, 1, 2}
    assert ships(everything, Stored(1, (2, 1), drained=True))


def test_rebuilding_reads_what_it_needs() -> None:
    """LocalLogStoreReadFilter, required_in_copyset: nothing of other copysets, not even a hole; nothing drained."""
    rebuilding = Stream(0, single_copy=False, required=frozenset({7, 8}))
    assert ships(rebuilding, Stored(1, (0, 7)))
    assert not ships(rebuilding, Stored(1, (0, 1), hole=True))
    assert not ships(rebuilding, Stored(1, (0, 7), drained=True))
    assert not ships(rebuilding._replace(single_copy=True), Stored(1, (7, 0)))
    assert ships(rebuilding._replace(single_copy=True, known_down=frozenset({7})), Stored(1, (7, 0)))


def test_a_node_outside_the_copyset() -> None:
    """LocalLogStore.cpp: it leaves the record to others, unless all of them are down."""
    assert not ships(Stream(9), Stored(1, (1, 2)))
    assert ships(Stream(9, known_down=frozenset({1, 2}), replication=1), Stored(1, (1, 2)))
