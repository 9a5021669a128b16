"""What clients of a hidden log are told, as arrays, and anomalies planted into it, each of which breaks a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, TypeAlias

import numpy as np

from spec.columns.column import Array
from spec.events import Ack, AtEnd, Deliver, Indefinite, Invoke, Read, Refused
from spec.language.events import kinds

(ACK,), (AT_END,), (DELIVER,), (INDEFINITE,), (INVOKE,), (READ,), (REFUSED,) = map(
    kinds, (Ack, AtEnd, Deliver, Indefinite, Invoke, Read, Refused)
)

ROOM: Final = 1_000
"""Anomalies lie at least so many LSNs apart."""

SPARED: Final = 11
"""Of so many LSNs the last holds no record, so that there is room for what does not belong there."""


@dataclass(frozen=True)
class Told:
    """Events of clients, in no order.

    Attributes:
        kind: which event; 0 if it is a question, which only takes a place in its recorder's order.
        recorder: who saw it, by number.
        time: when, truly, in nanoseconds.
        lsn: the LSN that it tells; 0 if none.
        actor: the client.
        digest: the payload hash.
        append: the append, or question, that it begins or answers; -1 if none.
        hidden: the LSN that it is about, told or not; 0 if none.
    """

    kind: Array
    recorder: Array
    time: Array
    lsn: Array
    actor: Array
    digest: Array
    append: Array
    hidden: Array

    @classmethod
    def of(cls, count: int, **said: Array | int | None) -> Told:
        """So many events; what is not said of them is 0, or of ``append`` -1."""
        values = {"append": -1, **said}
        names = [field.name for field in fields(cls)]
        return cls(*(np.broadcast_to(np.asarray(values.get(name, 0), np.int64), count) for name in names))

    @classmethod
    def together(cls, parts: Sequence[Told]) -> Told:
        """All of several."""
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def only(self, chosen: Array) -> Told:
        """Some of them."""
        return Told(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def event(self, kind: int | None, lsn: int) -> int:
        """Where the event of a kind stands that is about an LSN."""
        return int(np.flatnonzero((self.kind == kind) & (self.hidden == lsn))[0])


Change: TypeAlias = Callable[[Told, int, int], Told]
"""Plants an anomaly at an LSN, given the time from one append of a client to its next, in nanoseconds."""


def lost(told: Told, lsn: int, _period_ns: int) -> Told:
    """A reader goes on beyond a record without a word."""
    return told.only(~((told.kind == DELIVER) & (told.hidden == lsn)))


def lsn_twice(told: Told, lsn: int, _period_ns: int) -> Told:
    """Another append is acknowledged at the same LSN."""
    other = told.event(ACK, _acked_after(told, lsn))
    return _with(told, other, lsn=lsn)


def two_lsns(told: Told, lsn: int, period_ns: int) -> Told:
    """An append is acknowledged once more, at an LSN beyond all others."""
    ack = told.event(ACK, lsn)
    again = _one(told, ack, lsn=int(told.hidden.max()) * 2, time=int(told.time.max()) + period_ns)
    return Told.together([told, again])


def given_again(told: Told, lsn: int, period_ns: int) -> Told:
    """A reader is given a payload at another LSN once more."""
    return _read_at(told, told.event(DELIVER, lsn), _spare(lsn), period_ns)


def refused(told: Told, lsn: int, _period_ns: int) -> Told:
    """The client of a record that is read was told that it had failed."""
    ack = told.event(ACK, lsn)
    return _with(told, ack, kind=REFUSED, lsn=0)


def out_of_order(told: Told, lsn: int, _period_ns: int) -> Told:
    """Two records have each other's LSNs; the one began long after the other was acknowledged."""
    late = _acked_after(told, lsn + 100)
    changed = told
    for one, other in ((lsn, late), (late, lsn)):
        for row in np.flatnonzero(np.isin(told.kind, (ACK, DELIVER)) & (told.hidden == one)):
            if told.kind[row] == ACK:
                changed = _with(changed, int(row), lsn=other)
            else:
                changed = _with(changed, int(row), digest=int(told.digest[told.event(ACK, other)]))
    return changed


def read_backwards(told: Told, lsn: int, _period_ns: int) -> Told:
    """A read is given an LSN before the one below it."""
    one, other = told.event(DELIVER, lsn), told.event(DELIVER, _next(told, lsn))
    times = int(told.time[one]), int(told.time[other])
    return _with(_with(told, one, time=times[1]), other, time=times[0])


def not_what_was_acked(told: Told, lsn: int, _period_ns: int) -> Told:
    """A reader is given another payload than the one that was acknowledged there."""
    return _with(told, told.event(DELIVER, lsn), digest=_fresh(lsn))


def not_repeatable(told: Told, lsn: int, period_ns: int) -> Told:
    """Another reader is given another payload at an LSN."""
    return _read_at(told, told.event(DELIVER, lsn), lsn, period_ns, digest=_fresh(lsn))


def invented(told: Told, lsn: int, period_ns: int) -> Told:
    """A reader is given a payload that nobody appended."""
    return _read_at(told, told.event(DELIVER, lsn), _spare(lsn), period_ns, digest=_fresh(lsn))


