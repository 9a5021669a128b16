"""Stories: short runs of wrong forms of protocol texts, and walks through all states of small worlds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from spec.language.protocol import Protocol, World
from spec.language.protocol.meaning import after, broken
from spec.language.protocol.running import PackedWorld
from spec.language.protocol.states import State
from spec.protocols.registry import TEXTS


@dataclass(frozen=True)
class Story:
    """A short run of a wrong form.

    Attributes:
        wrong: the text that is wrong.
        world: of the right text.
        run: actions and the numbers of their arguments.
        breaks: the goal that is broken at the end.
        parts_at: the action at which the right text first does something else.
    """

    wrong: type[Protocol]
    world: World
    run: str
    breaks: str
    parts_at: str

    @property
    def form(self) -> str:
        """The wrong form by the names of its text and its own."""
        named = ((f"{text.name}/{name}", one) for text in TEXTS.values() for name, one in text.variants.items())
        return next(name for name, one in named if one is self.wrong)


def states_along(world: World, run: str) -> Iterator[tuple[str, State | None]]:
    """The state after each action of a run; None, and nothing done, where an action is not enabled or not there."""
    state = world.start
    for said in run.split(", "):
        name, *args = said.split()
        there = after(world, state, world.step(name, *map(int, args))) if name in world.protocol.clauses else None
        yield said, there
        state = state if there is None else there


def last(world: World, run: str) -> State:
    """The end of a run, all actions of which must be enabled."""
    states = [state for _, state in states_along(world, run)]
    assert None not in states
    assert states[-1] is not None
    return states[-1]


def goals_broken(world: World, state: State) -> list[str]:
    """The goals that a state breaks."""
    return [goal.name for goal in world.protocol.of_kind("goal") if broken(world, state, goal) is not None]


def assert_a_goal_breaks(story: Story) -> None:
    """The wrong form can take the run, and breaks the goal at its end."""
    world = replace(story.world, protocol=story.wrong)
    assert story.breaks in goals_broken(world, last(world, story.run))


def assert_the_right_text_parts(story: Story) -> None:
    """The right text keeps its goals, and first does something else at the action that is named."""
    relations = story.world.protocol.relations
    wrong = states_along(replace(story.world, protocol=story.wrong), story.run)
    right = list(states_along(story.world, story.run))
    assert not [name for _, state in right if state is not None for name in goals_broken(story.world, state)]
    parted = [
        said
        for (said, here), (_, there) in zip(right, wrong, strict=True)
        if here is None or there is None or any(here[name] != there[name] for name in relations)
    ]
    assert parted[0] == story.parts_at


def states_that_keep_the_goals(world: World) -> int:
    """How many states a world can be in; every one of them must keep every goal."""
    machine = PackedWorld(world)
    goals = [test for goal in world.protocol.of_kind("goal") for _, test in machine.always(goal)]
    seen, waiting = {0}, [0]
    while waiting:
        word = waiting.pop()
        assert all(test(word) for test in goals), machine.unpack(word)
        for _, there in machine.successors(word):
            if there not in seen:
                seen.add(there)
                waiting.append(there)
    return len(seen)
