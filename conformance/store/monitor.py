"""The monitor: takes in batch after batch, writes a JSON line for each violation, and shows how it goes.

The table in the store is what counts: a line is written after the batch is in the store, so that a kill in between may
lose the line, never the row.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from threading import RLock
from typing import Any, Final, Protocol

from conformance.check.checking import system_of
from conformance.store.panel import Panel
from conformance.store.sources import Slice
from conformance.store.state import FileRead
from conformance.store.store import Batch, Store, here
from conformance.store.telling import Settle
from conformance.trace.json_text import encode
from spec.language.outcomes import Violation
from spec.registry import BY_ID
from spec.reports.names import key_text, names_of
from spec.reports.report import Report

REST_S: Final = 10
"""A source of which nothing came for so long rests: then books are kept, and whatever stands is told."""

METRICS: Final = "metrics.jsonl"


class Source(Protocol):
    """What is watched."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def unit(self) -> str:
        """In what its lag is told, such as bytes."""
        ...

    def lag(self, read: Mapping[str, FileRead]) -> int | None:
        """How much of it was not read yet; None where that is not known."""
        ...

    def examine(self, read: Mapping[str, FileRead]) -> None:
        """Raise what is wrong with it, if that can be seen."""
        ...


class Monitor:
    """What comes of a stream, batch by batch.

    Args:
        store: where it goes.
        source: where it comes from.
        settle: how long a violation must have stood before it is told.
        quiet: show nothing but violations.
    """

    def __init__(self, store: Store, source: Source, settle: Settle, *, quiet: bool) -> None:
        self.store, self.source, self.settle, self.quiet = store, source, settle, quiet
        self.rules = {rule.id: rule for rule in store.rules}
        self.names = names_of(store.header)
        self.lock, self.last, self.rested = RLock(), time.monotonic(), True
        self.panel = Panel(sys.stderr)

    def take(self, slices: list[Slice], number: int) -> None:
        """Take a batch in.

        Raises:
            TraceError: one of its kinds, for whatever is wrong with what is new.
        """
        with self.lock:
            began = time.monotonic()
            batch = self.store.append(slices, self.settle, books=False, stream=number)
            self._tell(batch)
            self._show(batch, time.monotonic() - began)
            self.last, self.rested = time.monotonic(), False

    def rest(self) -> None:
        """Tell what stands, if nothing came for a while."""
        with self.lock:
            if not self.rested and time.monotonic() - self.last > REST_S and not self.lag:
                self.conclude()

    @property
    def lag(self) -> int | None:
        """How much of the source was not read yet, if that is known."""
        return self.source.lag(self.store.state.read)

    def conclude(self) -> None:
        """Tell all that stands."""
        with self.lock:
            self._tell(self.store.append((), is_whole=True))
            self.rested = True

    def examine(self) -> None:
        """Raise what is wrong with the source, if that can be seen.

        Raises:
            TraceError: one of its kinds.
        """
        self.source.examine(self.store.state.read)

    def report(self) -> Report:
        """What the rules say of all that came; a batch that is being taken in is waited for.

        Whoever did the store's work may have ended by now.
        """
        with self.lock:
            self.store.workers = here
            if not self.store.judgement.counts:
                self._tell(self.store.append((), self.settle, books=False))
            events = self.store.events() if self.store.state.events else None
            return Report(
                trace=self.source.name,
                engine="columns",
                verdict=self.store.verdict(),
                names=self.names,
                system=system_of(self.store.header),
                events=self.store.state.events,
                promises=self.store.header.promises,
                notes=events.notes() if events else (),
            )

    def _tell(self, batch: Batch) -> None:
        if batch.told.violations or batch.told.late:
            with self.panel.aside():
                self._write("violated", batch.number, batch.told.violations)
                self._write("late", batch.number, batch.told.late)

    def _write(self, word: str, batch: int, violations: Iterable[Violation]) -> None:
        for violation in violations:
            rule = self.rules[violation.rule] if violation.rule in self.rules else BY_ID[violation.rule]
            row = key_text(rule.view, violation.key, self.names)
            said = {word: violation.rule, "row": row, "sentence": rule.sentence, "batch": batch}
            sys.stdout.write(encode(said).decode() + "\n")
        sys.stdout.flush()

    def _show(self, batch: Batch, took_s: float) -> None:
        said = self._metrics(batch, took_s)
        with (self.store.folder / METRICS).open("ab") as file:
            file.write(encode(said) + b"\n")
        if self.quiet:
            return
        if sys.stderr.isatty():
            self.panel.draw([f"{name.replace('_', ' '):>16}  {value:,}" for name, value in said.items()])
            return
        sys.stderr.write(
            f"batch {batch.number}: {batch.events:,} events, {said['events_per_s']:,} a second, "
            f"{batch.judged} of {batch.ranges} ranges judged, {said['told']} violations\n"
        )
        sys.stderr.flush()

    def _metrics(self, batch: Batch, took_s: float) -> dict[str, Any]:
        """How it goes; times in seconds."""
        state, lag = self.store.state, self.lag
        return {
            "batch": batch.number,
            "events": state.events,
            "new": batch.events,
            "doubled": batch.doubled,
            "events_per_s": round(batch.events / max(took_s, 1e-9)),
            "took_s": round(took_s, 3),
            **({} if lag is None else {f"lag_{self.source.unit}": lag}),
            "ranges": batch.ranges,
            "judged": batch.judged,
            "waiting_rows": self.store.waiting,
            "pending": len(state.pending),
            "told": len(self.store.violations),
            "late": len(state.late),
        }
