"""Import the history of any log, as its plain clients saw it: in quorate's own form, Jepsen's, or Porcupine's.

What is promised, whoever imports must say; nothing is by itself. Offsets are ESNs of one epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Final

from conformance.importers import history_jepsen, history_porcupine
from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.history_plain import read_plain
from conformance.importers.lines import read_lines
from conformance.importers.notebook import Notebook
from conformance.importers.steps import Step
from conformance.trace.files import placed
from conformance.trace.header import MAX_TIME, Header, System
from conformance.trace.rows import EventRow

PROMISES: Final = ("append_once", "client_order", "real_time_order")
"""What a log may promise that its clients can see."""

ONE_RECORDER: Final = "history"


def import_history(
    path: Path, *, in_order: bool = False, clock_bound_ns: int | None = None, promises: Sequence[str] = ()
) -> tuple[Header, list[EventRow]]:
    """The header and the events of a history, in trace order.

    Args:
        path: JSON lines, plain or zstd; the first line tells the form.
        in_order: lines of the plain form stand in the order in which everything happened, not only those of a client.
        clock_bound_ns: the most by which clients' clocks differ; None if nobody knows.
        promises: what the log promises, of ``PROMISES``.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    for promise in promises:
        if promise not in PROMISES:
            raise Contradiction(f"promise {promise!r:.40}", f"clients can see {', '.join(PROMISES)}", "one of these")
    steps, has_order = _read(path)
    in_order = in_order or has_order
    if in_order:
        steps = _with_rising_times(steps)
    with placed(path):
        notebook = Notebook(steps, (lambda _: ONE_RECORDER) if in_order else str)
        unknown = MAX_TIME if clock_bound_ns is None else clock_bound_ns
        header = Header(
            system=System("history"),
            recorders=notebook.journal.recorders,
            clock_bound_ns=0 if in_order else unknown,
            named=notebook.named,
            low_bits=notebook.esn_bits,
            promises=dict.fromkeys(promises, True),
            note=f"Imported from what clients saw: offsets are ESNs. {_order(clock_bound_ns, in_order=in_order)}",
        )
        return header, notebook.journal.events(header)


def _read(path: Path) -> tuple[list[Step], bool]:
    """The steps of a history, and whether its form says in which order everything happened."""
    lines = read_lines(path)
    first = next(lines)
    every, fields = chain([first], lines), first.said.keys()
    if "op" in fields:
        return read_plain(every), False
    if fields >= history_jepsen.FIELDS:
        return read_plain(history_jepsen.plain_rows(every)), True
    if fields >= history_porcupine.EVENT_FIELDS or fields >= history_porcupine.OPERATION_FIELDS:
        return read_plain(history_porcupine.plain_rows(every)), True
    raise first.refuse(
        UnknownRow(
            f"a line has {', '.join(sorted(fields))!r:.60}",
            "a plain one has op and client, Jepsen's type, process and f, Porcupine's ClientId",
            "docs/how-to/import-a-client-history.md",
        )
    )


def _with_rising_times(steps: list[Step]) -> list[Step]:
    """The steps without times, if these contradict the order in which the steps stand."""
    times = [step.time_ns for step in steps if step.time_ns is not None]
    if all(one <= other for one, other in pairwise(times)):
        return steps
    return [replace(step, time_ns=None) for step in steps]


def _order(clock_bound_ns: int | None, *, in_order: bool) -> str:
    """What is known of time, for people."""
    if in_order:
        return "Lines stand in the order in which everything happened."
    if clock_bound_ns is None:
        return "How far clients' clocks differ is not known."
    return f"Clients' clocks differ by {clock_bound_ns} ns at most."
