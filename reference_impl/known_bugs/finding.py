"""Finding a known bug: a shortest run of the wrong text that breaks its goal, and where the right text parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from reference_impl.kernel.explorer.result import Broken, Result, Trace
from reference_impl.kernel.explorer.search import explore
from spec.language.protocol.meaning import after
from spec.language.protocol.states import State, Step
from spec.language.protocol.telling import unmet
from spec.language.protocol.world import World
from spec.protocols.known_bugs import KnownBug
from spec.protocols.registry import text

BUDGET_S: Final = 60
"""CPU seconds within which a bug is found."""


STATES_ENOUGH: Final = 500_000
"""So many states of the right text are enough; of most there are fewer."""


class NotFound(RuntimeError):
    """A bug was not found within its budget, or is none: its text breaks nothing."""


@dataclass(frozen=True)
class Found:
    """A known bug and the shortest run that shows it.

    Attributes:
        bug: which one.
        world: the wrong text in the small world, with the goal that breaks as its only one.
        trace: the run.
        broken: the goal, and for whom it is false at the end.
        distinct: how many states were looked at.
        cpu_s: CPU seconds of the search.
        parting: the number of the first step, from 0, at which the right text does something else.
        why: what the right text has against that step.
    """

    bug: KnownBug
    world: World
    trace: Trace
    broken: Broken
    distinct: int
    cpu_s: float
    parting: int
    why: str


def wrong_world(bug: KnownBug) -> World:
    """The wrong text in the bug's small world; of its goals it keeps the one that breaks."""
    world = text(bug.text).small(bug.variant, **bug.bounds)
    return replace(world, protocol=world.protocol.for_goal(bug.breaks))


def find(bug: KnownBug, budget_s: float = BUDGET_S) -> Found:
    """Search breadth first until the goal is broken.

    Raises:
        NotFound: the budget ended, or no state breaks the goal.
    """
    world = wrong_world(bug)
    result = explore(world, symmetry=True, budget_s=budget_s)
    if result.broken is None or result.trace is None:
        why = "every state keeps its goal" if result.complete else f"{budget_s} CPU seconds were not enough"
        raise NotFound(f"{bug.name} is not found in {result.distinct:,} states: {why}")
    right = text(bug.text).small("", **bug.bounds)
    parting, why = _parting(right, result.trace)
    if parting == len(result.trace.steps):
        claims = bug.breaks in right.protocol.clauses
        why = "it takes the same steps, and " + ("its goal holds there" if claims else "does not claim this")
    return Found(bug, world, result.trace, result.broken, result.distinct, result.cpu_s, parting, why)


def closed(bug: KnownBug, states: int = STATES_ENOUGH) -> Result:
    """Explore the right text in the same world, with all its goals, until there is nothing new or enough was seen.

    All runs of fewer steps than the result's ``depth`` were looked at; all runs, if it is ``complete``.
    """
    return explore(text(bug.text).small("", **bug.bounds), symmetry=True, states=states)


def _parting(right: World, trace: Trace) -> tuple[int, str]:
    """Where the right text first does something else, and why; the end of the run where it never does."""
    relations = right.protocol.relations
    for number, (step, before, there) in enumerate(zip(trace.steps, trace.states, trace.states[1:], strict=False)):
        known = State.of({name: before[name] for name in relations})
        why = _objection(right, known, step)
        if why:
            return number, why
        action = right.step(step.action.name, *step.args)
        done = after(right, known, action, strict=False)
        if done is None or any(done[name] != there[name] for name in relations):
            return number, f"it changes something else: {action.action.sentence}"
    return len(trace.steps), ""


def _objection(right: World, state: State, step: Step) -> str:
    """Why the right text does not take a step, if it does not."""
    if step.action.name not in right.protocol.clauses:
        return "it has no such step"
    needs = unmet(right, state, right.step(step.action.name, *step.args))
    return f"it needs that {needs}" if needs else ""
