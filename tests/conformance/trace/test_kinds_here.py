"""Kinds here: which events are of some kinds; numpy's own ``isin`` is what it is held to."""

import itertools

import numpy as np
import pytest

from conformance.trace.kinds_here import KindsHere

KINDS = np.array([3, 7, 3, -2, 127, 7], np.int8)


@pytest.mark.parametrize("size", range(6))
def test_they_are_told_as_numpy_tells_them(size: int) -> None:
    told = KindsHere(KINDS)
    for wanted in itertools.combinations((3, 7, -2, 127, 1), size):
        assert told.are(set(wanted)).tolist() == np.isin(KINDS, wanted).tolist(), wanted


def test_a_number_that_is_no_kind_is_among_those_here() -> None:
    assert KindsHere(KINDS).here == {3, 7, -2, 127}
    assert KindsHere(KINDS[:0]).here == frozenset()
