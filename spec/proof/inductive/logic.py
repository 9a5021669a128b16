"""The prove reading: what a protocol text says, in first-order logic over sorts of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

import z3

from spec.language.protocol.clauses import Clause
from spec.language.protocol.text import Protocol
from spec.language.terms import Applied, Binder, Bound, Holds, Lit, Member, Named, Op, Quantified, Term, walk
from spec.proof.inductive.symbols import State, Symbols

Values: TypeAlias = Mapping[int, Any]
"""What each variable of a clause stands for."""

_CONNECTIVES: Mapping[str, Callable[..., Any]] = {"not": z3.Not, "and": z3.And, "or": z3.Or, "implies": z3.Implies}


class Logic:
    """A text's formulas.

    Attributes:
        symbols: what they are made of.
        folded: definitions that stay a symbol instead of being unfolded.
        read: the relations and definitions that a clause speaks of, also through definitions.
    """

    def __init__(self, text: type[Protocol]) -> None:
        self.text = text
        self.symbols = Symbols(text)
        self.folded: dict[str, Any] = {}
        self._before: dict[tuple[str, frozenset[str]], Any] = {}
        self.read = cache(lambda clause: frozenset(reads(text, clause.body)))
        self._variables = 0  # numbered, not fresh by z3's count: two runs then ask the same questions

    def all_of(self, parts: list[Any]) -> Any:
        """A conjunction."""
        match parts:
            case []:
                return z3.BoolVal(True, self.symbols.context)
            case [one]:
                return one
            case _:
                return z3.And(parts)

    def fresh(self, binders: tuple[Binder, ...]) -> dict[int, Any]:
        """A new variable for each binder."""
        found = {}
        for binder in binders:
            self._variables += 1
            name = f"{binder.name}!{self._variables}"
            found[binder.var.number] = z3.Const(name, self.symbols.sorts[binder.var.sort])
        return found

    def ranges(self, binders: tuple[Binder, ...], values: Values) -> list[Any]:
        """What restricts the variables.

        Quantifiers over families range over known sets. That proves no less than it should (let every set be known),
        and gives E-matching a trigger where a formula has none.
        """
        within = [self.formula(one.within, values, self.symbols.now) for one in binders if one.within is not None]
        known = [(self.symbols.known.get(one.var.sort), values[one.var.number]) for one in binders]
        return within + [symbol(value) for symbol, value in known if symbol is not None]

    def element(self, term: Term, values: Values) -> Any:
        """The element that a variable or a name stands for."""
        match term:
            case Bound(number, _):
                return values[number]
            case Named(sort, name):
                return self.symbols.named[sort, name]
            case _:
                raise TypeError(f"{term} is no element")

    def formula(self, term: Term, values: Values, state: State) -> Any:
        """What a formula says of a state."""
        match term:
            case Lit(value):
                return z3.BoolVal(bool(value), self.symbols.context)
            case Holds(relation, row):
                return state[relation](*(self.element(one, values) for one in row))
            case Member(item, Bound(_, sort) | Named(sort, _) as family):
                return self.symbols.member[sort](self.element(item, values), self.element(family, values))
            case Op(("not" | "and" | "or" | "implies") as name, args):
                return _CONNECTIVES[name](*(self.formula(arg, values, state) for arg in args))
            case Op(name, (Bound(_, sort) | Named(sort, _) as a, b)):
                return self._compared(name, sort, self.element(a, values), self.element(b, values))
            case Quantified(kind, over, body):
                own = self.fresh(over)
                inner = {**values, **own}
                ranges, said = self.ranges(over, inner), self.formula(body, inner, state)
                if kind == "every":
                    return z3.ForAll(list(own.values()), z3.Implies(self.all_of(ranges), said) if ranges else said)
                return z3.Exists(list(own.values()), self.all_of([*ranges, said]))
            case Applied(name, args):
                elements = [self.element(arg, values) for arg in args]
                if name in self.folded:
                    return self.folded[name](*elements)
                return self.formula(self.text.definitions[name].body, dict(enumerate(elements)), state)
            case _:
                raise TypeError(f"{term} is no formula of a protocol text")

    def _compared(self, name: str, sort: type[Any], a: Any, b: Any) -> Any:
        match name:
            case "=":
                return a == b
            case "<>":
                return a != b
            case "<":
                return self.symbols.less[sort](a, b)
            case "<=":
                return z3.Or(a == b, self.symbols.less[sort](a, b))
            case _:
                raise TypeError(f"{name} compares no elements")

    def closed(self, clause: Clause, state: State) -> Any:
        """An invariant, goal or axiom, for all values of its parameters.

        What is asked of the state before an action is written once for each choice of definitions that stay symbols.
        """
        read = self.read(clause)
        if any(symbol is not state[name] for name, symbol in self.symbols.now.items() if name in read):
            return self._closed(clause, state)
        key = clause.name, read.intersection(self.folded)
        if key not in self._before:
            self._before[key] = self._closed(clause, state)
        return self._before[key]

    def _closed(self, clause: Clause, state: State) -> Any:
        return self.for_all(clause.params, lambda values: self.formula(clause.body, values, state))

    def functional(self, name: str, state: State) -> Any:
        """A partial function has one value at most for the same arguments."""
        *key, last = self.text.relations[name].sorts
        row = tuple(Binder(Bound(number, sort), f"x{number}") for number, sort in enumerate((*key, last, last)))

        def one_value(values: Values) -> Any:
            *arguments, one, other = values.values()
            return z3.Implies(z3.And(state[name](*arguments, one), state[name](*arguments, other)), one == other)

        return self.for_all(row, one_value)

    def for_all(self, binders: tuple[Binder, ...], body: Callable[[Values], Any]) -> Any:
        """What is true for all values of variables, of sets only the known ones."""
        values = self.fresh(binders)
        ranges, said = self.ranges(binders, values), body(values)
        if not values:
            return said
        return z3.ForAll(list(values.values()), z3.Implies(self.all_of(ranges), said) if ranges else said)


def reads(text: type[Protocol], term: Term) -> Iterator[str]:
    """The relations and definitions that a formula speaks of, also through definitions."""
    for part in walk(term):
        match part:
            case Holds(relation, _):
                yield relation
            case Applied(name, _):
                yield name
                yield from reads(text, text.definitions[name].body)
