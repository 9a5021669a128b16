"""What a check asks of a cluster, and what it is told."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from reference_impl.ledger.checker.state import Entries, Versioned
from spec.ledger.marks import Mark


class LookForMark(NamedTuple):
    """Has the ledger an under-replication mark?"""

    ledger: int


class ReadMetadata(NamedTuple):
    """What is the ledger's metadata now?"""

    ledger: int


class AskBookie(NamedTuple):
    """Which entries of the ledger has this bookie? BookKeeper, BP-34: GetListOfEntriesOfALedgerRequest."""

    ledger: int
    bookie: str


class AskStanding(NamedTuple):
    """Are these bookies registered, and does the auditor know that they are down?"""

    bookies: tuple[str, ...]


Question: TypeAlias = LookForMark | ReadMetadata | AskBookie | AskStanding


class MarkSeen(NamedTuple):
    """The ledger's mark, or none, and the time when it was looked for."""

    mark: Mark | None
    now_ms: int


class MetadataSeen(NamedTuple):
    """The ledger's metadata; none if it is deleted."""

    found: Versioned | None


class MetadataDamaged(NamedTuple):
    """The ledger's metadata cannot be read, and why."""

    why: str


class Answered(NamedTuple):
    """A bookie's entries of the ledger, none if it knows no such ledger; or no answer."""

    bookie: str
    entries: Entries | None


class StandingSeen(NamedTuple):
    """Of the bookies in question, those that are registered, and those that the auditor knows to be down."""

    registered: frozenset[str]
    known_down: frozenset[str]


class DelayPassed(NamedTuple):
    """The delay is over."""


Action: TypeAlias = MarkSeen | MetadataSeen | MetadataDamaged | Answered | StandingSeen | DelayPassed
