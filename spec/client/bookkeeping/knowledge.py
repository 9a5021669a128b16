"""Knowledge: which acknowledgements had been seen when an append began, or a reader asked for the end."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

from spec.client.bookkeeping.causes import Named
from spec.client.bookkeeping.recording import Recording
from spec.language.bookkeeping import Event

NOTHING: Final = -1
"""Before any LSN."""

Known: TypeAlias = tuple[int, int]
"""The greatest LSN that was acknowledged before for certain, and the greatest if clocks are right as they stand."""


class Heard(NamedTuple):
    """An acknowledgement: who saw it, in which place of its order, when by its clock, and of which LSN."""

    recorder: str
    seq: int
    time: int | None
    lsn: int


def heard(ack: Event, recording: Recording) -> Heard:
    """What an event of an acknowledgement says."""
    return Heard(ack["recorder"], ack["seq"], ack.get("time_ns"), recording.lsn(ack))


class Given(NamedTuple):
    """A record that a reader was given: who saw it, in which place of its order, when, its payload's hash, its LSN."""

    recorder: str
    seq: int
    time: int | None
    digest: int
    lsn: int


class Begin(NamedTuple):
    """The begin of an append: who saw it, in which place of its order, and when by its clock."""

    recorder: str
    seq: int
    time: int | None


class Knowledge:
    """What acknowledgements, each seen by some recorder, tell of any moment.

    A recorder's own order counts for what it saw itself, clocks for what others saw; where there is none, nothing does.
    """

    def __init__(self, acks: Iterable[Heard], clock_bound_ns: int) -> None:
        self.sure = self.told = _Told(acks)
        self.bound = clock_bound_ns

    def before(self, recorder: str, seq: int | None, time: int | None) -> Known:
        """What had been acknowledged before a moment that a recorder saw; of one without a place clocks alone tell."""
        sure = max(self.sure.seen_by(recorder, seq), self.sure.seen_by_others(recorder, seq, time, self.bound))
        told = max(self.told.seen_by(recorder, seq), self.told.seen_by_others(recorder, seq, time, 0))
        return sure, max(sure, told)


class Spoken(NamedTuple):
    """What was said of the appends of one log, by which one client hears of what another was told.

    Attributes:
        begins: where appends began, by the hash of their payload; None if nobody recorded it.
        given: what readers were given.
        named: what answers say of the appends that they name.
    """

    begins: dict[int | None, list[Begin]]
    given: list[Given]
    named: Named

    def sources(self) -> Iterator[tuple[Given, tuple[Begin, ...]]]:
        """What was given, each with where its append may have begun."""
        for one in self.given:
            alike = (*self.begins.get(one.digest, ()), *self.begins.get(None, ()))
            begins = {(begin.recorder, begin.seq): begin for begin in alike}
            if meant := self.named.meant(one.lsn, [*begins]):
                yield one, tuple(begins[place] for place in meant)


class Hearsay(Knowledge):
    """The same, with what a record brings to its readers: whatever had been acknowledged before its append began.

    Where several appends have its payload, and no acknowledgement tells which is meant, what all of them bring counts.
    """

    def __init__(self, acks: Iterable[Heard], clock_bound_ns: int, spoken: Spoken) -> None:
        direct, listed = list(acks), list(spoken.sources())
        super().__init__(direct, clock_bound_ns)
        sources, brought = {begins for _, begins in listed}, dict[tuple[Begin, ...], Known]()
        while (more := {begins: self._brought_by(begins) for begins in sources}) != brought:
            brought = more
            self.sure = _Told([*direct, *(Heard(*one[:3], brought[begins][0]) for one, begins in listed)])
            self.told = _Told([*direct, *(Heard(*one[:3], brought[begins][1]) for one, begins in listed)])

    def _brought_by(self, begins: Sequence[Begin]) -> Known:
        known = [self.before(*begin) for begin in begins]
        return min(sure for sure, _ in known), min(told for _, told in known)


class _Told:
    """The greatest LSN that each recorder had seen, by its order and by its clock."""

    def __init__(self, said: Iterable[Heard]) -> None:
        by_recorder: dict[str, list[Heard]] = defaultdict(list)
        for one in said:
            by_recorder[one.recorder].append(one)
        self.in_order = {name: _Rising((one.seq, one.lsn) for one in mine) for name, mine in by_recorder.items()}
        self.in_time = {
            name: _Rising((one.time, one.lsn) for one in mine if one.time is not None)
            for name, mine in by_recorder.items()
        }

    def seen_by(self, recorder: str, seq: int | None) -> int:
        return NOTHING if seq is None or recorder not in self.in_order else self.in_order[recorder].before(seq)

    def seen_by_others(self, recorder: str, seq: int | None, time: int | None, bound: int) -> int:
        if time is None:
            return NOTHING
        others = (rising for name, rising in self.in_time.items() if name != recorder or seq is None)
        return max((rising.before(time - bound) for rising in others), default=NOTHING)


class _Rising:
    """The greatest LSN before each point of an order."""

    def __init__(self, said: Iterable[tuple[int, int]]) -> None:
        in_order = sorted(said)
        self.points = [point for point, _ in in_order]
        self.highest = [NOTHING, *accumulate((lsn for _, lsn in in_order), max)]

    def before(self, point: int) -> int:
        return self.highest[bisect_left(self.points, point)]
