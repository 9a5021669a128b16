"""The findings of the checker of a running cluster: kept in a folder, and taken from one."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from reference_impl.ledger.checker.earlier import Earlier, Sound
from reference_impl.ledger.checker.state import Check, Ending, Settings
from spec.ledger.violations import Violation

KNOWN_SOUND: Final = (Ending.SOUND, Ending.STANDING)


def earlier_of(folder: Path, older_than_ms: int | None, cluster: Any) -> Earlier:
    """What an earlier audit found sound, as the checker takes it.

    Args:
        folder: its findings.
        older_than_ms: what was asked longer ago does not count.
        cluster: a ``spark_checks.audit.cluster.Cluster``, as it is now.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the findings.
    """
    from spark_checks.audit import kept

    found = kept.earlier_of(folder, cluster, older_than_ms)
    rows = zip(found.ledger.tolist(), found.version.tolist(), found.asked_ms.tolist(), strict=True)
    sound = {ledger: Sound(version, asked_ms) for ledger, version, asked_ms in rows}
    return Earlier(sound, found.present, found.oldest_ms)


class Keeping:
    """Takes the checks of a run, and leaves what they found in a folder.

    Args:
        folder: where it is to be.
        cluster: what was asked, a ``spark_checks.audit.cluster.Cluster``.
        settings: what the checker was asked to do.
    """

    def __init__(self, folder: Path, cluster: Any, settings: Settings) -> None:
        self._folder, self._cluster, self._earlier = folder, cluster, settings.earlier
        self._sound, self._violations = array("q"), list[dict[str, Any]]()

    def take(self, check: Check) -> None:
        """Take a check at its end."""
        self._violations += map(row_of, check.reported)
        if check.ending in KNOWN_SOUND and check.read:
            before = check.ending is Ending.STANDING
            asked_ms = self._earlier.sound[check.ledger].asked_ms if before else self._cluster.taken_ms
            self._sound.extend((check.ledger, check.read.version, asked_ms))

    def write(self) -> None:
        """Write all that was taken."""
        import pyarrow as pa

        from spark_checks.audit import kept

        sound, violations = (kept.TABLES[name] for name in ("sound", "violations"))
        columns = [pa.array(self._sound[at :: len(sound)], pa.int64()) for at in range(len(sound))]
        rows = pa.table(columns, schema=sound).sort_by("ledger")
        kept.write_part(self._folder, 0, violations=pa.Table.from_pylist(self._violations, violations), sound=rows)
        kept.finish(self._folder, self._cluster)


@contextmanager
def keeping(output: str | None, cluster: Any, settings: Settings) -> Iterator[Any]:
    """What takes the checks of a run; an output that is wanted has all findings at its end.

    Raises:
        NotWritable: the folder is there already, or the disk refuses.
    """
    if output is None:
        yield lambda _: None
        return
    from spark_checks.audit import kept

    folder = Path(output)
    kept.prepare(folder)
    found = Keeping(folder, cluster, settings)
    yield found.take
    found.write()


def row_of(found: Violation) -> dict[str, Any]:
    """A row of the table of violations."""
    entries = found.entries
    return {
        "ledger": found.ledger,
        "category": found.category.name,
        "segment": found.segment,
        "bookies": list(found.bookies),
        "entries": len(entries) if entries else None,
        "first_entry": entries[0] if entries else None,
        "last_entry": entries[-1] if entries else None,
        "since_ms": found.since_ms,
    }
