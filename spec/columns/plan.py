"""Plans: what the selected rules read, worked out once and used for every block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from spec.columns.mistakes import MixedOrders
from spec.columns.operations import IS_EMPTY
from spec.columns.reads import LookedUp, Parts, Tabled
from spec.language.declare import Dimension, Rowset, View
from spec.language.events import kinds
from spec.language.orders import Order, parts_of
from spec.language.rule import Rule
from spec.language.terms import Agg, Col, Field, Lit, Op, Term, leaves, rebuild


@dataclass(frozen=True)
class Clause:
    """One rule over base and neighbour columns of its view.

    Attributes:
        rule: its id.
        given: which rows are instances.
        claim: what must be true of them.
        near: the neighbour columns that it reads.
    """

    rule: str
    given: Term
    claim: Term
    near: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """What the selected rules read of one view.

    Attributes:
        view: the view.
        clauses: its rules. Equal terms in them are one object.
        base: the base columns that they read, key first.
        near: the neighbour columns, each with the term that it looks at and the terms of its partition.
        shared: the ids of the terms that are worth remembering.
        tabled: by id, the terms that only depend on one row of a dimension, as terms over the dimension's columns.
        heavy: by id, the terms with a count over domains, and what they depend on.
    """

    view: type[View]
    clauses: tuple[Clause, ...]
    base: tuple[str, ...]
    near: dict[str, tuple[Term, tuple[Term, ...]]]
    shared: frozenset[int]
    tabled: dict[int, Tabled]
    heavy: dict[int, tuple[Col | LookedUp, ...]]

    @property
    def name(self) -> str:
        """The view's full name, which is the same in every process."""
        return f"{self.view.__module__}.{self.view.__qualname__}"


_KEPT: Final = 1024


def plans_of(rules: Sequence[Rule]) -> tuple[Plan, ...]:
    """The plan of each view that rules judge; the last that were made are remembered."""
    views: dict[type[View], list[Rule]] = {}
    for rule in rules:
        views.setdefault(rule.view, []).append(rule)
    return tuple(_plan(tuple(mine)) for mine in views.values())


@lru_cache(_KEPT)
def _plan(rules: tuple[Rule, ...]) -> Plan:
    view = rules[0].view
    one: dict[Term, Term] = {}
    clauses = tuple(
        Clause(rule.id, _unified(rule.parts[0], one), _unified(rule.parts[1], one), tuple(sorted(rule.neighbours)))
        for rule in rules
    )
    near = {
        name: (_unified(view.inline(view.near[name].of), one), tuple(map(view.inline, view.near[name].partition)))
        for name in sorted({name for clause in clauses for name in clause.near})
    }
    read = [
        *(part for clause in clauses for part in (clause.given, clause.claim)),
        *(term for term, _ in near.values()),
    ]
    parts = Parts(read)
    base = {term.name for term in parts.terms.values() if isinstance(term, Col)} & set(view.base)
    names = tuple(dict.fromkeys((*view.key, *sorted(base))))
    return Plan(view, clauses, names, near, parts.shared(), parts.tabled(), parts.heavy(read))


def _unified(term: Term, one: dict[Term, Term]) -> Term:
    """The same term, with one object for all equal terms below it; 1 and true are equal but not the same.

    That a set has no member is told from its words, without counting.
    """
    match term:
        case Lit():
            return term
        case Op("=", (Op("size", (members,)), Lit(0))):
            term = Op(IS_EMPTY, (members,))
    if term not in one:
        one[term] = rebuild(term, lambda child: _unified(child, one))
    return one[term]


def needed_columns(rules: Sequence[Rule]) -> frozenset[str]:
    """The stored columns, by their names in the vocabulary, that ``check`` must be given for these rules.

    A set of more than 64 members is stored as several columns: one for each word.
    """
    found = {"kind"}
    for plan in plans_of(rules):
        found |= _columns(plan.view, plan.base) | set(plan.view.sorted_by.places)
        found |= set() if plan.view.grouped else {plan.view.sorted_by.own}
    return _stored(found)


def by_order(rules: Sequence[Rule]) -> dict[Order, list[Rule]]:
    """The rules that are judged together, by the order in which a trace must stand for them."""
    found: dict[Order, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.view.sorted_by, []).append(rule)
    return found


def order_of(rules: Sequence[Rule]) -> Order:
    """The order in which a trace must stand for rules to be judged together.

    Raises:
        MixedOrders: there is none, or more than one.
    """
    orders = {rule.view.sorted_by for rule in rules}
    if len(orders) != 1:
        said = " and ".join(sorted(map(str, orders))) or "none"
        raise MixedOrders(f"the rules ask for {said}", "rules", "a trace stands in one order", "Judge them apart")
    return orders.pop()


def needed_columns_of_dimensions(dimensions: Iterable[type[Dimension]]) -> frozenset[str]:
    """The stored columns that ``gather`` must be given for these dimensions."""
    return _stored({"kind"}.union(*(_columns(dimension, dimension.base) for dimension in dimensions)))


def needed_of_kinds(dimensions: Iterable[type[Dimension]]) -> dict[int, frozenset[str]]:
    """The kinds of event that these dimensions are made of, and which stored columns of each; no other is needed."""
    found: dict[int, set[str]] = {}
    for dimension in dimensions:
        for kind in kinds(dimension.events):
            found.setdefault(kind, {"kind"}).update(_columns(dimension, dimension.base))
    return {kind: _stored(columns) for kind, columns in found.items()}


def _columns(rows: type[Rowset], base: Iterable[str]) -> set[str]:
    return {field.column for name in base for field in _fields(rows.base[name])}


def _fields(term: Term) -> list[Field]:
    """The fields below a base column, in aggregates' conditions too."""
    found: list[Field] = leaves(term, Field)
    return found if isinstance(term, Agg | Field) else []


def _stored(columns: set[str]) -> frozenset[str]:
    return frozenset(stored for column in columns for stored in parts_of(column))
