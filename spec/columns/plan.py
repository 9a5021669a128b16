"""Plans: what the selected rules read, worked out once and used for every block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from spec.columns.mistakes import MixedOrders
from spec.columns.operations import IS_EMPTY
from spec.columns.shape import partition_terms
from spec.language.declare import Dimension, Rowset, View
from spec.language.events import kinds
from spec.language.orders import Order, parts_of
from spec.language.rule import Rule
from spec.language.terms import Agg, Col, Count, Field, Lit, Lookup, Op, Term, Var, children, leaves, rebuild, walk


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


class Tabled(NamedTuple):
    """A term that only depends on what one dimension says under one key.

    Attributes:
        lookup: one of its lookups; all have the same dimension and key.
        term: the same over the dimension's columns.
    """

    lookup: Lookup
    term: Term


class LookedUp(NamedTuple):
    """What a term reads of one row of a dimension.

    Attributes:
        lookup: one of its lookups; all have the same dimension and key.
        columns: the dimension's columns that it reads.
    """

    lookup: Lookup
    columns: tuple[Col, ...]


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


FEW_SOURCES: Final = 2
"""A term with a count that reads so few columns is worked out once for all rows that say the same in them."""

_KEPT: Final = 256
_plans: dict[tuple[int, ...], tuple[tuple[Rule, ...], tuple[Plan, ...]]] = {}


def plans_of(rules: Sequence[Rule]) -> tuple[Plan, ...]:
    """The plan of each view that rules judge; the last few sets of rules are remembered.

    Raises:
        UnorderedNeighbours: a view's neighbours do not follow the order of a trace.
    """
    asked = tuple(map(id, rules))
    if asked not in _plans:
        if len(_plans) >= _KEPT:
            _plans.pop(next(iter(_plans)))
        views = dict.fromkeys(rule.view for rule in rules)
        _plans[asked] = tuple(rules), tuple(_plan(view, [r for r in rules if r.view is view]) for view in views)
    return _plans[asked][1]


def _plan(view: type[View], rules: list[Rule]) -> Plan:
    one: dict[Term, Term] = {}
    clauses = tuple(
        Clause(rule.id, _unified(rule.parts[0], one), _unified(rule.parts[1], one), tuple(sorted(rule.neighbours)))
        for rule in rules
    )
    near = {
        name: (_unified(view.inline(view.near[name].of), one), partition_terms(view, view.near[name]))
        for name in sorted({name for clause in clauses for name in clause.near})
    }
    read = [
        *(part for clause in clauses for part in (clause.given, clause.claim)),
        *(term for term, _ in near.values()),
    ]
    base = {col.name for term in read for col in leaves(term, Col)} & set(view.base)
    tabled = {id(term): found for whole in read for term in _closed(whole) if (found := _tabled(term)) is not None}
    heavy = {number: sources for whole in read for number, sources in _heavy(whole)}
    names = tuple(dict.fromkeys((*view.key, *sorted(base))))
    return Plan(view, clauses, names, near, _shared(read), tabled, heavy)


def _unified(term: Term, one: dict[Term, Term]) -> Term:
    """The same term, with one object for all equal terms below it; 1 and true are equal but not the same.

    That a set has no member is told from its words, without counting.
    """
    match term:
        case Lit():
            return term
        case Op("=", (Op("size", (members,)), Lit(0))):
            term = Op(IS_EMPTY, (members,))
    return one.setdefault(term, rebuild(term, lambda child: _unified(child, one)))


def _closed(term: Term) -> Iterator[Term]:
    """The terms below this one that say the same whatever domain a count is at."""
    return (below for below in walk(term) if children(below) and not leaves(below, Var))


def _shared(terms: list[Term]) -> frozenset[int]:
    """The terms that occur more than once, or are the same for all domains that a count ranges over."""
    uses = Counter(id(below) for term in terms for below in walk(term))
    for counted in {id(count): count for term in terms for count in leaves(term, Count)}.values():
        uses.update(id(below) for below in walk(counted.body))
    return frozenset(id(below) for term in terms for below in _closed(term) if uses[id(below)] > 1)


def _sources(term: Term) -> Iterator[Col | Lookup]:
    """What a term reads of a row: columns, and lookups without what is in their keys."""
    if isinstance(term, Col | Lookup):
        yield term
    else:
        for child in children(term):
            yield from _sources(child)


def _different(sources: Iterable[Col | Lookup]) -> dict[object, Col | Lookup]:
    """The sources that are not the same column, or the same row of the same dimension."""
    return {(s.dimension, s.key) if isinstance(s, Lookup) else s.name: s for s in sources}


def _tabled(term: Term) -> Tabled | None:
    different = list(_different(_sources(term)).values())
    lookup = different[0] if len(different) == 1 else None
    return Tabled(lookup, _over_table(term)) if isinstance(lookup, Lookup) else None


def _over_table(term: Term) -> Term:
    return Col(term.column, term.sort) if isinstance(term, Lookup) else rebuild(term, _over_table)


def _heavy(term: Term) -> Iterator[tuple[int, tuple[Col | LookedUp, ...]]]:
    """The largest terms with a count that depend on few columns, or the count itself."""
    if leaves(term, Count):
        read = _read(list(_sources(term)))
        if isinstance(term, Count) or len(read) <= FEW_SOURCES:
            yield id(term), read
        else:
            for child in children(term):
                yield from _heavy(child)


def _read(sources: list[Col | Lookup]) -> tuple[Col | LookedUp, ...]:
    """The different sources; of a row of a dimension all columns together."""
    columns: dict[object, dict[str, Col]] = {}
    for source in sources:
        if isinstance(source, Lookup):
            row = columns.setdefault((source.dimension, source.key), {})
            row[source.column] = Col(source.column, source.sort)
    return tuple(
        LookedUp(one, tuple(columns[one.dimension, one.key].values())) if isinstance(one, Lookup) else one
        for one in _different(sources).values()
    )


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
