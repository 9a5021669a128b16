"""One ledger of many entries: its writer adds them in order, a bookie fails, and a client recovers the last of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from spec.language.events import layout
from spec.ledger.coverage import write_set
from spec.ledger.events import (
    Acknowledged,
    Closed,
    Created,
    EnsembleChanged,
    Event,
    Fenced,
    InRecovery,
    Named,
    ReadBack,
    RecoveryBegan,
    Sent,
    Stored,
)
from spec.ledger.events.values import ADD, RECOVERY

NOTHING = {
    name: frozenset[int]() if column.sort == "set" else 0
    for name, column in layout(Event).items()
    if not column.computed
}
"""What a column holds in kinds that do not fill it."""

ENSEMBLE, WRITE, ACK = 3, 2, 2
WRITER, CLIENT = 0, 1


class LongLedger:
    """Tells the events of a run, each with the next number of its recorder.

    Args:
        entries: how many entries the writer adds.
        behind: by how many entries what bookies hear of acknowledgements lags; a recovery reads as many more.
        ledger: its number.
    """

    def __init__(self, entries: int, behind: int = 3, ledger: int = 0) -> None:
        self._entries, self._behind, self._ledger = entries, behind, ledger
        self._seq = Counter[str]()
        self._at = 0

    def events(self) -> Iterator[dict[str, Any]]:
        """All events."""
        half = self._entries // 2
        yield self._of(Created, "metadata", version=0, arg=ENSEMBLE, arg_b=WRITE, arg_c=ACK)
        yield from self._names(0, {0: (0, 1, 2)})
        yield from self._adds(range(half), (0, 1, 2), 0, 0)
        yield self._of(EnsembleChanged, "metadata", version=1, entry=half, actor=WRITER)
        yield from self._names(1, {0: (0, 1, 2), half: (0, 1, 3)})
        yield from self._adds(range(half, self._entries), (0, 1, 3), half, 1)
        yield from self._recovers((0, 1, 3), half)

    def _of(self, event: type[Event], recorder: str, **said: Any) -> dict[str, Any]:
        recorder = f"{recorder}-{self._ledger}"
        self._seq[recorder] += 1
        self._at += 1_000
        place = {"recorder": recorder, "seq": self._seq[recorder], "time_ns": self._at, "ledger": self._ledger}
        return {**NOTHING, "kind": event.kind, **place, **said}

    def _names(self, version: int, ensembles: dict[int, tuple[int, ...]]) -> Iterator[dict[str, Any]]:
        for entry, bookies in ensembles.items():
            for member, bookie in enumerate(bookies):
                yield self._of(Named, "metadata", version=version, entry=entry, member=member, bookie=bookie)

    def _adds(self, entries: range, bookies: tuple[int, ...], first: int, version: int) -> Iterator[dict[str, Any]]:
        for entry in entries:
            members = write_set(entry, ENSEMBLE, WRITE)
            by = {
                "actor": WRITER,
                "version": version,
                "segment": first,
                "lac": max(-1, entry - 1 - self._behind),
                "purpose": ADD,
            }
            for member in members:
                yield self._of(Sent, "writer", entry=entry, bookie=bookies[member], member=member, **by)
            for member in members:
                there = {"bookie": bookies[member], "member": member, "purpose": ADD}
                yield self._of(Stored, f"b{bookies[member]}", entry=entry, **there)
            counted = frozenset(members)
            yield self._of(Acknowledged, "writer", entry=entry, actor=WRITER, segment=first, members=counted)

    def _recovers(self, bookies: tuple[int, ...], first: int) -> Iterator[dict[str, Any]]:
        by = {"actor": CLIENT}
        yield self._of(InRecovery, "metadata", version=2, **by)
        yield from self._names(2, {0: (0, 1, 2), first: bookies})
        for bookie in bookies:
            yield self._of(Fenced, f"b{bookie}", bookie=bookie)
        known = max(first - 1, self._entries - 2 - self._behind)
        told = {"segment": first, "lac": known, "entry": known + 1, "members": frozenset(range(ENSEMBLE))}
        yield self._of(RecoveryBegan, "client", **by, **told)
        for entry in range(known + 1, self._entries + 1):
            found = entry < self._entries
            for member in write_set(entry, ENSEMBLE, WRITE):
                there = {"entry": entry, "bookie": bookies[member], "member": member}
                yield self._of(ReadBack, "client", **by, **there, flag=int(found))
                if found:
                    again = {"version": 2, "segment": first, "lac": entry - 1, "purpose": RECOVERY}
                    yield self._of(Sent, "client", **by, **there, **again)
                    yield self._of(Stored, f"b{bookies[member]}", **there, purpose=RECOVERY)
        yield self._of(Closed, "metadata", version=3, entry=self._entries, flag=1, **by)