def too_early(told: Told, lsn: int, period_ns: int) -> Told:
    """A reader is given a record long before its append began."""
    begun = int(told.time[told.event(INVOKE, lsn)])
    return _read_at(told, told.event(DELIVER, lsn), lsn, period_ns, time=begun - 2 * period_ns)


def end_too_early(told: Told, lsn: int, period_ns: int) -> Told:
    """A reader is told that the log ends where a record lies that had long been acknowledged."""
    ack, question = told.event(ACK, lsn), -int(-told.append.min()) - 1
    asked = int(told.time[ack]) + 2 * period_ns
    ask = _one(told, ack, kind=0, append=question, lsn=0, time=asked)
    answer = _one(told, ack, kind=AT_END, append=question, time=asked + period_ns)
    return Told.together([told, ask, answer])


def passed_over(told: Told, lsn: int, period_ns: int) -> Told:
    """Another reader goes on beyond what a reader was given."""
    given, after = told.event(DELIVER, lsn), told.event(DELIVER, _next(told, lsn))
    time = int(told.time[after]) + 2 * period_ns
    who = {"recorder": int(told.recorder[given]), "actor": ROOM + lsn}
    begin = _one(told, given, kind=READ, digest=0, time=time, **who)
    return Told.together([told, begin, _one(told, after, time=time + 1, **who)])


ANOMALIES: Final[Mapping[str, Change]] = {
    "client.read.acked_is_delivered": lost,
    "client.append.one_per_lsn": lsn_twice,
    "client.append.one_lsn": two_lsns,
    "client.append.once": given_again,
    "client.append.refused_is_absent": refused,
    "client.append.in_order": out_of_order,
    "client.read.in_order": read_backwards,
    "client.read.what_was_acked": not_what_was_acked,
    "client.read.repeatable": not_repeatable,
    "client.read.nothing_invented": invented,
    "client.read.after_its_append": too_early,
    "client.read.nothing_beyond_the_end": end_too_early,
    "client.read.given_to_all": passed_over,
}
"""For each rule an anomaly that breaks it; it may break others with it."""


class NoRoom(ValueError):
    """A history is too short for its anomalies."""


def planted(told: Told, each: int, period_ns: int) -> tuple[Told, Mapping[str, int]]:
    """A history with so many anomalies of each kind, and how many are planted to break each rule.

    Raises:
        NoRoom: they would stand too close to each other.
    """
    lsns = _victims(told)
    wanted = len(ANOMALIES) * each
    places = np.linspace(0, len(lsns) - 1, wanted + 2).astype(np.int64)[1:-1]
    if each and (len(lsns) < wanted or np.diff(lsns[places]).min(initial=ROOM) < ROOM):
        raise NoRoom(f"{wanted} anomalies need {wanted * ROOM} records, and there are {int(told.hidden.max())}")
    for number, lsn in enumerate(lsns[places].tolist()):
        told = [*ANOMALIES.values()][number % len(ANOMALIES)](told, lsn, period_ns)
    return told, dict.fromkeys(ANOMALIES, each) if each else {}


def _victims(told: Told) -> Array:
    """LSNs of acknowledged records, each of which has acknowledged neighbours that one reader is given with it."""
    is_acked = np.zeros(int(told.hidden.max()) + SPARED, np.bool_)
    is_acked[told.hidden[told.kind == ACK]] = True
    begins = np.zeros(len(is_acked), np.bool_)
    begins[told.hidden[told.kind == READ]] = True
    lsns = np.arange(2, len(is_acked) - 2)
    near = [lsns + step for step in (-1, 0, 1, 2)]
    fits = np.logical_and.reduce([is_acked[lsn] & ~begins[lsn] for lsn in near])
    return lsns[fits]


def _acked_after(told: Told, lsn: int) -> int:
    later = told.hidden[(told.kind == ACK) & (told.hidden > lsn + 1)]
    return int(later.min())


def _next(told: Told, lsn: int) -> int:
    later = told.hidden[(told.kind == DELIVER) & (told.hidden > lsn)]
    return int(later.min())


def _spare(lsn: int) -> int:
    """The next LSN that holds no record."""
    return lsn - lsn % SPARED + SPARED - 1


def _fresh(lsn: int) -> int:
    """The hash of a payload that nobody appended."""
    return -lsn


def _with(told: Told, row: int, **said: int | None) -> Told:
    """The history with other values in one event."""
    columns = {name: getattr(told, name).copy() for name in said}
    for name, value in said.items():
        columns[name][row] = value
    return replace(told, **columns)


def _one(told: Told, row: int, **said: int | None) -> Told:
    """One event like another, but for some values."""
    return _with(told.only(np.array([row])), 0, **said)


def _read_at(told: Told, row: int, lsn: int, period_ns: int, **said: int) -> Told:
    """The history with one more read, by a reader of its own, that is given one record like that of a delivery."""
    recorder = (int(told.recorder[row]) + 1) % (int(told.recorder.max()) + 1)
    time = said.pop("time", int(told.time[row]) + 3 * period_ns)
    who = {"recorder": recorder, "actor": ROOM + int(told.hidden[row]), "lsn": lsn, "hidden": lsn}
    begin = _one(told, row, kind=READ, time=time - 1, **(who | {"digest": 0}))
    return Told.together([told, begin, _one(told, row, time=time, **(who | said))])
