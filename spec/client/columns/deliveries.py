"""Deliveries: which append the record is of that a reader was given, and which may be meant by its payload.

Source: the books of payloads and of causes, ``spec.client.bookkeeping.payloads`` and ``causes``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spec.client.bookkeeping.books import CERTAIN
from spec.client.columns.answers import NO_ROW, Answers
from spec.client.columns.plain import Plain
from spec.columns.column import Array, Mask
from spec.columns.order import changes, order_by, places, run_numbers
from spec.events import Ack, Deliver


@dataclass(frozen=True)
class Shown:
    """Acknowledgements and deliveries, by log and LSN.

    Attributes:
        rows: the acknowledgements and deliveries.
        starts: where in these another LSN begins.
        place: for each of them the number of its LSN, from 0.
        lsns: the LSN of each number.
    """

    rows: Array
    starts: Array
    place: Array
    lsns: Array

    @classmethod
    def of(cls, plain: Plain) -> Shown:
        """Those of plain events."""
        rows = places(plain.is_of(Ack.kind, Deliver.kind))
        rows = rows[order_by(plain.log[rows], plain.lsn[rows])]
        starts = changes([plain.log[rows], plain.lsn[rows]])
        return cls(rows, starts, run_numbers(starts, len(rows)), plain.lsn[rows[starts]])

    def logs(self, plain: Plain) -> list[int]:
        """The logs of which anything was shown."""
        log = plain.log[self.rows[self.starts]]
        logs: list[int] = log[changes([log])].tolist()
        return logs

    def groups(self, plain: Plain, wanted: Mask) -> list[Array]:
        """The rows at each wanted LSN, by own order and recorder."""
        ends = np.append(self.starts[1:], len(self.rows))
        groups = (self.rows[self.starts[one] : ends[one]] for one in places(wanted).tolist())
        return [group[np.argsort(plain.seq[group], kind="stable")] for group in groups]


@dataclass(frozen=True)
class Deliveries:
    """Deliveries of payloads that are known.

    Attributes:
        rows: the deliveries.
        ack: the acknowledgement at its LSN that has its payload; NO_ROW if that is not clear at one glance.
        source: where the one append began that may be meant; NO_ROW if there is none, or several.
        kin: of those of which several may be meant, which these are, by a number in ``kins``; NO_ROW of all others.
        kins: where appends began that cannot be told apart.
        sole: of what nobody was told to be there, where the one open append of its payload began, if the payload was
            given nowhere else; NO_ROW of all others.
    """

    rows: Array
    ack: Array
    source: Array
    kin: Array
    kins: list[Array]
    sole: Array

    @property
    def is_odd(self) -> Mask:
        """Of which nothing is clear at one glance."""
        is_odd: Mask = (self.ack == NO_ROW) & (self.sole == NO_ROW)
        return is_odd


def deliveries_of(plain: Plain, shown: Shown, answers: Answers) -> Deliveries:
    """All deliveries of plain events."""
    is_ack = plain.kind[shown.rows] == Ack.kind
    chosen = ~is_ack & plain.has_digest[shown.rows]
    rows, place = shown.rows[chosen], shown.place[chosen]
    alone, latest = _acknowledged(shown, shown.rows[is_ack], shown.place[is_ack])
    ack = alone[place]
    ack[(plain.digest[ack] != plain.digest[rows]) | ~plain.has_digest[ack]] = NO_ROW
    named = np.full(len(plain.own) + 1, NO_ROW)
    named[answers.rows] = answers.named
    source = named[latest[place]]
    is_meant = (source != NO_ROW) & plain.is_begin[source]
    is_meant &= (plain.digest[source] == plain.digest[rows]) & (plain.log[source] == plain.log[rows])
    source[~is_meant] = NO_ROW
    kin = np.full(len(rows), NO_ROW)
    source[~is_meant], kin[~is_meant], kins = _kins(plain, answers, rows[~is_meant])
    return Deliveries(rows, ack, source, kin, kins, _sole(plain, shown, answers, rows, place, ack))


def _acknowledged(shown: Shown, acks: Array, place: Array) -> tuple[Array, Array]:
    """Of each LSN its acknowledgement, if there is one alone; and the last of them, in their recorders' order."""
    times = np.bincount(place, minlength=len(shown.starts))
    latest = np.full(len(shown.starts), NO_ROW)
    latest[place] = acks  # at each LSN they stand as in their recorders' order, and the last of them stays
    return np.where(times == 1, latest, NO_ROW), latest


def _sole(plain: Plain, shown: Shown, answers: Answers, rows: Array, place: Array, ack: Array) -> Array:
    """The one open append that has the payload of a delivery, where both are alone."""
    sole = np.full(len(rows), NO_ROW)
    unclear, opened = places(ack == NO_ROW), answers.open
    if not plain.recording.appends or not len(unclear) or not len(opened):
        return sole
    given, begun, many = _payloads(plain, rows[unclear], opened)
    alone = (np.bincount(given, minlength=many) == 1) & (np.bincount(begun, minlength=many) == 1)
    append = np.full(many, NO_ROW)
    append[begun] = opened
    is_alone = alone[given] & (np.bincount(shown.place, minlength=len(shown.starts))[place[unclear]] == 1)
    sole[unclear[is_alone]] = append[given[is_alone]]
    return sole


def _kins(plain: Plain, answers: Answers, rows: Array) -> tuple[Array, Array, list[Array]]:
    """Of deliveries that no acknowledgement names, the appends of their payload of which nothing certain is told.

    Gives the one append where there is one, else the number of those that cannot be told apart, and these.
    """
    is_told = np.zeros(len(plain.own), np.bool_)
    certain = (answers.named != NO_ROW) & plain.is_of(*CERTAIN)[answers.rows]
    told = answers.named[certain]
    is_told[told[plain.log[told] == plain.log[answers.rows[certain]]]] = True
    begins = plain.begins[~is_told[plain.begins]]
    given, begun, many = _payloads(plain, rows, begins)
    times, one = np.bincount(begun, minlength=many), np.full(many, NO_ROW)
    one[begun] = begins
    several, number = np.unique(given[times[given] > 1], return_inverse=True)
    kin = np.full(len(rows), NO_ROW)
    kin[times[given] > 1] = number
    is_kin = np.isin(begun, several)
    by_payload = begins[is_kin][np.argsort(begun[is_kin], kind="stable")]
    kins = np.split(by_payload, np.cumsum(times[several])[:-1]) if len(several) else []
    return np.where(times[given] == 1, one[given], NO_ROW), kin, kins


def _payloads(plain: Plain, rows: Array, others: Array) -> tuple[Array, Array, int]:
    """The payloads of some rows and of others by number, equal where log and payload are; and how many there are."""
    whole = np.concatenate([rows, others])
    log, digest = plain.log[whole], plain.digest[whole]
    order = order_by(log, digest)
    starts = changes([log[order], digest[order]])
    number = np.empty(len(whole), np.int64)
    number[order] = run_numbers(starts, len(whole))
    return number[: len(rows)], number[len(rows) :], len(starts)
