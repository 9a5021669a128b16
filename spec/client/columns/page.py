"""A page: the columns that books fill in, of plain events, while they are filled in."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from typing import Final

import numpy as np

from spec.client.bookkeeping.fields import BEGUN_BEFORE, HOLDERS, INVOKED, REPEATED
from spec.client.bookkeeping.knowledge import NOTHING
from spec.client.bookkeeping.payloads import SAID, Payloads
from spec.client.bookkeeping.recording import RecorderPosition
from spec.client.bookkeeping.writers import Begun
from spec.client.columns.answers import NO_ROW, Answers
from spec.client.columns.deliveries import Deliveries, Shown
from spec.client.columns.knowing import Known
from spec.client.columns.plain import Plain
from spec.columns.column import Array, Column, Mask, Raw
from spec.events import Ack, Deliver, Refused
from spec.language.bookkeeping import Event

NUMBERS: Final = (*SAID, BEGUN_BEFORE, "since", "held")
"""The columns of numbers that books fill in."""

OF_ONE_LSN: Final = ("kind", "seq", "time_ns", "log", "epoch", "esn", "digest", BEGUN_BEFORE, *SAID)
"""What the books of payloads read."""


class Page:
    """The columns that are filled in, by the rows of plain events.

    Attributes:
        columns: by name, values and where they are known.
    """

    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        self.columns = {name: self._before(name) for name in NUMBERS}

    def _before(self, name: str) -> tuple[Array, Mask]:
        """A column as it was given; most are not known anywhere."""
        column, many = self.plain.raw[name], len(self.plain.rows)
        if column.known is not None and not column.known.any():
            return np.zeros(many, np.int64), np.zeros(many, np.bool_)
        return self.plain.value(name).astype(np.int64), self.plain.known(name).copy()

    def fill(self, name: str, rows: Array, values: Array | int, known: Mask | None = None) -> None:
        """Fill in a column of some rows."""
        value, is_known = self.columns[name]
        value[rows] = values if known is None else np.where(known, values, 0)
        is_known[rows] = True if known is None else known

    def fill_begins(self) -> None:
        """An append is named by where it begins."""
        self._name(self.plain.begins, self.plain.begins)

    def fill_answers(self, answers: Answers, known: Known) -> None:
        """An answer names its append; an acknowledgement says what was known when it began."""
        plain, found = self.plain, answers.begun != NO_ROW
        self._name(answers.rows[found], answers.begun[found])
        refused, acked = plain.is_of(Refused.kind)[answers.rows], plain.is_of(Ack.kind)[answers.rows]
        for is_lost in (refused & ~found, acked & ~found):
            self.fill("invoker", answers.rows[is_lost], plain.recorder[answers.rows[is_lost]])
        self.fill(REPEATED, answers.rows[refused], answers.repeated[refused])
        rows, begun, found = answers.rows[acked], answers.begun[acked], found[acked]
        self.fill(BEGUN_BEFORE, rows, answers.begun_before[acked])
        self.fill("held", rows, 0)
        self.fill("invoked_at_ns", rows, plain.time[begun], found & np.array(plain.has_clocks))
        for name, of_begins in zip(("after", "perhaps_after"), known, strict=True):
            value = np.where(found & (of_begins[begun] != plain.lsn[rows]), of_begins[begun], NOTHING)
            self.fill(name, rows, value, found | np.array(plain.recording.appends))

    def _name(self, rows: Array, begun: Array) -> None:
        self.fill("invoker", rows, self.plain.recorder[begun])
        self.fill(INVOKED, rows, self.plain.seq[begun])

    def fill_deliveries(self, deliveries: Deliveries, known: Known, early: Iterable[RecorderPosition]) -> None:
        """A delivery of what was acknowledged says what the acknowledgement says; else, what its append does."""
        clear = deliveries.ack != NO_ROW
        rows, acks = deliveries.rows[clear], deliveries.ack[clear]
        for name in SAID:
            value, is_known = self.columns[name]
            self.fill(name, rows, value[acks], is_known[acks])
        self._fill_sole(deliveries, known)
        rows = deliveries.rows[~deliveries.is_odd]
        self.fill(BEGUN_BEFORE, rows, *self._began_before(rows))
        if early := frozenset(early):
            places_of = zip(self.plain.recorder[rows].tolist(), self.plain.seq[rows].tolist(), strict=True)
            is_early = [(self.plain.names[recorder], seq) in early for recorder, seq in places_of]
            self.fill(BEGUN_BEFORE, rows[np.array(is_early, np.bool_)], 0)

    def _fill_sole(self, deliveries: Deliveries, known: Known) -> None:
        is_sole = deliveries.sole != NO_ROW
        rows, begun = deliveries.rows[is_sole], deliveries.sole[is_sole]
        self._name(rows, begun)
        self.fill("invoked_at_ns", rows, self.plain.time[begun], np.full(len(rows), self.plain.has_clocks))
        self.fill("after", rows, known.sure[begun])
        self.fill("perhaps_after", rows, known.told[begun])

    def _began_before(self, rows: Array) -> tuple[Array, Array]:
        """Whether the appends of some deliveries began before these, and where that is known."""
        plain, bound = self.plain, self.plain.recording.clock_bound_ns
        (invoker, _), (seq, has_seq) = self.columns["invoker"], self.columns[INVOKED]
        time, has_time = self.columns["invoked_at_ns"]
        is_own = invoker[rows] == plain.recorder[rows]
        in_own_order = ~has_seq[rows] | (seq[rows] < plain.seq[rows])
        late_ns = np.where(has_time[rows], time[rows] - plain.time[rows], 0)
        before = np.where(is_own, in_own_order, late_ns <= 0)
        return before, before | is_own | (late_ns > bound)

    def fill_odd_deliveries(
        self, shown: Shown, deliveries: Deliveries, answers: Answers, known: Known, early: frozenset[RecorderPosition]
    ) -> None:
        """What is not clear at one glance the books of payloads say, LSN by LSN."""
        odd = np.zeros(len(self.plain.own), np.bool_)
        odd[deliveries.rows[deliveries.is_odd]] = True
        at = np.zeros(len(shown.starts), np.bool_)
        at[shown.place[odd[shown.rows]]] = True
        opened = answers.open[np.isin(self.plain.digest[answers.open], self.plain.digest[odd])]
        payloads = Payloads(self._open(opened, known), self.plain.recording, early)
        rows, events = list[int](), list[Event]()
        for group in shown.groups(self.plain, at):
            said = payloads.of_lsn([self._event(row) for row in group.tolist()])
            rows += group.tolist()
            events += said
        is_given = [event["kind"] == Deliver.kind for event in events]
        for name in (*SAID, BEGUN_BEFORE):
            told = [event[name] for event in events if event["kind"] == Deliver.kind]
            given = np.array([row for row, here in zip(rows, is_given, strict=True) if here], np.int64)
            values = np.array([0 if one is None else one for one in told], np.int64)
            self.fill(name, given, values, np.array([one is not None for one in told], np.bool_))

    def _open(self, rows: Array, known: Known) -> list[tuple[int, Begun]]:
        """Appends of which nobody was told for certain what became of them."""
        plain = self.plain
        columns = (plain.log, plain.recorder, plain.seq, plain.time, plain.digest, *known)
        said = zip(*(column[rows].tolist() for column in columns), strict=True)
        return [
            (log, Begun(plain.names[recorder], seq, time if plain.has_clocks else None, digest, after, perhaps))
            for log, recorder, seq, time, digest, after, perhaps in said
        ]

    def _event(self, row: int) -> Event:
        """One event, as the books of payloads take it."""
        event = self.plain.event_at(int(self.plain.rows[row]), OF_ONE_LSN)
        for name in (*SAID, BEGUN_BEFORE):
            value, known = self.columns[name]
            event[name] = int(value[row]) if known[row] else None
        return event

    def _room(self, name: str) -> tuple[Array, Mask]:
        """What stands in a column of all events that were given, where plain events do not fill it."""
        before = self.plain.raw[name]
        many = len(before.value)
        if many == len(self.plain.rows):
            return np.empty(many, np.int64), np.empty(many, np.bool_)
        return before.value.astype(np.int64), np.ones(many, np.bool_) if before.known is None else before.known.copy()

    def _whole(self, name: str) -> Column:
        if self.plain.is_whole:
            return Column(*self.columns[name])
        (value, known), (every, all_known) = self.columns[name], self._room(name)
        every[self.plain.rows], all_known[self.plain.rows] = value, known
        return Column(every, all_known)

    def whole(self, beside: Executor) -> Raw:
        """The columns of all events that were given; half of them are made beside the others."""
        plain = self.plain
        making = beside.map(self._whole, NUMBERS[::2])
        whole = {name: self._whole(name) for name in NUMBERS[1::2]}
        whole |= zip(NUMBERS[::2], making, strict=True)
        acks = plain.rows[plain.is_of(Ack.kind)]
        holders = plain.raw[HOLDERS]
        value, is_known = holders.value.copy(), np.ones(holders.value.shape[-1], np.bool_)
        if holders.known is not None:
            is_known = holders.known.copy()
        value[..., acks], is_known[acks] = 0, True
        return whole | {HOLDERS: Column(value, is_known)}
