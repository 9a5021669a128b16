"""Sets of states are exact whatever their first words are: a shared first word never makes two states one.

Justification: sets of tuples in Python, which compare all words; first rows of few values make every case a tie.
"""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.kernel.explorer.columns import Columns, U, distinct, joined, known, merged, mixed, unmixed, without
from reference_impl.kernel.explorer.packing import packed, unpacked

State = tuple[int, ...]


def columns(states: list[State], words: int) -> Columns:
    array: npt.NDArray[np.uint64] = np.array(states, U).reshape(len(states), words)
    return np.ascontiguousarray(array.T)


def tuples(states: Columns) -> list[State]:
    return [tuple(int(word) for word in state) for state in states.T]


@st.composite
def sets(draw: st.DrawFn, count: int) -> tuple[int, list[list[State]]]:
    """Some lists of states of one number of words, most of which share their words."""
    words = draw(st.integers(1, 3))
    word = st.one_of(st.integers(0, 2), st.sampled_from([1 << 63, (1 << 64) - 1]))
    states = st.lists(st.tuples(*[word] * words), max_size=40)
    return words, [draw(states) for _ in range(count)]


@given(sets(1))
def test_distinct(given_sets: tuple[int, list[list[State]]]) -> None:
    """Each state once, in an order of the first words."""
    words, (states,) = given_sets
    found = tuples(distinct(columns(states, words)))
    assert sorted(found) == sorted(set(states))
    assert [state[0] for state in found] == sorted(state[0] for state in found)


@given(sets(2))
def test_joined_and_without(given_sets: tuple[int, list[list[State]]]) -> None:
    """Union and difference."""
    words, (some, others) = given_sets
    a, b = distinct(columns(some, words)), distinct(columns(others, words))
    assert set(tuples(without(a, b))) == set(some) - set(others)
    assert set(tuples(a[:, known(a, b)])) == set(some) & set(others)
    union = tuples(joined([a, b]))
    assert sorted(union) == sorted(set(some) | set(others))


@given(sets(2))
def test_merged(given_sets: tuple[int, list[list[State]]]) -> None:
    """Sets that share nothing, in order."""
    words, (some, others) = given_sets
    a, b = distinct(columns(some, words)), distinct(columns(others, words))
    found = merged(a, without(b, a))
    assert sorted(tuples(found)) == sorted(set(some) | set(others))
    assert (found[0, 1:] >= found[0, :-1]).all()


@pytest.mark.parametrize("values", [1 << 62, 1 << 20, 30_000])
def test_many_states(values: int) -> None:
    """Sets so large that places take many bits; first words that differ everywhere, or in their last bits alone."""
    random = np.random.default_rng(values)
    states = np.stack([random.integers(0, values, 50_000, dtype=U), random.integers(0, 3, 50_000, dtype=U)])
    expected = sorted(set(tuples(states)))
    found = tuples(distinct(states.copy()))
    assert sorted(found) == expected
    assert [state[0] for state in found] == [state[0] for state in expected]


@given(sets(1))
def test_mixing_can_be_undone(given_sets: tuple[int, list[list[State]]]) -> None:
    """So different states stay different."""
    words, (states,) = given_sets
    assert tuples(unmixed(mixed(columns(states, words)))) == states


@given(sets(1))
def test_packing_can_be_undone(given_sets: tuple[int, list[list[State]]]) -> None:
    """Differences and byte planes lose nothing."""
    words, (states,) = given_sets
    kept = distinct(mixed(columns(states, words)))
    assert np.array_equal(unpacked(packed(kept), words, kept.shape[1]), kept)


def test_packed_sets_are_small() -> None:
    """Reachable states lie close together: far less than a byte each."""
    states = distinct(columns([(7 * number,) for number in range(100_000)], 1))
    assert len(packed(states)) < 2_000
