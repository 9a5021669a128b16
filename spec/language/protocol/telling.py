"""Runs of a text, told: each step by its name, its sentence and what it changed, in the words of the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spec.language.protocol.clauses import Clause
from spec.language.protocol.meaning import after, broken, true
from spec.language.protocol.prose import Prose
from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Row, State, Step, element_name
from spec.language.protocol.world import World
from spec.language.terms import Binder


class NoSuchStep(ValueError):
    """A step of a run is not enabled where the run takes it."""


@dataclass(frozen=True)
class Told:
    """One step of a run.

    Attributes:
        step: the action and its arguments.
        changes: rows that came or went, as phrases.
        state: the state after it.
    """

    step: Step
    changes: tuple[str, ...]
    state: State


def run(world: World, steps: Iterable[Step]) -> Iterator[Told]:
    """Take steps from the start, one after the other, by the meaning of the text.

    Raises:
        NoSuchStep: a step is not enabled.
    """
    state = world.start
    for number, step in enumerate(steps, 1):
        there = after(world, state, step, strict=False)
        if there is None:
            raise NoSuchStep(f"step {number}, {step}, is not enabled: needs {unmet(world, state, step)}")
        yield Told(step, tuple(changes(world, state, there)), there)
        state = there


def said(world: World, step: Step) -> str:
    """An action as a call; sets by their members."""
    sorts = step.action.sorts
    return step.with_names(called(world, sort, one) for sort, one in zip(sorts, step.args, strict=True))


def changes(world: World, before: State, then: State) -> Iterator[str]:
    """What is different, as phrases."""
    for name in world.protocol.relations:
        for row in sorted(before[name] - then[name]):
            yield f"no longer: {phrase(world, name, row)}"
        for row in sorted(then[name] - before[name]):
            yield phrase(world, name, row)


def phrase(world: World, relation: str, row: Row) -> str:
    """That a row is in a relation, in the words of the text."""
    found = world.protocol.relations[relation]
    return found.phrase.format(*(called(world, sort, one) for sort, one in zip(found.sorts, row, strict=True)))


def called(world: World, sort: type[Sort], element: int) -> str:
    """What an element is called; a set by its members."""
    if not issubclass(sort, Family):
        return element_name(sort, element)
    names = (element_name(sort.element, member) for member in sorted(world.families[sort][element]))
    return f"{{{', '.join(names)}}}"


def _names(world: World, params: tuple[Binder, ...], row: Row) -> dict[int, str]:
    return {one.var.number: called(world, one.var.sort, each) for one, each in zip(params, row, strict=True)}


def describe(world: World, state: State) -> list[str]:
    """All that is true in a state, as phrases."""
    return [phrase(world, name, row) for name in world.protocol.relations for row in sorted(state[name])]


def unmet(world: World, state: State, step: Step) -> str:
    """The first guard of an action that does not hold, in words; empty if all hold."""
    names = _names(world, step.action.params, step.args)
    values = dict(enumerate(step.args))
    for guard in step.action.requires:
        if not true(guard, world, state, values):
            return Prose(world.protocol).say(guard, names)
    return ""


def why_broken(world: World, state: State, clause: Clause) -> str:
    """For which elements an invariant or goal is false; empty if it holds."""
    row = broken(world, state, clause)
    if row is None:
        return ""
    names = _names(world, clause.params, row)
    return f"{clause.sentence} False here: {Prose(world.protocol).say(clause.body, names)}."
