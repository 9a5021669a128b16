"""The explore reading does what the texts mean, step by step, on every text, on its variants and on its mutants.

Justification: the meaning of a text in a finite world is ``spec.language.protocol.meaning``; a reading that differs
from it anywhere counts states of something else.
"""

from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from reference_impl.kernel.explorer.columns import U
from reference_impl.kernel.explorer.compiling import functions
from reference_impl.kernel.explorer.search import explore
from spec.explore.layout import Layout
from spec.explore.lowering import Checked, Lowering
from spec.language.protocol import Protocol, World
from spec.language.protocol.meaning import BrokenAssumption, after, broken
from spec.language.protocol.mutants import without_one_guard
from spec.language.protocol.states import State
from spec.protocols.recovery import cluster
from spec.protocols.registry import TEXTS
from spec.protocols.two_phase import transaction
from tests.support.explored import (
    Colour,
    Counting,
    Doubtful,
    Gossip,
    Painting,
    Person,
    Place,
    Storing,
    Team,
    TwoValues,
    Voting,
    across,
    pairs,
    reachable,
    steps_from,
)

STATES = 60
"""So many states of a world are compared; they are spread over the first thousands that are found."""

SMALL: dict[str, World] = {
    "recovery": cluster(3, 2, 1, 1),
    "two phases": transaction(2),
    "gossip": World(Gossip, {Person: 3}),
    "painting": World(Painting, {Person: 2, Colour: 3}),
    "voting": World(Voting, {Person: 3}, {Team: pairs(3)}),
    "storing": World(Storing, {Person: 4, Place: 2}, {Team: across(2, 2)}),
    "counting": World(Counting, {Person: 2, Place: 5}),
    "doubtful": World(Doubtful, {Person: 2, Place: 2}, {Team: pairs(2)}),
    "two values": World(TwoValues, {Person: 2, Colour: 3}),
}


def wrong(world: World, state: State, checked: Checked) -> bool:
    """By the meaning of the text: a clause is false, or a step is a defect."""
    if any(broken(world, state, clause) for clause in world.protocol.of_kind(checked)):
        return True
    try:
        for step in world.steps:
            after(world, state, step)
    except BrokenAssumption:
        return True
    return False


def differences(world: World, states: list[State], checked: Checked = "goal", word_bits: int = 64) -> list[State]:
    """The states from which the explore reading goes elsewhere than the text, or finds something else wrong."""
    layout = Layout(Lowering(world, checked), False, word_bits)
    made = functions(layout)
    out = np.empty((layout.words, len(layout.lowering.moves) + 1), U)
    different = []
    for state in states:
        count, fine = made.successors(out, *np.array([layout.pack(state)], U).T)
        if fine == 0:
            same = wrong(world, state, checked)
        else:
            found = Counter(layout.unpack(word) for word in out[:, :count].T)
            same = found == Counter(steps_from(world, state)) and not wrong(world, state, checked)
        if not same:
            different.append(state)
    return different


def sample(world: World, most: int = 3000) -> list[State]:
    """Some states, the start among them."""
    found = list(islice(reachable(world), most))
    return found[:: max(1, len(found) // STATES)]


@pytest.mark.parametrize("word_bits", [64, 7])
@pytest.mark.parametrize("name", SMALL)
def test_small_worlds(name: str, word_bits: int) -> None:
    """In one word and in several."""
    assert differences(SMALL[name], sample(SMALL[name]), word_bits=word_bits) == []


@pytest.mark.parametrize("checked", ["goal", "invariant"])
@pytest.mark.parametrize("name", TEXTS)
def test_every_text(name: str, checked: Checked) -> None:
    """Every registered text, its goals and its invariants."""
    world = TEXTS[name].small()
    assert differences(world, sample(world, 300)[:20], checked) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), [(name, one) for name, text in TEXTS.items() for one in text.variants])
def test_every_variant(name: str, variant: str) -> None:
    """Wrong and historic forms do wrong the same way."""
    world = TEXTS[name].small(variant)
    assert differences(world, sample(world, 300)[:20]) == []


@pytest.mark.slow
@pytest.mark.parametrize("world", [cluster(3, 2, 1, 1), transaction(2)], ids=["recovery", "two phases"])
def test_every_mutant(world: World) -> None:
    """Without any one guard both readings go astray alike, state by state and in what is counted or broken."""
    for mutant in without_one_guard(world.protocol):
        changed = replace(world, protocol=mutant.protocol)
        assert differences(changed, sample(changed, 1000)[:10]) == [], mutant
        assert ended(changed, "run") == ended(changed, "numpy"), mutant


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in TEXTS if name not in ("recovery", "two_phase")])
def test_every_mutant_of_larger_texts(name: str) -> None:
    """The same state by state, in the small worlds that commands explore."""
    world = TEXTS[name].small()
    for mutant in without_one_guard(world.protocol):
        changed = replace(world, protocol=mutant.protocol)
        assert differences(changed, sample(changed, 100)[:5]) == [], mutant


def ended(world: World, engine: str) -> tuple[int, int, bool, int | None]:
    """What a search of at most some thousand states says."""
    result = explore(world, engine="run" if engine == "run" else "numpy", states=3000)
    trace = None if result.trace is None else len(result.trace.steps)
    counts = (result.distinct, result.transitions) if result.broken is None else (result.distinct, 0)
    return (*counts, result.complete, trace)


def test_a_text_that_lies_is_noticed() -> None:
    """The comparison itself can fail: of another text's states and steps it finds differences."""
    right, wrong_text = SMALL["storing"], replace(SMALL["storing"], protocol=Careless)
    assert differences(right, sample(right)) == []
    layout = Layout(Lowering(right), False)
    made = functions(layout)
    out = np.empty((layout.words, len(layout.lowering.moves) + 1), U)
    count, _ = made.successors(out, *np.array([layout.pack(right.start)], U).T)
    assert count != len(steps_from(wrong_text, right.start))


class Careless(Storing):
    """Stores in any order."""


Careless.clauses = next(iter(without_one_guard(Storing))).protocol.clauses
assert issubclass(Careless, Protocol)
