"""All runs of the corpus on one cluster as one trace on disk, and what the columns say of it and of each run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from conformance.check.engines import by_columns, silent
from conformance.cli_simulate import header_for
from conformance.trace import parquet_writing
from conformance.trace.keeping import with_recorder
from conformance.trace.open import Parquet, open_trace
from reference_impl.log import trace_events
from reference_impl.mutants import MUTANTS
from spec.events import Ack, Deliver, Indefinite, Invoke, Refused
from spec.language.outcomes import Judgement, Violation
from spec.language.parameters import Parameters
from spec.registry import BY_ID, RULES
from tests.support.corpus import LOGS_MAX, PLANS, events_of_run, fingerprint, folder_of_runs
from tests.support.simulated import NOTICED_BY, place

OF_APPENDS: Final = [event.kind for event in (Invoke, Ack, Refused, Indefinite, Deliver)]
"""Kinds that name an append by where it began."""

APART: Final = 1 << 20
"""Added to orders and versions of the second of two runs that become one trace; more than a run has events."""


@cache
def clusters() -> dict[Parameters, tuple[str, ...]]:
    """The runs of the corpus on each cluster."""
    found: dict[Parameters, tuple[str, ...]] = {}
    for name, plan in PLANS.items():
        parameters = plan.parameters()
        found[parameters] = (*found.get(parameters, ()), name)
    return found


def trace_of(names: Sequence[str]) -> Parquet:
    """Runs on one cluster as one trace, each in logs of its own; made by whoever asks first.

    What the first run's recorders promise is written above all of them: no engine asks for it.
    """
    path = folder_of_runs() / f"{names[0]}-and-{len(names) - 1}-more-{fingerprint(__name__)}.parquet"
    if not path.exists():
        events = together([events_of_run(name) for name in names])
        head = with_recorder(header_for(replace(PLANS[names[0]], logs=LOGS_MAX * len(names), mutant="")))
        there = path.with_name(f"{path.name}.{os.getpid()}.parquet")
        parquet_writing.write_events(there, head, events, in_order=True)
        there.replace(path)
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    return trace


def together(runs: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Runs as one trace in order; what names a log, a status table or an order is told apart."""
    return sorted((_moved(event, number) for number, run in enumerate(runs) for event in run), key=place)


def _moved(event: dict[str, Any], number: int) -> dict[str, Any]:
    moved = {**event, "seq": event["seq"] + number * APART}
    if "log" in event:
        moved["log"] += number * LOGS_MAX
    if event["kind"] == trace_events.PLAN:
        moved["arg_b"] += number * APART
    named = event["kind"] in (
        trace_events.STATUS,
        trace_events.GAP,
        *OF_APPENDS,
        trace_events.REBUILDING,
        trace_events.DONATED,
    )
    if named and event.get("version") is not None:
        moved["version"] += number * APART
    return moved


def judged_together(names: Sequence[str]) -> Judgement:
    """What the columns say of the trace of these runs."""
    trace = trace_of(names)
    return by_columns(RULES, trace, sum(part.rows for part in trace.parts), silent)


def number_of_run(violation: Violation) -> int:
    """Which run breaks a rule: logs are told apart, and where there is none, versions of the status table."""
    key = dict(zip(BY_ID[violation.rule].view.key, violation.key, strict=True))
    return int(key["log"] // LOGS_MAX if "log" in key else key["version"] // APART)


def broken_by_run(judgement: Judgement) -> Counter[tuple[str, int]]:
    """How often each rule is broken in each run."""
    return Counter((one.rule, number_of_run(one)) for one in judgement.violations)


def made_for(names: Sequence[str]) -> frozenset[str]:
    """The rules that the mutants among these runs were made for."""
    return frozenset(NOTICED_BY[name] for name in names if name in MUTANTS)


def mutants_noticed(names: Sequence[str], judgement: Judgement) -> list[str]:
    """The mutants among these runs of which the rule that each was made for is broken in its own logs."""
    broken = broken_by_run(judgement)
    return [name for run, name in enumerate(names) if name in MUTANTS and broken[NOTICED_BY[name], run]]
