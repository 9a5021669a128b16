"""Telling runs of the text ``ensemble_change`` as traces of a ledger: who sends, stores, fences, reads and closes what.

The writer, each bookie, each recovering client and the metadata server record what they do. Members of an ensemble
stand in the order in which bookies came; entries must go round them, though the text may give each any write set.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from reference_impl.kernel.explorer.result import Trace
from reference_impl.kernel.noting import event_of
from reference_impl.ledger.protocol.context import LENGTH_BYTES, WRITER, digest_of
from spec.language.protocol.running import PackedWorld
from spec.ledger.events import (
    Acknowledged,
    Closed,
    Created,
    EnsembleChanged,
    Fenced,
    InRecovery,
    Named,
    ReadBack,
    RecoveryBegan,
    Sent,
    Stored,
)
from spec.ledger.events.values import ADD, RECOVERY
from spec.ledger.metadata import NO_ENTRY
from spec.ledger.schedule import Quorums
from spec.protocols.ledger_fragments import Ensemble
from spec.protocols.ledger_parts import AckQuorum

LEDGER: Final = 0
STEP_NS: Final = 10
FIRST_CLIENT: Final = 1
"""The number of the client that is the text's first; the writer has another."""


class LedgerTeller:
    """Tells one run.

    Args:
        machine: the text in its world.
        run: the steps, and the states between them; its first is that the ledger gets its first ensemble.
        quorums: the sizes of the ledger.
    """

    def __init__(self, machine: PackedWorld, run: Trace, quorums: Quorums) -> None:
        self._families, self._run, self._quorums = machine.world.families, run, quorums
        self._segments: dict[int, tuple[int, ...]] = {}
        self._ensembles: dict[int, tuple[int, ...]] = {}
        self._firsts: dict[int, int] = {}
        self._versions: dict[int, int] = {}
        self._version = NO_ENTRY
        self._fenced: set[int] = set()
        self._began: set[int] = set()
        self._sent: set[tuple[int, int, int, int]] = set()
        self._before = run.states[0]
        self._seen = Counter[str]()
        self.rows: list[dict[str, Any]] = []

    def tell(self) -> list[dict[str, Any]]:
        """The events of the run, by columns."""
        for step, before, after in zip(self._run.steps, self._run.states[:-1], self._run.states[1:], strict=True):
            self._before = before
            if step.action.name in ("read", "accept", "restore") or before != after:
                getattr(self, f"_{step.action.name}")(*step.args)
        return self.rows

    # ------------------------------------------------------------------------------------------- metadata

    def _change(self, fragment: int, first: int, ensemble: int) -> None:
        """Bookies that stay keep their places, and who is new takes the place of one that left."""
        bookies = self._families[Ensemble][ensemble]
        old = self._ensembles[max(self._ensembles)] if self._ensembles else ()
        new = iter(sorted(bookies - set(old)))
        members = tuple(bookie if bookie in bookies else next(new) for bookie in old) or tuple(new)
        self._firsts[fragment] = first
        self._ensembles[fragment] = members
        self._segments[first] = members
        if not old:
            e, w, a = self._quorums
            self._changed(Created, ensemble_size=e, write_quorum=w, ack_quorum=a)
        else:
            replaced = frozenset(at for at, pair in enumerate(zip(old, members, strict=True)) if len(set(pair)) > 1)
            confirmed = max((entry for (entry,) in self._before["acknowledged"]), default=NO_ENTRY)
            self._changed(EnsembleChanged, entry=first, client=WRITER, confirmed=confirmed, replaced=replaced)
        self._versions[fragment] = self._version

    def _begin(self, client: int) -> None:
        self._changed(InRecovery, client=FIRST_CLIENT + client)

    def _close(self, end: int) -> None:
        self._changed(Closed, entry=end, client=WRITER, recovers=0, length=LENGTH_BYTES * end)

    def _finish(self, client: int, _fragment: int, end: int) -> None:
        self._changed(Closed, entry=end, client=FIRST_CLIENT + client, recovers=1, length=LENGTH_BYTES * end)

    def _changed(self, event: type[Any], **said: Any) -> None:
        """A new version of the metadata, and whom it names."""
        self._version += 1
        self._add("metadata", event, version=self._version, **said)
        for first, members in sorted(self._segments.items()):
            for member, bookie in enumerate(members):
                self._add("metadata", Named, version=self._version, entry=first, member=member, bookie=bookie)

    # -------------------------------------------------------------------------------------------- entries

    def _lay_out(self, _fragment: int, _entry: int, _quorum: int) -> None:
        """The schedule is known to all, and nobody records it."""

    def _accept(self, bookie: int, fragment: int, entry: int, bound: int) -> None:
        """The writer sends an entry to its whole write set, and again if more is confirmed by then."""
        write_set = {one for at, one, what in self._before["scheduled"] if (at, what) == (fragment, entry)}
        for one in sorted(write_set | {bookie}):
            if (fragment, one, entry, bound) not in self._sent:
                self._sent.add((fragment, one, entry, bound))
                self._send(WRITER, one, fragment, entry, bound - 1, ADD)
        self._add(f"bookie-{bookie}", Stored, **self._copy(bookie, fragment, entry, ADD))

    def _restore(self, client: int, fragment: int, bookie: int, entry: int) -> None:
        """A client sends what it found to a bookie, which stores it at once."""
        self._send(FIRST_CLIENT + client, bookie, fragment, entry, NO_ENTRY, RECOVERY)
        self._add(f"bookie-{bookie}", Stored, **self._copy(bookie, fragment, entry, RECOVERY))

    def _send(self, client: int, bookie: int, fragment: int, entry: int, confirmed: int, purpose: int) -> None:
        went_by = {"version": self._versions[fragment], "segment": self._firsts[fragment], "confirmed": confirmed}
        copy = self._copy(bookie, fragment, entry, purpose)
        self._add(f"client-{client}", Sent, client=client, **copy, **went_by)

    def _copy(self, bookie: int, fragment: int, entry: int, purpose: int) -> dict[str, int]:
        place = {"entry": entry, "bookie": bookie, "member": self._member(bookie, fragment)}
        return place | {"purpose": purpose, "digest": digest_of(LEDGER, entry)}

    def _acknowledge(self, fragment: int, entry: int, acks: int) -> None:
        counted = frozenset(self._member(bookie, fragment) for bookie in self._families[AckQuorum][acks])
        segment = self._firsts[fragment]
        self._add(f"client-{WRITER}", Acknowledged, entry=entry, client=WRITER, segment=segment, counted=counted)

    def _member(self, bookie: int, fragment: int) -> int:
        return self._ensembles[fragment].index(bookie)

    # ------------------------------------------------------------------------------------------- recovery

    def _tell(self, _client: int, bookie: int) -> None:
        self._fence(bookie)

    def _fence(self, bookie: int) -> None:
        if bookie not in self._fenced:
            self._fenced.add(bookie)
            self._add(f"bookie-{bookie}", Fenced, bookie=bookie)

    def _read(self, client: int, fragment: int, bookie: int, entry: int) -> None:
        """Before its first read a client says what it has heard of."""
        if client not in self._began:
            self._began.add(client)
            self._recovery_began(client, fragment)
        self._fence(bookie)
        found = (bookie, entry) in self._before["accepted"] | self._before["restored"]
        place = {"entry": entry, "bookie": bookie, "member": self._member(bookie, fragment)}
        digest = digest_of(LEDGER, entry) if found else None
        number = FIRST_CLIENT + client
        self._add(f"client-{number}", ReadBack, client=number, found=int(found), digest=digest, **place)

    def _recovery_began(self, client: int, fragment: int) -> None:
        told = {bookie for who, bookie in self._before["told"] if who == client}
        ensemble, first = self._ensembles[fragment], self._firsts[fragment]
        confirmed = max((entry for bookie, entry in self._before["confirmed"] if bookie in told), default=NO_ENTRY)
        answered = frozenset(member for member, bookie in enumerate(ensemble) if bookie in told)
        number, entry = FIRST_CLIENT + client, max(confirmed + 1, first)
        said = {"segment": first, "confirmed": confirmed, "answered": answered}
        self._add(f"client-{number}", RecoveryBegan, entry=entry, client=number, **said)

    def _add(self, recorder: str, event: type[Any], **said: Any) -> None:
        self._seen[recorder] += 1
        place = {"recorder": recorder, "seq": self._seen[recorder], "time_ns": STEP_NS * (len(self.rows) + 1)}
        self.rows.append(event_of(event, ledger=LEDGER, **said) | place)
