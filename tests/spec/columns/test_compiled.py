"""Compiled loops gather what numpy gathers; where numba is absent or cannot be used, numpy does.

Justification: ``spec.language.reference``, which defines what the events of a row say together.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from spec.columns import gathering
from spec.columns.blocks import check
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.events import Events
from spec.columns.gathering import Gathering
from spec.columns.piece import Piece
from spec.columns.plan import plans_of
from spec.columns.states import State
from spec.language.reference import ReferenceEvaluator
from spec.language.terms import Agg
from spec.registry import RULES
from tests.support.cuts import differences, drawn
from tests.support.probe_rules import PROBE_RULES
from tests.support.random_traces import raw_of

needs_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="numba is not installed: compiled loops are an extra"
)


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    """Whether numba can be used is asked in each of these tests."""
    gathering._compiled.cache_clear()
    yield
    gathering._compiled.cache_clear()


@needs_numba
@pytest.mark.parametrize("seed", range(6))
def test_rules_mean_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets of 5 nodes are gathered by loops, those of 70 are not."""
    monkeypatch.setattr(gathering, "WORTH_COMPILING", 1)
    events, parameters, _ = drawn(seed)
    raw, meant = raw_of(events, parameters), ReferenceEvaluator(events, parameters)
    for rules in (PROBE_RULES, RULES):
        tables = gather(dimensions_of(rules), [raw], parameters)
        assert differences(rules, meant.judge(rules), check(rules, [raw], parameters, tables)) == []


@needs_numba
@pytest.mark.parametrize("seed", range(6))
def test_states_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every aggregate: what was said, of which rows something was, and of which an event did not know."""
    assert _different(seed, monkeypatch) == []


BROKEN: dict[str, Callable[..., tuple[Any, ...]]] = {
    "least is most": lambda how, *told: (1 - how if how < 2 else how, *told),
    "union is common": lambda how, *told: (how if how < 2 else 5 - how, *told),
    "conditions are passed over": lambda how, rows, _chosen, *told: (how, rows, None, *told),
    "NULL is a value": lambda how, rows, chosen, value, _known, *told: (how, rows, chosen, value, None, *told),
}
"""How loops may be called otherwise."""


@needs_numba
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_one_is_noticed(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that no mistake fails compares nothing."""
    from spec.columns import kernels

    join = kernels.join
    monkeypatch.setattr(kernels, "join", lambda *told: join(*BROKEN[what](*told)))
    assert any(_different(seed, monkeypatch) for seed in range(6))


def _different(seed: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The aggregates of which loops say something else than numpy, in the pieces of a random trace."""
    events, parameters, _ = drawn(seed)
    piece, found = Piece(raw_of(events, parameters), parameters), list[str]()
    for plan in plans_of((*PROBE_RULES, *RULES)):
        for name, leaf in plan.view.base.items():
            if isinstance(leaf, Agg):
                ways = []
                for least in (1, sys.maxsize):
                    monkeypatch.setattr(gathering, "WORTH_COMPILING", least)
                    ways.append(_told(Events(plan.view, piece).state(name)))
                found += [name] if ways[0] != ways[1] else []
    return found


def _told(state: State) -> tuple[list[object], ...]:
    """What a state says, however it is kept."""
    size = state.value.shape[-1]
    said = np.ones(size, np.bool_) if state.said is None else state.said
    unsure = np.zeros(size, np.bool_) if state.unsure is None else state.unsure
    return np.where(said, state.value, 0).tolist(), said.tolist(), unsure.tolist()


@pytest.mark.parametrize("missing", [ImportError("no numba"), RuntimeError("no folder for its code")])
def test_without_numba_numpy_gathers(missing: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra, and needs a folder in which to keep what it compiled."""

    class Absent:
        def __getattr__(self, name: str) -> object:
            raise missing

    monkeypatch.setattr(gathering, "WORTH_COMPILING", 1)
    monkeypatch.setitem(sys.modules, "spec.columns.compiled", Absent())
    events, parameters, _ = drawn(0)
    assert isinstance(gathering.gathering_of("min", 3, Piece(raw_of(events, parameters), parameters)), Gathering)


def test_a_small_trace_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """To load numba takes longer than to judge it."""
    monkeypatch.setitem(sys.modules, "spec.columns.compiled", None)
    events, parameters, _ = drawn(0)
    assert isinstance(gathering.gathering_of("min", 3, Piece(raw_of(events, parameters), parameters)), Gathering)
    assert gathering._compiled.cache_info().misses == 0
