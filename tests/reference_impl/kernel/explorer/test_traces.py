"""What is broken is shown by a shortest run of the text itself, whatever engine and symmetry found it.

Justification: breadth-first search meets a state first at its least distance from the start (Moore, 1959), and the
meaning of the text judges every step of the trace again.
"""

from collections import deque
from dataclasses import replace

import pytest

from reference_impl.kernel.explorer.result import Result
from reference_impl.kernel.explorer.search import explore
from spec.language.protocol import World
from spec.language.protocol.meaning import BrokenAssumption, after, broken
from spec.language.protocol.states import State
from spec.protocols.recovery import Recovery, cluster
from spec.protocols.recovery_variants import BridgeAtFirstGap, LowestWins, OneCopyIsEnough, SealStopsOnlyTheSequencer
from spec.protocols.registry import TEXTS, snake
from tests.suite.caught import Catches
from tests.support.explored import Colour, Doubtful, Gossip, Person, Place, Team, TwoValues, pairs, steps_from

DEEP = {("epoch", "no_rewind_on_empty"), ("epoch", "what_is_relied_on_is_dropped")}
"""None of the twenty million states of their small worlds breaks a goal; ``tests/spec/protocols/test_epoch.py`` tells
how larger ones do."""

VARIANTS = [(name, variant) for name, text in TEXTS.items() for variant in text.variants if (name, variant) not in DEEP]


def judged(world: World, result: Result) -> None:
    """The trace is a run of the text from its start, nothing is wrong before its end, and there something is."""
    assert result.broken is not None
    assert result.trace is not None
    states, steps = result.trace.states, result.trace.steps
    assert (states[0], len(states)) == (world.start, len(steps) + 1)
    for before, step, then in zip(states, steps, states[1:], strict=False):
        assert after(world, before, step, strict=False) == then
    if result.broken.kind == "defect":
        with pytest.raises(BrokenAssumption):
            after(world, states[-2], steps[-1])
    else:
        assert broken(world, states[-1], result.broken.clause) == result.broken.row
        assert all(broken(world, state, result.broken.clause) is None for state in states[:-1])


def least(world: World, states: int = 1200) -> int | None:
    """The length of a shortest trace to a false goal, by breadth-first search over the meaning alone."""
    depth: dict[State, int] = {world.start: 0}
    waiting = deque(depth)
    goals = world.protocol.of_kind("goal")
    while waiting and len(depth) < states:
        state = waiting.popleft()
        if any(broken(world, state, goal) is not None for goal in goals):
            return depth[state]
        for then in steps_from(world, state):
            if then not in depth:
                depth[then] = depth[state] + 1
                waiting.append(then)
    return None


@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_every_variant(name: str, variant: str, catches: Catches) -> None:
    """Wrong forms of the texts: each trace is judged by the meaning, and symmetry finds none that is longer."""
    world = TEXTS[name].small(variant)
    plain = explore(world, engine="numpy")
    result = explore(world, symmetry=True, engine="numpy")
    assert (result.broken is None, result.complete) == (plain.broken is None, plain.complete)
    if result.broken is not None:
        judged(world, plain)
        judged(world, result)
        assert result.trace is not None
        assert plain.trace is not None
        assert len(result.trace.steps) == len(plain.trace.steps)
        catches("form", f"{name}/{variant}", "explorer")


@pytest.mark.parametrize(
    ("protocol", "bounds", "steps"),
    [
        (OneCopyIsEnough, (3, 2, 1, 1), 5),
        (BridgeAtFirstGap, (3, 2, 2, 1), 8),
        (SealStopsOnlyTheSequencer, (3, 2, 1, 2), 10),
        (LowestWins, (3, 2, 1, 2), 10),
    ],
)
def test_known_defects_of_recovery(
    protocol: type[Recovery], bounds: tuple[int, int, int, int], steps: int, catches: Catches
) -> None:
    """Each needs its number of steps, and bounds in which it can show."""
    world = replace(cluster(*bounds), protocol=protocol)
    for symmetry in (False, True):
        result = explore(world, symmetry=symmetry, engine="numpy")
        judged(world, result)
        assert result.depth == steps
    catches("form", f"recovery/{snake(protocol.__name__)}", "explorer")


@pytest.mark.parametrize(
    "world",
    [World(Gossip, {Person: 2}), World(Gossip, {Person: 3}), TEXTS["recovery"].small("one_copy_is_enough")],
    ids=["gossip of two", "gossip of three", "recovery with one copy"],
)
def test_no_trace_is_shorter(world: World) -> None:
    """A search over the meaning alone, which shares nothing with the engines, needs as many steps."""
    for symmetry in (False, True):
        result = explore(world, symmetry=symmetry, engine="numpy")
        judged(world, result)
        assert result.trace is not None
        assert len(result.trace.steps) == least(world)


def test_a_wrong_assumption_is_a_defect_of_the_text() -> None:
    """What is assumed where a step may happen, and is false, ends the search with that step."""
    result = explore(World(Doubtful, {Person: 2, Place: 2}, {Team: pairs(2)}), engine="numpy")
    judged(World(Doubtful, {Person: 2, Place: 2}, {Team: pairs(2)}), result)
    assert result.broken is not None
    assert (result.broken.kind, result.broken.clause.name) == ("defect", "finish")
    assert "assumes" in result.broken.message


def test_two_values_are_a_defect_of_the_text() -> None:
    """A partial function has one value for its arguments."""
    world = World(TwoValues, {Person: 2, Colour: 3})
    result = explore(world, symmetry=True, engine="numpy")
    judged(world, result)
    assert result.trace is not None
    assert result.broken is not None
    assert (len(result.trace.steps), result.broken.kind, result.broken.clause.name) == (2, "defect", "dress")


def test_the_run_engine_finds_the_same() -> None:
    """The slow engine stops at the same distance."""
    for world in (World(TwoValues, {Person: 2, Colour: 2}), TEXTS["recovery"].small("one_copy_is_enough")):
        slow, fast = explore(world, engine="run"), explore(world, engine="numpy")
        judged(world, slow)
        assert slow.trace is not None
        assert fast.trace is not None
        assert len(slow.trace.steps) == len(fast.trace.steps)


def test_invariants_may_be_checked_instead() -> None:
    """A text without invariants cannot break one, whatever its goals are."""
    world = World(Gossip, {Person: 2})
    assert explore(world, engine="numpy").broken is not None
    assert explore(world, engine="numpy", checked="invariant").complete
