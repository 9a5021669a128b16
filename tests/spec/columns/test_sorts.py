"""Rows that say the same are judged together: which they are, and that it changes no answer.

Justified by the reference evaluator, which looks at each row alone.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest

from spec.columns.evaluators import RowEvaluator
from spec.columns.events import Selection
from spec.columns.order import alike, stable_order
from tests.support.corpus import PLANS, events_of_run
from tests.support.simulated import judged_columns, raw_of

GIVEN = np.random.default_rng(7)


@pytest.mark.parametrize("rows", [1, 2, 300])
def test_rows_of_one_sort_say_the_same(rows: int) -> None:
    columns = [GIVEN.integers(-3, 3, rows), GIVEN.integers(0, 2, rows).astype(np.bool_), GIVEN.integers(7, 9, rows)]
    sorts = alike(columns, 24)
    assert sorts is not None
    for column in columns:
        assert np.array_equal(column[sorts.first][sorts.sort], column)
    different = set(zip(*(column.tolist() for column in columns), strict=True))
    assert len(sorts.first) == len(different) == len(set(sorts.sort.tolist()))


def test_many_sorts_are_not_told_apart() -> None:
    """What that would cost does not hang on how many there are, but on how many there may be."""
    assert alike([np.array([0, 1 << 62])], 1 << 20) is None
    assert alike([np.array([-(1 << 63), (1 << 63) - 1]), np.array([0, 1])], 1 << 20) is None
    assert alike([np.array([5, 5])], 0) is None


@pytest.mark.parametrize("bits", [10, 20, 45, 63])
def test_numbers_of_any_width_are_sorted_stably(bits: int) -> None:
    """Also where only their lowest bits differ, which have no room beside a number's place."""
    some = GIVEN.integers(-(1 << bits - 1), (1 << bits - 1) - 1, 1000)
    for values in (some, np.repeat(some, 3), some // 2 * 2 + GIVEN.integers(0, 2, 1000)):
        assert np.array_equal(stable_order(values), np.argsort(values, kind="stable"))
    near = np.array([(1 << 62) + 1, 0, 1 << 62, (1 << 62) + 1, 1 << 62])
    assert np.array_equal(stable_order(near), np.argsort(near, kind="stable"))


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.int64])
def test_numbers_that_lie_close_together_are_sorted_stably(kind: type[np.signedinteger]) -> None:
    """Different ones are put where they belong; if one stands twice, both stay, in their order."""
    different = (GIVEN.permutation(3000)[:2000] - 1500).astype(kind)
    twice = np.append(different, different[:1])
    risen = np.sort(twice)
    for values in (different, twice, risen, risen[::-1].copy(), different[:0]):
        assert np.array_equal(stable_order(values), np.argsort(values, kind="stable"))


@pytest.mark.parametrize("mutant", ["rebuilt_anywhere", "loss_without_f_majority", "copyset_ignores_scopes"])
def test_judging_them_together_changes_no_answer(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = PLANS[mutant].parameters()
    raw = raw_of(events_of_run(mutant), parameters)
    said = []
    for worth in (0, 1 << 62):
        monkeypatch.setattr("spec.columns.evaluators.WORTH_ONCE", worth)
        said.append(judged_columns(raw, parameters))
    assert said[0] == said[1]
    assert said[0].violations


def test_a_block_leaves_no_circle_behind() -> None:
    """Else its columns would stay in memory, and those of the next blocks be put elsewhere, until a collection."""
    parameters = PLANS["copyset_ignores_scopes"].parameters()
    raw = raw_of(events_of_run("copyset_ignores_scopes"), parameters)
    gc.collect()
    gc.disable()
    try:
        judged_columns(raw, parameters)
        left = [one for one in gc.get_objects() if isinstance(one, RowEvaluator | Selection)]
    finally:
        gc.enable()
    assert left == []
