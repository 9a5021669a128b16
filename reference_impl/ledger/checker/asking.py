"""Asking a cluster one question after the other.

BookKeeper, BP-34, High Level Logic.
"""

from __future__ import annotations

from typing import Protocol, assert_never

from reference_impl.ledger.checker.messages import (
    Action,
    Answered,
    AskBookie,
    AskStanding,
    LookForMark,
    MarkSeen,
    MetadataDamaged,
    MetadataSeen,
    Question,
    ReadMetadata,
    StandingSeen,
)
from reference_impl.ledger.checker.state import Entries, Versioned
from spec.ledger.availability.encoding import decode
from spec.ledger.availability.groups import entries_of
from spec.ledger.errors import LedgerError
from spec.ledger.marks import Mark


class OneByOne(Protocol):
    """A cluster that is asked one thing at a time; nothing is changed there."""

    def now_ms(self) -> int:
        """The present time."""
        ...

    def wait(self, delay_ms: int) -> None:
        """Let so much time pass."""
        ...

    def mark(self, ledger: int) -> Mark | None:
        """The under-replication mark of a ledger, if it has one."""
        ...

    def metadata(self, ledger: int) -> Versioned | None:
        """The metadata of a ledger; none if there is no such ledger.

        Raises:
            LedgerError: it cannot be read.
        """
        ...

    def entries(self, ledger: int, bookie: str) -> bytes | None:
        """A bookie's entries of a ledger, as they are sent; none if it gives no answer."""
        ...

    def registered(self) -> frozenset[str]:
        """The bookies that are registered at the metadata server."""
        ...

    def known_down(self) -> frozenset[str]:
        """The bookies that the auditor knows to be down."""
        ...


def ask(cluster: OneByOne, question: Question) -> Action:
    """Put a question to a cluster."""
    match question:
        case LookForMark(ledger):
            return MarkSeen(cluster.mark(ledger), cluster.now_ms())
        case ReadMetadata(ledger):
            try:
                return MetadataSeen(cluster.metadata(ledger))
            except LedgerError as damage:
                return MetadataDamaged(str(damage))
        case AskBookie(ledger, bookie):
            return Answered(bookie, entries_in(cluster.entries(ledger, bookie)))
        case AskStanding(bookies):
            asked = frozenset(bookies)
            return StandingSeen(asked & cluster.registered(), asked & cluster.known_down())
        case _:
            assert_never(question)


def entries_in(data: bytes | None) -> Entries | None:
    """The entries that were sent; bytes that cannot be read are no answer."""
    if data is None:
        return None
    try:
        return entries_of(decode(data))
    except LedgerError:
        return None
