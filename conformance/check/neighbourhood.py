"""Neighbourhoods: the few events on which the verdict on one row depends, found in one pass over a sorted trace.

They are the row's own events, the events of rows that its neighbour columns may look at, and the tables that it looks
things up in, which all rows share. A pass keeps at most ``REACH`` events on each side of a row, so beside the tables it
takes the same memory for any trace.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from conformance.trace.rows import EventRow
from spec.language.declare import View
from spec.language.events import kinds
from spec.language.meaning import Tables
from spec.language.orders import parts_of
from spec.language.outcomes import Violation
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator, Row, with_positions
from spec.language.rule import Rule
from spec.language.terms import Agg, Along, Col, Field, Term, leaves
from spec.language.vocabulary import AHEAD

REACH: Final = 4096
"""Events that are kept on each side of a row."""


class Neighbourhood:
    """The events around one row, as far as one rule reads them.

    Args:
        rule: the rule that the row breaks.
        key: the row's key.
        parameters: what the trace's header fixes.

    Attributes:
        tables: the events of all tables that rules look up, each table gathered when a rule first asks for it.
    """

    def __init__(self, rule: Rule, key: tuple[int, ...], parameters: Parameters) -> None:
        self.rule, self.key, self.parameters = rule, key, parameters
        self.tables = ReferenceEvaluator((), parameters)
        self.view = slim(rule)
        near = [rule.view.near[name] for name in sorted(rule.neighbours)]
        self.back = _kinds_read(rule.view, [one for one in near if one.fn not in AHEAD])
        self.ahead = _kinds_read(rule.view, [one for one in near if one.fn in AHEAD])
        self.own: list[EventRow] = []
        self.before: deque[EventRow] = deque(maxlen=REACH)
        self.after: list[EventRow] = []

    @property
    def events(self) -> list[EventRow]:
        """Those around the row, in trace order, without the tables."""
        return [*self.before, *self.own, *self.after]

    @property
    def group(self) -> tuple[int, ...]:
        """The parts of the key that all rows share which this row may look at."""
        return tuple(self.key[self.rule.view.key.index(name)] for name in group_columns(self.rule))

    def add(self, event: EventRow, key: tuple[int, ...]) -> None:
        """Take note of an event of the same group, with the key of its row."""
        if key == self.key:
            self.own.append(event)
        elif key < self.key:
            if event["kind"] in self.back:
                self.before.append(event)
        elif event["kind"] in self.ahead and len(self.after) < REACH:
            self.after.append(event)

    def of_row(self, key: tuple[int, ...]) -> list[EventRow]:
        """The events of another row, as far as they are here."""
        columns = key_columns(self.rule.view)
        around = [*self.before, *self.after]
        said = ((event, with_positions(event, self.parameters)) for event in around)
        return [event for event, seen in said if tuple(seen.get(column) for column in columns) == key]

    def evaluated(self) -> tuple[ReferenceEvaluator, list[Row]]:
        """The rows that these events make, and the reference evaluator that made them."""
        for dimension in self.rule.dimensions:
            self.tables.table(dimension)
        reference = ReferenceEvaluator(self.events, self.parameters)
        reference.tables = self.tables.tables
        return reference, reference.rows(self.view)


def around(
    violations: Mapping[Violation, Rule], events: Iterable[EventRow], parameters: Parameters, known: Tables
) -> dict[Violation, Neighbourhood]:
    """The neighbourhood of each violation, in one pass over events in trace order; some tables are known."""
    found = {violation: Neighbourhood(rule, violation.key, parameters) for violation, rule in violations.items()}
    groups: dict[tuple[Any, ...], list[Neighbourhood]] = defaultdict(list)
    readers: dict[int, list[tuple[type[View], tuple[str, ...], tuple[str, ...]]]] = defaultdict(list)
    looked_up: list[EventRow] = []
    of_tables = frozenset[int]().union(*(kinds_looked_up(rule, known) for rule in violations.values()))
    for one in found.values():
        shape = (one.rule.view, group_columns(one.rule), key_columns(one.rule.view))
        groups[one.rule.view, shape[1], one.group].append(one)
        for kind in kinds(one.rule.view.events):
            if shape not in readers[kind]:
                readers[kind].append(shape)
    for raw in events:
        if raw["kind"] in of_tables:
            looked_up.append(raw)
        event: EventRow | None = None
        for view, names, columns in readers.get(raw["kind"], ()):
            event = with_positions(raw, parameters) if event is None else event
            key = tuple(event[column] for column in columns)
            group = tuple(key[view.key.index(name)] for name in names)
            if None not in key:
                for one in groups.get((view, names, group), ()):
                    one.add(raw, key)
    tables = ReferenceEvaluator(looked_up, parameters)
    tables.tables.update(known)
    for one in found.values():
        one.tables = tables
    return found


def kinds_looked_up(rule: Rule, known: Tables) -> frozenset[int]:
    """The kinds whose events make the tables that a rule looks things up in, but for those that are known."""
    return frozenset(
        kind for dimension in rule.dimensions if dimension not in known for kind in kinds(dimension.events)
    )


def group_columns(rule: Rule) -> tuple[str, ...]:
    """The key columns by which all rows that a row may look at are equal to it; the whole key without neighbours."""
    view = rule.view
    if not rule.neighbours:
        return view.key
    parts = [set(map(view.inline, view.near[name].partition)) for name in rule.neighbours]
    shared = set[Term].intersection(*parts)
    return tuple(name for name in view.key if Col(name, "int") in shared)


def group_of(rule: Rule, key: tuple[int, ...], parameters: Parameters) -> dict[str, frozenset[int]]:
    """What a trace keeps, by column, in the events of all rows at which one row may look."""
    kept, shared = dict[str, int](), group_columns(rule)
    for name, column, number in zip(rule.view.key, key_columns(rule.view), key, strict=True):
        if name in shared:
            high, *low = parts_of(column)
            bits = parameters.low_bits if low else 0
            kept |= {high: number >> bits} | dict.fromkeys(low, number & (1 << bits) - 1)
    return {column: frozenset({number}) for column, number in kept.items()}


def slim(rule: Rule) -> type[View]:
    """The rule's view with only the columns that the rule reads, so that an evaluation over it does no other work."""
    view = rule.view
    near = {name: view.near[name] for name in view.near if name in rule.neighbours}
    read = [*rule.parts, *(view.inline(one.of) for one in near.values())]
    read += [view.inline(part) for one in near.values() for part in one.partition]
    wanted = {col.name for term in read for col in leaves(term, Col)} | set(view.key)
    body = {
        "__doc__": view.__doc__,
        "events": view.events,
        "key": view.key,
        "grouped": view.grouped,
        "base": {name: term for name, term in view.base.items() if name in wanted},
        "near": near,
        "derived": view.derived,
        "inline": view.inline,
    }
    made: Any = type(view.__name__, (), body)
    slimmed: type[View] = made
    return slimmed


def key_columns(view: type[View]) -> tuple[str, ...]:
    """The columns of the vocabulary that make a view's key."""
    fields = (view.base[name] for name in view.key)
    return tuple(field.column for field in fields if isinstance(field, Field))


def _kinds_read(view: type[View], near: list[Along]) -> frozenset[int]:
    """The kinds whose events may change what these neighbour columns say."""
    found: set[int] = set()
    for one in near:
        if one.fn == "previous":
            found.update(kinds(view.events))
        for col in leaves(view.inline(one.of), Col):
            base = view.base.get(col.name)
            if isinstance(base, Agg):
                found.update(kind for event, _ in base.of for kind in kinds(event))
            elif not view.grouped:
                found.update(kinds(view.events))
    return frozenset(found)
