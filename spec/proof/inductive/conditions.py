"""What to prove of a text: its start, every action, every lemma and every goal, each as a condition of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import z3

from spec.language.protocol.clauses import Clause, Kind, Progress
from spec.language.protocol.nearing import NEXT, comes_nearer, goes_on
from spec.language.protocol.text import Protocol
from spec.proof.inductive.changes import after, fold
from spec.proof.inductive.logic import Logic, Values
from spec.proof.inductive.symbols import State

START: Final = "start"
LEMMA: Final[Kind] = "lemma"
GOAL: Final[Kind] = "goal"
PROGRESS: Final[Kind] = "progress"
FUNCTION: Final = " is a function"


@dataclass(frozen=True)
class Condition:
    """Something that must follow from hypotheses.

    Attributes:
        place: where it is asked: at the start, after the action of this name, or of a lemma, a goal or progress.
        claimed: the invariant, lemma or goal that is claimed, or that a partial function is a function; of progress, at
            an action that it comes nearer to its end, else that the work whose turn it is can be done.
        given: hypotheses by name; few of them are needed.
        claim: what must follow.
        background: what is true of all sorts and orders.
        lemmas: the names of the hypotheses that follow from the invariants.
        written: what was asked of another solver: the text, by the names of the hypotheses.
    """

    place: str
    claimed: str
    given: Mapping[str, Any]
    claim: Any
    background: tuple[Any, ...]
    lemmas: frozenset[str] = frozenset()
    written: dict[tuple[str, ...], str] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The place and the claim."""
        return f"{self.place}/{self.claimed}"


def conditions(logic: Logic, at: Callable[[str], bool] = lambda _: True) -> Iterator[Condition]:
    """Every invariant at the start and after every action, and every lemma and goal from these and those above it.

    Together they say that all of them hold in every state that the text can reach, however many elements each sort has.
    What follows from the invariants holds before an action, too: so lemmas help to show that it keeps them. The same
    goes for what comes in the end (``spec.language.protocol.nearing``).

    Args:
        logic: the text in symbols.
        at: for which places conditions are made, where not all are wanted.
    """
    background = tuple(logic.symbols.facts())
    nothing: State = {name: lambda *_: z3.BoolVal(False, logic.symbols.context) for name in logic.symbols.now}
    logic.folded = {}
    for name, claim in inductive(logic, nothing).items() if at(START) else ():
        yield Condition(START, name, axioms(logic), claim, background)
    for action in logic.text.of_kind("action"):
        if at(action.name):
            yield from _kept(logic, action, background)
    if any(map(at, (LEMMA, GOAL, PROGRESS))):
        yield from (one for one in _follow(logic, background) if at(one.place))


def _follow(logic: Logic, background: tuple[Any, ...]) -> Iterator[Condition]:
    """What follows from the invariants in any state."""
    meaning = fold(logic)
    given = inductive(logic, logic.symbols.now) | meaning | axioms(logic)
    lemmas: list[str] = []
    for place in (LEMMA, GOAL):
        for clause in logic.text.of_kind(place):
            claim = logic.closed(clause, logic.symbols.now)
            yield Condition(place, clause.name, dict(given), claim, background, frozenset(lemmas))
            given[clause.name] = claim
            lemmas += [clause.name] if place == LEMMA else []
    for progress in logic.text.progresses():
        claim = logic.closed(goes_on(logic.text, progress), logic.symbols.now)
        yield Condition(PROGRESS, progress.name, dict(given), claim, background, frozenset(lemmas))


def _kept(logic: Logic, action: Clause, background: tuple[Any, ...]) -> Iterator[Condition]:
    """The invariants after an action, and that what is awaited is nearer."""
    meaning = fold(logic, action)
    values = logic.fresh(action.params)
    now = logic.symbols.now
    local = {f"guard {n}": logic.formula(part, values, now) for n, part in enumerate(action.requires)}
    local |= {f"parameter {n}": fact for n, fact in enumerate(logic.ranges(action.params, values))}
    local |= {f"assumption {n}": logic.formula(fact, values, now) for n, fact in enumerate(action.assumes)}
    lemmas = {one.name: logic.closed(one, now) for one in logic.text.of_kind("lemma")}
    given = local | inductive(logic, now) | lemmas | meaning | axioms(logic)
    then = after(logic, action, values)
    nearer = {one.name: _nearer(logic, one, action, values, then) for one in logic.text.progresses()}
    for name, claim in (inductive(logic, then) | nearer).items():
        yield Condition(action.name, name, given, claim, background, frozenset(lemmas))


def _nearer(logic: Logic, progress: Progress, action: Clause, values: Values, then: State) -> Any:
    """An action leaves no more to do."""
    clause = comes_nearer(logic.text, progress, action)
    own, step = clause.params[: len(progress.params)], clause.params[len(progress.params) :]
    done = {new.var.number: values[old.var.number] for new, old in zip(step, action.params, strict=True)}
    both = {**logic.symbols.now, **{f"{name}{NEXT}": symbol for name, symbol in then.items()}}
    return logic.for_all(own, lambda inner: logic.formula(clause.body, {**inner, **done}, both))


def inductive(logic: Logic, state: State) -> dict[str, Any]:
    """What must hold in every state: partial functions are functions, and the invariants."""
    partial = [name for name, relation in logic.text.relations.items() if relation.functional]
    functions = {f"{name}{FUNCTION}": logic.functional(name, state) for name in partial}
    return functions | {one.name: logic.closed(one, state) for one in logic.text.of_kind("invariant")}


def axioms(logic: Logic) -> dict[str, Any]:
    """The text's axioms, and that a proof may look at some set of each family."""
    stated = {axiom.name: logic.closed(axiom, logic.symbols.now) for axiom in logic.text.of_kind("axiom")}
    return stated | logic.symbols.inhabited()


def claims_above(text: type[Protocol], place: str, claimed: str) -> list[str]:
    """The lemmas, and for a goal the goals too, that stand above a lemma or a goal; for progress all of them."""
    lemmas, goals = ([one.name for one in text.of_kind(kind)] for kind in (LEMMA, GOAL))
    if place == PROGRESS:
        return lemmas + goals
    names = lemmas if place == LEMMA else lemmas + goals
    return names[: names.index(claimed)]
