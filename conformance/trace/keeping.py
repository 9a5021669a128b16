"""Keeping books in passing, while a trace is put in order, as its family declares them.

Events are few columns of some rows; what is said of them goes back into the columns of these rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conformance.trace.arrow import batches_of, whole, with_recorders
from conformance.trace.blocks import numbers
from conformance.trace.header import Header, Recorder
from conformance.trace.watch import place_of
from spec.columns.column import Array, Column
from spec.columns.order import changes
from spec.language.bookkeeping import BOOKS, Event
from spec.language.parameters import mask, members
from spec.language.schema import word_name


def with_books(header: Header, events: Iterable[Mapping[str, Any]]) -> tuple[Header, list[Event]]:
    """A trace in memory, put in order, with what its clients' books say; the header names what they add."""
    books = header.family.books
    if books.kept is None:
        return header, sorted(map(dict, events), key=lambda event: place_of(event, header.sorted_by))
    told = books.kept(events, header)
    return (with_recorder(header) if any(event["recorder"] == BOOKS for event in told) else header), told


def with_recorder(header: Header) -> Header:
    """The header with a recorder for what the books add, if they add anything, after all others."""
    if not header.family.added:
        return header
    others = without_recorder(header).recorders
    return replace(header, recorders={**others, BOOKS: Recorder(BOOKS, dict.fromkeys(header.family.added, "complete"))})


def without_recorder(header: Header) -> Header:
    """The header without a recorder for what the books add."""
    return replace(header, recorders={name: one for name, one in header.recorders.items() if name != BOOKS})


