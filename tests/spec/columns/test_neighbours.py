"""Neighbour columns say what ``spec.language.reference.look`` says, and know the row that they looked at."""

from random import Random
from typing import Any

import numpy as np
import pytest

from spec.columns.column import Column
from spec.columns.neighbours import Partition, look
from spec.language import reference
from spec.language.terms import Along, Col

NONE = np.zeros(0, np.intp)


def drawn(rng: Random, size: int) -> tuple[list[int | None], list[int], Column, Partition]:
    """Values of some rows, the first row of each partition, and both as columns."""
    said = [rng.choice((None, rng.randint(-3, 3))) for _ in range(size)]
    starts = sorted({0, *(rng.randrange(size) for _ in range(rng.randint(0, 4)))})
    known = np.array([value is not None for value in said])
    column = Column(np.array([9 if value is None else value for value in said]), None if known.all() else known)
    firsts = np.array(starts)
    return said, starts, column, Partition(firsts, np.append(firsts[1:], size) - 1, NONE, NONE)


@pytest.mark.parametrize("fn", ["previous", "latest", "next", "highest", "lowest"])
def test_says_what_the_fold_says(fn: str, rng: Random) -> None:
    for _ in range(200):
        said, starts, column, partition = drawn(rng, rng.randint(1, 12))
        seen = look(fn, column, partition, None)
        sources = seen.source(np.arange(len(said)))
        for row in range(len(said)):
            first = max(start for start in starts if start <= row)
            last = min([start for start in starts if start > row], default=len(said))
            want = reference.look(Along(fn, (), Col("x", "int")), said[first:last], row - first)
            known = seen.column.known is None or seen.column.known[row]
            assert (int(seen.column.value[row]) if known else None) == want
            assert want is None or said[sources[row]] == want
            assert sources[row] == -1 or first <= sources[row] < last


@pytest.mark.parametrize(
    ("fn", "left", "right", "opened", "carried"),
    [
        ("previous", [0], [1], [True, False, False, False, False], [4]),
        ("latest", [0], [1], [True, False, False, False, False], [4]),
        ("next", [0], [1], [False, False, False, False, False], [1]),
        ("highest", [0], [1], [True, True, True, False, False], [4]),
        ("lowest", [0], [1], [False, False, False, True, True], [1]),
    ],
)
def test_what_a_border_leaves_open(
    fn: str, left: list[int], right: list[int], opened: list[bool], carried: list[int]
) -> None:
    """Rows 0 to 2 go on to the left, rows 3 and 4 to the right; the values of rows 0 and 2 are not known."""
    column = Column(np.array([0, 5, 0, 4, 7]), np.array([False, True, False, True, True]))
    partition = Partition(np.array([0, 3]), np.array([2, 4]), np.array(left), np.array(right))
    seen = look(fn, column, partition, None)
    found: Any = np.zeros(5, np.bool_) if seen.column.open is None else seen.column.open
    assert found.tolist() == opened
    assert seen.carry.tolist() == carried


@pytest.mark.parametrize(
    ("fn", "said", "bounds"),
    [
        ("highest", [None, 5, 2, 7], [None, 5, 5, 7]),
        ("highest", [4, None, 3, None], [4, 4, 4, None]),
        ("lowest", [None, 5, 7, 6], [5, 5, 7, 6]),
        ("lowest", [4, None, None, None], [4, None, None, None]),
    ],
)
def test_what_a_block_holds_is_a_bound(fn: str, said: list[int | None], bounds: list[int | None]) -> None:
    """Rows 0 to 2 are one partition, row 3 is another; both go on outside."""
    known = np.array([value is not None for value in said])
    column = Column(np.array([value or 0 for value in said]), known)
    partition = Partition(np.array([0, 3]), np.array([2, 3]), np.array([0, 1]), np.array([0, 1]))
    seen = look(fn, column, partition, None).column
    assert seen.open is not None
    assert seen.open.all()
    assert seen.bound is not None
    assert seen.bound.falls is (fn == "lowest")
    found = [int(value) if there else None for value, there in zip(seen.value, seen.bound.there, strict=True)]
    assert found == bounds


def test_next_is_open_after_the_last_known_value() -> None:
    """What comes next may lie in the next block."""
    column = Column(np.array([3, 0, 0]), np.array([True, False, False]))
    seen = look("next", column, Partition(np.array([0]), np.array([2]), NONE, np.array([0])), None)
    assert seen.column.open is not None
    assert seen.column.open.tolist() == [False, True, True]
