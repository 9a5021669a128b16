"""A trace with a hundred planted violations, two in every third of its logs, and nothing else wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow.parquet as pq

from conformance.trace import jsonl, parquet_writing
from conformance.trace.files import is_parquet_name
from conformance.trace.header import Header
from spec.events import Store
from spec.language.outcomes import Violation
from tests.support.small_traces import header, sound

RULES: Final = ("log.append.acks_what_is_stored", "log.read.gives_what_is_stored")
"""What a copy with another payload breaks."""

LOGS: Final = 150
PLACE: Final = (1 << 32) + 1
"""Of the one record in each log."""

HEADER: Final[Header] = replace(header(), named={})


def events() -> list[dict[str, Any]]:
    """Every third log has a copy of a record with another payload."""
    found: list[dict[str, Any]] = []
    for log in range(LOGS):
        for number, event in enumerate(sound()):
            wrong = {"digest": 12} if event["kind"] == Store.kind and is_planted(log) else {}
            seq = len(sound()) * log + number
            found.append({**event, "recorder": "all", "log": log, "seq": seq, "time_ns": 1000 * seq, **wrong})
    return found


def is_planted(log: int) -> bool:
    """Whether a log has violations."""
    return log % 3 == 1


def slices(rng: Random, number: int) -> list[list[dict[str, Any]]]:
    """The events in so many parts, of which some events come late."""
    parts: list[list[dict[str, Any]]] = [[] for _ in range(number)]
    every = events()
    for place, event in enumerate(every):
        late = rng.randrange(3) if rng.random() < 0.2 else 0
        parts[min(place * number // len(every) + late, number - 1)].append(event)
    return parts


def write(path: Path, some: list[dict[str, Any]]) -> None:
    """Write a part under a name that nobody reads, then rename it."""
    form = parquet_writing if is_parquet_name(path) else jsonl
    there = path.with_name(f".{path.name}")
    form.write_events(there, HEADER, some)
    there.replace(path)


def truth() -> set[Violation]:
    """What was planted."""
    return {Violation(rule, (log, PLACE)) for rule in RULES for log in range(LOGS) if is_planted(log)}


def violations_in(store: Path) -> list[Violation]:
    """All rows of a store's table of violations."""
    rows = [row for path in store.glob("violations/*.parquet") for row in pq.read_table(path).to_pylist()]
    return sorted(Violation(row.pop("rule"), tuple(part for part in row.values() if part is not None)) for row in rows)
