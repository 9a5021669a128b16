"""The meaning of views and rules: an evaluation over plain Python events.

Slow and obvious on purpose; the other readings are judged by their agreement with this one. An event is a mapping
from column to value, as ``conformance.trace`` reads it: sets are frozensets, a replication property is a mapping.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, reduce
from operator import and_
from typing import Any, TypeAlias, TypeVar

from spec.language.declare import Dimension, Rowset, View
from spec.language.events import kinds
from spec.language.meaning import Evaluator, Value, kleene_and, kleene_not
from spec.language.orders import POSITIONS
from spec.language.outcomes import Judgement, Outcome, Violation
from spec.language.parameters import Parameters, pack_factors
from spec.language.rule import Rule
from spec.language.terms import Agg, Along, Col, Term, leaves

T = TypeVar("T")

Row: TypeAlias = dict[str, Value]
"""One row of a view, by column."""

EventRow: TypeAlias = Mapping[str, Value]
"""One event, by column of the trace."""


class ReferenceEvaluator:
    """Views over one trace.

    Args:
        events: all events of the trace, in any order.
        parameters: what the trace's header fixes.
    """

    def __init__(self, events: Iterable[EventRow], parameters: Parameters) -> None:
        self.parameters = parameters
        self.tables: dict[type, Mapping[tuple[Value, ...], Mapping[str, Value]]] = {}
        self.events = [self.evaluator(with_positions(event, parameters)) for event in events]

    def evaluator(self, of: Mapping[str, Value]) -> Evaluator:
        """What evaluates terms over one event or row."""
        return Evaluator(of, self.parameters, self.tables)

    def table(self, dimension: type[Dimension]) -> None:
        """Gather one dimension, so that rows can look it up."""
        if dimension not in self.tables:
            rows = self._grouped(dimension)
            derived = {name: dimension.inline(term) for name, term in dimension.derived.items()}
            for row in rows:
                evaluator = self.evaluator(row)
                row.update({name: evaluator.value(term) for name, term in derived.items()})
            self.tables[dimension] = {tuple(row[name] for name in dimension.key): row for row in rows}

    def rows(self, view: type[View], wanted: Collection[str] | None = None) -> list[Row]:
        """The rows of a view in the order of its key, with all base and neighbour columns, or those that are wanted."""
        rows = self._grouped(view, wanted)
        for name, near in _some(view.near, wanted).items():
            value, parts = view.inline(near.of), [view.inline(part) for part in near.partition]
            partitions: dict[tuple[Value, ...], list[Row]] = defaultdict(list)
            for row in rows:
                evaluator = self.evaluator(row)
                partitions[tuple(evaluator.value(part) for part in parts)].append(row)
            for partition in partitions.values():
                said = [self.evaluator(row).value(value) for row in partition]
                for place, row in enumerate(partition):
                    row[name] = look(near, said, place)
        return rows

    def _grouped(self, rowset: type[Rowset], wanted: Collection[str] | None = None) -> list[Row]:
        """Rows with their base columns; an event whose key is not known makes no row."""
        groups: dict[Any, list[Evaluator]] = defaultdict(list)
        told = kinds(rowset.events)
        for number, event in enumerate(self.events):
            if event.of["kind"] in told:
                key = tuple(event.value(rowset.base[name]) for name in rowset.key)
                if None not in key:
                    groups[key, None if rowset.grouped else number].append(event)
        columns = _some(rowset.base, wanted)
        return [self._row(columns, group) for _, group in sorted(groups.items(), key=lambda item: item[0])]

    def _row(self, columns: Mapping[str, Term], events: Sequence[Evaluator]) -> Row:
        """Base columns of one row."""
        by_kind: dict[Value, list[Evaluator]] = defaultdict(list)
        for event in events:
            by_kind[event.of["kind"]].append(event)
        return {
            name: _aggregate(term, by_kind) if isinstance(term, Agg) else events[0].value(term)
            for name, term in columns.items()
        }

    def outcome(self, rule: Rule, row: Row) -> Outcome:
        """What one rule says of one row."""
        evaluator = self.evaluator(row)
        given = evaluator.value(rule.parts[0])
        if given is False:
            return Outcome.NO_INSTANCE
        truth = kleene_not(kleene_and(given, kleene_not(evaluator.value(rule.parts[1]))))
        return Outcome.UNKNOWN if truth is None else Outcome.HOLDS if truth else Outcome.VIOLATED

    def judge(self, rules: Iterable[Rule]) -> Judgement:
        """Count what the rules say of all rows, and name every violation."""
        judgement = Judgement()
        by_view: dict[type[View], list[Rule]] = defaultdict(list)
        for rule in rules:
            by_view[rule.view].append(rule)
            for dimension in rule.dimensions:
                self.table(dimension)
        for view, mine in by_view.items():
            for row in self.rows(view, frozenset().union(*map(read_by, mine))):
                for rule in mine:
                    outcome = self.outcome(rule, row)
                    judgement.count(rule.id, outcome)
                    if outcome is Outcome.VIOLATED:
                        judgement.violations.add(Violation(rule.id, tuple(row[name] for name in view.key)))
        return judgement


@cache
def read_by(rule: Rule) -> frozenset[str]:
    """The columns that a rule reads, those that its neighbour columns look at, and the key."""
    view, read = rule.view, _columns(rule.parts)
    near = [one for name, one in view.near.items() if name in read]
    return read | _columns(view.inline(term) for one in near for term in (one.of, *one.partition)) | {*view.key}


def _columns(terms: Iterable[Term]) -> frozenset[str]:
    return frozenset(column.name for term in terms for column in leaves(term, Col))


def _some(columns: Mapping[str, T], wanted: Collection[str] | None) -> Mapping[str, T]:
    return columns if wanted is None else {name: term for name, term in columns.items() if name in wanted}


def _aggregate(agg: Agg, events: Mapping[Value, Sequence[Evaluator]]) -> Value:
    """What the events of one row say together, given by kind; unknown as soon as one of them does not know."""
    said: list[Value] = []
    unsure = False
    for event, term in agg.of:
        for kind in kinds(event):
            for evaluator in events.get(kind, ()):
                chosen = True if agg.where is None else evaluator.value(agg.where)
                value = None if chosen is None else evaluator.value(term)
                unsure |= chosen is not False and value is None
                said += [value] if chosen and value is not None else []
    return aggregate(agg.fn, said, unsure=unsure)


def with_positions(event: EventRow, parameters: Parameters) -> EventRow:
    """The event with its positions as one number each."""
    made = {
        name: _position(event.get(high), event.get(low), parameters.low_bits)
        for name, high, low, *_ in POSITIONS.values()
    }
    return {**event, **made}


def _position(high: Any, low: Any, bits: int) -> int | None:
    return None if high is None or low is None else (high << bits) + low


def aggregate(fn: str, said: list[Value], *, unsure: bool) -> Value:
    """Join values by an aggregate; ``unsure`` when some event of the row does not know its value."""
    if fn == "any" and said:
        return True
    if unsure:
        return None
    match fn:
        case "any":
            return False
        case "count":
            return len(said)
        case "union":
            return frozenset[int]().union(*said)
        case _ if not said:
            return None
        case "common":
            return reduce(and_, said)
        case "min":
            return min(said, key=order)
        case _:
            return max(said, key=order)


def order(value: Value) -> Any:
    """Numbers in their order; replication properties in the order of their packed form."""
    return pack_factors(value) if isinstance(value, Mapping) else value


def look(near: Along, said: list[Value], place: int) -> Value:
    """What the row at a place of its partition sees, when the partition's rows say these values in order."""
    match near.fn:
        case "previous":
            return said[place - 1] if place else None
        case "latest":
            return next((value for value in said[place::-1] if value is not None), None)
        case "next":
            return next((value for value in said[place:] if value is not None), None)
        case "lowest":
            return min((value for value in said[place:] if value is not None), default=None)
        case _:
            return max((value for value in said[: place + 1] if value is not None), default=None)
