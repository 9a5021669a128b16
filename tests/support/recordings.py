"""Small recordings of other systems, as their recorders would write them, and what the rules say of their traces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.check.checking import check
from conformance.trace import parquet_writing
from conformance.trace.header import Header
from conformance.trace.open import open_trace
from conformance.trace.rows import EventRow
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES
from spec.verdicts import RuleVerdict, Standing, TraceVerdict, conclude, in_force
from tests.support.books import with_books


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


class History:
    """A Kafka history of one log; each row is a second after the one before."""

    def __init__(self, log: str = "orders") -> None:
        self.log, self.rows = log, list[dict[str, Any]]()

    def invoke(self, client: str, *numbers: int) -> History:
        """A client asks for appends."""
        return self._each(client, "invoke_append", {number: {} for number in numbers})

    def ack(self, client: str, offsets: Mapping[int, int]) -> History:
        """A client is told the offset of each of its appends."""
        return self._each(client, "ack", {number: {"offset": offset} for number, offset in offsets.items()})

    def append(self, client: str, offsets: Mapping[int, int]) -> History:
        """A client asks for appends, and is told their offsets."""
        return self.invoke(client, *offsets).ack(client, offsets)

    def end(self, client: str, kind: str, number: int) -> History:
        """An append fails, or has no outcome."""
        return self._each(client, kind, {number: {}})

    def deliver(self, reader: str, *records: tuple[int, int, str]) -> History:
        """A reader is given records: epoch, offset, value."""
        for epoch, offset, value in records:
            self._row(reader, len(self.rows), "deliver", value, offset=offset, epoch=epoch)
        return self

    def fault(self, what: str, node: int) -> History:
        """A fault of a node begins or ends."""
        time_ns = 1_000_000_000 * (len(self.rows) + 1)
        self.rows.append({"time_ns": time_ns, "kind": "fault", "fault": what, "node": node})
        return self

    def _each(self, client: str, kind: str, more: Mapping[int, Mapping[str, Any]]) -> History:
        for number, fields in more.items():
            self._row(client, number, kind, f"{client}:{number}", **fields)
        return self

    def _row(self, client: str, number: int, kind: str, value: str, **more: Any) -> None:
        time_ns = 1_000_000_000 * (len(self.rows) + 1)
        head = {"client": client, "seq": number, "time_ns": time_ns, "kind": kind, "log": self.log}
        self.rows.append({**head, "value": value, **more})


def copies(
    held: Mapping[int, Sequence[tuple[int, int, str]]], log: str = "orders", **more: Any
) -> list[dict[str, Any]]:
    """What each node holds: epoch, offset, value."""
    return [
        {"node": node, "log": log, "offset": offset, "epoch": epoch, "value": value, **more}
        for node, records in held.items()
        for epoch, offset, value in records
    ]


def on_all(*records: tuple[int, int, str]) -> dict[int, Sequence[tuple[int, int, str]]]:
    """Three nodes hold the same records."""
    return dict.fromkeys(range(3), records)


def judged(header: Header, events: Iterable[EventRow]) -> TraceVerdict:
    """What all rules say of a short trace, by their meaning."""
    judgement = ReferenceEvaluator(with_books(events, header), header.parameters()).judge(in_force(RULES, header))
    return conclude(RULES, judgement, header, keep_violations=1000)


def checked(folder: Path, header: Header, events: Iterable[EventRow]) -> TraceVerdict:
    """What all rules say of a longer trace, which is written and read on the way."""
    path = folder / "trace.parquet"
    parquet_writing.write_events(path, header, events)
    return checked_trace(path)


def checked_trace(path: Path) -> TraceVerdict:
    """What all rules say of a trace in a file."""
    return check(open_trace(path), kept=1000, shown=0).verdict


def by_id(verdict: TraceVerdict) -> dict[str, RuleVerdict]:
    """The verdicts of the rules that judged something."""
    return {rule.rule.id: rule for rule in verdict.rules if rule.judged}


def violated(verdict: TraceVerdict) -> dict[str, int]:
    """How many violations of each rule are certain."""
    return {rule.rule.id: rule.violated for rule in verdict.rules if rule.violated}


def undecided(verdict: TraceVerdict) -> set[str]:
    """The rules that leave the whole trace undecided."""
    return {rule.rule.id for rule in verdict.rules if rule.standing is Standing.JUDGED and rule.unknown}


def of_kind(events: Iterable[EventRow], kind: int) -> list[EventRow]:
    """The events of one kind."""
    return [event for event in events if event["kind"] == kind]
