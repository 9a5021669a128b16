"""The compiled engine counts what the others count; without numba these tests skip.

Justification: counts of ``test_counts``; every engine runs source text that is made from one graph.
"""

import importlib.util

import pytest

from reference_impl.kernel.explorer import search
from reference_impl.kernel.explorer.search import CannotExplore, Search, explore
from reference_impl.kernel.explorer.watch import Watch
from spec.explore.layout import Layout
from spec.explore.lowering import Lowering
from spec.language.protocol import World
from spec.protocols.recovery import cluster
from spec.protocols.registry import TEXTS
from tests.support.explored import Gossip, Painting, Person

needs_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="numba is not installed: the compiled engine is an extra"
)


@needs_numba
@pytest.mark.slow
@pytest.mark.parametrize(("symmetry", "counts"), [(False, (727_616, 3_715_280)), (True, (124_464, 634_403))])
def test_recovery(symmetry: bool, counts: tuple[int, int]) -> None:
    """States and transitions, with a table that has to grow."""
    result = explore(cluster(3, 2, 1, 2), symmetry=symmetry, engine="numba")
    assert (result.distinct, result.transitions, result.depth) == (*counts, 25)
    assert (result.complete, result.engine) == (True, "numba")


@needs_numba
@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("word_bits", [64, 7])
def test_several_words(word_bits: int, symmetry: bool) -> None:
    """States of one word and of several, sorted and tried."""
    world = World(Painting, {Person: 3, **{sort: 3 for sort in Painting.sorts() if sort is not Person}})
    layout = Layout(Lowering(world), symmetry, word_bits)
    results = [Search(layout).run(engine, Watch()) for engine in ("numpy", "numba")]
    assert results[0].levels == results[1].levels
    assert results[0].transitions == results[1].transitions


@needs_numba
@pytest.mark.slow
@pytest.mark.parametrize(
    "world", [World(Gossip, {Person: 3}), TEXTS["ledger"].small("reads_do_not_fence")], ids=["gossip", "ledger"]
)
def test_traces(world: World) -> None:
    """Something broken is found at the same distance."""
    one, other = (explore(world, symmetry=True, engine=engine) for engine in ("numpy", "numba"))
    assert one.trace is not None
    assert other.trace is not None
    assert len(one.trace.steps) == len(other.trace.steps)


@needs_numba
def test_a_long_search_goes_on_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """``auto`` hands its levels over, and the counts stay."""
    monkeypatch.setattr(search, "WORTH_COMPILING_S", 0.0)
    result = explore(cluster(3, 2, 1, 1))
    assert (result.distinct, result.transitions, result.engine) == (2_840, 12_227, "numba")


def test_without_numba_the_refusal_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """And ``auto`` does without."""
    monkeypatch.setattr(search, "has_numba", lambda: False)
    monkeypatch.setattr(search, "WORTH_COMPILING_S", 0.0)
    with pytest.raises(CannotExplore, match=r"quorate\[compiled\]"):
        explore(cluster(3, 2, 1, 1), engine="numba")
    assert explore(cluster(3, 2, 1, 1)).engine == "numpy"
