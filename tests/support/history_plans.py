"""Plans of histories: what happened in which order, and then who saw it by which clock.

``spec.client.history`` justifies what may stand in a history. A plan says the true order; recorders and clocks show a
part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from spec.client.history import (
    PENDING,
    Append,
    AtEnd,
    Gap,
    Given,
    History,
    Moment,
    Outcome,
    Read,
    Step,
    Trim,
)

Happening = tuple[str, int, int]
"""What happened ("begin", "end", "read", "step", "ask" or "trim"), to which append, read or trim, and at which step."""

NEVER: Final = Moment("nobody", 0)
TICK: Final = 10
"""Nanoseconds between two happenings."""


def given(lsn: int, payload: int) -> Given:
    """A step of a plan: the record of an LSN is given."""
    return Given(NEVER, lsn, payload)


def gap(lsn: int, upto: int, reason: int) -> Gap:
    """A step of a plan: a gap is told."""
    return Gap(NEVER, lsn, upto, reason)


def at_end(lsn: int) -> AtEnd:
    """A step of a plan: the reader is told that it is at the end."""
    return AtEnd(NEVER, lsn, NEVER)


@dataclass(frozen=True, slots=True)
class Wish:
    """An append of a plan."""

    writer: int
    payload: int
    outcome: Outcome

    @property
    def ends(self) -> bool:
        return self.outcome is not PENDING


@dataclass(frozen=True, slots=True)
class Tour:
    """A read of a plan."""

    reader: int
    start: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Clocks:
    """What recorders have for a clock: each second one is ahead by ``skew``; a tick that is ``coarse`` stands still.

    Attributes:
        bound: how far apart they may be, as promised.
        skew: how far apart they are.
        coarse: how many nanoseconds the clocks show as one moment.
        absent: no recorder has one.
    """

    bound: int = 0
    skew: int = 0
    coarse: int = 1
    absent: bool = False

    def show(self, place: int, now: int) -> int | None:
        """What the clock of the recorder at this place shows."""
        return None if self.absent else now // self.coarse * self.coarse + place % 2 * self.skew


EXACT: Final = Clocks()
BOUNDED: Final = Clocks(bound=TICK + TICK // 2, skew=TICK)
WIDE: Final = Clocks(bound=2 * TICK + TICK // 2, skew=2 * TICK)
COARSE: Final = Clocks(coarse=2 * TICK)
ABSENT: Final = Clocks(absent=True)


@dataclass(frozen=True, slots=True)
class Plan:
    """What happened.

    Attributes:
        wishes: the appends.
        tours: the reads.
        order: the true order of everything.
        trims: up to where it was trimmed, each time; None if nobody records it.
    """

    wishes: tuple[Wish, ...]
    tours: tuple[Tour, ...]
    order: list[Happening]
    trims: tuple[int, ...] | None = None

    def client(self, happening: Happening) -> str:
        """To whom it happened."""
        what, which, _ = happening
        if what == "trim":
            return "control"
        return f"w{self.wishes[which].writer}" if what in ("begin", "end") else f"r{self.tours[which].reader}"


@dataclass(frozen=True, slots=True)
class Recording:
    """Who sees what.

    Attributes:
        together: one recorder sees everything; otherwise each client has its own.
        moved: what is seen by another recorder than its client's.
        clocks: what they have for clocks.
        time_of: the time of what happened, instead of a tick for each.
    """

    together: bool = False
    moved: Mapping[Happening, str] = field(default_factory=dict)
    clocks: Clocks = EXACT
    time_of: Callable[[Happening], int] | None = None

    def moments(self, plan: Plan) -> dict[Happening, Moment]:
        """The moment of everything in a plan."""
        moments: dict[Happening, Moment] = {}
        counts: dict[str, int] = {}
        for tick, happening in enumerate(plan.order, start=1):
            recorder = self.moved.get(happening) or ("all" if self.together else plan.client(happening))
            counts[recorder] = seq = counts.get(recorder, 0) + 1
            now = tick * TICK if self.time_of is None else self.time_of(happening)
            place = list(counts).index(recorder)
            moments[happening] = Moment(recorder, seq, self.clocks.show(place, now))
        return moments


TOGETHER: Final = Recording(together=True)
APART: Final = Recording()
APART_BOUNDED: Final = Recording(clocks=BOUNDED)
APART_WIDE: Final = Recording(clocks=WIDE)
APART_COARSE: Final = Recording(clocks=COARSE)
APART_ABSENT: Final = Recording(clocks=ABSENT)


def history(plan: Plan, recording: Recording = TOGETHER, *, real_time_order: bool = False) -> History:
    """What recorders see of a plan."""
    moments = recording.moments(plan)
    return History(
        tuple(
            Append(
                wish.writer, wish.payload, moments["begin", number, 0], moments.get(("end", number, 0)), wish.outcome
            )
            for number, wish in enumerate(plan.wishes)
        ),
        tuple(
            Read(tour.reader, tour.start, moments["read", number, 0], tuple(_steps(tour, number, moments)))
            for number, tour in enumerate(plan.tours)
        ),
        None if plan.trims is None else tuple(Trim(upto, moments["trim", n, 0]) for n, upto in enumerate(plan.trims)),
        recording.clocks.bound,
        real_time_order,
    )


def _steps(tour: Tour, number: int, moments: Mapping[Happening, Moment]) -> Iterator[Step]:
    for place, step in enumerate(tour.steps):
        at = moments["step", number, place]
        match step:
            case Given():
                yield Given(at, step.lsn, step.payload)
            case Gap():
                yield Gap(at, step.lsn, step.upto, step.reason)
            case AtEnd():
                yield AtEnd(at, step.lsn, moments["ask", number, place])


def of_append(number: int, wish: Wish) -> list[Happening]:
    """What happens to an append."""
    return [("begin", number, 0), ("end", number, 0)] if wish.ends else [("begin", number, 0)]


def of_read(number: int, tour: Tour) -> list[Happening]:
    """What happens to a read."""
    happenings: list[Happening] = [("read", number, 0)]
    for place, step in enumerate(tour.steps):
        happenings += [("ask", number, place)] if isinstance(step, AtEnd) else []
        happenings.append(("step", number, place))
    return happenings


def one_by_one(wishes: Sequence[Wish], tours: Sequence[Tour]) -> list[Happening]:
    """Each append ends before the next begins; then each read, one after the other."""
    appends = [one for number, wish in enumerate(wishes) for one in of_append(number, wish)]
    return appends + [one for number, tour in enumerate(tours) for one in of_read(number, tour)]


def merges(*parts: Sequence[Happening]) -> Iterator[list[Happening]]:
    """Every order of what happens in several places, each of which keeps its own."""
    left = [part for part in parts if part]
    if not left:
        yield []
    for chosen in left:
        for rest in merges(*(part[1:] if part is chosen else part for part in left)):
            yield [chosen[0], *rest]
