"""CPU seconds of a tree of processes: what a figure in the benchmarks' tables is made of."""

from __future__ import annotations

import os

from benchmarks.processor import Spent, between, tree_of


def test_each_process_is_compared_with_itself() -> None:
    assert between({1: Spent(5, 0)}, {1: Spent(7, 0)}) == 2
    assert between({1: Spent(5, 0)}, {1: Spent(5, 0), 2: Spent(3, 0)}) == 3


def test_a_process_that_nobody_waited_for_takes_nothing_away() -> None:
    """Spark's daemon ignores the end of idle workers, so their seconds vanish from the tree."""
    assert between({1: Spent(5, 0), 2: Spent(100, 0)}, {1: Spent(9, 0)}) == 4


def test_what_a_parent_collects_counts_less_what_was_spent_before() -> None:
    assert between({1: Spent(5, 0), 2: Spent(10, 0)}, {1: Spent(5, 12)}) == 2
    assert between({1: Spent(5, 0)}, {1: Spent(5, 12)}) == 12


def test_this_process_is_in_its_tree() -> None:
    assert os.getpid() in tree_of()
