"""Witnesses: what a broken rule expected of a row, what was seen there, and the events that show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any, Final

from conformance.check.chronology import in_order
from conformance.check.neighbourhood import Neighbourhood, around, group_of, key_columns, kinds_looked_up
from conformance.check.ordering import Asked, events_of, in_partition
from conformance.check.sentences import tell
from conformance.check.tables import of_no_partition, plain_rows
from conformance.check.values import in_words, value_text
from conformance.trace.header import Header
from conformance.trace.open import Parquet
from conformance.trace.rows import EventRow, Rows
from spec.language.declare import View
from spec.language.events import kinds
from spec.language.outcomes import Outcome, Violation
from spec.language.reference import ReferenceEvaluator, Row
from spec.language.rule import Rule
from spec.language.terms import Agg, Along, Col, Op, Term, leaves
from spec.registry import family_of
from spec.reports.names import names_of
from spec.reports.report import Witness

EVENTS: Final = 12
"""Events that a witness names; the story told by ``quorate explain`` has more."""


def neighbourhoods(trace: Parquet, violations: Mapping[Violation, Rule]) -> dict[Violation, Neighbourhood]:
    """The events around each violation, in one pass over the row groups that may have some."""
    parameters, asked = trace.header.parameters(), list[Asked]()
    looked_up_in = chain.from_iterable(rule.dimensions for rule in violations.values())
    known = plain_rows(trace, of_no_partition(looked_up_in, trace.header))
    tables: dict[int | None, set[int]] = defaultdict(set)
    for violation, rule in violations.items():
        asked.append(Asked(frozenset(kinds(rule.view.events)), group_of(rule, violation.key, parameters)))
        tables[partition_of(rule.view, violation.key)] |= kinds_looked_up(rule, known)
    asked += [in_partition(trace, looked_up, partition) for partition, looked_up in tables.items()]
    return around(violations, events_of(trace, asked), parameters, known)


def kinds_around(rule: Rule) -> frozenset[int]:
    """The kinds of events on which the verdict on a row may depend."""
    return frozenset(kinds(rule.view.events)) | kinds_looked_up(rule, {})


def partition_of(view: type[View], key: tuple[int, ...]) -> int | None:
    """The partition of the trace that a row is about; None where it is about the whole."""
    columns, partition = key_columns(view), view.events.sorted_by.partition
    return key[columns.index(partition)] if partition in columns else None


def witnesses(trace: Parquet, violations: Mapping[Violation, Rule]) -> dict[Violation, Witness]:
    """A witness for each violation; none where what decides lies too far from the row."""
    if not violations:
        return {}
    found, lines = {}, Rows(trace.header)
    for violation, near in neighbourhoods(trace, violations).items():
        witness = witness_of(near, trace.header, lines)
        if witness is not None:
            found[violation] = witness
    return found


def witness_of(near: Neighbourhood, header: Header, lines: Rows) -> Witness | None:
    """The witness that a neighbourhood gives, its events as ``lines``; None where it does not show the violation."""
    reference, rows = near.evaluated()
    row = next((row for row in rows if tuple(row[name] for name in near.rule.view.key) == near.key), None)
    if row is None or reference.outcome(near.rule, row) is not Outcome.VIOLATED:
        return None
    names, rule = names_of(header), near.rule
    failed = failed_part(rule, reference, row)
    shown = dict.fromkeys(col for col in leaves(failed, Col) if col.name != rule.view.sorted_by.partition)
    seen = {col.name: value_text(_value(reference, rule, row, col), col, rule.view, names) for col in shown}
    chosen = islice(telling(near, rows, row), EVENTS)
    events = in_order(chosen, header.family)
    return Witness(
        expected=in_words(family_of(rule.view).prose.notation.say(failed)),
        seen=seen,
        told=tuple(tell(event, names, header.family.story) for event in events),
        events=tuple(lines.to_json(event) for event in events),
    )


def failed_part(rule: Rule, reference: ReferenceEvaluator, row: Row) -> Term:
    """The first part of the claim's conjunction that is false, in the author's own columns."""
    claim = rule.term.args[1] if isinstance(rule.term, Op) and rule.term.name == "implies" else rule.term
    return next((part for part in conjuncts(claim) if _value(reference, rule, row, part) is False), claim)


def conjuncts(term: Term) -> Iterator[Term]:
    """The parts that a conjunction joins."""
    if isinstance(term, Op) and term.name == "and":
        for arg in term.args:
            yield from conjuncts(arg)
    else:
        yield term


def _value(reference: ReferenceEvaluator, rule: Rule, row: Row, term: Term) -> Any:
    return reference.evaluator(row).value(rule.view.inline(term))


def telling(near: Neighbourhood, rows: list[Row], row: Row) -> Iterator[EventRow]:
    """The events that say what the rule reads: those of the row, then those of the rows at which it looks."""
    rule, view = near.rule, near.rule.view
    mine = {name for name in rule.columns if name in view.base}
    others: list[EventRow] = []
    for name in sorted(rule.neighbours):
        source = source_of(view.near[name], near, rows, row)
        said = {col.name for col in leaves(view.inline(view.near[name].of), Col)}
        if source == near.key:
            mine |= said
        elif source is not None:
            others += _saying(near.of_row(source), view, said)
    yield from _saying(near.own, view, mine)
    yield from others


def _saying(events: list[EventRow], view: type[View], columns: set[str]) -> list[EventRow]:
    """The events from which columns of a row come; all of them where the columns are only of its key."""
    aggregates = [view.base[name] for name in columns if isinstance(view.base.get(name), Agg)]
    wanted = {kind for term in aggregates if isinstance(term, Agg) for event, _ in term.of for kind in kinds(event)}
    return [event for event in events if not wanted or event["kind"] in wanted]


def source_of(look: Along, near: Neighbourhood, rows: list[Row], row: Row) -> tuple[int, ...] | None:
    """The key of the row from which a neighbour column takes its value; None where it takes none."""
    view, reference = near.rule.view, ReferenceEvaluator((), near.parameters)
    parts = [view.inline(part) for part in look.partition]
    mine = [reference.evaluator(row).value(part) for part in parts]
    others = [other for other in rows if [reference.evaluator(other).value(part) for part in parts] == mine]
    keys = [tuple(other[name] for name in view.key) for other in others]
    here, of = keys.index(near.key), view.inline(look.of)
    said = [reference.evaluator(other).value(of) for other in others]
    match look.fn:
        case "previous":
            return keys[here - 1] if here else None
        case "latest":
            return next((keys[at] for at in range(here, -1, -1) if said[at] is not None), None)
        case "next":
            return next((keys[at] for at in range(here, len(keys)) if said[at] is not None), None)
        case "lowest":
            known = [at for at in range(here, len(keys)) if said[at] is not None]
            return keys[min(known, key=lambda at: said[at])] if known else None
        case _:
            known = [at for at in range(here + 1) if said[at] is not None]
            return keys[max(known, key=lambda at: said[at])] if known else None
