"""Random histories: a log that does as it should, watched by many clients, and then perhaps harmed in one place.

``spec.client.definition`` justifies what the log does: all that it shows is explained by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from spec.client.history import INDEFINITE, PENDING, REFUSED, Acknowledged, AtEnd, Gap, Given, History, Outcome, Step
from spec.events import ACCESS, BRIDGE, FILTERED_OUT, GAP_KINDS, HOLE, NOT_IN_CONFIG, SKIPPED, TRIM
from tests.support.history_plans import (
    ABSENT,
    BOUNDED,
    COARSE,
    EXACT,
    WIDE,
    Happening,
    Plan,
    Recording,
    Tour,
    Wish,
    at_end,
    gap,
    given,
    history,
)

WRITERS, APPENDS, READS, LSNS = 4, 8, 4, 10
"""The most of each."""


@dataclass
class _Log:
    """A log at work: what lies where, what its clients do just now, and all that has happened."""

    rng: Random
    promise: bool
    wishes: list[Wish]
    order: list[Happening] = field(default_factory=list)
    records: dict[int, int] = field(default_factory=dict)
    waiting: dict[int, int] = field(default_factory=dict)
    tours: list[Tour] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    trims: list[int] = field(default_factory=list)
    tail: int = 0
    passed: int = 0
    begun: int = 0

    def begin(self) -> None:
        """An append begins; it is to lie behind what its client knows of."""
        if self.begun < len(self.wishes):
            known = [
                wish.outcome.lsn
                for wish in self.wishes[: self.begun]
                if wish.writer == self.wishes[self.begun].writer and isinstance(wish.outcome, Acknowledged)
            ]
            self.waiting[self.begun] = max(known, default=0)
            self.order.append(("begin", self.begun, 0))
            self.begun += 1

    def end(self) -> None:
        """An append that is under way is stored or not, and ends or not."""
        if not self.waiting:
            return
        number = self.rng.choice(list(self.waiting))
        floor = self.waiting.pop(number)
        lsn = self._place(floor) if self.rng.random() < 0.85 else None
        unsure = self.rng.choice([INDEFINITE, PENDING])
        outcome: Outcome = self.rng.choice([unsure, REFUSED])
        if lsn is not None:
            self.records[lsn] = number
            outcome = Acknowledged(lsn) if self.rng.random() < 0.75 else unsure
        self.wishes[number] = replace(self.wishes[number], outcome=outcome)
        self.order += [] if outcome is PENDING else [("end", number, 0)]

    def _place(self, floor: int) -> int | None:
        holes = [lsn for lsn in range(max(floor, self.passed) + 1, self.tail) if lsn not in self.records]
        if holes and not self.promise and self.rng.random() < 0.5:
            return self.rng.choice(holes)
        self.tail += self.rng.choice((1, 1, 1, 2, 3))
        return self.tail if self.tail <= LSNS else None

    def read(self) -> None:
        """A reader begins to read, or anew."""
        if len(self.tours) < READS:
            start = self.rng.randint(1, max(1, min(self.tail, LSNS) // 2))
            self.order.append(("read", len(self.tours), 0))
            self.tours.append(Tour(self.rng.randint(1, 3), start, ()))
            self.positions.append(start)

    def step(self) -> None:
        """A reader goes on."""
        if not self.tours:
            return
        latest = {tour.reader: number for number, tour in enumerate(self.tours)}
        number = self.rng.choice(list(latest.values()))
        step, place = self._next(self.positions[number]), len(self.tours[number].steps)
        if isinstance(step, AtEnd):
            mine = (at for at, one in enumerate(self.order) if one[0] in ("read", "step") and one[1] == number)
            earliest = max(mine) + 1
            self.order.insert(self.rng.choice((len(self.order), earliest)), ("ask", number, place))
        else:
            self.positions[number] = step.upto + 1
            self.passed = max(self.passed, step.upto)
        self.order.append(("step", number, place))
        self.tours[number] = replace(self.tours[number], steps=(*self.tours[number].steps, step))

    def _next(self, position: int) -> Step:
        ahead = min((lsn for lsn in self.records if lsn >= position), default=None)
        if position <= max(self.trims, default=0):
            return gap(position, max(self.trims), TRIM)
        if self.rng.random() < 0.06:
            return gap(position, position, self.rng.choice([ACCESS, NOT_IN_CONFIG, FILTERED_OUT]))
        if ahead is None:
            return at_end(position)
        if position == ahead or self.rng.random() < 0.5:
            return given(ahead, self.wishes[self.records[ahead]].payload)
        return gap(position, ahead - 1, self.rng.choice([HOLE, BRIDGE, SKIPPED]))

    def trim(self) -> None:
        """Somebody trims the log."""
        if self.rng.random() < 0.15 and self.tail and not self.trims:
            self.order.append(("trim", len(self.trims), 0))
            self.trims.append(self.rng.randint(1, min(self.tail, LSNS)))


def random_history(rng: Random) -> History:
    """A history of up to 4 writers, 8 appends, 4 reads and 10 LSNs, half of them harmed in one place."""
    promise = rng.random() < 0.5
    plan = _planned(rng, promise=promise)
    if rng.random() < 0.5:
        harmed = (harm(rng, plan) for harm in rng.sample(HARMS, len(HARMS)))
        plan = next((one for one in harmed if one is not None), plan)
    return history(plan, _recording(rng, plan), real_time_order=promise)


def honest_history(rng: Random) -> History:
    """A history of the same kind in which nothing is harmed."""
    promise = rng.random() < 0.5
    plan = _planned(rng, promise=promise)
    return history(plan, _recording(rng, plan), real_time_order=promise)


def _planned(rng: Random, *, promise: bool) -> Plan:
    writers, payloads = rng.randint(1, WRITERS), rng.randint(1, 6)
    wishes = [Wish(rng.randint(1, writers), rng.randint(1, payloads), PENDING) for _ in range(rng.randint(1, APPENDS))]
    log = _Log(rng, promise, wishes)
    log.begin()
    for _ in range(rng.randint(8, 40)):
        rng.choice([log.begin, log.end, log.begin, log.end, log.read, log.step, log.step, log.step, log.trim])()
    log.wishes = log.wishes[: log.begun]
    is_recorded = bool(log.trims) if rng.random() < 0.7 else rng.random() < 0.3
    order = log.order if is_recorded else [one for one in log.order if one[0] != "trim"]
    return Plan(tuple(log.wishes), tuple(log.tours), order, tuple(log.trims) if is_recorded else None)


def _recording(rng: Random, plan: Plan) -> Recording:
    clocks = rng.choice((EXACT, BOUNDED, WIDE, COARSE, ABSENT))
    names = [f"c{number}" for number in range(rng.randint(1, 5))]
    homes: dict[str, str] = {}
    moved: dict[Happening, str] = {}
    for happening in plan.order:
        client = plan.client(happening)
        if client not in homes or (rng.random() < 0.04 and not _is_answer(happening, moved)):
            homes[client] = "control" if client == "control" else rng.choice(names)
        moved[happening] = homes[client]
    return Recording(moved=moved, clocks=clocks)


def _is_answer(happening: Happening, moved: dict[Happening, str]) -> bool:
    """Whether this answers a question, which a trace can only say of one recorder."""
    return happening[0] == "step" and ("ask", *happening[1:]) in moved


def _steps(plan: Plan, kind: type[Step] | None = None) -> list[tuple[int, int, Step]]:
    return [
        (number, place, step)
        for number, tour in enumerate(plan.tours)
        for place, step in enumerate(tour.steps)
        if kind is None or isinstance(step, kind)
    ]


def _with_step(plan: Plan, number: int, place: int, step: Step) -> Plan:
    steps = list(plan.tours[number].steps)
    steps[place] = step
    tours = list(plan.tours)
    tours[number] = replace(tours[number], steps=tuple(steps))
    return replace(plan, tours=tuple(tours))


def _with_outcome(plan: Plan, number: int, outcome: Outcome) -> Plan:
    wishes = list(plan.wishes)
    wishes[number] = replace(wishes[number], outcome=outcome)
    end: Happening = ("end", number, 0)
    order = [one for one in plan.order if one != end or outcome is not PENDING]
    order += [end] if outcome is not PENDING and end not in order else []
    return replace(plan, wishes=tuple(wishes), order=order)


def other_payload(rng: Random, plan: Plan) -> Plan | None:
    """A reader is given another payload."""
    if steps := _steps(plan, Given):
        number, place, step = rng.choice(steps)
        assert isinstance(step, Given)
        return _with_step(plan, number, place, given(step.lsn, step.payload % 6 + 1))
    return None


def lost_step(rng: Random, plan: Plan) -> Plan | None:
    """A reader goes on in silence."""
    if not (steps := _steps(plan)):
        return None
    number, place, _ = rng.choice(steps)
    tours = list(plan.tours)
    there = tours[number].steps
    tours[number] = replace(tours[number], steps=there[:place] + there[place + 1 :])
    return replace(plan, tours=tuple(tours), order=list(_closed_up(plan.order, number, place)))


def _closed_up(order: list[Happening], number: int, place: int) -> Iterator[Happening]:
    for what, which, at in order:
        if what in ("step", "ask") and which == number:
            if at != place:
                yield what, which, at - (at > place)
        else:
            yield what, which, at


def gap_instead(rng: Random, plan: Plan) -> Plan | None:
    """A reader is told of a gap instead of what it was told."""
    if not (steps := [*_steps(plan, Given), *_steps(plan, Gap)]):
        return None
    number, place, step = rng.choice(steps)
    upto = step.upto if isinstance(step, Gap) else step.lsn
    return _with_step(plan, number, place, gap(step.lsn, upto, rng.choice(list(GAP_KINDS.values()))))


def other_lsn(rng: Random, plan: Plan) -> Plan | None:
    """A reader is given a record at another LSN, or is at the end at another."""
    if not (steps := _steps(plan)):
        return None
    number, place, step = rng.choice(steps)
    lsn = max(1, step.lsn + rng.choice((-2, -1, -1, 1)))
    moved = gap(lsn, max(lsn, step.upto), step.reason) if isinstance(step, Gap) else replace(step, lsn=lsn)
    return _with_step(plan, number, place, moved)


def other_outcome(rng: Random, plan: Plan) -> Plan | None:
    """A writer is told something else."""
    if not plan.wishes:
        return None
    number, lsn = rng.randrange(len(plan.wishes)), rng.randint(1, LSNS)
    again, refused = Acknowledged(rng.randint(1, LSNS), (lsn,)), Acknowledged(lsn, refused=True)
    outcomes: list[Outcome] = [Acknowledged(lsn), REFUSED, INDEFINITE, again, Acknowledged(lsn, (lsn,)), refused]
    return _with_outcome(plan, number, rng.choice(outcomes))


def exchanged(rng: Random, plan: Plan) -> Plan | None:
    """Two acknowledgements say each other's LSN."""
    acknowledged = [number for number, wish in enumerate(plan.wishes) if isinstance(wish.outcome, Acknowledged)]
    if len(acknowledged) < 2:
        return None
    one, other = rng.sample(acknowledged, 2)
    changed = _with_outcome(plan, one, plan.wishes[other].outcome)
    return _with_outcome(changed, other, plan.wishes[one].outcome)


