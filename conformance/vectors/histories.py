"""Cases of client histories: a header and events, as lines of a trace have them, the verdict, and the broken rules.

``verdict`` is holds, violated or unknown; ``expected`` are the ids of the rules that are violated, in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.check.checking import verdict_of_events
from conformance.trace.errors import TraceError
from conformance.trace.header_json import header_from_json
from conformance.trace.rows import Rows
from conformance.vectors.differences import differences
from conformance.vectors.fields import Fields
from spec.language.outcomes import Verdict


def seen(case: Fields) -> tuple[str, ...]:
    """How the verdict on a history, and the rules that are violated, differ from what a case expects.

    Raises:
        DamagedVectors: the case is no case of a history.
    """
    expected = case.one_of("verdict", Verdict)
    events = [event.whole() for event in case.every("events", Fields.below)]
    try:
        verdict, rules = verdict_of(case.below("header").whole(), events)
    except TraceError as error:
        raise case.refuse("the history is no trace", str(error), "as docs/reference/trace-format.md has it") from error
    told = differences(expected.value, verdict, "verdict")
    return told + differences(sorted(case.every("expected", Fields.text)), rules, "violated rules")


def verdict_of(header: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """The verdict on a history, and the rules that are violated, by id.

    Raises:
        TraceError: it is no trace.
    """
    head = header_from_json(header)
    rows = Rows(head)
    found = verdict_of_events(head, [rows.from_json(dict(event)) for event in events])
    return found.verdict.value, sorted(said.rule.id for said in found.judged if said.violated)
