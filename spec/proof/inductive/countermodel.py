"""Counter-models: a small world, a state and a step that refute a condition, replayed by the meaning of the text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spec.language.protocol.clauses import Progress
from spec.language.protocol.meaning import after, broken, enabled, true
from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Row, State, Step, element_name
from spec.language.protocol.telling import phrase, said, why_broken
from spec.language.protocol.waiting import not_nearer, stuck, why_waiting
from spec.language.protocol.world import World
from spec.proof.inductive.conditions import FUNCTION, GOAL, LEMMA, PROGRESS, START, claims_above


@dataclass(frozen=True)
class CounterModel:
    """A state in which all hypotheses hold, and after the step the claim does not.

    Attributes:
        place: the start, an action, a goal or progress.
        claimed: the invariant or goal that is broken, that a partial function is a function, or the progress that ends.
        step: what happens; None at the start, for a goal, and where work cannot be done: the state itself is wrong.
    """

    world: World
    place: str
    claimed: str
    before: State
    step: Step | None

    @cached_property
    def after(self) -> State:
        """The state in which the claim is false; where the step is not enabled, that before it."""
        if self.step is None:
            return self.before
        return after(self.world, self.before, self.step, strict=False) or self.before

    @property
    def broken(self) -> Row | None:
        """The elements for which the claim is false after the step; None if it is true."""
        clause = self.world.protocol.clauses.get(self.claimed)
        if isinstance(clause, Progress):
            if self.step is None:
                return stuck(self.world, self.before, clause)
            return not_nearer(self.world, self.before, self.step, self.after, clause)
        return failing(self.world, self.after, self.claimed)

    def replays(self) -> bool:
        """By the meaning of the text, the hypotheses hold, the step may happen, and it breaks the claim."""
        text = self.world.protocol
        if self.place == START:
            return self.before == self.world.start and self.broken is not None
        if any(failing(self.world, self.before, name) is not None for name in _hypotheses(self)):
            return False
        if self.step is not None:
            values = dict(enumerate(self.step.args))
            facts = text.clauses[self.place].assumes
            if self.step.action != text.clauses[self.place] or not enabled(self.world, self.before, self.step):
                return False
            if not all(true(fact, self.world, self.before, values) for fact in facts):
                return False
        return self.broken is not None

    def __str__(self) -> str:
        """What there is, what holds before, what happens, and what is broken by it."""
        lines = [f"with {one}" for one in self._sets()]
        lines += ["before:", *_indented(self._rows(self.before) or ["nothing holds"])]
        if self.step is not None:
            lines.append(f"step: {said(self.world, self.step)}")
            lines += _indented(f"no longer {row}" for row in self._difference(self.before, self.after))
            lines += _indented(f"now {row}" for row in self._difference(self.after, self.before))
        return "\n".join([*lines, f"broken: {self._broken()}"])

    def to_json(self) -> dict[str, Any]:
        """As JSON-able values, with the names of elements."""
        return {
            "sets": self._sets(),
            "before": self._rows(self.before),
            "step": None if self.step is None else said(self.world, self.step),
            "after": self._rows(self.after),
            "broken": self._broken(),
        }

    def _sets(self) -> list[str]:
        found = []
        for family, sets in self.world.families.items():
            for number, members in enumerate(sets):
                names = ", ".join(element_name(family.element, one) for one in sorted(members))
                found.append(f"{element_name(family, number)} = {{{names}}}")
        return found

    def _rows(self, state: State) -> list[str]:
        return [self._row(name, row) for name, rows in state.items() for row in sorted(rows)]

    def _difference(self, one: State, other: State) -> list[str]:
        return [self._row(name, row) for name, rows in one.items() for row in sorted(rows - other[name])]

    def _row(self, name: str, row: Row) -> str:
        return phrase(self.world, name, row)

    def _broken(self) -> str:
        row = self.broken or ()
        if self.claimed.endswith(FUNCTION):
            sorts = self.world.protocol.relations[self.claimed.removesuffix(FUNCTION)].sorts
            return f"{self.claimed}({_names((*sorts, sorts[-1]), row)})"
        clause = self.world.protocol.clauses[self.claimed]
        if isinstance(clause, Progress):
            row = row[: len(clause.params)]
            why = f"{clause.sentence} But {why_waiting(self.world, self.before, self.step, self.after, clause, row)}."
        else:
            why = why_broken(self.world, self.after, clause)
        return f"{said(self.world, Step(clause, row))}: {why}"


def failing(world: World, state: State, name: str) -> Row | None:
    """Elements for which an invariant or goal is false, or two values of a partial function; None if all is well."""
    if not name.endswith(FUNCTION):
        return broken(world, state, world.protocol.clauses[name])
    values: dict[Row, int] = {}
    for row in sorted(state[name.removesuffix(FUNCTION)]):
        if values.setdefault(row[:-1], row[-1]) != row[-1]:
            return (*row[:-1], values[row[:-1]], row[-1])
    return None


def _hypotheses(counter: CounterModel) -> list[str]:
    """Functions, invariants, and for a lemma or a goal those above it."""
    text = counter.world.protocol
    found = [f"{name}{FUNCTION}" for name, relation in text.relations.items() if relation.functional]
    found += [one.name for one in text.of_kind("invariant")]
    return found + (
        claims_above(text, counter.place, counter.claimed) if counter.place in (LEMMA, GOAL, PROGRESS) else []
    )


def world_of(
    text: type[Any], sizes: dict[type[Sort], int], members: dict[type[Family[Any]], tuple[frozenset[int], ...]]
) -> World:
    """The finite world of these sizes and sets.

    Raises:
        BadWorld: an axiom of the text is false in it.
    """
    return World(text, {sort: size for sort, size in sizes.items() if not issubclass(sort, Family)}, members)


def _names(sorts: tuple[type[Sort], ...], row: Row) -> str:
    return ", ".join(element_name(sort, one) for sort, one in zip(sorts, row, strict=True))


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]
