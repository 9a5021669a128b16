"""What all entities of all ledgers share, and which of their decisions are taken otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, ParamSpec, TypeVar

from reference_impl.kernel.decision import Decision
from reference_impl.kernel.mix import mix
from reference_impl.kernel.step import Address
from spec.ledger.schedule import Quorums

P = ParamSpec("P")
R = TypeVar("R")

WRITER: Final = 0
"""The number of a ledger's writer; clients that recover it have greater ones, its readers greater ones still."""

REPLICATOR: Final = 90
READERS: Final = 100


@dataclass(frozen=True)
class Timing:
    """How patient everybody is, in nanoseconds of virtual time.

    Attributes:
        add_ns: how long a writer waits for bookies to store an entry.
        think_ns: how long it takes to make the next entry.
        retry_ns: how long whoever recovers, reads or replicates waits before it asks again.
    """

    add_ns: int = 4_000_000
    think_ns: int = 300_000
    retry_ns: int = 4_000_000


@dataclass(frozen=True)
class LedgerContext:
    """What all entities share.

    Attributes:
        quorums: E, W and A of all ledgers.
        bookies: all bookies, by number, in the order in which they are asked to take over from others.
        first_entry: the entry with which ledgers begin, instead of 0, where that is to be shown.
        changes: what it decides otherwise than the protocol has it.
    """

    quorums: Quorums
    bookies: tuple[int, ...]
    first_entry: int = 0
    timing: Timing = field(default_factory=Timing)
    changes: Mapping[Decision[..., Any], Callable[..., Any]] = field(default_factory=dict)

    def decides(self, decision: Decision[P, R]) -> Callable[P, R]:
        """How this machine decides."""
        return self.changes.get(decision, decision.right)


def metadata_of(ledger: int) -> Address:
    """The metadata server, as far as one ledger goes."""
    return ("metadata", ledger, 0)


def bookie_of(ledger: int, bookie: int) -> Address:
    """A bookie, as far as one ledger goes."""
    return ("bookie", ledger, bookie)


def client_of(ledger: int, client: int) -> Address:
    """A client of a ledger: its writer, one that recovers it, or a reader."""
    return ("client", ledger, client)


def name_of(bookie: int) -> str:
    """What metadata calls a bookie."""
    return f"b{bookie}"


def number_of(name: str) -> int:
    """The number of the bookie that metadata calls so."""
    return int(name[1:])


def digest_of(ledger: int, entry: int) -> int:
    """The hash of an entry's payload, with sign."""
    return mix(ledger, entry) - (1 << 63)


LENGTH_BYTES: Final = 10
"""How long every entry is."""
