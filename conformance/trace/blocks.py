"""Blocks: columns of an Arrow table as numpy arrays, without copies where Arrow allows, and checked in bulk.

What the rules' columns reading relies on is made sure here: every required value is there, kinds and partitions are
known, members and sets are listed, parts fit into their position, and a sorted trace is sorted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any

import numpy as np

from conformance.trace.arrow import recorder_codes, stored, whole
from conformance.trace.errors import NullValue, Oversized, TraceError, UnknownKind
from conformance.trace.fields import EventDemand, EventShape
from conformance.trace.header import Header, low_bits_of
from conformance.trace.kinds_here import KindsHere
from conformance.trace.rows import inconsistent, limits_of, not_of_books, unknown_partition
from conformance.trace.watch import not_sorted
from spec.columns.column import Array, Column, Mask, Raw, both, false
from spec.columns.terms import Evaluator
from spec.language.bookkeeping import BOOKS
from spec.language.limits import Limit
from spec.language.orders import POSITIONS, Order, parts_of
from spec.language.parameters import Parameters
from spec.language.schema import StorageColumn
from spec.language.terms import Col, Field


class Blocks:
    """Makes blocks of some columns of one trace.

    Args:
        header: says what numbers may be.
        columns: the wanted columns, by their names in the vocabulary; ``recorder`` gives places in the header.

    Raises:
        KeyError: the vocabulary has no such column.
    """

    def __init__(self, header: Header, columns: Iterable[str]) -> None:
        self.header = header
        self.wanted = tuple(dict.fromkeys(columns))
        self.needed = _needed(header, self.wanted)
        self.limits: dict[str, list[Limit]] = defaultdict(list)
        for limit in limits_of(header):
            self.limits[limit.column.name].append(limit)
        read = {column.column for column in self.needed}
        shapes = header.shapes.values()
        self.demands = [(shape, demand) for shape in shapes for demand in shape.demands if demand.columns <= read]
        self.added = [shape.kind for shape in shapes if shape.word in header.family.added]
        listed = (universe.section for universe in header.family.listed)
        self.counted = " and ".join((*listed, low_bits_of(header.family)))

    @property
    def names(self) -> list[str]:
        """The stored columns that must be read."""
        return [column.name for column in self.needed]

    def of(self, table: Any, read_of_kinds: AbstractSet[str] | None = None) -> Raw:
        """The block of a table that has at least the needed columns.

        Args:
            table: the events.
            read_of_kinds: the columns of which the table has the values; None: of all that are needed.

        Raises:
            TraceError: one of its kinds, for values that the format or the header does not allow; without a place.
        """
        kind = numbers(table["kind"])
        if kind.known is not None:
            raise _null("kind", int(np.flatnonzero(~kind.known)[0]))
        kinds = KindsHere(kind.value)
        if strange := kinds.here - self.header.shapes.keys():
            row, known = int(kinds.are(strange).argmax()), f"the vocabulary has {len(self.header.shapes)}"
            raise UnknownKind(f"kind {kind.value[row]}", known, "a later quorate").at(_row(row))
        here = {column.column for column in self.needed} if read_of_kinds is None else read_of_kinds | {"kind"}
        read = {column.name: self._column(column, table) for column in self.needed}
        for column in self.needed:
            if column.column in here:
                self._check_column(column, read[column.name], kinds)
        if "recorder" in here:
            self._check_books(read["recorder"].value, kind.value)
        for shape, demand in self.demands:
            if demand.columns <= here:
                self._check_demand(shape, demand, read, kind.value)
        return {name: self._value(name, read) for name in self.wanted}

    def again(self, table: Any) -> Raw:
        """The block of a table whose values were looked at before."""
        read = {column.name: self._column(column, table) for column in self.needed}
        return {name: self._value(name, read) for name in self.wanted}

    def _check_books(self, recorder: Array, kind: Array) -> None:
        """Refuse what only books add of other recorders, and whatever else of theirs."""
        names = list(self.header.recorders)
        wrong = (recorder == (names.index(BOOKS) if BOOKS in names else -1)) != np.isin(kind, self.added)
        if wrong.any():
            row = int(wrong.argmax())
            word = self.header.shapes[int(kind[row])].word
            raise not_of_books(self.header.family, names[recorder[row]], word).at(_row(row))

    def _check_demand(self, shape: EventShape, demand: EventDemand, read: dict[str, Column], kind: Array) -> None:
        """Refuse an event whose fields contradict each other."""
        rows = np.flatnonzero(kind == shape.kind)
        if not rows.size:
            return
        columns = {name: self._value(name, read).take(rows) for name in demand.columns}
        said = false(_Events(columns, self.header.parameters(), len(rows)).value(demand.term))
        if said.any():
            raise inconsistent(shape, demand).at(_row(int(rows[int(np.broadcast_to(said, rows.shape).argmax())])))

    def _column(self, column: StorageColumn, table: Any) -> Column:
        if column.bits:
            return numbers(table[column.name])
        if table[column.name].null_count:
            raise _null(column.name, table[column.name].is_null().index(True).as_py())
        return Column(recorder_codes(table[column.name], self.header))

    def _check_column(self, column: StorageColumn, read: Column, kinds: KindsHere) -> None:
        extremes = Extremes(read.value)
        for limit in self.limits.get(column.name, ()):
            self._check_nulls(limit, read.known, kinds)
            if not extremes.fit(limit):
                self._check_bounds(limit, read, kinds)
        if column.name == self.header.sorted_by.partition and self.header.partitions:
            _check_partitions(self.header, read, kinds.are(frozenset(column.kinds)))

    def _check_bounds(self, limit: Limit, read: Column, kinds: KindsHere) -> None:
        """Refuse numbers that the header does not allow, where the column is filled and known."""
        rows = np.flatnonzero(kinds.are(frozenset(limit.column.kinds)) & _known(read))
        wrong = rows[_beyond(limit, read.value[rows])]
        if not wrong.size:
            return
        row = int(wrong[0])
        what = f"{self._name(limit.column.column, kinds.kind[row])} is {read.value[row]}"
        advice = f"check the recorder's encoding, and the header's {self.counted}"
        raise Oversized(what, _allowed(limit), advice).at(_row(row))

    def _check_nulls(self, limit: Limit, known: Mask | None, kinds: KindsHere) -> None:
        """Refuse NULL where the kind of the event requires a value; kinds that do not fill the column do not matter."""
        if known is None or kinds.here.isdisjoint(limit.needed):
            return
        wrong = ~known & kinds.are(limit.needed)
        if wrong.any():
            row = int(wrong.argmax())
            raise _null(self._name(limit.column.column, kinds.kind[row]), row)

    def _name(self, column: str, kind: int) -> str:
        """What people call a shared column in an event of a kind; kinds that do not fill it have no name for it."""
        fields = self.header.shapes[int(kind)].fields
        return next((field.name for field in fields if field.column == column), column)

    def _value(self, name: str, read: dict[str, Column]) -> Column:
        if name in POSITIONS:
            high, low = (read[part] for part in parts_of(name))
            return Column((high.value << self.header.low_bits) + low.value, both(high.known, low.known))
        words = [read[column.name] for column in self.needed if column.column == name]
        if len(words) == 1:
            return words[0]
        for word in words[1:]:
            if not np.array_equal(_known(word), _known(words[0])):
                row = int((_known(word) != _known(words[0])).argmax())
                raise _null(self._name(name, read["kind"].value[row]), row)
        return Column(np.stack([word.value for word in words]), words[0].known)


class _Events(Evaluator):
    """Some events of one kind: they evaluate terms over their fields."""

    def __init__(self, columns: dict[str, Column], parameters: Parameters, size: int) -> None:
        super().__init__(parameters, size)
        self.columns = columns

    def leaf(self, term: Field | Col) -> Column:
        """The column of a field."""
        if not isinstance(term, Field):
            raise TypeError(f"{term} is no field of an event")
        return self.columns[term.column]


def whole_blocks(header: Header) -> Blocks:
    """What makes blocks of all columns of a trace."""
    return Blocks(header, [header.sorted_by.place, *(column.column for column in stored(header))])


def _needed(header: Header, wanted: Iterable[str]) -> list[StorageColumn]:
    """The stored columns behind the wanted ones, and the kind, in the order of the schema."""
    columns = stored(header)
    parts = {"kind", *(part for name in wanted for part in parts_of(name))}
    if unknown := parts - {column.column for column in columns}:
        raise KeyError(f"the vocabulary has no column {', '.join(sorted(unknown))}")
    return [column for column in columns if column.column in parts]


def numbers(column: Any) -> Column:
    """An Arrow column of whole numbers as the same memory, and where it is known."""
    array = whole(column)
    known, values = array.buffers()
    here = slice(array.offset, array.offset + len(array))
    value = np.frombuffer(values or b"", array.type.to_pandas_dtype())[here]
    if not array.null_count:
        return Column(value)
    bits = np.unpackbits(np.frombuffer(known, np.uint8), count=here.stop, bitorder="little")
    return Column(value, bits[here].view(bool))


def _known(column: Column) -> Mask:
    return np.ones(column.value.shape, bool) if column.known is None else column.known


def _allowed(limit: Limit) -> str:
    """What a value must be."""
    if limit.bounds:
        return f"it must lie between {limit.bounds[0]} and {limit.bounds[1]}"
    return "it has a member that the header does not list" if limit.column.sort == "set" else "it is no list of factors"


def _check_partitions(header: Header, read: Column, has_one: Mask) -> None:
    """Refuse partitions that the header does not name."""
    wrong = has_one & _known(read) & ~np.isin(read.value, list(header.partitions))
    if wrong.any():
        row = int(wrong.argmax())
        raise unknown_partition(header.sorted_by.partition, int(read.value[row])).at(_row(row))


def _beyond(limit: Limit, value: Array) -> Mask:
    """Which values lie outside what the header allows."""
    if limit.bounds:
        return np.asarray((value < limit.bounds[0]) | (value > limit.bounds[1]))
    return np.asarray(value & _others(limit) != 0)


def _others(limit: Limit) -> np.int64:
    """The bits that no mask may have."""
    return np.int64(0 if limit.bits is None else ~limit.bits)


class Extremes:
    """The least and the greatest value of a column, looked for when a limit asks: mostly they show that all fit.

    Args:
        value: the values, of which some may mean nothing.
    """

    def __init__(self, value: Array) -> None:
        self.value = value

    def fit(self, limit: Limit) -> bool:
        """Whether no value lies outside what the header allows, whatever its kind."""
        if not self.value.size:
            return True
        if limit.bounds:
            width, (low, high) = np.iinfo(self.value.dtype), limit.bounds
            return (low <= width.min or low <= self.least) and (width.max <= high or self.most <= high)
        return not _others(limit) or not np.bitwise_or.reduce(self.value) & _others(limit)

    @cached_property
    def least(self) -> int:
        """The least value."""
        return int(self.value.min())

    @cached_property
    def most(self) -> int:
        """The greatest value."""
        return int(self.value.max())


def _row(row: int) -> str:
    return f"row {row + 1}"


def _null(name: str, row: int) -> TraceError:
    return NullValue(f"{name} is NULL", "it must be known in this kind of event", "record it").at(_row(row))


class OrderCheck:
    """Makes sure that the blocks of a sorted trace are sorted, as far as the columns that were read can tell."""

    def __init__(self, sorted_by: Order) -> None:
        self.first = [sorted_by.partition, sorted_by.place]
        self.names = [*self.first, sorted_by.own]
        self.last: tuple[int, ...] | None = None

    def check(self, raw: Raw) -> None:
        """Look at the next block.

        Raises:
            NotSorted: it is not sorted, or begins before the last one ended.
        """
        if len(falls := self.falls(raw)):
            raise not_sorted().at(_row(int(falls[0])))

    def falls(self, raw: Raw) -> Array:
        """The rows of the next block that stand too late: each after one with a greater key."""
        names = [name for name in self.names if name in raw]
        keys = [raw[name].value for name in names]
        if names[:2] != self.first or not len(keys[0]):
            return np.zeros(0, np.int64)
        falls = keys[0][1:] < keys[0][:-1]
        same = keys[0][1:] == keys[0][:-1]
        for key in keys[1:]:
            falls |= same & (key[1:] < key[:-1])
            same &= key[1:] == key[:-1]
        first, last = (tuple(int(key[row]) for key in keys) for row in (0, -1))
        begins_late = self.last is not None and first < self.last
        self.last = last
        return np.flatnonzero(np.concatenate(([begins_late], falls)))
