"""Copies that bookies stored, as events: which member of which ensemble each is for, and who sent it.

A journal does not tell a writer's add from one that a recovery repeats. A recovery repeats only what
some bookie gave it. So what a bookie stored after it had fenced the ledger is a repetition if any stored it unfenced;
anything else there is an add that broke the fence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from conformance.importers.bookkeeper_rows import StoredRow, VersionRow
from conformance.importers.journal import Journal
from spec.ledger.events.values import ADD, RECOVERY
from spec.ledger.metadata import Metadata

KINDS: Final = ("stored", "fenced", "lost")


class Copy(NamedTuple):
    """A copy that a bookie stored.

    Attributes:
        member: the member of the ensemble that it is for: the last as which a version names the bookie.
        version: that version, 0 where none names it.
        segment: the first entry of the segment of that ensemble.
        purpose: ``ADD`` or ``RECOVERY``.
        digest: the hash of its payload.
        confirmed: the last entry confirmed that was sent along.
        time_ns: when the bookie took it; None where that is not known.
    """

    ledger: int
    entry: int
    bookie: int
    member: int
    version: int
    segment: int
    purpose: int
    digest: int | None
    confirmed: int
    time_ns: int | None

    @property
    def place(self) -> dict[str, Any]:
        """What all events of copies say."""
        return {"ledger": self.ledger, "entry": self.entry, "member": self.member, "bookie": self.bookie}


class Ensembles:
    """Who was named as which member when, in all versions of all metadata."""

    def __init__(self, versions: Iterable[VersionRow], bookies: Mapping[str, int]) -> None:
        self._bookies = bookies
        self._versions: dict[int, list[tuple[int, Metadata]]] = defaultdict(list)
        for row in versions:
            if row.metadata is not None:
                self._versions[row.ledger].append((row.version, row.metadata))

    def ack_quorum_of(self, ledger: int) -> int:
        """How many bookies acknowledge an entry of a ledger; 0 of one that nobody created."""
        return next((said.quorums.ack for _, said in self._versions[ledger]), 0)

    def member_of(self, ledger: int, entry: int, bookie: int) -> tuple[int, int, int]:
        """The member that a bookie is for an entry, the version that named it last, and its segment; zeros if none."""
        for version, said in reversed(self._versions[ledger]):
            segment = next((one for one in reversed(said.segments) if one.first_entry <= entry), None)
            numbers = [self._bookies[name] for name in segment.ensemble] if segment else []
            if segment and bookie in numbers:
                return numbers.index(bookie), version, segment.first_entry
        return 0, 0, 0


def recorder_of(bookie: int) -> str:
    """How people call a bookie."""
    return f"bookie {bookie}"


def unfenced(rows: Iterable[StoredRow]) -> set[tuple[int, int]]:
    """The ledgers and entries of all copies that some bookie stored before it fenced the ledger."""
    found, fenced = set[tuple[int, int]](), set[tuple[int, int]]()
    for row in rows:
        if row.entry is None:
            fenced.add((row.bookie, row.ledger))
        elif (row.bookie, row.ledger) not in fenced:
            found.add((row.ledger, row.entry))
    return found


class CopiesWriter:
    """Writes down what each bookie stored, fenced and lost, in its own order.

    Args:
        journal: takes the events.
        rows: what all bookies wrote down.
        bookies: how many there are.
        ensembles: who was named when.

    Attributes:
        copies: all that was stored, once it is written.
    """

    def __init__(self, journal: Journal, rows: Sequence[StoredRow], bookies: int, ensembles: Ensembles) -> None:
        self._journal, self._rows, self._ensembles = journal, rows, ensembles
        self._fenced, self._unfenced = set[tuple[int, int]](), unfenced(rows)
        self.copies: list[Copy] = []
        for bookie in range(bookies):
            journal.declare(recorder_of(bookie), "bookie", dict.fromkeys(KINDS, "complete"))

    def write(self) -> None:
        """All that bookies wrote down, or lost."""
        for row in self._rows:
            if row.wiped_ns is not None:
                self._lose(row.bookie, row.wiped_ns)
            elif row.entry is None:
                self._fenced.add((row.ledger, row.bookie))
                self._add("fenced", row.bookie, ledger=row.ledger, bookie=row.bookie)
            else:
                copy = self._copy(row, row.entry)
                self.copies.append(copy)
                content = {"purpose": copy.purpose, "digest": copy.digest}
                self._add("stored", row.bookie, time_ns=copy.time_ns, **copy.place, **content)

    def _copy(self, row: StoredRow, entry: int) -> Copy:
        repeats = (row.ledger, row.bookie) in self._fenced and (row.ledger, entry) in self._unfenced
        place = self._ensembles.member_of(row.ledger, entry, row.bookie)
        purpose = RECOVERY if repeats else ADD
        return Copy(row.ledger, entry, row.bookie, *place, purpose, row.digest, row.confirmed, row.time_ns)

    def _lose(self, bookie: int, time_ns: int) -> None:
        held = {(copy.ledger, copy.entry): copy for copy in self.copies if copy.bookie == bookie}
        for copy in held.values():
            self._add("lost", bookie, time_ns=time_ns, **copy.place)

    def _add(self, kind: str, bookie: int, /, **said: Any) -> None:
        self._journal.add(recorder_of(bookie), kind, **said)
