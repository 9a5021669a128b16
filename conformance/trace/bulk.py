"""JSON lines in bulk: many lines decoded at once into one batch of columns, as long as nothing about them is odd.

``conformance.trace.rows`` says what a line means, and what is wrong with it. Here lines are only read faster: whatever
is not exactly the plain case (fields that this version does not know, names that stand twice, blanks before a colon,
anything that the format does not allow) is left to it, line by line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from io import BytesIO
from itertools import chain, repeat
from operator import attrgetter, is_, itemgetter, or_
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import UNSET, UnsetType
from msgspec.structs import astuple

from conformance.trace.arrow import batches_of, stored, type_of
from conformance.trace.blocks import whole_blocks
from conformance.trace.errors import TraceError
from conformance.trace.fields import EXTRA, PAYLOAD, SERVED_BY, EventShape, FieldShape, shapes_of
from conformance.trace.files import opened, placed
from conformance.trace.header import Header
from conformance.trace.json_text import encode
from conformance.trace.jsonl import END, LIMIT, Lines, first_line, numbered, read_events
from conformance.trace.rows import factors
from conformance.trace.typed import LOW
from spec.columns.column import Array
from spec.language.family import Family
from spec.language.parameters import mask, pack_factors
from spec.language.schema import word_name
from spec.language.universes import Universe

SORTS: Final[Mapping[str, Any]] = {"int": int, "set": tuple[int, ...], "factors": dict[str, int]}
LEFT_OUT: Final[Mapping[str, Any]] = {"int": LOW, "set": UNSET, "factors": UNSET}
"""What stands for a field that is left out. A line that says this number itself seems to have a name too many."""

TEXTS: Final = {PAYLOAD: str | None | UnsetType, SERVED_BY: str | None | UnsetType}
NAME: Final = b'":'
"""What stands behind each name of a field, and seldom elsewhere."""

BLOCK: Final = 1 << 22
"""Bytes that are decoded at once."""

COUNTS: Final = f'{{"{END}":'.encode()
"""How a line begins that counts the events."""

BLANKS: Final = (b" ", b"\t", b"\r")
END_OF_LINE: Final = ord("\n")


class _Odd(Exception):
    """Something is not the plain case."""


def _struct(shape: EventShape) -> type[msgspec.Struct]:
    """The type of one kind of event, numbers first; ``LEFT_OUT`` stands for what is left out, None for a null."""
    fields: list[Any] = [
        (one.name, SORTS[one.sort] | None | UnsetType, LEFT_OUT[one.sort])
        if one.optional
        else (one.name, SORTS[one.sort])
        for one in sorted(shape.fields, key=lambda one: one.sort != "int")
    ]
    texts = [(name, sort, UNSET) for name, sort in TEXTS.items()]
    return msgspec.defstruct(
        shape.word,
        [*fields, ("recorder", str), *texts],
        tag_field="kind",
        tag=shape.word,
        forbid_unknown_fields=True,
        kw_only=True,
        gc=False,
    )


@cache
def structs_of(family: Family) -> Mapping[type[msgspec.Struct], EventShape]:
    """The types of all kinds of event of a family."""
    return {_struct(shape): shape for shape in shapes_of(family).values()}


def read_batches(path: Path) -> Iterator[Any]:
    """The events of a trace in JSON lines as batches, checked; memory does not grow with the file.

    Raises:
        TraceError: one of its kinds, with the line, for whatever is wrong.
    """
    try:
        with placed(path), opened(path) as file:
            yield from _batches(file)
    except TraceError:
        for _ in read_events(path):  # names the line
            pass
        raise


def _batches(file: BinaryIO) -> Iterator[Any]:
    lines = Lines(first_line(file))
    yield from batches_of_lines(lines, file)
    lines.end()


def batches_of_lines(lines: Lines, file: BinaryIO) -> Iterator[Any]:
    """The events of all further lines as batches, checked.

    Raises:
        TraceError: one of its kinds, without the line, for whatever is wrong.
    """
    plain = Bulk(lines.first.header)
    for block in _blocks(file):
        batch = None if lines.ended else plain.batch(block)
        if batch is None:
            events = (lines.read(line) for _, line in numbered(BytesIO(block), 0))
            yield from batches_of((event for event in events if event is not None), lines.first.header)
        else:
            lines.count += len(batch)
            yield batch


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """All further bytes in blocks of whole lines; a line that counts the events stands alone."""
    rest = b""
    while len(rest) <= LIMIT and (read := file.read(BLOCK)):
        whole, end, rest = (rest + read).rpartition(b"\n")
        yield from filter(None, _parted(whole + end, whole.rfind(b"\n") + 1))
    if rest:
        yield rest


def _parted(block: bytes, last: int) -> tuple[bytes, ...]:
    """A block and, apart from it, its last line if that counts the events."""
    return (block[:last], block[last:]) if block.startswith(COUNTS, last) else (block,)


class Bulk:
    """Makes batches of one trace.

    Args:
        header: says who records, how many members there are, and what numbers may be.
    """

    def __init__(self, header: Header) -> None:
        self.columns, self.blocks = stored(header), whole_blocks(header)
        self.parameters = header.parameters()
        self.words = self.parameters.words
        self.recorders = list(header.recorders)
        self.codes = {name: code for code, name in enumerate(self.recorders)}
        self.masks: dict[int, _Masks] = {}
        self.structs = structs_of(header.family)
        self.kinds = {struct: shape.kind for struct, shape in self.structs.items()}
        self.decoder = msgspec.json.Decoder(reduce(or_, self.structs))

    def batch(self, lines: bytes) -> Any | None:
        """The batch of whole lines, checked; None if any of them is not the plain case, or wrong."""
        if len(lines) > LIMIT:
            return None
        try:
            events = self.decoder.decode_lines(lines)
            if not _one_a_line(lines, len(events)):
                return None
            batch = self._batch(events, lines)
            self.blocks.of(batch)
        except (_Odd, TraceError, msgspec.MsgspecError, UnicodeDecodeError, OverflowError, RecursionError):
            return None
        return batch

    def _batch(self, events: Sequence[Any], lines: bytes) -> Any:
        """The events as a batch, if they have all names of fields that their lines have."""
        kinds = np.fromiter(map(self.kinds.__getitem__, map(type, events)), np.int64, len(events))
        filling, objects = _Filling(self, kinds), np.fromiter(events, np.object_, len(events))
        for shape in self.structs.values():
            if (rows := np.flatnonzero(kinds == shape.kind)).size:
                filling.fill(shape, rows, objects[rows].tolist())
        arrays, names = filling.arrays(events), pairs(lines, NAME)
        if filling.names != names:
            arrays |= filling.texts(events)
        if filling.names != names:
            raise _Odd
        return pa.RecordBatch.from_pydict(arrays)

    def masks_of(self, universe: Universe) -> _Masks:
        """The mask words of sets of members of a universe."""
        size = self.parameters.size_of(universe)
        return self.masks.setdefault(size, _Masks(size, self.words))


class _Masks(dict[tuple[int, ...], tuple[int, ...]]):
    """For each set that was asked for, its mask words.

    Args:
        size: how many members there may be.
        words: mask words of a set.
    """

    def __init__(self, size: int, words: int) -> None:
        self.size, self.words = size, words

    def __missing__(self, members: tuple[int, ...]) -> tuple[int, ...]:
        """Work out those of a set."""
        said = frozenset(members)
        if len(said) < len(members) or not all(0 <= one < self.size for one in said):
            raise _Odd
        self[members] = found = mask(said, self.words)
        return found


def _one_a_line(lines: bytes, events: int) -> bool:
    """Whether each line is one object, and each name of a field is followed by its colon."""
    ends = np.count_nonzero(np.frombuffer(lines, np.uint8) == END_OF_LINE)
    apart = ends == pairs(lines, b"}\n") == events and pairs(lines, b"\n{") == events - 1
    return apart and not any(blank in lines and blank + b":" in lines for blank in BLANKS)


def pairs(lines: bytes, pair: bytes) -> int:
    """How often two bytes stand side by side, several times as fast as ``bytes.count`` where that is often."""
    wanted = np.frombuffer(pair, np.uint16)[0]
    both = (np.frombuffer(lines, np.uint16, (len(lines) - begin) // 2, begin) for begin in (0, 1) if len(lines) > begin)
    return sum(int(np.count_nonzero(words == wanted)) for words in both)


class _Filling:
    """The columns of one batch while events are entered, kind by kind.

    Attributes:
        names: how many names of fields the events entered so far have.
    """

    def __init__(self, bulk: Bulk, kinds: Array) -> None:
        self.bulk, self.size, self.names = bulk, len(kinds), 0
        self.values = {
            one.name: np.zeros(self.size, type_of(one).to_pandas_dtype()) for one in bulk.columns if one.bits
        }
        self.values["kind"][:] = kinds
        self.unknown: dict[str, Array] = {}

    def fill(self, shape: EventShape, rows: Array, events: Sequence[Any]) -> None:
        """Enter the events of one kind, which stand in these rows."""
        self.names += len(events) * 2
        for field, said in self._numbers([field for field in shape.fields if field.sort == "int"], events):
            self.names += len(rows)
            if field.optional and (missing := said == LEFT_OUT["int"]).any():
                self.names -= int(missing.sum())
                self._note(field.column, rows[missing])
                said[missing] = 0
            self._enter(field.column, rows, said)
        for field in shape.fields:
            if field.sort == "set" and field.universe is not None:
                masks = self.bulk.masks_of(field.universe)
                words = list(map(masks.__getitem__, self._known(field, rows, events)))
                for word in range(self.bulk.words):
                    self._enter(word_name(field.column, word), rows, numbers(map(itemgetter(word), words), len(rows)))
            elif field.sort == "factors":
                known = self._known(field, rows, events)
                self.names += sum(map(len, known))
                packed = (pack_factors(factors(field.name, one)) for one in known)
                self._enter(field.column, rows, numbers(packed, len(rows)))

    def _numbers(self, fields: Sequence[FieldShape], events: Sequence[Any]) -> Iterator[tuple[FieldShape, Array]]:
        """What events say in each of some fields of numbers; the same in place of nulls as of what is left out."""
        if not fields:
            return iter(())
        size = len(events) * len(fields)
        try:
            said = numbers(first_values(len(fields), events), size)
        except TypeError:  # there are nulls
            values = list(first_values(len(fields), events))
            self.names += values.count(None)
            said = numbers((LEFT_OUT["int"] if one is None else one for one in values), size)
        return zip(fields, said.reshape(-1, len(fields)).T, strict=True)

    def _enter(self, column: str, rows: Array, said: Array) -> None:
        """Put numbers into a column."""
        self.values[column][rows] = kept = said.astype(self.values[column].dtype)
        if (kept != said).any():
            raise _Odd

    def _known(self, field: FieldShape, rows: Array, events: Sequence[Any]) -> list[Any]:
        """The sets or factors that events say in a field, empty for what is not known, which is noted."""
        said = list(map(attrgetter(field.name), events))
        left_out = sum(map(is_, said, repeat(UNSET)))
        self.names += len(said) - left_out
        if not left_out and None not in said:
            return said
        known = [one is not UNSET and one is not None for one in said]
        missing = rows[~np.array(known)]
        for word in range(self.bulk.words if field.sort == "set" else 1):
            self._note(word_name(field.column, word), missing)
        nothing: Any = {"set": (), "factors": {}}[field.sort]
        return [one if is_known else nothing for one, is_known in zip(said, known, strict=True)]

    def _note(self, column: str, rows: Array) -> None:
        """Note that a column is not known in some rows."""
        self.unknown.setdefault(column, np.zeros(self.size, bool))[rows] = True

    def arrays(self, events: Sequence[Any]) -> dict[str, Any]:
        """All columns of the batch but texts."""
        said = map(attrgetter("recorder"), events)
        try:
            codes = np.fromiter(map(self.bulk.codes.__getitem__, said), np.int32, self.size)
        except KeyError:
            raise _Odd from None
        recorders = pa.DictionaryArray.from_arrays(pa.array(codes), self.bulk.recorders)
        return {
            one.name: pa.array(self.values[one.name], mask=self.unknown.get(one.name)) if one.bits else recorders
            for one in self.bulk.columns
        }

    def texts(self, events: Sequence[Any]) -> dict[str, Any]:
        """The columns of texts, where there are any."""
        found = dict[str, Any]()
        for name in TEXTS:
            said = list(map(attrgetter(name), events))
            self.names += len(said) - sum(map(is_, said, repeat(UNSET)))
            column, text = (EXTRA, _extra) if name == SERVED_BY else (name, _plain)
            texts = [None if one is UNSET else text(one) for one in said]
            if texts.count(None) < len(texts):
                found[column] = pa.array(texts, pa.string())
        return found


def first_values(count: int, events: Sequence[Any]) -> Iterator[Any]:
    """What events of one kind say in so many of their first fields, event by event."""
    return chain.from_iterable(map(itemgetter(slice(count)), map(astuple, events)))


def numbers(said: Iterable[int], size: int) -> Array:
    """So many numbers of 64 bits with sign."""
    return np.fromiter(said, np.int64, size)


def _plain(text: str | None) -> str | None:
    return text


def _extra(served_by: str | None) -> str:
    return encode({SERVED_BY: served_by}).decode()
