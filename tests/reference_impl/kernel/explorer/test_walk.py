"""Random walks find what is wrong in worlds of any size, say how to see it again, and leave out what does not matter.

Justification: Zeller and Hildebrandt, Simplifying and isolating failure-inducing input: no single step of the result
can be left out; Groce and others, Swarm testing: walks that differ in what is likely find more.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from reference_impl.kernel.explorer.search import explore
from reference_impl.kernel.explorer.shrink import shrunk
from reference_impl.kernel.explorer.walk import walk
from spec.language.protocol import World
from spec.language.protocol.meaning import after, broken
from spec.protocols.recovery import cluster
from spec.protocols.recovery_variants import BridgeAtFirstGap, OneCopyIsEnough
from spec.protocols.registry import TEXTS
from tests.support.explored import Colour, Counting, Doubtful, Person, Place, Team, TwoValues, pairs

SEED = 7


@pytest.mark.parametrize(
    ("world", "slack"),
    [
        (replace(cluster(3, 2, 1, 1), protocol=OneCopyIsEnough), 2),
        (replace(cluster(3, 2, 2, 1), protocol=BridgeAtFirstGap), 2),
        (TEXTS["ledger"].small("reads_do_not_fence"), 5),
        (TEXTS["reads"].small("empty_may_return"), 5),
    ],
    ids=["one copy", "first gap", "no fence", "empty returns"],
)
def test_defects_are_found_and_made_short(world: World, slack: int) -> None:
    """Near the shortest trace, which a search finds."""
    found = walk(world, 200_000, SEED)
    assert found.broken is not None
    assert found.trace is not None
    assert found.found_after is not None
    states, steps = found.trace.states, found.trace.steps
    assert broken(world, states[-1], found.broken.clause) == found.broken.row
    for before, step, then in zip(states, steps, states[1:], strict=False):
        assert after(world, before, step) == then
    assert (found.seed, found.broken.kind) == (SEED, "goal")
    best = explore(world, engine="numpy").trace
    assert best is not None
    assert len(best.steps) <= len(steps) <= min(found.found_after, len(best.steps) + slack)


def test_the_same_seed_walks_the_same() -> None:
    """So a failure is seen again by one line."""
    world = TEXTS["ledger"].small("reads_do_not_fence")
    assert walk(world, 200_000, SEED) == walk(world, 200_000, SEED)


def test_what_is_right_is_walked_to_the_end() -> None:
    """All steps are taken, and nothing is found; a walk that comes to an end begins anew."""
    found = walk(cluster(4, 2, 2, 2), 500, SEED, length=10)
    assert (found.steps, found.walks, found.broken, found.trace) == (500, 50, None, None)
    found = walk(World(Counting, {Person: 1, Place: 4}), 20, SEED)
    assert (found.steps, found.walks) == (20, 5)


def test_defects_of_a_text_are_found_too() -> None:
    """A wrong assumption, and a partial function with two values."""
    for world, name, least in (
        (World(Doubtful, {Person: 2, Place: 2}, {Team: pairs(2)}), "finish", 5),
        (World(TwoValues, {Person: 2, Colour: 3}), "dress", 2),
    ):
        found = walk(world, 1000, SEED)
        assert found.broken is not None
        assert found.trace is not None
        assert (found.broken.kind, found.broken.clause.name, len(found.trace.steps)) == ("defect", name, least)


def test_nothing_more_can_be_left_out() -> None:
    """Of a hundred numbers the three that matter stay, in their order."""

    def replay(numbers: Sequence[int]) -> tuple[list[int], bool]:
        return list(numbers), {3, 50, 97} <= set(numbers)

    assert shrunk(range(100), replay) == [3, 50, 97]
    with pytest.raises(ValueError, match="do not fail"):
        shrunk(range(3), replay)


def test_no_two_can_be_left_out_together() -> None:
    """A pair that only makes sense together goes together: neither of 2 and 7 may stand alone."""

    def replay(numbers: Sequence[int]) -> tuple[list[int], bool]:
        return list(numbers), 5 in numbers and (2 in numbers) == (7 in numbers)

    assert shrunk([2, 5, 7], replay) == [5]


def test_a_second_step_that_went_with_the_first_is_not_tried_again() -> None:
    """After 1 comes 2, and only then: with 1 left out, 2 is skipped, and no pair of both is replayed."""
    asked: list[tuple[int, ...]] = []

    def replay(numbers: Sequence[int]) -> tuple[list[int], bool]:
        asked.append(tuple(numbers))
        taken = [number for number in numbers if number != 2 or 1 in numbers]
        return taken, {1, 2, 3} <= set(taken)

    assert shrunk([1, 2, 3], replay) == [1, 2, 3]
    assert (3,) not in asked
