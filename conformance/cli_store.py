"""``quorate check --store``: of a trace to which files or lines are added, only what is new is read and judged."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli_parts import Progress

if TYPE_CHECKING:
    from spec.language.rule import Rule
    from spec.reports.report import Report


def checked(arguments: Namespace, trace: str, rules: list[Rule], progress: Progress) -> Report:
    """The report on all of a trace, of which a store had judged some before.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace or the store.
    """
    from conformance.check.checking import report_of
    from conformance.store.locking import locked
    from conformance.store.read_before import refuse_any_altered
    from conformance.store.sources import header_of, new_slices
    from conformance.store.store import Store
    from conformance.trace.errors import Empty

    source = Path(trace)
    header = header_of(source)
    if header is None:
        raise Empty("no event", "the folder has no files", "check whether the recorders were on").at(source)
    with locked(Path(arguments.store)):
        store = Store(Path(arguments.store), header, rules)
        progress("judging what is new")
        read = {name: one.size for name, one in store.state.read.items()}
        slices = new_slices(source, read, growing=False)
        refuse_any_altered(source, store.state.read)
        batch = store.append(slices, is_whole=True)
        if not store.state.events:
            raise Empty("no event", "the trace has no rows", "check whether the recorders were on").at(source)
        events, kept = store.events(), max(arguments.limit, 20)
        report = report_of(events, events, store.verdict(kept=kept), "columns", shown=arguments.limit)
    new = f"new: {batch.events:,} of {store.state.events:,} events; judged: {batch.judged} of {batch.ranges} ranges"
    return replace(report, trace=trace, notes=(*report.notes, new))
