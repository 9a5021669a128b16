"""The checker of metadata, BP-34, run over what a recording shows of a cluster: its questions and answers as events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from conformance.importers.bookkeeper_rows import ListRow, RegistrationRow, VersionRow
from conformance.importers.errors import Contradiction
from conformance.importers.journal import Journal
from conformance.trace.fields import shapes_of
from reference_impl.ledger.auditing import Auditor
from reference_impl.ledger.checker.state import Settings, Versioned
from reference_impl.ledger.protocol.context import name_of, number_of
from spec.language.family import Family
from spec.ledger.availability.encoding import decode, encode
from spec.ledger.errors import LedgerError
from spec.ledger.events import Heard
from spec.ledger.marks import Mark
from spec.ledger.placement.adherence import anywhere

CHECKER: Final = "checker"
KINDS: Final = (
    *("mark_looked", "metadata_read", "listed", "heard", "unheard", "standing_seen"),
    *("placement_judged", "reported", "checked", "counted"),
)
_MILLISECOND_NS: Final = 1_000_000
_RACKS: Final = 1


class Shown:
    """What a recording shows of a cluster in the end, to be asked by the checker.

    Nobody marks ledgers while recordings are made, so there are no marks.

    Args:
        versions: all metadata, in order.
        registrations: who was registered when.
        lists: what bookies list.
        bookies: the number of each bookie, by what metadata calls it.
    """

    def __init__(
        self,
        versions: Iterable[VersionRow],
        registrations: Iterable[RegistrationRow],
        lists: Iterable[ListRow],
        bookies: Mapping[str, int],
    ) -> None:
        self.lists = {(row.ledger, row.bookie): row for row in lists}
        self.now_ns = max((row.time_ns for row in self.lists.values()), default=0)
        self._bookies = bookies
        self._latest = {row.ledger: row for row in versions}
        self._present = {row.bookie: row.present for row in registrations}

    @property
    def ledgers(self) -> list[int]:
        """The ledgers that some bookie was asked for."""
        return sorted({ledger for ledger, _ in self.lists})

    def now_ms(self) -> int:
        """The time of the last list."""
        return self.now_ns // _MILLISECOND_NS

    def wait(self, delay_ms: int) -> None:
        """What was recorded does not change any more."""

    def mark(self, ledger: int) -> Mark | None:  # noqa: ARG002 - it is asked of each ledger
        """There are no marks."""
        return None

    def metadata(self, ledger: int) -> Versioned | None:
        """The last metadata of a ledger, with bookies by number."""
        row = self._latest.get(ledger)
        if row is None or row.metadata is None:
            return None
        segments = tuple(
            segment._replace(ensemble=tuple(name_of(self._bookies[name]) for name in segment.ensemble))
            for segment in row.metadata.segments
        )
        return Versioned(replace(row.metadata, segments=segments), row.version)

    def entries(self, ledger: int, bookie: str) -> bytes | None:
        """What a bookie sent; nothing where it was not asked, or gave no answer."""
        row = self.lists.get((ledger, number_of(bookie)))
        if row is None:
            return None
        return encode(()) if row.data is None else row.data

    def registered(self) -> frozenset[str]:
        """The bookies that are registered in the end."""
        return frozenset(name_of(bookie) for bookie, present in self._present.items() if present)

    def known_down(self) -> frozenset[str]:
        """The bookies whose registration is gone."""
        return frozenset(name_of(bookie) for bookie, present in self._present.items() if not present)


def write_check(journal: Journal, shown: Shown, family: Family) -> None:
    """Check all ledgers once, by BP-34, and write down what was asked, told and reported.

    Raises:
        Contradiction: a ledger has more entries than can be looked at one by one.
    """
    journal.declare(CHECKER, "checker", dict.fromkeys(KINDS, "complete"))
    shapes = shapes_of(family)

    def record(event: dict[str, Any]) -> None:
        shape = shapes[event["kind"]]
        said = {field.name: _told(event[field.column]) for field in shape.fields if field.column in event}
        if shape.kind == Heard.kind:
            data = shown.lists[said["ledger"], said["bookie"]].data
            said["groups"] = len(decode(data)) if data is not None else 0
        journal.add(CHECKER, shape.word, time_ns=shown.now_ns, **said)

    auditor = Auditor(0, shown, Settings(anywhere, grace_ms=0, delay_ms=0), _RACKS, record)
    try:
        for _ in auditor.steps(shown.ledgers):
            pass
    except LedgerError as large:
        raise Contradiction("a ledger cannot be checked", str(large), "record smaller ones") from None


def _told(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value
