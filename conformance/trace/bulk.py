"""JSON lines in bulk: many lines decoded at once into one batch of columns, as long as nothing about them is odd.

``conformance.trace.rows`` says what a line means, and what is wrong with it. Here lines are only read faster: whatever
is not exactly the plain case (fields that this version does not know, names that stand twice, blanks before a colon,
anything that the format does not allow) is left to it, line by line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from io import BytesIO
from itertools import repeat
from operator import attrgetter, is_, or_
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import UNSET, UnsetType

from conformance.trace.arrow import batches_of, stored, type_of
from conformance.trace.blocks import whole_blocks
from conformance.trace.errors import TraceError
from conformance.trace.fields import EXTRA, PAYLOAD, SERVED_BY, EventShape, FieldShape, shapes_of
from conformance.trace.files import opened, placed
from conformance.trace.header import Header
from conformance.trace.json_text import encode
from conformance.trace.jsonl import END, LIMIT, Lines, first_line, numbered, read_events
from conformance.trace.rows import factors
from spec.columns.column import Array
from spec.language.family import Family
from spec.language.parameters import mask, pack_factors
from spec.language.schema import word_name
from spec.language.universes import Universe

SORTS: Final[Mapping[str, Any]] = {"int": int, "set": tuple[int, ...], "factors": dict[str, int]}
TEXTS: Final = {PAYLOAD: str | None | UnsetType, SERVED_BY: str | None | UnsetType}
NAME: Final = b'":'
"""What stands behind each name of a field, and seldom elsewhere."""

BLOCK: Final = 1 << 20
"""Bytes that are decoded at once."""

COUNTS: Final = f'{{"{END}":'.encode()
"""How a line begins that counts the events."""

BLANKS: Final = (b" ", b"\t", b"\r")


class _Odd(Exception):
    """Something is not the plain case."""


def _struct(shape: EventShape) -> type[msgspec.Struct]:
    """The type of one kind of event; ``UNSET`` stands for what is left out, None for a null."""
    needed = [(field.name, SORTS[field.sort]) for field in shape.fields if not field.optional]
    others = [(field.name, SORTS[field.sort] | None | UnsetType, UNSET) for field in shape.fields if field.optional]
    texts = [(name, sort, UNSET) for name, sort in TEXTS.items()]
    return msgspec.defstruct(
        shape.word,
        [("recorder", str), *needed, *others, *texts],
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
        self.masks: dict[int, dict[tuple[int, ...], tuple[int, ...]]] = defaultdict(dict)
        self.structs = structs_of(header.family)
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
        rows: dict[type, list[int]] = defaultdict(list)
        for row, event in enumerate(events):
            rows[type(event)].append(row)
        filling = _Filling(self, len(events))
        for struct, here in rows.items():
            filling.fill(self.structs[struct], np.array(here), [events[row] for row in here])
        said = [name for name in TEXTS if f'"{name}"'.encode() in lines]
        arrays = filling.arrays(events) | filling.texts(events, said)
        if filling.names != lines.count(NAME):
            raise _Odd
        return pa.RecordBatch.from_pydict(arrays)

    def masks_of(self, universe: Universe, sets: Sequence[tuple[int, ...]]) -> Iterator[Sequence[int]]:
        """For each mask word, that of all these sets of members of a universe."""
        masks = self.masks[size := self.parameters.size_of(universe)]
        for members in set(sets).difference(masks):
            said = frozenset(members)
            if len(said) < len(members) or not all(0 <= one < size for one in said):
                raise _Odd
            masks[members] = mask(said, self.words)
        found = list(map(masks.__getitem__, sets))
        return ([words[word] for words in found] for word in range(self.words))


def _one_a_line(lines: bytes, events: int) -> bool:
    """Whether each line is one object, and each name of a field is followed by its colon."""
    apart = lines.count(b"\n") == events and lines.count(b"}\n{") == events - 1
    return apart and not any(blank in lines and blank + b":" in lines for blank in BLANKS)


class _Filling:
    """The columns of one batch while events are entered, kind by kind.

    Attributes:
        names: how many names of fields the events entered so far have.
    """

    def __init__(self, bulk: Bulk, size: int) -> None:
        self.bulk, self.size, self.names = bulk, size, 0
        self.values = {one.name: np.zeros(size, type_of(one).to_pandas_dtype()) for one in bulk.columns if one.bits}
        self.unknown: dict[str, Array] = {}

    def fill(self, shape: EventShape, rows: Array, events: Sequence[Any]) -> None:
        """Enter the events of one kind, which stand in these rows."""
        self.values["kind"][rows] = shape.kind
        self.names += len(events) * 2
        for field in shape.fields:
            said = list(map(attrgetter(field.name), events))
            if field.optional:
                said = self._known(field, rows, said)
            else:
                self.names += len(said)
            for name, words in self._stored(field, said).items():
                self.values[name][rows] = np.array(words, self.values[name].dtype)

    def _known(self, field: FieldShape, rows: Array, said: list[Any]) -> list[Any]:
        """The values with nothing in place of what is not known, which is noted."""
        left_out = sum(map(is_, said, repeat(UNSET)))
        self.names += len(said) - left_out
        if not left_out and None not in said:
            return said
        known = [one is not UNSET and one is not None for one in said]
        missing = rows[~np.array(known)]
        words = range(self.bulk.words if field.sort == "set" else 1)
        for name in (word_name(field.column, word) for word in words):
            self.unknown.setdefault(name, np.zeros(self.size, bool))[missing] = True
        nothing: Any = {"int": 0, "set": (), "factors": {}}[field.sort]
        return [one if is_known else nothing for one, is_known in zip(said, known, strict=True)]

    def _stored(self, field: FieldShape, said: list[Any]) -> dict[str, Sequence[int]]:
        """The numbers of each stored column."""
        match field.sort:
            case "int":
                return {field.column: said}
            case "set" if field.universe is not None:
                words = enumerate(self.bulk.masks_of(field.universe, said))
                return {word_name(field.column, word): one for word, one in words}
            case _:
                self.names += sum(map(len, said))
                return {field.column: [pack_factors(factors(field.name, one)) for one in said]}

    def arrays(self, events: Sequence[Any]) -> dict[str, Any]:
        """All columns of the batch but texts."""
        codes = list(map(self.bulk.codes.get, map(attrgetter("recorder"), events)))
        if None in codes:
            raise _Odd
        recorders = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), self.bulk.recorders)
        return {
            one.name: pa.array(self.values[one.name], mask=self.unknown.get(one.name)) if one.bits else recorders
            for one in self.bulk.columns
        }

    def texts(self, events: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
        """The columns of texts with these names, where there are any."""
        found = dict[str, Any]()
        for name in names:
            said = list(map(attrgetter(name), events))
            self.names += len(said) - sum(map(is_, said, repeat(UNSET)))
            column, text = (EXTRA, _extra) if name == SERVED_BY else (name, _plain)
            texts = [None if one is UNSET else text(one) for one in said]
            if texts.count(None) < len(texts):
                found[column] = pa.array(texts, pa.string())
        return found


def _plain(text: str | None) -> str | None:
    return text


def _extra(served_by: str | None) -> str:
    return encode({SERVED_BY: served_by}).decode()
