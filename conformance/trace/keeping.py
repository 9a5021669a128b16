"""Keeping the books of clients in passing, while a trace is put in order: what ``spec.client.bookkeeping`` says.

Events are few columns of some rows; what is said of them goes back into the columns of these rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conformance.trace.arrow import batches_of, whole, with_recorders
from conformance.trace.blocks import numbers
from conformance.trace.fields import shapes_of
from conformance.trace.header import Header, Recorder
from conformance.trace.watch import place_of
from spec.client.bookkeeping import Books, Recording, kept
from spec.client.bookkeeping.books import TOLD
from spec.client.bookkeeping.payloads import Payloads
from spec.client.bookkeeping.recording import Event
from spec.columns.column import Array
from spec.columns.order import changes
from spec.events import Ack, DeleteSent, Deliver, Erase, Mutate, Store
from spec.language.family import BOOKS
from spec.language.parameters import mask, members
from spec.language.schema import word_name
from spec.log.family import LOG
from spec.log.own_order import STEPS, TURNS

FILLED: Final = ("invoker", "version", "invoked_at_ns", "after", "perhaps_after", "arg_b", "since", "held")
"""The columns of numbers that bookkeeping fills in."""

SETS_FILLED: Final = ("nodes_b", "nodes_c")
"""The columns of sets of nodes that it fills in, where events have something to say of what is at one LSN."""

READ: Final = (
    *("kind", "seq", "time_ns", "log", "epoch", "esn", "upto_epoch", "upto_esn", "actor", "node", "digest", "arg"),
    *FILLED,
)
"""The columns that it reads, besides the recorder."""

KEPT: Final = sorted(kind for kind in TOLD if kind is not None)
TOGETHER: Final = (Ack, Deliver, DeleteSent, Erase, Mutate, Store)
ATTRIBUTED: Final = [event.kind for event in TOGETHER if event.kind is not None]
"""The kinds of which books are kept, and those that are looked at together where they are at one LSN."""

COLUMNS_OF: Final = {kind: frozenset(field.column for field in shape.fields) for kind, shape in shapes_of(LOG).items()}


def recording_of(header: Header) -> Recording:
    """What bookkeeping must know of a trace."""
    words = ("deliver", "gap", "read")
    followed = (
        name
        for name, recorder in header.recorders.items()
        if "deliver" in recorder.records and all(recorder.records.get(word, "complete") == "complete" for word in words)
    )
    return Recording(
        recorders={name: place for place, name in enumerate(header.recorders)},
        followed=frozenset(followed),
        appends=header.completeness("invoke") == "complete",
        trims=header.completeness("trim") == "complete",
        real_time=bool(header.promises.get("real_time_order", False)),
        esn_bits=header.low_bits,
        clock_bound_ns=header.clock_bound_ns,
    )


def with_books(header: Header, events: Iterable[Mapping[str, Any]]) -> tuple[Header, list[Event]]:
    """A trace in memory, put in order, with what its clients' books say; the header names what they add."""
    if not header.family.added:
        return header, sorted(map(dict, events), key=lambda event: place_of(event, header.sorted_by))
    told = kept(events, recording_of(header))
    return (with_recorder(header) if any(event["recorder"] == BOOKS for event in told) else header), told


def with_recorder(header: Header) -> Header:
    """The header with a recorder for what the books add, after all others."""
    others = without_recorder(header).recorders
    return replace(header, recorders={**others, BOOKS: Recorder("books", dict.fromkeys(LOG.added, "complete"))})


def without_recorder(header: Header) -> Header:
    """The header without a recorder for what the books add."""
    return replace(header, recorders={name: one for name, one in header.recorders.items() if name != BOOKS})


