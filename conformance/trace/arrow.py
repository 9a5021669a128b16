"""Events as Arrow tables: the schema that follows from the event classes, and rows to and from it.

Sets are mask words, a replication property is one packed number, and a column holds 0 in events of kinds that do not
fill it; NULL means that the recorder did not know. The columns ``payload`` and ``extra`` exist only where needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa

from conformance.trace.errors import Duplicated, MissingField, Mistyped, TraceError, UnknownRecorder
from conformance.trace.fields import COMMON, EXTRA, FOR_PEOPLE, PAYLOAD, EventShape
from conformance.trace.header import Header
from conformance.trace.json_text import decode, encode
from conformance.trace.rows import EventRow, Rows, extra_of
from conformance.trace.typed import mapping
from spec.language.family import Family
from spec.language.parameters import WORD, Parameters, mask, members, pack_factors, unpack_factors
from spec.language.schema import StorageColumn, storage, word_name

RECORDER: Final = pa.dictionary(pa.int32(), pa.string())
"""Recorders are kept as numbers of names; in tables made here, the names are those of the header, in its order."""

TEXTS: Final = (PAYLOAD, EXTRA)
BATCH: Final = 1 << 16
"""Events that are turned into one batch."""

_INTEGERS: Final = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}


def stored(header: Header) -> tuple[StorageColumn, ...]:
    """The columns that keep the events of a trace."""
    return _stored(header.family, header.parameters().words)


@cache
def _stored(family: Family, words: int) -> tuple[StorageColumn, ...]:
    return tuple(storage(family.events, Parameters(size=WORD * words)))


def type_of(column: StorageColumn) -> Any:
    """The Arrow type of a stored column."""
    return _INTEGERS[column.bits] if column.bits else RECORDER


def schema_of(header: Header) -> Any:
    """The Arrow schema of a trace without texts; columns that are always known cannot hold NULL."""
    return pa.schema([pa.field(one.name, type_of(one), nullable=bool(one.optional)) for one in stored(header)])


def check_schema(schema: Any, types: Mapping[str, Any]) -> list[str]:
    """The names of columns with fields that the format does not know; recorders may also be plain text.

    Args:
        schema: that of a file.
        types: the types that its columns must have.

    Raises:
        MissingField: a column is absent.
        Mistyped: a column has another type, or stands twice.
    """
    for name, times in Counter(schema.names).items():
        if times > 1:
            raise Duplicated(f"column {name!r} stands {times} times", "one column keeps a field", "drop all but one")
    for name, wanted in types.items():
        if name not in schema.names:
            advice = "write it: NULL where it is not known, 0 in events that do not have the field"
            raise MissingField(f"column {name!r} is missing", "every trace keeps it", advice)
        found = schema.field(name).type
        if found != wanted and not (wanted is RECORDER and _is_text(found)):
            raise Mistyped(f"column {name!r} has type {found}", f"it must be {wanted}", "cast it")
    for name in TEXTS:
        if name in schema.names and not _is_text(found := schema.field(name).type):
            raise Mistyped(f"column {name!r} has type {found}", "it must be text", "cast it")
    return [name for name in schema.names if name not in types and name != PAYLOAD]


def _is_text(found: Any) -> bool:
    plain = found.value_type if pa.types.is_dictionary(found) else found
    return bool(pa.types.is_string(plain) or pa.types.is_large_string(plain))


def checked(events: Iterable[EventRow], header: Header, place: str = "event") -> Iterator[EventRow]:
    """The events, each with every column of its kind.

    Raises:
        TraceError: one of its kinds, with place and number, for an event that the header does not allow.
    """
    rows = Rows(header)
    for number, event in enumerate(events, 1):
        try:
            row = rows.checked(event)
        except TraceError as error:
            raise error.at(f"{place} {number}") from None
        yield row


def to_batches(events: Iterable[EventRow], header: Header, size: int = BATCH, *, place: str = "event") -> Iterator[Any]:
    """Record batches of at most ``size`` events, each event checked; text columns only where there are texts.

    Raises:
        TraceError: one of its kinds, with place and number, for an event that the header does not allow.
    """
    return batches_of(checked(events, header, place), header, size)


def batches_of(rows: Iterable[EventRow], header: Header, size: int = BATCH) -> Iterator[Any]:
    """Record batches of at most ``size`` events that are already checked."""
    columns, recorders, source = stored(header), list(header.recorders), iter(rows)
    code, words = {name: number for number, name in enumerate(recorders)}, header.parameters().words

    @lru_cache(1 << 16)
    def words_of(members: frozenset[int]) -> tuple[int, ...]:
        return mask(members, words)

    fill: dict[str, Callable[[list[EventRow], StorageColumn], Any]] = {
        "int": lambda batch, column: [row.get(column.name, 0) for row in batch],
        "factors": lambda batch, column: _each(batch, column, pack_factors),
        "set": lambda batch, column: _each(batch, column, lambda value: words_of(value)[column.word]),
    }
    while batch := list(islice(source, size)):
        arrays = {
            column.name: pa.array(fill[column.sort](batch, column), type_of(column))
            if column.bits
            else pa.DictionaryArray.from_arrays(
                pa.array([code[row["recorder"]] for row in batch], pa.int32()), recorders
            )
            for column in columns
        }
        yield pa.RecordBatch.from_pydict(arrays | _texts(batch))


def _each(batch: list[EventRow], column: StorageColumn, change: Callable[[Any], int]) -> list[int | None]:
    values = [row.get(column.column, 0) for row in batch]
    return [value if value is None or value == 0 else change(value) for value in values]


def _texts(batch: list[EventRow]) -> dict[str, Any]:
    said = {
        PAYLOAD: [row.get(PAYLOAD) for row in batch],
        EXTRA: [encode(row[EXTRA]).decode() if EXTRA in row else None for row in batch],
    }
    return {name: pa.array(values, pa.string()) for name, values in said.items() if any(map(_is_there, values))}


def _is_there(value: object) -> bool:
    return value is not None


def to_rows(table: Any, header: Header) -> Iterator[EventRow]:
    """The events of a table whose blocks are checked; unknown columns become unknown fields.

    Raises:
        Duplicated: an unknown column has the name of a field of the event.
        Mistyped: ``extra`` is no JSON object.
    """
    said = {name: table[name].to_pylist() for name in table.column_names}
    decoded = {column.column: _decoded(column, said, header) for column in stored(header) if not column.word}
    known = {*TEXTS, *(column.name for column in stored(header))}
    beyond = [name for name in said if name not in known]
    names = {
        kind: ["kind", "recorder", *(field.column for field in shape.fields)] for kind, shape in header.shapes.items()
    }
    places = {name: place for place, name in enumerate(decoded)}
    picks = {kind: itemgetter(*(places[name] for name in columns)) for kind, columns in names.items()}
    payloads, has_extra = said.get(PAYLOAD), EXTRA in said or bool(beyond)
    for place, (kind, values) in enumerate(zip(said["kind"], zip(*decoded.values(), strict=True), strict=True)):
        row = dict(zip(names[kind], picks[kind](values), strict=True))
        if payloads is not None and payloads[place] is not None:
            row[PAYLOAD] = payloads[place]
        if has_extra and (extra := _extra(header.shapes[kind], said, beyond, place)):
            row[EXTRA] = extra
        yield row


def _decoded(column: StorageColumn, said: Mapping[str, list[Any]], header: Header) -> list[Any]:
    """The values of a column of the vocabulary."""
    if column.sort == "set":
        words = zip(*(said[word_name(column.column, k)] for k in range(header.parameters().words)), strict=True)
        sets = cache(members)
        return [None if word[0] is None else sets(word) for word in words]
    if column.sort == "factors":
        factors = cache(unpack_factors)
        return [None if value is None else factors(value) for value in said[column.name]]
    return said[column.name]


def _extra(shape: EventShape, said: Mapping[str, list[Any]], beyond: list[str], place: int) -> dict[str, Any]:
    text = said[EXTRA][place] if EXTRA in said else None
    extra = {} if text is None else dict(mapping(EXTRA, decode(text)))
    extra.update({name: said[name][place] for name in beyond if said[name][place] is not None})
    if extra and (clash := extra.keys() & {*COMMON, *(field.name for field in shape.fields)}):
        raise Duplicated(f"field {min(clash)!r} stands twice", "it is also an unknown field", "drop the unknown one")
    return extra_of(extra)


def count_unknown(table: Any) -> Counter[str]:
    """How many times each unknown field occurs in a table of unknown columns.

    Raises:
        TraceError: one of its kinds, if ``extra`` is no JSON object.
    """
    found = Counter({name: len(table) - table[name].null_count for name in table.column_names if name != EXTRA})
    if EXTRA in table.column_names:
        texts = table[EXTRA].drop_null().to_pylist()
        found.update(name for text in texts for name in mapping(EXTRA, decode(text)))
    return Counter({name: times for name, times in found.items() if name not in FOR_PEOPLE})


def with_recorders(table: Any, header: Header) -> Any:
    """The table with recorders as numbers of the header's names.

    Raises:
        UnknownRecorder: one of them is not declared there.
    """
    place = table.column_names.index("recorder")
    codes = pa.array(recorder_codes(table.column(place), header), pa.int32())
    recorders = pa.DictionaryArray.from_arrays(codes, pa.array(list(header.recorders), pa.string()))
    return table.set_column(place, pa.field("recorder", RECORDER, nullable=False), recorders)


def whole(column: Any) -> Any:
    """A column as one array; only a column in several pieces is copied."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def recorder_codes(column: Any, header: Header) -> Any:
    """For each event, its recorder's place in the header, as numbers of 32 bits.

    Raises:
        UnknownRecorder: one of them is not declared there.
    """
    array = whole(column)
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    order = {name: number for number, name in enumerate(header.recorders)}
    codes = np.array([order.get(name, -1) for name in encoded.dictionary.to_pylist()] or [0], np.int32)
    used = codes[encoded.indices.to_numpy(zero_copy_only=False)]
    if (used < 0).any():
        name = array[int((used < 0).argmax())].as_py()
        raise UnknownRecorder(f"recorder {name!r:.60}", "the header does not declare it", "add it to the header")
    return used
