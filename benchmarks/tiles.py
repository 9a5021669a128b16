"""Tiles: small simulated runs whose verdicts the meaning of the rules knows, and how to shift their numbers.

Verdicts are about one log at a time, and tables are looked up by numbers that each tile has to itself. So a copy of a
tile with other log numbers, later clocks and later versions has the same verdicts under shifted keys, and any number of
copies side by side have the sum of them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from conformance.headings import header_from
from conformance.trace.arrow import to_batches
from conformance.trace.blocks import numbers
from conformance.trace.header import Header
from conformance.trace.keeping import with_recorder
from conformance.trace.open import open_trace
from conformance.trace.parquet_writing import appending
from conformance.trace.sort import trace_keys
from reference_impl.heading import recording_of
from reference_impl.simulate import SimulationPlan, header_of, simulate
from spec.client.bookkeeping import kept
from spec.columns.shape import column_of
from spec.events import (
    Ack,
    CopysetChanged,
    Deliver,
    Emptied,
    Event,
    Gap,
    Indefinite,
    InEventLog,
    Invoke,
    Planned,
    Rebuilt,
    Refused,
    StatusTable,
)
from spec.language.declare import View
from spec.language.events import kinds, layout
from spec.language.fold import Fold
from spec.language.outcomes import Judgement, Outcome, Violation
from spec.language.terms import Field
from spec.registry import BY_ID, RULES

IN_LOGS: Final = layout(Event)["log"].kinds
"""Kinds of event that are about a log; in the others the column holds 0."""

VERSIONED: Final = tuple(
    kind for event in (StatusTable, Gap, InEventLog, Rebuilt, CopysetChanged, Emptied) for kind in kinds(event)
)
"""Kinds whose column ``version`` is a version of the event log, and so of its status table."""

DECIDED: Final = (*kinds(Planned), *kinds(InEventLog))
"""Kinds whose column ``arg_b`` is a version of the status table."""

BEGUN: Final = layout(Event)["invoked_at_ns"].kinds
"""Kinds that say when their append began."""

INVOKED: Final = tuple(kind for event in (Invoke, Ack, Refused, Indefinite, Deliver) for kind in kinds(event))
"""Kinds whose column ``version`` is a sequence number."""


@dataclass(frozen=True)
class Shift:
    """What is added to the numbers of a tile."""

    log: int
    seq: int
    time_ns: int
    version: int

    def of(self, violation: Violation) -> Violation:
        """The same violation in the shifted tile."""
        view = BY_ID[violation.rule].view
        pairs = zip(violation.key, view.key, strict=True)
        return Violation(violation.rule, tuple(part + self._added(view, name) for part, name in pairs))

    def _added(self, view: type[View], name: str) -> int:
        """What is added to a part of a key."""
        field = view.base[name]
        if isinstance(field, Field) and field.column == "version" and set(kinds(field.event)) <= set(INVOKED):
            return self.seq
        return {"log": self.log, "seq": self.seq, "version": self.version}.get(column_of(view, name), 0)


@dataclass(frozen=True)
class Tile:
    """One simulated run.

    Attributes:
        name: the mutant of the machine, or ``correct``.
        table: its events in the order of a sorted trace.
        truth: what the fold says of it.
    """

    name: str
    table: Any
    truth: Judgement

    def about_a_log(self, *, there: bool) -> Any:
        """The rows that are about a log, or those that are about none."""
        return np.flatnonzero(np.isin(self._column("kind"), IN_LOGS) == there)

    @cached_property
    def size(self) -> Shift:
        """What the next tile must be shifted by so that it shares no number with this one.

        A version is left free in between: tables are compared with the one of the version before.
        """
        versions = self._column("version")[np.isin(self._column("kind"), VERSIONED)] + 1
        tops = (self._column("log"), self._column("seq"), self._column("time_ns"), versions)
        return Shift(*(int(column.max(initial=0)) + 1 for column in tops))

    @cached_property
    def by_time(self) -> Any:
        """Its rows in the order of their clocks."""
        return np.argsort(self._column("time_ns"), kind="stable")

    @cached_property
    def times(self) -> Any:
        """Its clocks in their order."""
        return self._column("time_ns")[self.by_time]

    def shifted(self, by: Shift, rows: Any | None = None) -> Any:
        """The table, or some of its rows, with shifted numbers."""
        table = self.table if rows is None else self.table.take(pa.array(rows))
        kind = numbers(table["kind"]).value
        added = {
            "log": by.log * np.isin(kind, IN_LOGS),
            "seq": by.seq,
            "time_ns": by.time_ns,
            "invoked_at_ns": by.time_ns * np.isin(kind, BEGUN),
            "arg_b": by.version * np.isin(kind, DECIDED),
            "version": by.version * np.isin(kind, VERSIONED) + by.seq * np.isin(kind, INVOKED),
        }
        for name, number in added.items():
            place = table.column_names.index(name)
            column = numbers(table[name])
            unknown = None if column.known is None else ~column.known
            table = table.set_column(
                place, table.field(place), pa.array(column.value + number, table.field(place).type, mask=unknown)
            )
        return table

    def _column(self, name: str) -> Any:
        return numbers(self.table[name]).value


def header(plan: SimulationPlan, note: str) -> Header:
    """The header of traces that are made of runs with this plan's cluster, clients and readers."""
    return with_recorder(replace(header_from(replace(header_of(plan), named={})), note=note))


def tile(plan: SimulationPlan, folder: Path) -> Tile:
    """The tile of a plan; simulated and judged once, then read from the folder."""
    name = plan.mutant or "correct"
    stored, said = folder / f"{name}.parquet", folder / f"{name}.json"
    if not said.exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"  simulating and judging {plan.events} events: {name}", file=sys.stderr, flush=True)
        _simulated(plan, stored, said)
    table = pa.concat_tables(open_trace(stored).tables()).combine_chunks()
    return Tile(name, table, truth_from(json.loads(said.read_text())))


def _simulated(plan: SimulationPlan, stored: Path, said: Path) -> None:
    events, head = kept(simulate(plan), recording_of(plan)), header(plan, "a simulated run")
    table = pa.Table.from_batches(list(to_batches(events, head))).combine_chunks()
    order = np.lexsort(tuple(reversed(trace_keys(table, head))))
    with appending(stored, head, in_order=True) as append:
        append(table.take(pa.array(order)))
    said.write_text(json.dumps(truth_to(Fold(events, head.parameters()).judge(RULES))))


def truth_to(judgement: Judgement) -> dict[str, Any]:
    """A judgement as JSON."""
    return {
        "counts": sorted([rule, outcome.name, times] for (rule, outcome), times in judgement.counts.items()),
        "violations": sorted([violation.rule, *violation.key] for violation in judgement.violations),
    }


def truth_from(said: dict[str, Any]) -> Judgement:
    """A judgement from JSON."""
    return Judgement(
        Counter({(rule, Outcome[outcome]): times for rule, outcome, times in said["counts"]}),
        {Violation(rule, tuple(key)) for rule, *key in said["violations"]},
    )


def judged_together(copies: Iterable[tuple[Tile, Shift]]) -> Judgement:
    """What is true of copies of tiles side by side."""
    whole = Judgement()
    for one, shift in copies:
        whole.merge(Judgement(one.truth.counts, {shift.of(violation) for violation in one.truth.violations}))
    return whole
