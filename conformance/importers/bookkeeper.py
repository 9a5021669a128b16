"""Import a BookKeeper recording: what clients saw, all versions of metadata, what bookies stored, and what they list.

Metadata comes from ZooKeeper's own log, so every version is there. Journals tell what a bookie stored and fenced, in
its order; who was sent what is concluded from them: a copy was sent to whoever has it. An acknowledgement names no
bookies: it is taken to count on all that had taken the entry from its writer by then, who are no fewer than those who
answered. What a recovery asked and was told is not recorded, so rules that need it are not judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from operator import attrgetter
from pathlib import Path
from typing import Final

from conformance.importers.actors import names_of, numbers_of
from conformance.importers.bookkeeper_check import Shown, write_check
from conformance.importers.bookkeeper_copies import CopiesWriter, Copy, Ensembles
from conformance.importers.bookkeeper_metadata import Confirmed, MetadataWriter, Sessions
from conformance.importers.bookkeeper_rows import (
    ASKED,
    CREATED,
    GIVEN,
    MISSED,
    RECOVERED,
    TOLD,
    ClientRow,
    ListRow,
    RegistrationRow,
    StoredRow,
    VersionRow,
    read_history,
    read_lists,
    read_metadata,
    read_stored,
)
from conformance.importers.errors import Contradiction
from conformance.importers.journal import Journal, Records
from conformance.trace.files import placed
from conformance.trace.header import Header, Member, System
from conformance.trace.rows import EventRow
from spec.ledger.events.universes import BOOKIES, CLIENTS
from spec.ledger.events.values import ADD
from spec.ledger.family import LEDGER

CLOCK_BOUND_NS: Final = 20_000_000
"""By how much servers' times may be off the clients': they tell milliseconds, of a clock that may be corrected."""

_NOTE: Final = (
    "Imported from BookKeeper: metadata is all that ZooKeeper's log has, stores and fences are those of the bookies' "
    "journals. Who was sent a copy, and whom an acknowledgement counts on, is concluded from them."
)
_KEPT: Final[Records] = {"sent": "partial", "acknowledged": "complete", "given": "complete", "missing": "complete"}
_RACK: Final = "default-rack"
_MEMBER_BITS: Final = 16


@dataclass(frozen=True)
class _Recording:
    """All that was read, and the numbers of bookies and clients."""

    rows: Sequence[ClientRow]
    confirmed: Confirmed
    versions: Sequence[VersionRow]
    registrations: Sequence[RegistrationRow]
    stored: Sequence[StoredRow]
    lists: Sequence[ListRow]
    bookies: Mapping[str, int]
    sessions: Sessions
    clients: Mapping[str, int]


def import_bookkeeper(
    history: Path, metadata: Path, stored: Path, lists: Path | None = None
) -> tuple[Header, list[EventRow]]:
    """The header and the events of a BookKeeper recording, in trace order.

    Args:
        history: what clients saw, as JSON lines, plain or zstd.
        metadata: every change of metadata, and of who is registered.
        stored: what bookies wrote down.
        lists: what bookies list; None if nobody asked them, and the checker has nothing to check.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong with a file.
    """
    recording = _read(history, metadata, stored, lists)
    journal = Journal()
    ensembles = Ensembles(recording.versions, recording.bookies)
    with placed(metadata):
        _write_metadata(journal, recording)
    copies = CopiesWriter(journal, recording.stored, len(recording.bookies), ensembles)
    copies.write()
    _ClientsWriter(journal, recording, copies.copies, ensembles).write()
    if lists is not None:
        shown = Shown(recording.versions, recording.registrations, recording.lists, recording.bookies)
        with placed(lists):
            write_check(journal, shown, LEDGER)
    with placed(history):
        header = _header(journal, recording)
        return header, journal.events(header)


def _read(history: Path, metadata: Path, stored: Path, lists: Path | None) -> _Recording:
    rows, confirmed = read_history(history)
    versions, registrations = read_metadata(metadata)
    creators, recoverers = (
        {row.ledger: row.client for row in rows if row.kind == kind} for kind in (CREATED, RECOVERED)
    )
    sessions = Sessions(versions, creators, recoverers)
    with placed(metadata):
        bookies = _numbers(registrations, versions)
    return _Recording(
        rows,
        confirmed,
        versions,
        registrations,
        stored=read_stored(stored),
        lists=list(read_lists(lists)) if lists else (),
        bookies=bookies,
        sessions=sessions,
        clients=numbers_of([*(row.client for row in rows), *map(sessions.client_of, versions)]),
    )


def _numbers(registrations: Sequence[RegistrationRow], versions: Sequence[VersionRow]) -> dict[str, int]:
    """The number of each bookie, by what metadata calls it.

    Raises:
        Contradiction: numbers are not those of as many bookies, or metadata names one that never registered.
    """
    numbers = {row.name: row.bookie for row in registrations}
    pairs = {(row.bookie, row.name) for row in registrations}
    if [number for number, _ in sorted(pairs)] != list(range(len(numbers))):
        why = f"{len(numbers)} bookies must be 0 to {len(numbers) - 1}, each with one name"
        raise Contradiction("nodes are numbered otherwise", why, "record all bookies from the beginning")
    for row in versions:
        for segment in row.metadata.segments if row.metadata else ():
            if strange := set(segment.ensemble) - numbers.keys():
                what = f"ledger {row.ledger} names bookie {min(strange)!r:.60}"
                raise Contradiction(what, "it never registered", "record who is registered from the beginning")
    return numbers


def _write_metadata(journal: Journal, recording: _Recording) -> None:
    sessions, clients = recording.sessions, recording.clients
    writer = MetadataWriter(
        journal, recording.bookies, lambda row: clients[sessions.client_of(row)], recording.confirmed
    )
    changes: Iterator[RegistrationRow | VersionRow]
    changes = merge(recording.registrations, recording.versions, key=attrgetter("time_ns"))
    for row in changes:
        if isinstance(row, RegistrationRow):
            writer.register(row)
        else:
            writer.write(row)


class _ClientsWriter:
    """Writes down what clients did and were told; copies and ensembles say where that lies."""

    def __init__(self, journal: Journal, recording: _Recording, copies: Iterable[Copy], ensembles: Ensembles) -> None:
        self._journal, self._recording, self._ensembles = journal, recording, ensembles
        self._added: dict[tuple[int, int | None], list[Copy]] = defaultdict(list)
        for copy in copies:
            if copy.purpose == ADD:
                self._added[copy.ledger, copy.digest].append(copy)
        for client in dict.fromkeys(row.client for row in recording.rows):
            journal.declare(client, "client", _KEPT)

    def write(self) -> None:
        """All rows of all clients."""
        for row in self._recording.rows:
            said: dict[str, object] = {"time_ns": row.time_ns, "ledger": row.ledger}
            said |= {"client": self._recording.clients[row.client]}
            if row.kind == ASKED:
                self._send(row, said)
            elif row.kind == TOLD:
                self._journal.add(row.client, "acknowledged", **said, **self._safe(row))
            elif row.kind in {GIVEN, MISSED}:
                said |= {"entry": row.entry, "confirmed": row.confirmed}
                given = {"digest": row.digest, "payload": row.text} if row.kind == GIVEN else {}
                self._journal.add(row.client, "given" if given else "missing", **said, **given)

    def _send(self, row: ClientRow, said: Mapping[str, object]) -> None:
        """Whoever stored an add was sent it."""
        for copy in self._added[row.ledger, row.digest]:
            under = {"version": copy.version, "segment": copy.segment, "confirmed": copy.confirmed, "purpose": ADD}
            content = {"digest": row.digest, "payload": row.text}
            self._journal.add(row.client, "sent", **{**said, **copy.place, **under, **content})

    def _safe(self, row: ClientRow) -> dict[str, object]:
        """What an acknowledgement counts on: all that had taken the entry from its writer, as far as clocks tell."""
        stored = [copy for copy in self._added[row.ledger, row.digest] if copy.entry == row.entry]
        counted = _in_time(stored, row.time_ns)
        if len(counted) < self._ensembles.ack_quorum_of(row.ledger):
            counted = _in_time(stored, row.time_ns + CLOCK_BOUND_NS)
        segment = max((copy.segment for copy in stored), default=0)
        return {"entry": row.entry, "segment": segment, "counted": sorted(counted)}


def _in_time(copies: Iterable[Copy], time_ns: int) -> set[int]:
    """The members whose copies may have been taken by then."""
    return {copy.member for copy in copies if copy.time_ns is None or copy.time_ns <= time_ns}


def _header(journal: Journal, recording: _Recording) -> Header:
    names = {number: name for name, number in recording.bookies.items()}
    return Header(
        system=System("bookkeeper"),
        members={BOOKIES.section: tuple(Member(names[place], {"rack": _RACK}) for place in sorted(names))},
        recorders=journal.recorders,
        clock_bound_ns=CLOCK_BOUND_NS,
        named={CLIENTS.section: names_of(recording.clients, recording.clients.keys())},
        low_bits=_MEMBER_BITS,
        family=LEDGER,
        note=_NOTE,
    )
