"""A text with few elements of each sort and any rows and sets at all: what it says becomes propositional.

This is where states are looked for that refute a condition or show that it is not empty. Orders and names are fixed as
in a finite world; the rows of the state and the members of each set are left to the solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

import z3

from spec.language.protocol.clauses import Clause
from spec.language.protocol.meaning import compared, element
from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Row
from spec.language.protocol.text import Protocol
from spec.language.terms import Applied, Binder, Bound, Holds, Lit, Member, Named, Op, Quantified, Term
from spec.proof.contexts import undisturbed

TruthValue: TypeAlias = Any
"""A truth value that is known (a Python bool), or a z3 formula."""


@dataclass(frozen=True)
class SomeState:
    """A state whose rows are formulas; what definitions say of it is worked out once."""

    rows: Mapping[tuple[str, Row], TruthValue]
    known: dict[tuple[str, Row], TruthValue] = field(default_factory=dict)


def all_of(parts: Iterable[TruthValue]) -> TruthValue:
    """A conjunction; what is known is folded away."""
    kept = []
    for part in parts:
        if part is False:
            return False
        if part is not True:
            kept.append(part)
    return z3.And(kept) if len(kept) > 1 else kept[0] if kept else True


def negated(said: TruthValue) -> TruthValue:
    """The opposite."""
    return not said if isinstance(said, bool) else z3.Not(said)


def any_of(parts: Iterable[TruthValue]) -> TruthValue:
    """A disjunction; what is known is folded away."""
    kept = []
    for part in parts:
        if part is True:
            return True
        if part is not False:
            kept.append(part)
    return z3.Or(kept) if len(kept) > 1 else kept[0] if kept else False


class Finite:
    """A text over so many elements of each sort, families included.

    Attributes:
        now: any state.
        member: whether an element belongs to a set of a family.
    """

    def __init__(self, text: type[Protocol], sizes: Mapping[type[Sort], int]) -> None:
        self.text, self.sizes, self.context = text, sizes, undisturbed(z3.Context())
        self.member = {
            (family, item, number): z3.Bool(f"{family.__name__}{number} has {item}", self.context)
            for family in sizes
            if issubclass(family, Family)
            for item, number in self.choices((family.element, family))
        }
        self.now = SomeState(
            {
                (name, row): z3.Bool(f"{name}{row}", self.context)
                for name, relation in text.relations.items()
                for row in self.choices(relation.sorts)
            }
        )
        self.empty = SomeState(dict.fromkeys(self.now.rows, False))

    def choices(self, sorts: Iterable[type[Sort]]) -> Iterator[Row]:
        """Every choice of elements of these sorts."""
        return product(*(range(self.sizes[sort]) for sort in sorts))

    def drawn(
        self, over: tuple[Binder, ...], values: Mapping[int, int]
    ) -> Iterator[tuple[Mapping[int, int], TruthValue]]:
        """Every choice of the variables, and where it lies inside their ranges."""
        for row in self.choices(binder.var.sort for binder in over):
            inner = {**values, **{binder.var.number: one for binder, one in zip(over, row, strict=True)}}
            inside = all_of(self.formula(one.within, inner, self.empty) for one in over if one.within is not None)
            if inside is not False:
                yield inner, inside

    def formula(self, term: Term, values: Mapping[int, int], state: SomeState) -> TruthValue:
        """What a formula says of a state."""
        match term:
            case Lit(value):
                return bool(value)
            case Holds(relation, row):
                return state.rows[relation, tuple(element(one, values) for one in row)]
            case Member(item, Bound(_, sort) | Named(sort, _) as family):
                return self.member[sort, element(item, values), element(family, values)]
            case Op("not", (body,)):
                return negated(self.formula(body, values, state))
            case Op("and", args):
                return all_of(self.formula(arg, values, state) for arg in args)
            case Op("or", args):
                return any_of(self.formula(arg, values, state) for arg in args)
            case Op("implies", (a, b)):
                given = self.formula(a, values, state)
                return True if given is False else any_of([negated(given), self.formula(b, values, state)])
            case Op(name, (a, b)):
                return compared(name, element(a, values), element(b, values))
            case Quantified("every", over, body):
                drawn = self.drawn(over, values)
                return all_of(any_of([negated(inside), self.formula(body, one, state)]) for one, inside in drawn)
            case Quantified(_, over, body):
                drawn = self.drawn(over, values)
                return any_of(all_of([inside, self.formula(body, one, state)]) for one, inside in drawn)
            case Applied(name, args):
                return self._definition(name, tuple(element(arg, values) for arg in args), state)
            case _:
                raise TypeError(f"{term} is no formula of a protocol text")

    def _definition(self, name: str, args: Row, state: SomeState) -> TruthValue:
        if (name, args) not in state.known:
            body = self.text.definitions[name].body
            state.known[name, args] = self.formula(body, dict(enumerate(args)), state)
        return state.known[name, args]

    def always(self, clause: Clause, state: SomeState) -> TruthValue:
        """An invariant, goal or axiom, for all values of its parameters."""
        rows = self.choices(clause.sorts)
        return all_of(self.formula(clause.body, dict(enumerate(row)), state) for row in rows)

    def functional(self, name: str, state: SomeState) -> TruthValue:
        """A partial function has one value at most for the same arguments."""
        *key, last = self.text.relations[name].sorts
        pairs = [(one, other) for one, other in self.choices((last, last)) if one < other]
        return all_of(
            negated(all_of([state.rows[name, (*row, one)], state.rows[name, (*row, other)]]))
            for row in self.choices(key)
            for one, other in pairs
        )

    def after(self, action: Clause, values: Mapping[int, int]) -> SomeState:
        """The state after an action: removals and replacements come first, so that what is added stays."""
        added: dict[tuple[str, Row], list[TruthValue]] = {}
        removed: dict[tuple[str, Row], list[TruthValue]] = {}
        for update in action.updates:
            last = self.text.relations[update.relation].sorts[-1:]
            for inner, inside in self.drawn(update.over, values):
                when = True if update.when is None else self.formula(update.when, inner, self.now)
                row = tuple(element(one, inner) for one in update.row)
                done = all_of([inside, when])
                if update.how != "remove":
                    added.setdefault((update.relation, row), []).append(done)
                gone = {"add": [], "remove": [row], "put": [(*row[:-1], *one) for one in self.choices(last)]}
                for other in gone[update.how]:
                    removed.setdefault((update.relation, other), []).append(done)
        rows = dict(self.now.rows)
        for key in {**removed, **added}:
            kept = all_of([self.now.rows[key], negated(any_of(removed.get(key, ())))])
            rows[key] = any_of([*added.get(key, ()), kept])
        return SomeState(rows)
