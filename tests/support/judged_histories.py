"""What the rules say of a history of clients, as ``quorate check`` would say it of its trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from conformance.trace.header import Header
from conformance.trace.header_json import header_from_json
from conformance.trace.rows import Rows
from spec.client.bookkeeping import kept, recording_of
from spec.client.history import History
from spec.language.outcomes import Verdict
from spec.language.reference import ReferenceEvaluator
from spec.registry import select
from spec.verdicts import TraceVerdict, conclude, in_force
from tests.support.history_traces import Event, to_trace

RULES = select(["client.*"])


def verdict_of_rules(history: History, as_heard: Callable[[Iterable[Event]], Iterable[Event]] = iter) -> Verdict:
    """The verdict of all rules on clients, as its events were heard."""
    return said_of(history, as_heard).verdict


def said_of(history: History, as_heard: Callable[[Iterable[Event]], Iterable[Event]] = iter) -> TraceVerdict:
    """What each rule says."""
    head, events = to_trace(history)
    header, rows = header_of(head), rows_of(head)
    read = [rows.from_json(event) for event in as_heard(events)]
    judgement = ReferenceEvaluator(kept(read, recording_of(header)), header.parameters()).judge(_in_force(repr(head)))
    return conclude(RULES, judgement, header)


def header_of(head: Event) -> Header:
    """The header of a history's trace, read once."""
    return _header(repr(head))


def rows_of(head: Event) -> Rows:
    """What reads the events of a trace with this header."""
    return _rows(repr(head))


@cache
def _header(head: str) -> Header:
    said: dict[str, Any] = eval(head)  # noqa: S307 - what repr made of plain values
    return header_from_json({name: value for name, value in said.items() if name != "end_line"})


@cache
def _rows(head: str) -> Rows:
    return Rows(_header(head))


@cache
def _in_force(head: str) -> Sequence[Any]:
    return in_force(RULES, _header(head))
