"""What to prove of a text: its start, every action and every goal, each as a condition of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import z3

from spec.language.protocol.clauses import Clause
from spec.proof.inductive.changes import after, fold
from spec.proof.inductive.logic import Logic
from spec.proof.inductive.symbols import State

START: Final = "start"
GOAL: Final = "goal"
FUNCTION: Final = " is a function"


@dataclass(frozen=True)
class Condition:
    """Something that must follow from hypotheses.

    Attributes:
        place: where it is asked: at the start, after the action of this name, or of a goal.
        claimed: the invariant or goal that is claimed, or that a partial function is a function.
        given: hypotheses by name; few of them are needed.
        claim: what must follow.
        background: what is true of all sorts and orders.
    """

    place: str
    claimed: str
    given: Mapping[str, Any]
    claim: Any
    background: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The place and the claim."""
        return f"{self.place}/{self.claimed}"


def conditions(logic: Logic) -> Iterator[Condition]:
    """Every invariant at the start and after every action, and every goal from the invariants and the goals above it.

    Together they say that the invariants and goals hold in every state that the text can reach, however many elements
    each sort has.
    """
    background = tuple(logic.symbols.facts())
    nothing: State = {name: lambda *_: z3.BoolVal(False, logic.symbols.context) for name in logic.symbols.now}
    logic.folded = {}
    for name, claim in inductive(logic, nothing).items():
        yield Condition(START, name, axioms(logic), claim, background)
    for action in logic.text.of_kind("action"):
        yield from _kept(logic, action, background)
    logic.folded = {}
    given = inductive(logic, logic.symbols.now) | axioms(logic)
    for goal in logic.text.of_kind("goal"):
        claim = logic.closed(goal, logic.symbols.now)
        yield Condition(GOAL, goal.name, dict(given), claim, background)
        given[goal.name] = claim


def _kept(logic: Logic, action: Clause, background: tuple[Any, ...]) -> Iterator[Condition]:
    """The invariants after an action."""
    meaning = fold(logic, action)
    values = logic.fresh(action.params)
    now = logic.symbols.now
    local = {f"guard {n}": logic.formula(part, values, now) for n, part in enumerate(action.requires)}
    local |= {f"parameter {n}": fact for n, fact in enumerate(logic.ranges(action.params, values))}
    local |= {f"assumption {n}": logic.formula(fact, values, now) for n, fact in enumerate(action.assumes)}
    given = local | inductive(logic, now) | meaning | axioms(logic)
    for name, claim in inductive(logic, after(logic, action, values)).items():
        yield Condition(action.name, name, given, claim, background)


def inductive(logic: Logic, state: State) -> dict[str, Any]:
    """What must hold in every state: partial functions are functions, and the invariants."""
    partial = [name for name, relation in logic.text.relations.items() if relation.functional]
    functions = {f"{name}{FUNCTION}": logic.functional(name, state) for name in partial}
    return functions | {one.name: logic.closed(one, state) for one in logic.text.of_kind("invariant")}


def axioms(logic: Logic) -> dict[str, Any]:
    """The text's axioms, and that a proof may look at some set of each family."""
    stated = {axiom.name: logic.closed(axiom, logic.symbols.now) for axiom in logic.text.of_kind("axiom")}
    return stated | logic.symbols.inhabited()
