"""The symbols of a protocol text: sorts of any size, named elements, orders, families of sets and the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import z3

from spec.language.protocol.clauses import Clause, Progress
from spec.language.protocol.sorts import Family, Order, Sort
from spec.language.protocol.text import Protocol
from spec.language.terms import Bound, Named, Term, leaves
from spec.proof.contexts import undisturbed

State: TypeAlias = Mapping[str, Callable[..., Any]]
"""For each relation, the formula that says that a row is in it."""


def mentioned(text: type[Protocol]) -> tuple[type[Sort], ...]:
    """Every sort that some relation or formula of a text speaks of, and the members of its families."""
    found = list(text.sorts())
    for clause in (*text.definitions.values(), *text.clauses.values()):
        for term in terms(clause):
            found += [leaf.sort for kind in (Bound, Named) for leaf in leaves(term, kind)]
    found += [sort.element for sort in found if issubclass(sort, Family)]
    return tuple(dict.fromkeys(found))


def terms(clause: Clause) -> Iterator[Term]:
    """Everything that a clause says."""
    yield from (clause.body, *clause.requires, *clause.assumes)
    for update in clause.updates:
        yield from update.row
        yield from (binder.var for binder in update.over)
        yield from (binder.within for binder in update.over if binder.within is not None)
        if update.when is not None:
            yield update.when
    for work in clause.works if isinstance(clause, Progress) else ():
        yield from work.args
        yield from (binder.var for binder in work.over)
        yield from (binder.within for binder in work.over if binder.within is not None)
        if work.left is not None:
            yield work.left


class Symbols:
    """What a text speaks about, in a z3 context of its own, so that no other proof changes how this one runs.

    Attributes:
        sorts: uninterpreted: they have any number of elements, one at least.
        named: the elements that have names.
        less: the order of each sort that is ordered.
        member: which element belongs to which set of a family.
        known: of each family, the sets that a proof looks at.
        now: the state before an action.
    """

    def __init__(self, text: type[Protocol]) -> None:
        self.text = text
        self.context = undisturbed(z3.Context())
        self.sorts = {sort: z3.DeclareSort(sort.__name__, self.context) for sort in mentioned(text)}
        self.named = {
            (sort, name): z3.Const(f"{sort.__name__}.{name}", symbol)
            for sort, symbol in self.sorts.items()
            for name in sort.constants
        }
        self.less: dict[type[Sort], Any] = {
            sort: self.relation(f"{sort.__name__} before", (sort, sort))
            for sort in self.sorts
            if issubclass(sort, Order)
        }
        self.member: dict[type[Sort], Any] = {
            sort: self.relation(f"in {sort.__name__}", (sort.element, sort))
            for sort in self.sorts
            if issubclass(sort, Family)
        }
        self.known = {family: self.relation(f"known {family.__name__}", (family,)) for family in self.member}
        self.now: State = {name: self.relation(name, one.sorts) for name, one in text.relations.items()}

    def relation(self, name: str, sorts: tuple[type[Sort], ...]) -> Any:
        """A relation between elements of these sorts."""
        return z3.Function(name, *(self.sorts[sort] for sort in sorts), z3.BoolSort(self.context))

    def facts(self) -> list[Any]:
        """Different names are different elements, and orders are total with a first element."""
        return [fact for sort in self.sorts for fact in (*self._distinct(sort), *self._ordered(sort))]

    def _distinct(self, sort: type[Sort]) -> Iterator[Any]:
        named = [self.named[sort, name] for name in sort.constants]
        if len(named) > 1:
            yield z3.Distinct(*named)

    def _ordered(self, sort: type[Sort]) -> Iterator[Any]:
        if sort not in self.less:
            return
        less, first = self.less[sort], self.named[sort, "first"]
        a, b, c = z3.Consts("a b c", self.sorts[sort])
        yield z3.ForAll([a], z3.Not(less(a, a)))
        yield z3.ForAll([a, b, c], z3.Implies(z3.And(less(a, b), less(b, c)), less(a, c)))
        yield z3.ForAll([a, b], z3.Or(a == b, less(a, b), less(b, a)))
        yield z3.ForAll([a], z3.Or(a == first, less(first, a)))

    def inhabited(self) -> dict[str, Any]:
        """A proof may look at some set of each family."""
        return {
            f"some {sort.__name__}": known(z3.Const(f"some {sort.__name__}", self.sorts[sort]))
            for sort, known in self.known.items()
        }
