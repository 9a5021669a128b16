"""Events to rows: which events a view's rows are made of, and what each of its aggregates says of them."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from spec.columns.column import Array, Column, Mask, both, of_rows, true
from spec.columns.gathering import Gathering
from spec.columns.order import changes, places, run_numbers
from spec.columns.piece import Piece, are_of
from spec.columns.shape import view_order
from spec.columns.states import State
from spec.columns.terms import Evaluator
from spec.language.declare import Rowset
from spec.language.events import kinds
from spec.language.shape import column_of, shape_of
from spec.language.terms import Agg, Col, Field, Lit, Term


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
        self._chosen: dict[Term, tuple[Selection | None, Array | None]] = {}  # None: itself, which would be a circle
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

    def where(self, condition: Term) -> tuple[Selection, Array | None]:
        """The events that satisfy a condition, and the rows with an event of which that is not known."""
        if condition not in self._chosen:
            said = self.value(condition).spread(self.size)
            holds = true(said)
            chosen = None if holds.all() else self.only(places(holds))
            lost = None if said.known is None or said.known.all() else self.rows[~said.known]
            self._chosen[condition] = chosen, lost
        chosen, lost = self._chosen[condition]
        return chosen or self, lost

    def known_value(self, term: Term) -> Told:
        """What the events say that know a term."""
        if term not in self._told:
            said = self.value(term).spread(self.size)
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


class Events:
    """The events of one view or dimension in one piece of a trace; those whose key is not known make no row.

    Args:
        rows: the view or dimension.
        piece: the piece of trace.
        in_trace_order: the piece is sorted as the order of the view says.
        arranged: rows stand in the view's order; else, as their events do, of which each is a row.
    """

    def __init__(self, rows: type[Rowset], piece: Piece, *, in_trace_order: bool = True, arranged: bool = True) -> None:
        self.rows, self.piece = rows, piece
        self._in_trace_order = in_trace_order
        self._kinds = tuple(kind for kind in kinds(rows.events) if kind in piece.kinds)
        everything = self._pick = piece.positions(self._kinds)
        for name in rows.key:
            self._drop(piece.column(column_of(rows, name)).known)
        order = view_order(rows, self._picked_key, in_trace_order=in_trace_order) if arranged else None
        if order is not None:
            self._pick = order if self._pick is None else self._pick[order]
        self._as_recorded = self._pick is everything
        self._selections: dict[tuple[int, ...], Selection] = {}

    def _key(self, name: str) -> Array:
        """A key column of all events of the piece."""
        return self.piece.column(column_of(self.rows, name)).value

    def _picked_key(self, name: str) -> Array:
        return self._picked(self._key(name))

    def _drop(self, known: Mask | None) -> None:
        """Keep the events of which this is known."""
        if known is not None:
            known = self._picked(known)
            if not known.all():
                self._pick = places(known) if self._pick is None else self._pick[known]

    def _picked(self, values: Array) -> Array:
        return values if self._pick is None else of_rows(values, self._pick)

    @cached_property
    def size(self) -> int:
        """How many events there are."""
        return self.piece.size if self._pick is None else len(self._pick)

    @cached_property
    def starts(self) -> Array:
        """The event with which each row begins."""
        if not self.rows.grouped:
            return np.arange(self.size)
        places = tuple(column for _, column in shape_of(self.rows).ordered if column in self.rows.sorted_by.places)
        if not self._in_trace_order or not places:
            return changes([self._picked_key(name) for name in self.rows.key])
        others = [self._key(name) for name in self.rows.key if column_of(self.rows, name) not in places]
        return changes([self._picked(values) for values in (*others, self.piece.runs(places))])

    @cached_property
    def _whole(self) -> Selection:
        return Selection(self.piece, self._kinds, self._pick, run_numbers(self.starts, self.size))

    @cached_property
    def _row_in_piece(self) -> Array:
        """The row that each event of the piece belongs to, where it belongs to one."""
        if self._pick is None:
            return self._whole.rows
        found = np.empty(self.piece.size, np.int32)
        found[self._pick] = self._whole.rows
        return found

    def selection(self, wanted: tuple[int, ...]) -> Selection:
        """The events of some kinds."""
        whole = self._whole
        here = tuple(kind for kind in whole.kinds if kind in wanted)
        if here == whole.kinds:
            return whole
        if here not in self._selections:
            source = self.piece.positions(here) if self._as_recorded else None
            if source is not None:
                self._selections[here] = Selection(self.piece, here, source, of_rows(self._row_in_piece, source))
            else:
                some = whole.only(places(are_of(whole.kind, here)))
                self._selections[here] = Selection(self.piece, here, some.source, some.rows)
        return self._selections[here]

    def state(self, name: str) -> State:
        """What the events say in one base column."""
        term = self.rows.base[name]
        if isinstance(term, Agg):
            return self._aggregate(term)
        if name in self.rows.key:
            begin = self.starts if self.rows.grouped else slice(None)
            return State(of_rows(self._key(name), begin if self._pick is None else of_rows(self._pick, begin)))
        column = self._whole.value(term)
        return State(column.value, column.known)

    def _aggregate(self, agg: Agg) -> State:
        """What the events of each row say together: see ``spec.language.reference``, which defines it."""
        size = len(self.starts)
        found = Gathering(agg.fn, size, self.piece.parameters.words if agg.fn in ("union", "common") else 1)
        for event, term in agg.of:
            events = self.selection(kinds(event))
            if not events.size:
                continue
            if agg.where is not None:
                events, lost = events.where(agg.where)
                found.doubt(lost)
            if isinstance(term, Lit):
                found.add(events.rows, events.begin)
            else:
                events, value, lost = events.known_value(term)
                found.doubt(lost)
                found.add(events.rows, events.begin, value)
        return found.state()
