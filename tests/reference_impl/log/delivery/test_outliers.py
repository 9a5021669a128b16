"""Samples that stand out: LogDevice, Read path, SCD greylisting; common/OutlierDetection.h."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.delivery.outliers import Method, Sample, find_outliers, threshold

METHODS = tuple(Method)

value_lists = st.lists(st.integers(0, 500), max_size=9)


def samples(*values: float) -> list[Sample[int]]:
    return [Sample(number, value) for number, value in enumerate(values)]


def slow(*values: float, limit: int = 2, margin: float = 0, method: Method = Method.RMSD) -> list[float]:
    """The values that stand out."""
    return [sample.value for sample in find_outliers(samples(*values), limit, margin=margin, method=method).outliers]


def test_thresholds_by_hand() -> None:
    """Mean 4 and deviation 2, or median 4 and deviation 1: two deviations, and half of the middle."""
    values = (1, 3, 4, 5, 7)
    assert threshold(values, Method.RMSD, deviations=2, margin=0.5) == pytest.approx(4 + 2 * 2 + 2)
    assert threshold(values, Method.MAD, deviations=2, margin=0.5) == pytest.approx(4 + 2 * 1 + 2)


@pytest.mark.parametrize("method", METHODS)
def test_one_and_two_slow_nodes(method: Method) -> None:
    """Those that are far from the rest, the slowest first."""
    assert slow(10, 11, 12, 90, 10, method=method) == [90]
    assert slow(10, 11, 60, 90, 12, method=method) == [90, 60]


@pytest.mark.parametrize("method", METHODS)
def test_a_second_slow_node_hides_the_first(method: Method) -> None:
    """With one allowed, two slow nodes are none: the second belongs to the rest, which must stay below."""
    assert slow(10, 11, 60, 90, 12, limit=1, method=method) == []
    assert slow(10, 11, 60, 90, 12, limit=0, method=method) == []


def test_a_margin_asks_for_more() -> None:
    """Outliers are greater than the mean by the margin, whatever the deviation."""
    assert slow(10, 10, 10, 19, margin=0.8) == [19]
    assert slow(10, 10, 10, 19, margin=1) == []
    assert slow(10, 10, 10, 20, margin=1) == [20]
    assert slow(10, 90, margin=1) == [90]


def test_equal_samples_do_not_stand_out() -> None:
    """Where the rest is all the same, it reaches its own threshold; single precision decides."""
    assert slow(50, 50, 50, 50) == []
    assert slow(50, 50, 50, 51) == []
    assert slow(0, 0, 0, 1) == [1]


def test_single_precision() -> None:
    """OutlierDetection.h adds the step from 1 to the next number, which is lost in any threshold from 4 on."""
    assert threshold((0, 0), Method.RMSD, deviations=5, margin=0) == 2**-23
    assert threshold((50, 50), Method.RMSD, deviations=5, margin=0) == 50


def test_production_takes_five_deviations() -> None:
    """ClientReadStreamFailureDetector.cpp: of the root mean square; here five of them above 10 are 14.08."""
    assert len(find_outliers(samples(9, 10, 11, 14.5), 1).outliers) == 1
    assert find_outliers(samples(9, 10, 11, 14), 1).outliers == ()


def test_who_may_be_an_outlier() -> None:
    """A sample that may not be one always counts among the rest."""
    detection = find_outliers(samples(10, 11, 12, 90, 95), 2, may_be=lambda key: key != 4)
    assert detection.outliers == ()
    assert find_outliers(samples(10, 11, 12, 90), 4, may_be=lambda key: key == 3).outliers == (Sample(3, 90),)


def test_the_threshold_tells_how_long_to_wait() -> None:
    """Without outliers it is the lowest that was tried; with nothing to look at there is none."""
    waiting = find_outliers(samples(10, 10, 15), 1, margin=1)
    assert waiting.outliers == ()
    assert waiting.threshold == pytest.approx(20)
    assert find_outliers(samples(), 3).threshold == inf
    assert find_outliers(samples(7), 3).threshold == inf


@given(values=value_lists, limit=st.integers(0, 9), method=st.sampled_from(METHODS))
def test_outliers_are_the_greatest(values: list[int], limit: int, method: Method) -> None:
    """No more than allowed, never all, and each above everything else."""
    found = find_outliers(samples(*values), limit, method=method)
    keys = {sample.key for sample in found.outliers}
    rest = [value for key, value in enumerate(values) if key not in keys]
    assert len(keys) <= min(limit, max(len(values) - 1, 0))
    assert all(sample.value >= found.threshold and sample.value > max(rest) for sample in found.outliers)
