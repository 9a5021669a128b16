"""Telling what a replay says: for people, and for machines."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.replay.replaying import Replayed
from conformance.trace.rows import EventRow
from conformance.trace.show import Teller
from reference_impl.replay import Refusal

WIDTH = 96
VERSION = 1
"""The version of the object that ``as_json`` makes; a change of its meaning gives the next one."""


def as_text(said: Replayed) -> str:
    """A few lines for people; the last one is the verdict."""
    lines = [f"{said.taken:,} events replayed, {len(said.asked)} guards asked of them"]
    if said.passed_over:
        lines.append(f"Passed over, since the machine does not know them: {counted(said.passed_over)}")
    if said.refusal is not None:
        lines += ["", *_refused(said, said.refusal), ""]
    reason = f" ({said.reason})" if said.reason else ""
    return "\n".join([*lines, f"verdict: {said.verdict.value}{reason}"]) + "\n"


def counted(passed_over: Mapping[str, int]) -> str:
    """How many events there are of each kind that nobody asked of."""
    return ", ".join(f"{count:,} {word}" for word, count in passed_over.items())


def _refused(said: Replayed, refusal: Refusal) -> Iterator[str]:
    guard = refusal.guard
    yield f"Event {refusal.number:,} is no step of the machine:"
    yield f"  {Teller(said.header).event(refusal.event)}"
    parts = {
        "Guard": guard.id,
        "Demands": guard.sentence,
        "Expected": refusal.expected,
        "Seen": refusal.seen,
        "Source": guard.cite,
    }
    for word, text in parts.items():
        yield from textwrap.wrap(text, WIDTH, initial_indent=f"{word + ':':10}", subsequent_indent=" " * 10)


def as_json(said: Replayed) -> str:
    """The same as one object of JSON."""
    found: dict[str, Any] = {
        "format": VERSION,
        "trace": said.trace,
        "verdict": said.verdict.value,
        "reason": said.reason,
        "events": said.taken,
        "guards": {"asked": [guard.id for guard in said.asked], "set_aside": dict(said.set_aside)},
        "passed_over": dict(said.passed_over),
        "refusal": None if said.refusal is None else _refusal(said.refusal),
    }
    return json.dumps(found, indent=2) + "\n"


def _refusal(refusal: Refusal) -> dict[str, Any]:
    guard = refusal.guard
    return {
        "guard": guard.id,
        "sentence": guard.sentence,
        "cite": guard.cite,
        "number": refusal.number,
        "event": plain(refusal.event),
        "expected": refusal.expected,
        "seen": refusal.seen,
    }


def plain(event: EventRow) -> dict[str, Any]:
    """An event as JSON has it."""
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in event.items()}
