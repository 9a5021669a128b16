"""Connections keep the order of messages: common/client_read_stream/ClientReadStream.cpp, onGap, relies on it."""

from __future__ import annotations

from itertools import permutations

from reference_impl.log.connections import Link, arrived, asking, is_broken
from reference_impl.log.reading_messages import Shipped


def message(number: int, connection: int = 1, life: int = 1) -> Shipped:
    """A message of node 0."""
    return Shipped(0, life, connection, number, (), 1, 1)


def test_messages_are_taken_in_the_order_in_which_they_were_sent() -> None:
    """However they come, and however often."""
    for order in permutations(range(4)):
        link, numbers = asking(Link()), list[int]()
        for number in (*order, *order):
            link, taken = arrived(link, message(number))
            numbers += [one.number for one in taken]
        assert (numbers, link.expected, link.early) == ([0, 1, 2, 3], 4, {})


def test_what_belongs_to_another_connection_is_dropped() -> None:
    link = asking(asking(Link()))
    assert link.connection == 2
    assert arrived(link, message(0)) == (link, [])
    assert arrived(link._replace(closed=True), message(0, 2))[1] == []


def test_a_connection_goes_on_once_the_node_has_answered() -> None:
    """A START before that might be the first that the node hears of: it opens another connection."""
    link, _ = arrived(asking(Link()), message(0))
    assert asking(link) == link._replace(order=2)
    assert asking(link._replace(closed=True)).connection == 2


def test_a_node_that_was_started_anew_breaks_its_connections() -> None:
    """Its numbers begin anew: nothing of it may be taken for what was sent before."""
    link, _ = arrived(asking(Link()), message(0))
    assert is_broken(link, message(1, life=2))
    assert not is_broken(link, message(1))
    assert arrived(link, message(1, life=2)) == (link, [])
    early, _ = arrived(asking(Link()), message(1))
    assert is_broken(early, message(0, life=2))
