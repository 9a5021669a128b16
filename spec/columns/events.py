"""Events to rows: which events a view's rows are made of, and what each of its aggregates says of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from spec.columns.column import Array, Mask, of_rows
from spec.columns.gathering import gathering_of
from spec.columns.order import changes, places, run_numbers
from spec.columns.piece import Piece, are_of
from spec.columns.selection import Selection
from spec.columns.shape import view_order
from spec.columns.states import State
from spec.language.declare import Rowset
from spec.language.events import kinds
from spec.language.shape import column_of, shape_of
from spec.language.terms import Agg


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
        found = gathering_of(agg.fn, len(self.starts), self.piece)
        for event, term in agg.of:
            events = self.selection(kinds(event))
            if events.size:
                found.add(events, term, agg.where)
        return found.state()
