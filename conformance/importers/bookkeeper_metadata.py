"""Versions of ledgers' metadata as events: what each one changed, and whom it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from conformance.importers.bookkeeper_rows import RegistrationRow, VersionRow
from conformance.importers.errors import Contradiction
from conformance.importers.journal import Journal
from spec.ledger.metadata import Metadata, State

SERVER: Final = "zookeeper"
KINDS: Final = (
    *("registration", "created", "ensemble_changed", "in_recovery", "closed", "restored", "deleted", "named"),
)

Told: TypeAlias = tuple[str, dict[str, Any]]
"""The kind of an event, and what it says."""

Confirmed: TypeAlias = Mapping[tuple[int, int], int]
"""What writers knew to be confirmed when they changed an ensemble, by ledger and first entry of the new segment."""


class Sessions:
    """Whose sessions are whose: who created a ledger, and who recovered it, as clients tell.

    Args:
        versions: all metadata.
        creators: the client that says it created a ledger, by ledger.
        recoverers: the client that says it recovered a ledger, by ledger.
    """

    def __init__(
        self, versions: Iterable[VersionRow], creators: Mapping[int, str], recoverers: Mapping[int, str]
    ) -> None:
        self._names: dict[str, str] = {}
        for row in versions:
            state = row.metadata.state if row.metadata else None
            asked = {State.OPEN: creators, State.IN_RECOVERY: recoverers}.get(state, {}) if state else {}
            if row.ledger in asked and (row.version == 0 or state is State.IN_RECOVERY):
                self._names.setdefault(row.session, asked[row.ledger])

    def client_of(self, row: VersionRow) -> str:
        """The client that made a version; its session where nobody says."""
        return self._names.get(row.session, f"session {row.session}")


class MetadataWriter:
    """Writes down what ZooKeeper kept.

    Args:
        journal: takes the events.
        bookies: the number of each bookie, by what metadata calls it.
        client_of: the number of the client that made a version.
        confirmed: what writers knew when they changed ensembles.
    """

    def __init__(
        self,
        journal: Journal,
        bookies: Mapping[str, int],
        client_of: Callable[[VersionRow], int],
        confirmed: Confirmed,
    ) -> None:
        self._journal, self._bookies, self._client_of, self._confirmed = journal, bookies, client_of, confirmed
        self._last: dict[int, VersionRow] = {}
        self._recovering: dict[int, str] = {}
        journal.declare(SERVER, "metadata", dict.fromkeys(KINDS, "complete"))

    def register(self, row: RegistrationRow) -> None:
        """A bookie registered, or its registration is gone."""
        self._journal.add(SERVER, "registration", time_ns=row.time_ns, bookie=row.bookie, present=int(row.present))

    def write(self, row: VersionRow) -> None:
        """A ledger's metadata has a new version.

        Raises:
            Contradiction: it cannot follow the version before it, or nobody tells what its writer knew.
        """
        last = self._last.get(row.ledger)
        version = last.version + 1 if last and row.metadata is None else row.version
        said = {"time_ns": row.time_ns, "ledger": row.ledger, "version": version}
        for kind, more in self._changes(last.metadata if last else None, row):
            self._journal.add(SERVER, kind, **said, **more)
        for segment in row.metadata.segments if row.metadata else ():
            for member, bookie in enumerate(segment.ensemble):
                named = {"entry": segment.first_entry, "member": member, "bookie": self._bookies[bookie]}
                self._journal.add(SERVER, "named", **said, **named)
        self._last[row.ledger] = row

    def _changes(self, then: Metadata | None, row: VersionRow) -> Iterator[Told]:
        now, client = row.metadata, {"client": self._client_of(row)}
        if now and then and now.quorums != then.quorums:
            what, why = f"ledger {row.ledger} has other sizes in version {row.version}", "sizes never change"
            raise Contradiction(what, why, "record one cluster at a time")
        if now is None:
            yield "deleted", {}
        elif then is None:
            sizes = now.quorums
            yield (
                "created",
                {"ensemble_size": sizes.ensemble, "write_quorum": sizes.write, "ack_quorum": sizes.ack},
            )
        elif then.is_closed:
            yield from self._restored(then, now)
        elif now.last_entry is not None:
            recovers = int(self._recovering.get(row.ledger) == row.session)
            end = {"entry": now.last_entry + 1, "length_bytes": now.length_bytes}
            yield "closed", {**client, **end, "recovers": recovers}
        elif now.state is State.IN_RECOVERY:
            self._recovering[row.ledger] = row.session
            yield "in_recovery", client
        else:
            yield "ensemble_changed", client | self._changed(row, then, now)

    def _changed(self, row: VersionRow, then: Metadata, now: Metadata) -> dict[str, Any]:
        first, ensemble = now.last_segment
        if (row.ledger, first) not in self._confirmed:
            raise Contradiction(
                f"ledger {row.ledger} has a new segment from entry {first} on",
                "no row of the history tells what its writer knew to be confirmed",
                "record what clients note, too",
            )
        pairs = enumerate(zip(then.last_segment.ensemble, ensemble, strict=True))
        replaced = [member for member, (old, new) in pairs if old != new]
        return {"entry": first, "confirmed": self._confirmed[row.ledger, first], "replaced": replaced}

    def _restored(self, then: Metadata, now: Metadata) -> Iterator[Told]:
        """Of a closed ledger bookies alone are replaced."""
        for old, new in zip(then.segments, now.segments, strict=False):
            for member, (lost, bookie) in enumerate(zip(old.ensemble, new.ensemble, strict=True)):
                if lost != bookie:
                    who = {"bookie": self._bookies[bookie], "lost": self._bookies[lost]}
                    yield "restored", {"entry": new.first_entry, "member": member, **who}
