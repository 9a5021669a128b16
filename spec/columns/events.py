"""Events to rows: which events a view's rows are made of, and what each of its aggregates says of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from spec.columns.column import Array, Column, Mask, both, true
from spec.columns.gathering import Gathering
from spec.columns.piece import Piece, are_of
from spec.columns.shape import changes, view_order
from spec.columns.states import State
from spec.columns.terms import Scene
from spec.language.declare import Rowset
from spec.language.events import kinds
from spec.language.terms import Agg, Col, Field, Lit, Term


class Selection(Scene):
    """Some events of a view, in its order: a scene in which terms over fields have values.

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
        self._chosen: dict[Term, tuple[Selection, Array | None]] = {}

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
        return self.piece.kind if self.source is None else self.piece.kind[self.source]

    @cached_property
    def begin(self) -> Array:
        """Where the events of each row begin."""
        return changes([self.rows])

    def only(self, events: Array) -> Selection:
        """Some of these events."""
        source = events if self.source is None else self.source[events]
        return Selection(self.piece, self.kinds, source, self.rows[events])

    def where(self, condition: Term) -> tuple[Selection, Array | None]:
        """The events that satisfy a condition, and the rows with an event of which that is not known."""
        if condition not in self._chosen:
            said = self.value(condition)
            holds = np.broadcast_to(true(said), self.rows.shape)
            chosen = self if holds.all() else self.only(np.flatnonzero(holds))
            lost = None if said.known is None or said.known.all() else self.rows[~said.known]
            self._chosen[condition] = chosen, lost
        return self._chosen[condition]


class Events:
    """The events of one view or dimension in one piece of a trace; those whose key is not known make no row.

    Args:
        rows: the view or dimension.
        piece: the piece of trace.
        in_trace_order: the piece is sorted by (log, LSN, seq).
    """

    def __init__(self, rows: type[Rowset], piece: Piece, *, in_trace_order: bool = True) -> None:
        self.rows, self.piece = rows, piece
        key = [(name, term) for name, term in rows.base.items() if name in rows.key and isinstance(term, Field)]
        have = set(piece.kinds).intersection(*(kinds(field.event) for _, field in key))
        self._kinds = tuple(kind for kind in kinds(rows.events) if kind in have)
        self._pick = piece.positions(self._kinds)
        for _, field in key:
            self._drop(piece.column(field.column).known)
        self._keys = {name: self._picked(piece.column(field.column).value) for name, field in key}
        order = view_order(rows, self._keys.__getitem__, in_trace_order=in_trace_order)
        if order is not None:
            self._pick = order if self._pick is None else self._pick[order]
            self._keys = {name: values[order] for name, values in self._keys.items()}
        self._selections: dict[tuple[int, ...], Selection] = {}

    def _drop(self, known: Mask | None) -> None:
        """Keep the events of which this is known."""
        if known is not None:
            known = self._picked(known)
            if not known.all():
                self._pick = np.flatnonzero(known) if self._pick is None else self._pick[known]

    def _picked(self, values: Array) -> Array:
        return values if self._pick is None else values[self._pick]

    @cached_property
    def size(self) -> int:
        """How many events there are."""
        return self.piece.size if self._pick is None else len(self._pick)

    @cached_property
    def starts(self) -> Array:
        """The event with which each row begins."""
        return changes(list(self._keys.values())) if self.rows.grouped else np.arange(self.size)

    @cached_property
    def _row(self) -> Array:
        """The row that each event belongs to."""
        lengths = np.diff(self.starts, append=self.size)
        return np.repeat(np.arange(len(self.starts), dtype=np.int32), lengths)

    @cached_property
    def _whole(self) -> Selection:
        return Selection(self.piece, self._kinds, self._pick, self._row)

    def selection(self, wanted: tuple[int, ...]) -> Selection:
        """The events of some kinds."""
        whole = self._whole
        here = tuple(kind for kind in whole.kinds if kind in wanted)
        if here == whole.kinds:
            return whole
        if here not in self._selections:
            at = np.flatnonzero(are_of(whole.kind, here))
            source = at if whole.source is None else whole.source[at]
            self._selections[here] = Selection(self.piece, here, source, whole.rows[at])
        return self._selections[here]

    def state(self, name: str) -> State:
        """What the events say in one base column."""
        term = self.rows.base[name]
        if isinstance(term, Agg):
            return self._aggregate(term)
        if name in self.rows.key:
            return State(self._keys[name][self.starts] if self.rows.grouped else self._keys[name])
        column = self._whole.value(term)
        return State(column.value, column.known)

    def _aggregate(self, agg: Agg) -> State:
        """What the events of each row say together: see ``spec.language.fold``, which defines it."""
        size = len(self.starts)
        found = Gathering(agg.fn, size, self.piece.parameters.words if agg.fn in ("union", "common") else 1)
        for event, term in agg.of:
            events = self.selection(kinds(event))
            if agg.where is not None:
                events, lost = events.where(agg.where)
                found.doubt(lost)
            said = events.value(term)
            if said.known is not None and not said.known.all():
                found.doubt(events.rows[~said.known])
                kept = np.flatnonzero(said.known)
                events, said = events.only(kept), said.take(kept)
            found.add(events.rows, events.begin, said.value, constant=isinstance(term, Lit))
        return found.state()
