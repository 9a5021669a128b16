"""Plain events: what clients told, in their recorders' order, where nothing must be guessed.

That is so where every answer names its append, and every append its payload; where no client and no reader goes on
under another recorder; where each recorder has a clock that never goes back, or none has one; and where nobody tells of
copies, so that these are events of clients alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from spec.client.bookkeeping.books import ANSWERS, READING, TOLD, WRITING
from spec.client.bookkeeping.fields import BEGUN_BEFORE, INVOKED, WHO
from spec.client.bookkeeping.recording import Recording
from spec.client.bookkeeping.writers import FIRST_OF_SOME, ONE_OF_SOME
from spec.columns.column import Array, Mask, Raw
from spec.columns.order import changes, lengths, places, stable_order
from spec.columns.piece import are_of
from spec.events import Ack, Invoke
from spec.language.bookkeeping import Event

CLIENTS: Final = tuple(kind for kind in WRITING | READING if kind is not None)
"""What clients and readers do and are told."""

OTHERS: Final = tuple(kind for kind in TOLD - WRITING - READING if kind is not None)
"""What else books are kept of."""

MOST: Final = 1 << 62
"""Where numbers of several columns are put into one, it is less than this."""


@dataclass(frozen=True)
class Plain:
    """Plain events of clients, by recorder and by its own order.

    Attributes:
        raw: the columns of the events that were given, in whatever order.
        rows: which of them are events of clients.
        recording: how they were recorded.
        own: recorder and own order in one number, which grows from event to event.
        span: the numbers of one recorder in ``own``.
        low: the least own order.
    """

    raw: Raw
    rows: Array
    recording: Recording
    own: Array
    span: int
    low: int

    @classmethod
    def of(cls, raw: Raw, recording: Recording) -> Plain | None:
        """The plain events among these; None if some are not plain."""
        kind = raw["kind"].value
        chosen = places(are_of(kind, CLIENTS))
        if not are_of(np.delete(kind, chosen), OTHERS).all():
            return None
        recorder, seq = (raw[name].value[chosen].astype(np.int64) for name in ("recorder", "seq"))
        low = int(seq.min(initial=0))
        span = int(seq.max(initial=0)) - low + 2
        if span * (len(recording.recorders) + 1) >= MOST:
            return None
        own = recorder * span + (seq - low)
        if not (own[1:] > own[:-1]).all():
            order = stable_order(own)
            chosen, own = chosen[order], own[order]
        plain = cls(raw, chosen, recording, own, span, low)
        return plain if plain.is_plain else None

    @property
    def is_plain(self) -> bool:
        """Nothing must be guessed of these events."""
        return self._clocks_never_go_back and self._answers_name_appends and not self._somebody_moves

    @property
    def _clocks_never_go_back(self) -> bool:
        if not self.has_clocks:
            return not self.known("time_ns").any()
        same = self.recorder[1:] == self.recorder[:-1]
        return not (same & (self.time[1:] < self.time[:-1])).any()

    @property
    def _answers_name_appends(self) -> bool:
        answers, acks = places(self.is_of(*ANSWERS)), places(self.is_of(Ack.kind))
        named = self.known(INVOKED)[answers] & (self.version[answers] != self.seq[answers])
        guessed = self.known(BEGUN_BEFORE)[acks] & np.isin(self.value(BEGUN_BEFORE)[acks], (FIRST_OF_SOME, ONE_OF_SOME))
        return bool(named.all() and not guessed.any() and self.has_digest[self.begins].all())

    @property
    def _somebody_moves(self) -> bool:
        for rows in (self.writing, self.reading):
            order, starts = self.clients(rows)
            recorder = self.recorder[rows[order]]
            if (recorder != np.repeat(recorder[starts], lengths(starts, len(order)))).any():
                return True
        return False

    def clients(self, rows: Array) -> tuple[Array, Array]:
        """The order of some rows by log and client, and where each client of each log begins in it."""
        log, actor = self.log[rows], self.actor[rows]
        order = np.lexsort((actor, log))
        return order, changes([log[order], actor[order]])

    @cached_property
    def is_whole(self) -> bool:
        """All events that were given are plain, and stand in this order already."""
        return len(self.rows) == len(self.raw["kind"].value) and bool((self.rows[1:] > self.rows[:-1]).all())

    def value(self, name: str) -> Array:
        """A column of these events."""
        value: Array = self.raw[name].value
        return value if self.is_whole else value[self.rows]

    def wide(self, name: str) -> Array:
        """A column of these events to reckon with."""
        return self.value(name).astype(np.int64, copy=False)

    def known(self, name: str) -> Mask:
        """Where a column is known."""
        mask = self.raw[name].known
        if mask is None:
            return np.ones(len(self.rows), np.bool_)
        return mask if self.is_whole else mask[self.rows]

    def is_of(self, *kinds: int | None) -> Mask:
        """Which are events of these kinds."""
        return are_of(self.kind, tuple(kind for kind in kinds if kind is not None))

    def at(self, recorder: Array, seq: Array, side: Literal["left", "right"] = "left") -> Array:
        """Where places in their recorders' order stand, or would stand; most recorders leave no number out."""
        place = recorder * self.span + np.clip(np.subtract(seq, self.low, dtype=np.int64), -1, self.span - 1)
        if not len(self.own):
            return np.zeros(len(place), np.int64)
        begin = self._begin_of_recorders[recorder]
        found: Array = np.clip(begin + place - self.own[begin], 0, len(self.own) - 1)
        others = places(self.own[found] != place)
        found += side == "right"
        found[others] = np.searchsorted(self.own, place[others], side)
        return found

    @cached_property
    def _begin_of_recorders(self) -> Array:
        """The row with which each recorder begins, or would begin; it is one of these rows."""
        begin = np.searchsorted(self.own, np.arange(len(self.names)) * self.span)
        return np.minimum(begin, len(self.own) - 1)

    def event_at(self, place: int, names: tuple[str, ...]) -> Event:
        """One of the events that were given, as books take it."""
        said: Event = {"recorder": self.names[int(self.raw["recorder"].value[place])]}
        for name in names:
            column = self.raw[name]
            said[name] = None if column.known is not None and not column.known[place] else int(column.value[place])
        return said

    @cached_property
    def names(self) -> list[str]:
        """The recorders, by their numbers."""
        return list(self.recording.recorders)

    @cached_property
    def kind(self) -> Array:
        """Which kind of event each is."""
        return self.value("kind")

    @cached_property
    def recorder(self) -> Array:
        """Who saw each, by number."""
        return self.wide("recorder")

    @cached_property
    def seq(self) -> Array:
        """Its place in its recorder's order."""
        return self.value("seq")

    @cached_property
    def has_clocks(self) -> bool:
        """Every recorder has a clock; else, none."""
        return bool(self.known("time_ns").all())

    @cached_property
    def time(self) -> Array:
        """When, by its recorder's clock; 0 if there are none."""
        return self.wide("time_ns") if self.has_clocks else np.zeros(len(self.rows), np.int64)

    @cached_property
    def log(self) -> Array:
        """Of which log."""
        return self.value("log")

    @cached_property
    def actor(self) -> Array:
        """Which client or reader."""
        return self.value(WHO)

    @cached_property
    def digest(self) -> Array:
        """The payload hash."""
        return self.value("digest")

    @cached_property
    def has_digest(self) -> Mask:
        """Where that is known."""
        return self.known("digest")

    @cached_property
    def version(self) -> Array:
        """Where the append began that an answer names."""
        return self.value(INVOKED)

    @cached_property
    def lsn(self) -> Array:
        """The LSN that each is about; 0 of those that are about none."""
        return (self.wide("epoch") << self.recording.esn_bits) + self.value("esn")

    @cached_property
    def upto(self) -> Array:
        """The last LSN that each answers for."""
        return (self.wide("upto_epoch") << self.recording.esn_bits) + self.value("upto_esn")

    @cached_property
    def is_begin(self) -> Mask:
        """Whether an append begins."""
        return self.is_of(Invoke.kind)

    @cached_property
    def begins(self) -> Array:
        """The rows in which appends begin."""
        return places(self.is_begin)

    @cached_property
    def writing(self) -> Array:
        """The rows of clients that append."""
        return places(self.is_of(*WRITING))

    @cached_property
    def reading(self) -> Array:
        """The rows of readers."""
        return places(self.is_of(*READING))