def other_time(rng: Random, plan: Plan) -> Plan | None:
    """An append, or the only read of a reader, happens at other times, all else in its order."""
    what = rng.choice((("begin", "end"), ("read", "step", "ask")))
    readers = [tour.reader for tour in plan.tours]
    often = [number for number, reader in enumerate(readers) if what[0] == "read" and readers.count(reader) > 1]
    which = rng.choice([one[1] for one in plan.order if one[0] in what and one[1] not in often] or [0])
    if which in often:
        return None
    mine = [one for one in plan.order if one[0] in what and one[1] == which]
    others = [one for one in plan.order if one not in mine]
    for at, one in sorted(((rng.randint(0, len(others)), -number) for number in range(len(mine))), reverse=True):
        others.insert(at, mine[one])
    places = iter(mine)
    return replace(plan, order=[next(places) if one in mine else one for one in others])


def lost_trim(rng: Random, plan: Plan) -> Plan | None:
    """A trim never was."""
    if not plan.trims:
        return None
    return replace(plan, trims=(), order=[one for one in plan.order if one[0] != "trim"])


HARMS: Final[tuple[Callable[[Random, Plan], Plan | None], ...]] = (
    *(other_payload, lost_step, gap_instead, other_lsn, other_outcome),
    *(exchanged, other_time, lost_trim),
)
"""What may go wrong in one place; None where there is no such place."""
