"""Keeping the books of a whole trace at once, where its family can, and nothing about the trace is odd.

In memory are then the columns that books read and fill in, of all events of which books are kept; tables of all columns
only as long as they are few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa

from conformance.trace.arrow import stored, type_of, whole
from conformance.trace.blocks import numbers
from conformance.trace.header import Header
from conformance.trace.keeping import Keeper, with_column
from conformance.trace.runs import RUN, repeated
from spec.columns.books import BookEntries
from spec.columns.column import Array, Column, Raw, end_to_end
from spec.columns.order import places
from spec.columns.piece import are_of
from spec.language.bookkeeping import BOOKS
from spec.language.schema import word_name

MOST: Final = 1 << 25
"""Events of which books are kept at once; of more they are kept in passing."""


def kept_at_once(keeper: Keeper, tables: Callable[[], Iterable[Any]]) -> Iterator[Any] | None:
    """All tables of a trace with what books say, and what they add; None where books must be kept in passing.

    Args:
        keeper: of the trace.
        tables: gives all tables of the trace, each time anew.
    """
    kind = keeper.kind
    if kind.at_once is None:
        return None
    held, raws, own, count = list[Any](), list[Raw](), list[tuple[Array, Array]](), 0
    for table in map(keeper.own, tables()):
        count += len(table)
        kinds = numbers(table["kind"]).value
        if count > MOST or are_of(kinds, tuple(kind.at_once.without)).any():
            return None
        raws.append(_raw(keeper, table, _told(keeper, kinds)))
        own.append((whole(table["recorder"]).indices.to_numpy(), numbers(table["seq"]).value))
        held.append(table)
        if count > RUN:
            held.clear()
    if not raws or _stands_twice(own):
        return None
    raw = {name: end_to_end([one[name] for one in raws]) for name in raws[0]}
    said = kind.at_once.said(raw, keeper.header)
    if said is None:
        return None
    return _filled(keeper, held if count <= RUN else map(keeper.own, tables()), said)


def _filled(keeper: Keeper, tables: Iterable[Any], said: BookEntries) -> Iterator[Any]:
    """The tables with what books say of their events, and what they add."""
    begin = 0
    for table in tables:
        keeper.watch(table)
        rows = _told(keeper, numbers(table["kind"]).value)
        here = slice(begin, begin + len(rows))
        begin += len(rows)
        full = table
        for name, column in said.filled.items():
            full = _with(full, keeper, name, rows, column.take(here))
        yield full
    added = len(said.added["kind"].value)
    keeper.books.added = added
    if added:
        yield _table(said.added, keeper.header, added)
    yield from keeper.added(keeper.books.unordered(*keeper.seen))


def _with(table: Any, keeper: Keeper, name: str, rows: Array, column: Column) -> Any:
    if name not in keeper.kind.fills_sets:
        return with_column(table, name, rows, column)
    for word in range(keeper.words):
        value = column.value[word] if keeper.words > 1 else column.value
        table = with_column(table, word_name(name, word), rows, Column(value, column.known))
    return table


def _told(keeper: Keeper, kinds: Array) -> Array:
    return places(are_of(kinds, tuple(keeper.kind.noted | keeper.kind.together)))


def _raw(keeper: Keeper, table: Any, rows: Array) -> Raw:
    """What books read and fill in, of some rows."""
    raw = {name: numbers(table[name]).take(rows) for name in keeper.kind.reads}
    raw["recorder"] = Column(whole(table["recorder"]).indices.to_numpy()[rows])
    for name in keeper.kind.fills_sets:
        words = [numbers(table[word_name(name, word)]).take(rows) for word in range(keeper.words)]
        value = words[0].value if keeper.words == 1 else np.stack([word.value for word in words])
        raw[name] = Column(value, words[0].known)
    return raw


def _stands_twice(own: list[tuple[Array, Array]]) -> bool:
    """Whether two events have one name."""
    recorder, seq = (np.concatenate(columns) for columns in zip(*own, strict=True))
    order = np.lexsort((seq, recorder))
    return bool(len(repeated(recorder[order], seq[order])))


def _table(raw: Raw, header: Header, size: int) -> Any:
    """Events that books add, with all columns of a trace."""
    nothing = Column(np.zeros(size, np.int64))
    columns = {
        column.name: _array(raw.get(column.column, nothing), type_of(column))
        for column in stored(header)
        if column.name != "recorder"
    }
    code = list(header.recorders).index(BOOKS)
    recorders = pa.DictionaryArray.from_arrays(pa.array(np.full(size, code), pa.int32()), list(header.recorders))
    table = pa.table(columns | {"recorder": recorders})
    return table.select([column.name for column in stored(header)])


def _array(column: Column, kind: Any) -> Any:
    return pa.array(column.value, kind, mask=None if column.known is None else ~column.known)
