"""Selections: some events of a piece of trace, and what they say; what is asked twice is worked out once."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from spec.columns.column import Array, Column, Mask, both, of_rows, true
from spec.columns.order import changes, places
from spec.columns.piece import Piece, are_of
from spec.columns.terms import Evaluator
from spec.language.events import kinds
from spec.language.terms import Col, Field, Term


class Selection(Evaluator):
    """Some events of a view, in its order: they evaluate terms over its fields.

    Args:
        piece: the piece of trace that they come from.
        kinds: the kinds that may be among them.
        source: where they are in the piece; None: all of it.
        rows: the row of the view that each belongs to, rising.
    """

    def __init__(self, piece: Piece, kinds: tuple[int, ...], source: Array | None, rows: Array) -> None:
        super().__init__(piece.parameters, len(rows))
        self.piece, self.kinds, self.source, self.rows = piece, kinds, source, rows
        self._fields: dict[str, Column] = {}
        self._held: dict[Term, Held] = {}
        self._found: dict[Term, Column] = {}
        self._chosen: dict[Term, Selection | None] = {}  # None: itself, which would be a circle
        self._told: dict[Term, tuple[Selection | None, Array, Array | None]] = {}

    def leaf(self, term: Field | Col) -> Column:
        """The column of a field; NULL in events that do not have it."""
        if not isinstance(term, Field):
            raise TypeError(f"{term} is no field of an event")
        if term.column not in self._fields:
            column = self.piece.column(term.column)
            self._fields[term.column] = column if self.source is None else column.take(self.source)
        column = self._fields[term.column]
        have = tuple(kind for kind in self.kinds if kind in kinds(term.event))
        if have == self.kinds:
            return column
        return column._replace(known=both(column.known, are_of(self.kind, have)))

    @cached_property
    def kind(self) -> Array:
        """The kind of each event."""
        return self.piece.kind if self.source is None else of_rows(self.piece.kind, self.source)

    @cached_property
    def begin(self) -> Array:
        """Where the events of each row begin."""
        return changes([self.rows])

    def only(self, events: Array) -> Selection:
        """Some of these events."""
        source = events if self.source is None else of_rows(self.source, events)
        return Selection(self.piece, self.kinds, source, of_rows(self.rows, events))

    def holding(self, condition: Term) -> Held:
        """Which events satisfy a condition."""
        if condition not in self._held:
            said = self.value(condition)
            holds = true(said)
            holds = holds if holds.ndim else np.full(self.size, holds)
            lost = None if said.known is None or said.known.all() else self.rows[~said.known]
            self._held[condition] = Held(None if holds.all() else holds, lost)
        return self._held[condition]

    def where(self, condition: Term) -> tuple[Selection, Array | None]:
        """The events that satisfy a condition, and the rows with an event of which that is not known."""
        holds, lost = self.holding(condition)
        if condition not in self._chosen:
            self._chosen[condition] = None if holds is None else self.only(places(holds))
        return self._chosen[condition] or self, lost

    def found(self, term: Term) -> Found:
        """The value of a term, and where it stands for each event."""
        if isinstance(term, Field) and set(self.kinds) <= set(kinds(term.event)):
            return Found(self.piece.column(term.column), self.source)
        if term not in self._found:
            said = self.value(term)
            self._found[term] = said if said.value.ndim else said._replace(value=np.full(self.size, said.value))
        return Found(self._found[term], None)

    def known_value(self, term: Term) -> Told:
        """What the events say that know a term."""
        if term not in self._told:
            said = self.value(term)
            if said.known is None or said.known.all():
                self._told[term] = None, said.value, None
            else:
                sure = places(said.known)
                self._told[term] = self.only(sure), said.take(sure).value, self.rows[~said.known]
        events, value, lost = self._told[term]
        return Told(events or self, value, lost)


class Told(NamedTuple):
    """The values of a term.

    Attributes:
        events: the events that know it.
        value: its value in each.
        lost: the rows with an event that does not know it; None: there is none.
    """

    events: Selection
    value: Array
    lost: Array | None


class Held(NamedTuple):
    """Of which events a condition is true.

    Attributes:
        events: of which; None: of all.
        lost: the rows with an event of which that is not known; None: there is none.
    """

    events: Mask | None
    lost: Array | None


class Found(NamedTuple):
    """The values of a term where they are, without a copy.

    Attributes:
        column: the values.
        at: where in it each event's is; None: in the order of the events.
    """

    column: Column
    at: Array | None
