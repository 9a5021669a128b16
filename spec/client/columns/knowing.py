"""Knowing: which acknowledgements had been seen when an append began, or when a reader asked for the end.

Source: the books of knowledge, ``spec.client.bookkeeping.knowledge``. LSNs stand here as their places among all that
were shown, so that several numbers fit into one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np

from spec.client.columns.answers import NO_ROW
from spec.client.columns.deliveries import Deliveries, Shown
from spec.client.columns.plain import Plain
from spec.columns.column import Array, Mask
from spec.columns.order import places, stable_order
from spec.events import Ack

NONE: Final = -1
"""Instead of an LSN's place: there is none."""


class Moments(NamedTuple):
    """Moments that recorders saw.

    Attributes:
        recorder: who saw each.
        row: the events before this one were seen before.
        time: when, by its clock; it sees nothing of others' where ``has_time`` is false.
    """

    recorder: Array
    row: Array
    time: Array
    has_time: Mask

    def some(self, rows: Array | Mask) -> Moments:
        """Some of them."""
        return Moments(*(column[rows] for column in self))


class Known(NamedTuple):
    """Of moments, the greatest LSN that was acknowledged before for certain, and if clocks are right as they stand."""

    sure: Array
    told: Array

    def some(self, moments: slice) -> Known:
        """Of some of the moments."""
        return Known(self.sure[moments], self.told[moments])


def begins_as_moments(plain: Plain, rows: Array) -> Moments:
    """The moments in which appends begin."""
    return Moments(plain.recorder[rows], rows, plain.time[rows], np.full(len(rows), plain.has_clocks))


def known_by_client(plain: Plain, shown: Shown) -> Known:
    """What each append's client had been told itself before it began."""
    order, starts = plain.clients(plain.writing)
    rows = plain.writing[order]
    client = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    places_ = places_of_acks(plain, shown)[rows]
    base = _base(client, places_)
    rising = np.maximum.accumulate(base + places_) - base
    known = np.full(len(plain.own), NONE)
    known[rows] = rising
    mine = known[plain.begins]
    return Known(mine, mine)


class Brought(NamedTuple):
    """What records bring to those who are given them: whatever was known when their appends began.

    Attributes:
        begins: where appends began, each once.
        among: places in ``begins``, those of one record after another.
        starts: where in ``among`` the next record's begin.
        at: which of the acknowledgements and deliveries that are heard bring something.
        record: which record each of these brings.
    """

    begins: Array
    among: Array
    starts: Array
    at: Array
    record: Array

    @classmethod
    def by(cls, deliveries: Deliveries, is_given: Mask, heard_before: Array, many: int) -> Brought:
        """By deliveries; where nobody can tell which append is meant, what all that may be meant bring counts."""
        rows, source, kin = (column[is_given] for column in (deliveries.rows, deliveries.source, deliveries.kin))
        is_one = source != NO_ROW
        alone, of_one = numbered(source[is_one], many)
        kins, of_kin = numbered(kin[~is_one], len(deliveries.kins))
        groups = [deliveries.kins[number] for number in kins.tolist()]
        begins, among = numbered(np.concatenate([alone, *groups]), many)
        sizes = np.concatenate([np.ones(len(alone), np.int64), np.array([len(one) for one in groups], np.int64)])
        record = np.empty(len(rows), np.int64)
        record[is_one], record[~is_one] = of_one, len(alone) + of_kin
        return cls(begins, among, np.cumsum(sizes) - sizes, heard_before[rows], record)

    def of(self, known: Array) -> Array:
        """What each delivery brings, if this was known where appends began."""
        if not len(self.starts):
            return self.record
        least: Array = np.minimum.reduceat(known[self.among], self.starts)
        return least[self.record]


class Last(NamedTuple):
    """Of moments, the last row of something before them, where there is one."""

    row: Array
    is_there: Mask