class Keeper:
    """The books of one trace, of which tables of all its columns go by.

    First ``look`` at every table; then ``note`` each, by recorder and its own order, and take the rows that ``waited``;
    last ``attributed`` goes through all in trace order.

    Attributes:
        header: the trace's, with a recorder for what the books add.
    """

    def __init__(self, header: Header) -> None:
        self.header = with_recorder(header)
        self.names = list(self.header.recorders)
        self.words = header.parameters().words
        self.books = Books(recording_of(self.header))
        self.held: list[Any] = []
        self.steps = set[tuple[int, object]]()
        self.turns = set[tuple[tuple[int, int], object]]()

    def look(self, table: Any) -> Any:
        """Learn what must be known beforehand; gives the table without what earlier books had added."""
        own = pc.field("recorder").cast(pa.string()) != pc.scalar(BOOKS)
        table = with_recorders(table.filter(own), self.header)
        for event in self._events(table, self._told(table)):
            self.books.look(event)
        self._look_at_steps(table)
        return table

    def note(self, table: Any) -> Iterator[Any]:
        """What is known of the rows of a table, without those that must wait, and what readers passed over."""
        rows = self._told(table)
        noted = [self.books.note(event) for event in self._events(table, rows)]
        held, known = (
            np.array([event is None for event in noted], bool),
            [event for event in noted if event is not None],
        )
        full = filled(table, rows[~held], known)
        yield from self._passed(known)
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
            yield filled(table, every, known)
            yield from self._passed(known)
        self.held.clear()
        yield from self._added(self.books.unordered(self.steps, self.turns))

    def whole_header(self) -> Header:
        """The header of what was noted: the books stand in it if they added anything."""
        return self.header if self.books.added else without_recorder(self.header)

    def _look_at_steps(self, table: Any) -> None:
        """Learn which recorders saw steps of which nodes, and of which readers."""
        kinds, recorders = numbers(table["kind"]).value, np.asarray(whole(table["recorder"]).indices)
        steps, turns = np.isin(kinds, list(STEPS)), np.isin(kinds, list(TURNS))
        nodes, logs, readers = (numbers(table[name]).value for name in ("node", "log", "actor"))
        self.steps |= {(node, seer) for node, seer in _distinct(node=nodes[steps], recorder=recorders[steps])}
        for log, reader, recorder in _distinct(log=logs[turns], reader=readers[turns], recorder=recorders[turns]):
            self.turns.add(((log, reader), recorder))

    def _passed(self, events: Sequence[Event]) -> Iterator[Any]:
        yield from self._added(self.books.passed(events))

    def _added(self, events: Iterable[Event]) -> Iterator[Any]:
        for batch in batches_of(events, self.header):
            yield pa.Table.from_batches([batch])

    def attributed(self, tables: Iterable[Any]) -> Iterator[Any]:
        """Tables in trace order, each delivery with its append; what is at one LSN is looked at together."""
        payloads, rest = self.books.payloads(), list[Any]()
        for table in tables:
            together = pa.concat_tables([*rest, table], promote_options="default").combine_chunks()
            cut = int(self._starts(together)[-1])
            rest = [together.slice(cut)]
            if cut:
                yield self._attributed(together.slice(0, cut).combine_chunks(), payloads)
        for table in rest:
            yield self._attributed(table.combine_chunks(), payloads)

    def _attributed(self, table: Any, payloads: Payloads) -> Any:
        kind, starts = numbers(table["kind"]).value, self._starts(table)
        run = np.searchsorted(starts, np.arange(len(table)), side="right")
        of_lsn = np.isin(kind, ATTRIBUTED)
        rows = np.flatnonzero(of_lsn)
        events = zip(run[rows].tolist(), self._at_lsns(table, rows), strict=True)
        groups = groupby(events, key=itemgetter(0))
        together = ([event for _, event in group] for _, group in groups)
        said = [event for group in together for event in self.books.at_lsn(payloads, group)]
        return self._with_sets(filled(table, rows, said), rows, said)

    def _with_sets(self, table: Any, rows: Array, events: Sequence[Event]) -> Any:
        """The table with the sets of nodes that events of some rows say."""
        for name in SETS_FILLED:
            here, sets = [name in event for event in events], [event[name] for event in events if name in event]
            masks = {one: (None,) * self.words if one is None else mask(one, self.words) for one in set(sets)}
            for word in range(self.words) if sets else ():
                table = with_values(table, word_name(name, word), rows[here], [masks[one][word] for one in sets])
        return table

    def _starts(self, table: Any) -> Array:
        """The rows at which another LSN begins."""
        return changes([numbers(table[name]).value for name in ("log", "epoch", "esn")])

    def _told(self, table: Any) -> Array:
        return np.flatnonzero(np.isin(numbers(table["kind"]).value, KEPT))

    def _events(self, table: Any, rows: Array) -> Iterator[Event]:
        some = table.select([*READ, "recorder"]).take(pa.array(rows))
        recorders = [self.names[code] for code in whole(some["recorder"]).indices.to_pylist()]
        columns = [some[name].to_pylist() for name in READ]
        for recorder, *values in zip(recorders, *columns, strict=True):
            yield {"recorder": recorder, **dict(zip(READ, values, strict=True))}

    def _at_lsns(self, table: Any, rows: Array) -> Iterator[Event]:
        """The events of some rows; those that tell nodes to delete their copies with these nodes."""
        words = [table[word_name("nodes", word)].take(pa.array(rows)).to_pylist() for word in range(self.words)]
        for event, told in zip(self._events(table, rows), zip(*words, strict=True), strict=True):
            yield event | {"nodes": members(told)} if event["kind"] == DeleteSent.kind else event


def filled(table: Any, rows: Array, events: Sequence[Event]) -> Any:
    """The table with what events say in the columns of numbers that bookkeeping fills in, of some rows."""
    for name in FILLED if len(rows) else ():
        said = [event[name] if name in COLUMNS_OF[event["kind"]] else 0 for event in events]
        table = with_values(table, name, rows, said)
    return table


def with_values(table: Any, name: str, rows: Array, values: Sequence[int | None]) -> Any:
    """The table with other numbers in one column, in some rows."""
    place, column = table.column_names.index(name), numbers(table[name])
    value = column.value.copy()
    known = np.ones(len(value), bool) if column.known is None else column.known.copy()
    value[rows] = [0 if one is None else one for one in values]
    known[rows] = [one is not None for one in values]
    field = table.schema.field(place)
    return table.set_column(place, field, pa.array(value, field.type, mask=~known))


def _distinct(**columns: Array) -> Iterator[tuple[int, ...]]:
    """The rows of these columns, each once."""
    yield from zip(*pa.table(columns).group_by([*columns]).aggregate([]).to_pydict().values(), strict=True)
