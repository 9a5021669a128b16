"""Telling: which violations have stood long enough, each told once, and which told ones stand no longer.

Recorders lag one behind another. A violation that one of them would undo is not told as long as that may be: not before
it has stood while so many events came, or while clocks went on by so much.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.store.errors import damage_named
from conformance.store.state import Since, State
from conformance.trace.files import atomic
from conformance.trace.json_text import encode
from spec.language.outcomes import Violation

KEY_PARTS: Final = 8
"""The most columns that a view's key has."""

CONTENT_KEY: Final = b"quorate_content"
"""Where the metadata of a file of violations keep the digest of what it tells."""


@dataclass(frozen=True)
class Settle:
    """How long a violation must have stood before it is told; 0 and 0: not at all.

    Attributes:
        events: while so many events came.
        time_ns: while the latest time in them rose by so much, if any of them tells the time.
    """

    events: int = 0
    time_ns: int = 0

    def is_over(self, since: Since, now: Since) -> bool:
        """Whether it has stood that long."""
        is_timed = now.latest_ns > 0
        gone_on_ns = now.latest_ns - since.latest_ns if is_timed else self.time_ns
        return now.events - since.events >= self.events and gone_on_ns >= self.time_ns


@dataclass(frozen=True)
class Told:
    """What is new.

    Attributes:
        violations: they are told now.
        late: they were told before, and what came late has undone them.
    """

    violations: tuple[Violation, ...]
    late: tuple[Violation, ...]


def tell(
    state: State, told: set[Violation], standing: set[Violation], settle: Settle, *, is_whole: bool, is_sure: bool
) -> Told:
    """What is to be told now; the state takes note of what waits, and of what came too late.

    Args:
        state: events and times are those that stand now.
        told: what was told before.
        standing: what stands now.
        settle: how long it must have stood.
        is_whole: nothing more is expected.
        is_sure: what does not stand now is undone; not so where books are still to be kept.
    """
    now = Since(state.events, state.latest_ns)
    state.pending = {violation: state.pending.get(violation, now) for violation in standing - told}
    ripe = sorted(one for one, since in state.pending.items() if is_whole or settle.is_over(since, now))
    for violation in ripe:
        del state.pending[violation]
    state.told += len(ripe)
    undone = told - standing if is_sure else state.late
    late, state.late = tuple(sorted(undone - state.late)), undone
    return Told(tuple(ripe), late)


def write_violations(folder: Path, batch: int, violations: Iterable[Violation]) -> list[Path]:
    """Keep what a batch told; the same batch replaces what it had told before. Gives the file, if there is one."""
    found, path = list(violations), _path(folder, batch)
    if not found:
        path.unlink(missing_ok=True)
        return []
    folder.mkdir(exist_ok=True)
    columns: dict[str, list[int | str | None]] = {"rule": [one.rule for one in found]}
    for number in range(KEY_PARTS):
        columns[f"k{number}"] = [one.key[number] if number < len(one.key) else None for one in found]
    with atomic(path) as unfinished:
        pq.write_table(pa.table(columns, schema=_SCHEMA.with_metadata({CONTENT_KEY: _digest(found)})), unfinished)
    return [path]


_SCHEMA: Final = pa.schema([("rule", pa.string()), *((f"k{number}", pa.int64()) for number in range(KEY_PARTS))])


def read_violations(folder: Path, upto: int) -> set[Violation]:
    """What batches up to this one have told; what a later one had begun to tell is removed.

    Raises:
        NoStore: a file is damaged.
    """
    found: set[Violation] = set()
    for path in sorted(folder.glob("batch-*.parquet")) if folder.exists() else ():
        if int(path.stem.partition("-")[2]) > upto:
            path.unlink()
            continue
        with damage_named(path):
            found |= set(_read(path))
    return found


def _read(path: Path) -> list[Violation]:
    table = pq.read_table(path)
    rule, *parts = (column.to_pylist() for column in table.columns)
    found = [
        Violation(one, tuple(part for part in key if part is not None))
        for one, key in zip(rule, zip(*parts, strict=True), strict=True)
    ]
    if _digest(found) != table.schema.metadata[CONTENT_KEY]:
        raise ValueError("other rows")
    return found


def _digest(violations: Iterable[Violation]) -> bytes:
    return blake2b(encode([(one.rule, one.key) for one in violations])).hexdigest().encode()


def _path(folder: Path, batch: int) -> Path:
    return folder / f"batch-{batch:08}.parquet"
