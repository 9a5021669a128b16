"""Plans of simulated ledgers: the same plan gives the same events to the byte."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from reference_impl.kernel.weather import Weather
from spec.ledger.schedule import Quorums

MILLISECOND: Final = 1_000_000


@dataclass(frozen=True)
class LedgerPlan:
    """What is simulated.

    Attributes:
        seed: decides every choice.
        ledgers: how many there are: closed by their writers or recovered by others, empty, or on few racks, in turn.
        bookies: how many there are, in racks that take turns.
        racks: how many racks there are.
        quorums: E, W and A of all ledgers.
        entries: how many entries a writer writes.
        first_entry: the entry with which ledgers begin.
        weather: what the network does to messages.
        mutant: the name of a mutant, or nothing for the correct machine.
    """

    seed: int = 1
    ledgers: int = 6
    bookies: int = 9
    racks: int = 2
    quorums: Quorums = field(default_factory=lambda: Quorums(4, 2, 2))
    entries: int = 9
    first_entry: int = 0
    weather: Weather = field(default_factory=Weather)
    mutant: str = ""

    def __post_init__(self) -> None:
        self.quorums.check()
        for what in ("ledgers", "racks", "entries"):
            if getattr(self, what) < 1:
                raise ValueError(f"there are {getattr(self, what)} {what}: one at least is needed")
        if self.quorums.ensemble > self.bookies:
            raise ValueError(f"an ensemble has {self.quorums.ensemble} members, and there are {self.bookies} bookies")
