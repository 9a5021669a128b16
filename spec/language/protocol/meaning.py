"""The meaning of a protocol text in a finite world: what a formula says of a state, and what an action makes of it.

Every other reading is held to agree with this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from spec.language.protocol.clauses import Clause
from spec.language.protocol.sorts import Family
from spec.language.protocol.states import Domains, Row, State, Step
from spec.language.terms import Applied, Binder, Bound, Holds, Lit, Member, Named, Op, Quantified, Term

Values: TypeAlias = Mapping[int, int]
"""What each variable stands for."""


class BrokenAssumption(AssertionError):
    """What a text assumes, or a partial function of it, is false in a finite world: a defect of the text."""


@dataclass(frozen=True)
class _Asked(State):
    """A state of which one world asks much at once: what a definition says of the same elements is found once."""

    answers: dict[tuple[str, Row], bool] = field(default_factory=dict, compare=False)


def element(term: Term, values: Values) -> int:
    """The element that a variable or a name stands for."""
    match term:
        case Bound(number, _):
            return values[number]
        case Named(sort, name):
            index: int = sort.constants.index(name)
            return index
        case _:
            raise TypeError(f"{term} is no element")


def true(term: Term, world: Domains, state: State, values: Values) -> bool:
    """Whether a formula holds."""
    match term:
        case Lit(value):
            return bool(value)
        case Holds(relation, row):
            return tuple(element(one, values) for one in row) in state[relation]
        case Member(item, family):
            return member(world, item, family, values)
        case Op("not", (body,)):
            return not true(body, world, state, values)
        case Op("and", (a, b)):
            return true(a, world, state, values) and true(b, world, state, values)
        case Op("or", (a, b)):
            return true(a, world, state, values) or true(b, world, state, values)
        case Op("implies", (a, b)):
            return not true(a, world, state, values) or true(b, world, state, values)
        case Op(name, (a, b)):
            return compared(name, element(a, values), element(b, values))
        case Quantified(kind, over, body):
            said = (true(body, world, state, inner) for inner in drawn(over, world, values))
            return all(said) if kind == "every" else any(said)
        case Applied(name, args):
            return _defined(name, world, state, tuple(element(arg, values) for arg in args))
        case _:
            raise TypeError(f"{term} is no formula of a protocol text")


def _defined(name: str, world: Domains, state: State, args: Row) -> bool:
    """Whether a definition holds of these elements."""
    body, values = world.protocol.definitions[name].body, dict(enumerate(args))
    if not isinstance(state, _Asked):
        return true(body, world, state, values)
    if (name, args) not in state.answers:
        state.answers[name, args] = true(body, world, state, values)
    return state.answers[name, args]


def member(world: Domains, item: Term, family: Term, values: Values) -> bool:
    """Whether an element belongs to a set of a family."""
    sort = family.sort if isinstance(family, Bound | Named) else None
    if sort is None or not issubclass(sort, Family):
        raise TypeError(f"{family} is no set")
    return element(item, values) in world.families[sort][element(family, values)]


def compared(name: str, a: int, b: int) -> bool:
    """What a comparison says of two elements of one sort."""
    match name:
        case "=":
            return a == b
        case "<>":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case _:
            raise TypeError(f"{name} compares no elements")


def drawn(over: tuple[Binder, ...], world: Domains, values: Values) -> Iterator[Values]:
    """Every choice of the bound variables inside their ranges, which never depend on the state."""
    if not over:
        yield values
        return
    first, *rest = over
    for choice in world.elements(first.var.sort):
        inner = {**values, first.var.number: choice}
        if first.within is None or true(first.within, world, world.start, inner):
            yield from drawn(tuple(rest), world, inner)


def broken(world: Domains, state: State, clause: Clause) -> Row | None:
    """Values of its parameters for which an invariant, goal or axiom is false; None if it holds."""
    rows = world.rows(clause.sorts)
    return next((row for row in rows if not true(clause.body, world, state, dict(enumerate(row)))), None)


def enabled(world: Domains, state: State, step: Step) -> bool:
    """Whether an action may happen."""
    return true(step.action.body, world, state, dict(enumerate(step.args)))


def after(world: Domains, state: State, step: Step, *, strict: bool = True) -> State | None:
    """The state after an action, or None where it is not enabled.

    Where it is ``strict``, what the text only assumes must hold, and partial functions must stay functions.

    Raises:
        BrokenAssumption: they do not.
    """
    values, state = dict(enumerate(step.args)), _Asked(state.relations)
    if not enabled(world, state, step):
        return None
    if strict and not all(true(fact, world, state, values) for fact in step.action.assumes):
        raise BrokenAssumption(f"{step} was enabled where what it assumes is false")
    rows = {name: set(found) for name, found in state.items()}
    _change(world, state, step, values, rows)
    for name, relation in world.protocol.relations.items():
        if strict and relation.functional and len({row[:-1] for row in rows[name]}) < len(rows[name]):
            raise BrokenAssumption(f"{step} gives {name} two values for the same arguments")
    return State.of(rows)


def _change(world: Domains, state: State, step: Step, values: Values, rows: dict[str, set[Row]]) -> None:
    """Apply the updates: removals and replacements first, so that what is added stays."""
    added: list[tuple[str, Row]] = []
    for update in step.action.updates:
        for inner in drawn(update.over, world, values):
            if update.when is not None and not true(update.when, world, state, inner):
                continue
            row = tuple(element(one, inner) for one in update.row)
            if update.how == "remove":
                rows[update.relation].discard(row)
                continue
            if update.how == "put":
                rows[update.relation] -= {other for other in state[update.relation] if other[:-1] == row[:-1]}
            added.append((update.relation, row))
    for name, row in added:
        rows[name].add(row)
