"""The nodes that a reader does not wait for: ClientReadStreamScd.cpp, FilteredOut; Read path, Known down list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.delivery.filtered_out import (
    FilteredOut,
    add_down,
    apply,
    change_slow,
    clear,
    erase,
    remove_down,
)

EMPTY = FilteredOut()
nodes = st.frozensets(st.integers(0, 3))
any_lists = st.builds(FilteredOut, nodes, nodes, nodes, nodes)


def down_and_slow() -> FilteredOut:
    """Node 1 is down and 2 is slow, and the storage nodes know it."""
    return FilteredOut(frozenset({1}), frozenset({2}), frozenset({1}), frozenset({2}))


def test_changes_wait_for_a_rewind() -> None:
    """What is scheduled changes nothing yet, and takes effect all at once."""
    lists, news = add_down(EMPTY, 1)
    assert (lists.everyone, news) == (frozenset(), True)
    lists, news = change_slow(lists, frozenset({2}))
    assert (lists.everyone, news) == (frozenset(), True)
    assert apply(lists) == (down_and_slow(), True)
    assert apply(down_and_slow()) == (down_and_slow(), False)
    assert down_and_slow().everyone == {1, 2}


def test_what_is_no_news() -> None:
    """A node that is listed already, or not at all; the same slow nodes."""
    assert add_down(down_and_slow(), 1) == (down_and_slow(), False)
    assert remove_down(down_and_slow(), 3) == (down_and_slow(), False)
    assert change_slow(down_and_slow(), frozenset({2})) == (down_and_slow(), False)


def test_down_goes_before_slow() -> None:
    """A node that goes down leaves the slow ones; one that is slow as well is only down once it takes effect."""
    assert add_down(down_and_slow(), 2)[0].new_slow == frozenset()
    both, _ = change_slow(down_and_slow(), frozenset({1, 2}))
    assert both.new_slow == {1, 2}
    assert apply(both)[0].slow == {2}


def test_a_node_comes_back() -> None:
    """It is taken off the list with the next rewind: Known down list, when nodes are removed."""
    lists, news = remove_down(down_and_slow(), 1)
    assert (lists.down, lists.new_down, news) == (frozenset({1}), frozenset(), True)
    assert apply(lists)[0].everyone == {2}


def test_a_node_leaves_the_read_set() -> None:
    """It leaves all lists at once; whether that is news is a matter of what the storage nodes have."""
    assert erase(down_and_slow(), 1) == (FilteredOut(slow=frozenset({2}), new_slow=frozenset({2})), True)
    assert erase(add_down(EMPTY, 1)[0], 1) == (EMPTY, False)


def test_all_send_all_filters_nobody() -> None:
    """All Send All mode: the lists are empty, and so is what was scheduled."""
    assert clear(down_and_slow()) == EMPTY


@given(lists=any_lists)
def test_applied_lists_are_apart(lists: FilteredOut) -> None:
    """No node is both down and slow, and a second rewind finds nothing to do."""
    applied, _ = apply(lists)
    assert applied.down.isdisjoint(applied.slow)
    assert apply(applied) == (applied, False)