class Listeners:
    """What everybody hears of one log: what was acknowledged, and with each record what was known when it began.

    Args:
        heard: the acknowledgements and deliveries of the log, as they were recorded.
        heard_before: how many of them stand before each row.
        place: of acknowledgements the place of their LSN; NONE of deliveries.
    """

    def __init__(self, plain: Plain, heard: Array, heard_before: Array, place: Array) -> None:
        self.heard_before, self.bound = heard_before, plain.recording.clock_bound_ns
        self.recorder = plain.recorder[heard]
        self.base = _base(self.recorder, place)
        time = plain.time[heard]
        self.by_time = stable_order(time)
        self.times = time[self.by_time]
        self.sure = self.told = place

    def before(self, moments: Moments, brought: Brought, at: Array) -> Known:
        """What was known before some moments, when all has been taken that records bring.

        What is told to one recorder stays with it, so there are no more rounds than recorders, and one.

        Args:
            moments: among them those in which the appends began whose records bring something.
            brought: what they bring.
            at: which of the moments these are.
        """
        if not len(self.times):
            return Known(*np.full((2, len(moments.row)), NONE))
        own = self._own(moments)
        sure, told = (self._others(moments, bound) for bound in (self.bound, 0))
        with ThreadPoolExecutor(1) as beside:
            while True:
                telling = beside.submit(self._greatest, self.told, own, told)
                surely = self._greatest(self.sure, own, sure)
                known = Known(surely, np.maximum(surely, telling.result()))
                news = [brought.of(one[at]) for one in known]
                if all((new == old[brought.at]).all() for new, old in zip(news, (self.sure, self.told), strict=True)):
                    return known
                self.sure, self.told = self.sure.copy(), self.told.copy()
                self.sure[brought.at], self.told[brought.at] = news

    def _own(self, moments: Moments) -> Last:
        """The last of what is heard that the recorder of each moment had seen itself."""
        last = self.heard_before[moments.row] - 1
        return Last(last, (last >= 0) & (self.recorder[last] == moments.recorder))

    def _others(self, moments: Moments, bound_ns: int) -> Last:
        """The last of what is heard, in time, that was there before each moment if clocks differ by so much."""
        last = np.searchsorted(self.times, moments.time - bound_ns) - 1
        return Last(last, (last >= 0) & moments.has_time)

    def _greatest(self, places: Array, own: Last, others: Last) -> Array:
        """The greatest of these before moments: that its recorder had seen, or that clocks show of others."""
        in_order, in_time = np.maximum.accumulate(self.base + places), np.maximum.accumulate(places[self.by_time])
        mine = np.where(own.is_there, in_order[own.row] - self.base[own.row], NONE)
        greatest: Array = np.maximum(mine, np.where(others.is_there, in_time[others.row], NONE))
        return greatest


def known_of_log(
    plain: Plain, shown: Shown, deliveries: Deliveries, log: int, begins: Array, ends: Moments
) -> tuple[Known, Known]:
    """What anybody knew of one log when some of its appends began, and when readers asked for its end."""
    place = places_of_acks(plain, shown)
    is_given = (deliveries.source != NO_ROW) | (deliveries.kin != NO_ROW)
    is_given &= (plain.log[deliveries.rows] == log) & plain.recording.appends
    is_heard = plain.is_of(Ack.kind) & (plain.log == log)
    is_heard[deliveries.rows[is_given]] = True
    heard, heard_before = places(is_heard), np.cumsum(np.append(np.False_, is_heard))
    brought = Brought.by(deliveries, is_given, heard_before, len(plain.own))
    rows = begins if len(begins) else brought.begins
    asked = Moments(*map(np.concatenate, zip(begins_as_moments(plain, rows), ends, strict=True)))
    listeners = Listeners(plain, heard, heard_before, place[heard])
    known = listeners.before(asked, brought, np.searchsorted(rows, brought.begins))
    return known.some(slice(0, len(begins))), known.some(slice(len(rows), None))


def numbered(values: Array, many: int) -> tuple[Array, Array]:
    """Values from 0 to ``many``, each once and in order, and for each that was given its number among these."""
    is_there = np.zeros(many, np.bool_)
    is_there[values] = True
    found = places(is_there)
    number = np.empty(many, np.int64)
    number[found] = np.arange(len(found))
    return found, number[values]


def places_of_acks(plain: Plain, shown: Shown) -> Array:
    """The place of the LSN of each acknowledgement; NONE of all other rows."""
    place = np.full(len(plain.own), NONE)
    is_ack = plain.kind[shown.rows] == Ack.kind
    place[shown.rows[is_ack]] = shown.place[is_ack]
    return place


def _base(whose: Array, places: Array) -> Array:
    """What is added to places so that all of one are greater than all of the one before, whose they are."""
    base: Array = whose * (int(places.max(initial=NONE)) + 2)
    return base