class Keeper:
    """Keeps the books of one trace, of which tables of all its columns pass.

    First ``look`` at every table; then ``note`` each, by recorder and its own order, and take the rows that ``waited``;
    last ``attributed`` goes through all in trace order.

    Args:
        header: the trace's, whose family says what books read, fill in and add.
    """

    def __init__(self, header: Header) -> None:
        self.header, self.kind = with_recorder(header), header.family.books
        self.names = list(self.header.recorders)
        self.words = header.parameters().words
        self.books = self.kind.opened(self.header)
        self.held: list[Any] = []
        self.seen = [set[tuple[tuple[int, ...], object]]() for _ in self.kind.watched]
        shapes = header.shapes.items()
        self.columns_of = {kind: frozenset(field.column for field in shape.fields) for kind, shape in shapes}

    def look(self, table: Any) -> Any:
        """Learn what must be known beforehand; gives the table without what earlier books had added."""
        table = self.own(table)
        for event in self._events(table, self._told(table)):
            self.books.look(event)
        self.watch(table)
        return table

    def own(self, table: Any) -> Any:
        """A table without what earlier books had added, with recorders as the header numbers them now."""
        if BOOKS in whole(table["recorder"]).dictionary.to_pylist():
            table = table.filter(pc.field("recorder").cast(pa.string()) != pc.scalar(BOOKS))
        return with_recorders(table, self.header)

    def note(self, table: Any) -> Iterator[Any]:
        """What is known of the rows of a table, without those that must wait, and what readers passed over."""
        rows = self._told(table)
        noted = [self.books.note(event) for event in self._events(table, rows)]
        held, known = (
            np.array([event is None for event in noted], bool),
            [event for event in noted if event is not None],
        )
        full = self._filled(table, rows[~held], known)
        yield from self.added(self.books.concluded(known))
        if not held.any():
            yield full
            return
        stays = np.ones(len(table), bool)
        stays[rows[held]] = False
        self.held.append(table.filter(pa.array(~stays)))
        yield full.filter(pa.array(stays))

    def waited(self) -> Iterator[Any]:
        """The rows that had to wait."""
        said = {(event["recorder"], event["seq"]): event for event in self.books.waited()}
        for table in self.held:
            every = np.arange(len(table))
            known = [said[event["recorder"], event["seq"]] for event in self._events(table, every)]
            yield self._filled(table, every, known)
            yield from self.added(self.books.concluded(known))
        self.held.clear()
        yield from self.added(self.books.unordered(*self.seen))

    def whole_header(self) -> Header:
        """The header of what was noted: the books stand in it if they added anything."""
        return self.header if self.books.added else without_recorder(self.header)

    def watch(self, table: Any) -> None:
        """Learn which recorders saw whose steps."""
        kind, recorder = numbers(table["kind"]).value, np.asarray(whole(table["recorder"]).indices)
        for seen, watched in zip(self.seen, self.kind.watched, strict=True):
            here = np.isin(kind, list(watched.kinds))
            columns = {name: numbers(table[name]).value[here] for name in watched.columns}
            seen |= {(tuple(whose), seer) for *whose, seer in _distinct(**columns, recorder=recorder[here])}

    def added(self, events: Iterable[Event]) -> Iterator[Any]:
        """Events that books add, as tables."""
        for batch in batches_of(events, self.header):
            yield pa.Table.from_batches([batch])

    def attributed(self, tables: Iterable[Any]) -> Iterator[Any]:
        """Tables in trace order, where what is at one place is looked at together."""
        rest = list[Any]()
        for table in tables:
            together = pa.concat_tables([*rest, table], promote_options="default").combine_chunks()
            cut = int(self._starts(together)[-1])
            rest = [together.slice(cut)]
            if cut:
                yield self._attributed(together.slice(0, cut).combine_chunks())
        for table in rest:
            yield self._attributed(table.combine_chunks())

    def _attributed(self, table: Any) -> Any:
        kind, starts = numbers(table["kind"]).value, self._starts(table)
        run = np.searchsorted(starts, np.arange(len(table)), side="right")
        rows = np.flatnonzero(np.isin(kind, list(self.kind.together)))
        events = zip(run[rows].tolist(), self._with_sets_read(table, rows), strict=True)
        groups = groupby(events, key=itemgetter(0))
        together = ([event for _, event in group] for _, group in groups)
        said = [event for group in together for event in self.books.at_place(group)]
        return self._with_sets(self._filled(table, rows, said), rows, said)

    def _with_sets(self, table: Any, rows: Array, events: Sequence[Event]) -> Any:
        """The table with the sets that events of some rows say."""
        for name in self.kind.fills_sets:
            here, sets = [name in event for event in events], [event[name] for event in events if name in event]
            masks = {one: (None,) * self.words if one is None else mask(one, self.words) for one in set(sets)}
            for word in range(self.words) if sets else ():
                table = with_values(table, word_name(name, word), rows[here], [masks[one][word] for one in sets])
        return table

    def _starts(self, table: Any) -> Array:
        """The rows at which another place begins."""
        return changes([numbers(table[name]).value for name in self.header.sorted_by.stored[:-1]])

    def _told(self, table: Any) -> Array:
        return np.flatnonzero(np.isin(numbers(table["kind"]).value, list(self.kind.noted)))

    def _events(self, table: Any, rows: Array) -> Iterator[Event]:
        some = table.select([*self.kind.reads, "recorder"]).take(pa.array(rows))
        recorders = [self.names[code] for code in whole(some["recorder"]).indices.to_pylist()]
        columns = [some[name].to_pylist() for name in self.kind.reads]
        for recorder, *values in zip(recorders, *columns, strict=True):
            yield {"recorder": recorder, **dict(zip(self.kind.reads, values, strict=True))}

    def _with_sets_read(self, table: Any, rows: Array) -> Iterator[Event]:
        """The events of some rows, with the sets that books read of their kinds."""
        events = list(self._events(table, rows))
        for name, kinds in self.kind.sets.items():
            words = [table[word_name(name, word)].take(pa.array(rows)).to_pylist() for word in range(self.words)]
            for event, said in zip(events, zip(*words, strict=True), strict=True):
                if event["kind"] in kinds:
                    event[name] = members(said)
        yield from events

    def _filled(self, table: Any, rows: Array, events: Sequence[Event]) -> Any:
        """The table with what events say in the columns of numbers that books fill in, of some rows."""
        for name in self.kind.fills if len(rows) else ():
            said = [event[name] if name in self.columns_of[event["kind"]] else 0 for event in events]
            table = with_values(table, name, rows, said)
        return table


def with_values(table: Any, name: str, rows: Array, values: Sequence[int | None]) -> Any:
    """The table with other numbers in one column, in some rows."""
    numbers_ = np.array([0 if one is None else one for one in values], np.int64)
    return with_column(table, name, rows, Column(numbers_, np.array([one is not None for one in values], np.bool_)))


def with_column(table: Any, name: str, rows: Array, said: Column) -> Any:
    """The same, of numbers as a column."""
    place, column = table.column_names.index(name), numbers(table[name])
    value = column.value.copy()
    known = np.ones(len(value), bool) if column.known is None else column.known.copy()
    value[rows], known[rows] = said.value, True if said.known is None else said.known
    field = table.schema.field(place)
    return table.set_column(place, field, pa.array(value, field.type, mask=~known))


def _distinct(**columns: Array) -> Iterator[tuple[int, ...]]:
    """The rows of these columns, each once."""
    yield from zip(*pa.table(columns).group_by([*columns]).aggregate([]).to_pydict().values(), strict=True)
