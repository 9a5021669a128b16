"""What is asked of a generated trace, and which runs it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final, Literal, TypeAlias

from reference_impl.mutants import MUTANTS
from reference_impl.plan import Faults, SimulationPlan

Layout: TypeAlias = Literal["sorted", "time"]
"""Sorted by (log, LSN, seq), or in the order of the clocks."""

LAYOUTS: Final[tuple[Layout, ...]] = ("sorted", "time")

VARIETY: Final = 4
"""How many different runs of the correct machine there are."""

RUN: Final = 25_000
"""Events of a run of the correct machine, at most."""

BROKEN_RUN: Final = 5_000
"""Events of a run of a mutant: with fewer, some break nothing."""

LONG_LOG_RUN: Final = 10_000
"""Events of the run that the long log is made of, at most."""

LEAST_RUN: Final = 1_000
"""Events of a run of the correct machine, at least."""

LEAST: Final = 3 * BROKEN_RUN
"""The fewest events: a third of them are of mutants, and there must be one."""

IN_A_FILE: Final = 4_000_000
"""Events of one file, about."""

HALF: Final = 0.5
"""The largest share of all events that one log can have: there must be room for others, and for those of no log."""

SEEDS: Final = 1 << 31

DATA_STAYS: Final = Faults(
    rates={what: rate for what, rate in Faults().rates.items() if what not in {"wipe", "drain"}},
)
"""Faults of the long log: no node loses its data, since one copy of a run does not know what another left there."""


class BadOrder(ValueError):
    """There is no such trace; the message says what to change."""


@dataclass(frozen=True)
class Order:
    """A trace that is wanted. The same order gives the same files to the byte, however they are written.

    Attributes:
        events: how many there are, about; the truth file says how many there are indeed.
        seed: decides everything that the other fields leave open.
        layout: how events lie in the files.
        skew: which share of all events one log has, the long log; 0: there is none.
        mutants: how many runs of mutants there are, each with violations of its own; 0: one of each, if there is room.
        files: how many files there are, about; 0: one for every 4,000,000 events.

    Raises:
        BadOrder: there is no such trace.
    """

    events: int
    seed: int = 0
    layout: Layout = "sorted"
    skew: float = 0.0
    mutants: int = 0
    files: int = 0

    def __post_init__(self) -> None:
        if self.events < LEAST:
            raise BadOrder(f"{self.events} events hold no run of a mutant: ask for {LEAST} at least")
        if self.layout not in LAYOUTS:
            raise BadOrder(f"no layout {self.layout!r}: {' or '.join(LAYOUTS)}")
        if not 0 <= self.skew <= HALF:
            raise BadOrder(f"a log with {self.skew} of all events: it is a share, from 0 to 0.5")
        if self.mutants < 0 or self.files < 0:
            raise BadOrder("a number of runs or files is below 0")
        if self.mutants > self.room:
            raise BadOrder(f"{self.mutants} runs of mutants: there is room for {self.room} in {self.events} events")

    @property
    def room(self) -> int:
        """How many runs of mutants are a third of all events."""
        return self.events // LEAST

    @property
    def broken(self) -> list[str]:
        """The mutants of which there is a run, one name for each run, in turn."""
        usual = [name for name, mutant in MUTANTS.items() if not mutant.setting.changes]
        count = self.mutants or min(len(usual), self.room)
        return [usual[number % len(usual)] for number in range(count)]

    @property
    def plans(self) -> list[SimulationPlan]:
        """The runs that are copied: some of the correct machine, then one of each mutant."""
        seeds = Random(self.seed)
        rest = self.events * (1 - self.skew) - BROKEN_RUN * len(self.broken)
        size = max(LEAST_RUN, min(RUN, int(rest / VARIETY)))
        correct = [SimulationPlan(seed=seeds.randrange(SEEDS), events=size) for _ in range(VARIETY)]
        return correct + [
            SimulationPlan(seed=seeds.randrange(SEEDS), events=BROKEN_RUN, mutant=name)
            for name in dict.fromkeys(self.broken)
        ]

    def long_log(self, attempt: int) -> SimulationPlan:
        """The run that the long log is made of; where its copies do not fit together, another attempt."""
        size = max(LEAST_RUN, min(LONG_LOG_RUN, int(self.events * self.skew) // 4))
        return SimulationPlan(
            seed=Random(f"{self.seed}/{attempt}").randrange(SEEDS), events=size, logs=1, open_logs=1, faults=DATA_STAYS
        )
