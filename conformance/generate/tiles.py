"""Tiles: the small simulated runs that a generated trace is made of, and what is true of each.

What the rules say of a tile is what their meaning says, by the reference evaluator, and no faster reading. Faults are
looked up for the whole cluster, so each tile is judged among the faults of all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from conformance.generate.shifting import AT_LSNS, FAULTS, IN_LOGS, Rows, Shift, beyond
from conformance.headings import header_from
from conformance.trace.arrow import to_batches, to_rows
from conformance.trace.blocks import numbers
from conformance.trace.header import Header
from conformance.trace.keeping import with_recorder
from conformance.trace.open import open_trace
from conformance.trace.parquet_writing import appending
from conformance.trace.rows import EventRow
from conformance.trace.sort import trace_keys
from reference_impl.heading import recording_of
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import header_of, simulate
from spec.client.bookkeeping import kept
from spec.language.outcomes import Judgement
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES

NOTE: Final = "copies of simulated runs with planted violations"


class Tile:
    """One simulated run.

    Args:
        table: its events in the order of a sorted trace.
        low_bits: how many bits of an LSN are its ESN.
    """

    def __init__(self, table: Any, low_bits: int) -> None:
        self.rows = Rows(table, low_bits)

    @cached_property
    def of_no_log(self) -> Rows:
        """The rows that are about no log."""
        return self._where(~np.isin(self.rows.kind, IN_LOGS))

    @cached_property
    def of_logs(self) -> Rows:
        """The rows that are about a log."""
        return self._where(np.isin(self.rows.kind, IN_LOGS))

    @cached_property
    def of_no_lsn(self) -> Rows:
        """The rows that are about a log and no LSN or epoch of it."""
        return self._where(np.isin(self.rows.kind, IN_LOGS) & ~np.isin(self.rows.kind, AT_LSNS))

    @cached_property
    def at_lsns(self) -> Rows:
        """The rows that are about an LSN or an epoch."""
        return self._where(np.isin(self.rows.kind, AT_LSNS))

    @cached_property
    def by_time(self) -> Rows:
        """All rows in the order of their clocks."""
        return self._taken(np.argsort(self.rows.times, kind="stable"))

    @cached_property
    def size(self) -> Shift:
        """By what the next tile must be shifted so that it shares no number with this one."""
        return beyond(self.rows)

    def _where(self, here: Any) -> Rows:
        return self._taken(np.flatnonzero(here))

    def _taken(self, rows: Any) -> Rows:
        return Rows(self.rows.table.take(pa.array(rows)), self.rows.low_bits)


def header_for(plan: SimulationPlan) -> Header:
    """The header of traces that are made of runs with this plan's cluster, clients and readers."""
    return with_recorder(replace(header_from(replace(header_of(plan), named={})), note=NOTE))


def simulated(plan: SimulationPlan, stored: Path) -> None:
    """Simulate a run and keep it, sorted, with the books of its clients."""
    events, header = kept(simulate(plan), recording_of(plan)), header_for(plan)
    table = pa.Table.from_batches(list(to_batches(events, header))).combine_chunks()
    with appending(stored, header, in_order=True) as append:
        append(table.take(pa.array(np.lexsort(tuple(reversed(trace_keys(table, header)))))))


def tile_in(stored: Path) -> Tile:
    """The tile that is kept in a file."""
    trace = open_trace(stored)
    return Tile(pa.concat_tables(trace.tables()).combine_chunks(), trace.header.low_bits)


def faults_in(stored: Iterable[Path]) -> list[EventRow]:
    """What happened to which node in some tiles, each once."""
    found: dict[tuple[object, object], EventRow] = {}
    for path in stored:
        trace = open_trace(path)
        for table in trace.tables():
            rows = table.filter(pa.array(np.isin(numbers(table["kind"]).value, FAULTS)))
            found |= {(event["node"], event["arg"]): event for event in to_rows(rows, trace.header)}
    return list(found.values())


def judged(stored: Path, faults: Iterable[EventRow]) -> Judgement:
    """What is true of the trace in a file, among these faults."""
    trace = open_trace(stored)
    return ReferenceEvaluator(chain(trace.events(), faults), trace.parameters()).judge(RULES)
