"""Work on a store that others can do: reading a slice, joining new events with a range, and judging a range.

Each gives little and leaves files under names that follow from their content, so it can be done again, or twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from conformance.store.errors import damage_named
from conformance.store.lookups import answer_of, asked_of, asking
from conformance.store.numbers_seen import Stretches, stretches_of
from conformance.store.parts_kept import RangeFindings, write_gathered, write_part
from conformance.store.ranges import (
    Range,
    cuts_of,
    in_order,
    joined,
    keys_of,
    parts_of,
    place_of,
    read_range,
    split,
    with_a_place,
    write_range,
)
from conformance.store.sources import Slice, last_of, read_slice
from conformance.trace import parquet
from conformance.trace.arrow import whole, with_recorders
from conformance.trace.blocks import numbers
from conformance.trace.files import atomic
from conformance.trace.header import Header
from conformance.trace.runs import BATCH
from spec.columns.blocks import check_run
from spec.columns.dimensions import Tables, dimensions_of, gather_piece
from spec.columns.piece import TracePosition
from spec.columns.plan import needed_columns, needed_of_kinds
from spec.language.bookkeeping import BOOKS
from spec.language.orders import Order
from spec.language.rule import Rule


@dataclass(frozen=True)
class Layer:
    """All ranges of a trace in one order.

    Attributes:
        name: what it is called.
        order: its order.
        kinds: the kinds of event that it has, if they have a place in the order; None: all.
        rules: those that judge it.
    """

    name: str
    order: Order
    kinds: tuple[int, ...] | None
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Intake:
    """What reading a slice takes.

    Attributes:
        header: the trace's.
        layers: the layers that take in what was told, each with the places at which all ranges but its first begin.
        folder: where sorted runs are left.
    """

    header: Header
    layers: tuple[tuple[Layer, tuple[TracePosition, ...]], ...]
    folder: Path


class Sheaf(NamedTuple):
    """New events that stand next to each other: a batch in a sorted file.

    Attributes:
        path: the file.
        number: of the batch in it.
        range: the number of the range that they belong to.
        first: the place of the first of them.
        rows: how many they are.
    """

    path: Path
    number: int
    range: int
    first: TracePosition
    rows: int


@dataclass(frozen=True)
class SliceContents:
    """What a slice has.

    Attributes:
        slice: which.
        events: how many events.
        told: how many its file has, if its last line counts them.
        last: a digest of the last bytes of its file up to its end.
        numbers: by which names.
        latest_ns: up to what time.
        sheaves: they, in the order of each layer.
    """

    slice: Slice
    events: int
    told: int | None
    last: str
    numbers: Stretches
    latest_ns: int
    sheaves: dict[str, list[Sheaf]]


def take_in(intake: Intake, slice_: Slice) -> SliceContents:
    """Read a slice and leave its events in the order of each layer.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the slice.
    """
    said, last = read_slice(slice_, intake.header), last_of(slice_.path, slice_.size)
    table = None if said.table is None else with_recorders(_of_others(said.table), intake.header)
    if table is None or not len(table):
        return SliceContents(slice_, 0, said.told, last, {}, 0, {})
    recorder = whole(table["recorder"]).indices.to_numpy()
    sheaves: dict[str, list[Sheaf]] = {}
    for layer, firsts in intake.layers:
        some = table if layer.kinds is None else with_a_place(table, layer.order, layer.kinds)
        if len(some):
            path = intake.folder / f"{slice_.name}-{slice_.begin}-{layer.name}.arrow"
            some = in_order(some, layer.order, intake.header)
            sheaves[layer.name] = list(_left(path, some, layer.order, firsts, intake.header))
    times = numbers(table["time_ns"]) if "time_ns" in table.column_names else None
    known = None if times is None else times.value if times.known is None else times.value[times.known]
    latest = int(known.max()) if known is not None and known.size else 0
    stretches = stretches_of(recorder, numbers(table["seq"]).value, list(intake.header.recorders))
    return SliceContents(slice_, len(table), said.told, last, stretches, latest, sheaves)


def _of_others(table: Any) -> Any:
    """The events that books have not added."""
    names = whole(table["recorder"]).dictionary.to_pylist()
    if BOOKS not in names:
        return table
    return table.filter(pa.array(whole(table["recorder"]).indices.to_numpy() != names.index(BOOKS)))


def _left(path: Path, table: Any, order: Order, firsts: Sequence[TracePosition], header: Header) -> Iterator[Sheaf]:
    """Leave a table in order, in batches of which each belongs to one range."""
    partition, position, *_ = keys_of(table, order, header)
    options, number = pa.ipc.IpcWriteOptions(compression="lz4"), 0
    with atomic(path) as unfinished, pa.ipc.new_file(str(unfinished), table.schema, options=options) as file:
        for here, (begin, end) in enumerate(pairwise(cuts_of(table, order, header, firsts))):
            for row in range(begin, end, BATCH):
                rows = min(BATCH, end - row)
                file.write_table(table.slice(row, rows), max_chunksize=BATCH)
                yield Sheaf(path, number, here, TracePosition(int(partition[row]), int(position[row])), rows)
                number += 1


@dataclass(frozen=True)
class Growth:
    """A range, or a stretch of it, and what is new there.

    Attributes:
        layer: that of the range.
        range: the range.
        first: the place at which the stretch begins; None: nothing comes before it.
        upto: the place before which it ends; None: the range ends with it.
        sheaves: batches that may have events of the stretch.
    """

    layer: Layer
    range: Range
    first: TracePosition | None
    upto: TracePosition | None
    sheaves: tuple[Sheaf, ...]


def growths(layer: Layer, ranges: Sequence[Range], sheaves: Iterable[Sheaf], length: int) -> Iterator[list[Growth]]:
    """For each range what is new in it: in several stretches if it is much."""
    new: dict[int, list[Sheaf]] = {}
    for sheaf in sheaves:
        new.setdefault(sheaf.range, []).append(sheaf)
    for number, here in enumerate(ranges):
        mine = new.get(number, [])
        cuts: list[TracePosition] = []
        if sum(sheaf.rows for sheaf in mine) > length:
            firsts = sorted(sheaf.first for sheaf in mine)
            step = max(1, len(firsts) * length // 2 // sum(sheaf.rows for sheaf in mine))
            cuts = sorted({first for first in firsts[step::step] if here.first is None or first > here.first})
        yield [
            Growth(layer, here, low, high, tuple(_between(mine, low, high)))
            for low, high in pairwise([here.first, *cuts, None])
            if mine
        ]


def _between(sheaves: Sequence[Sheaf], low: TracePosition | None, high: TracePosition | None) -> Iterator[Sheaf]:
    """The sheaves, each file's in order, that may have events between two places."""
    for sheaf, after in zip_longest(sheaves, sheaves[1:]):
        ends = after.first if after is not None and after.path == sheaf.path else None
        if (high is None or sheaf.first < high) and (low is None or ends is None or ends >= low):
            yield sheaf


@dataclass(frozen=True)
class Grown:
    """The ranges that a range has become, and how many events came again."""

    ranges: tuple[Range, ...]
    doubled: int


@dataclass(frozen=True)
class Growing:
    """What joining takes: the folder of events, the header, and how long a range may be."""

    folder: Path
    header: Header
    length: int


def grow(growing: Growing, growth: Growth) -> Grown:
    """Join new events with those of a range, and cut it where it is too long."""
    order, header, range_ = growth.layer.order, growing.header, growth.range
    is_whole = growth.upto is None and growth.first == range_.first
    tables = [_between_places(table, growth, header) for table in _batches(growth.sheaves)]
    tables = [table for table in tables if len(table)]
    if range_.rows and is_whole and not tables:
        return Grown((range_,), 0)
    if range_.rows:
        tables.insert(0, _between_places(read_range(growing.folder, range_, header), growth, header))
    if not tables:
        return Grown((), 0)
    found = joined(tables, order, header)
    if is_whole and found.doubled and len(found.table) == range_.rows:
        return Grown((range_,), found.doubled)
    return Grown(cut(found.table, growth.first, growing, order), found.doubled)


def _batches(sheaves: Iterable[Sheaf]) -> Iterator[Any]:
    for path, some in groupby(sheaves, key=attrgetter("path")):
        with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as file:
            yield pa.Table.from_batches([file.get_batch(sheaf.number) for sheaf in some]).combine_chunks()


def _between_places(table: Any, growth: Growth, header: Header) -> Any:
    order, last = growth.layer.order, len(table)
    begin = 0 if growth.first is None else cuts_of(table, order, header, [growth.first])[1]
    end = last if growth.upto is None else cuts_of(table, order, header, [growth.upto])[1]
    return table.slice(begin, end - begin)


def cut(table: Any, first: TracePosition | None, growing: Growing, order: Order) -> tuple[Range, ...]:
    """Keep a table in order as ranges, of which the first begins at this place."""
    cuts, found = split(table, order, growing.header, growing.length), list[Range]()
    for begin, end in pairwise(cuts):
        here = first if not begin else place_of(table, begin, order, growing.header)
        found.append(write_range(growing.folder, table.slice(begin, end - begin), here, growing.header))
    return tuple(found)


@dataclass(frozen=True)
class Looking:
    """What gathering takes: the folders of events and of what was found, and the rules of all layers."""

    events: Path
    found: Path
    header: Header
    rules: tuple[Rule, ...]


def gather_range(looking: Looking, named: tuple[Range, str]) -> None:
    """Leave what a range says of dimensions under a name.

    Raises:
        NoStore: its file is damaged.
    """
    range_, name = named
    dimensions = dimensions_of(looking.rules)
    with damage_named(range_.path(looking.events)):
        raws = list(parquet.read_kinds(parts_of(looking.events, range_), needed_of_kinds(dimensions)))
    parameters = looking.header.parameters()
    write_gathered(looking.found / name, (gather_piece(dimensions, raw, parameters) for raw in raws))


@dataclass(frozen=True)
class Judging:
    """What judging takes: the folders, the header, and what rows look up."""

    events: Path
    found: Path
    header: Header
    tables: Tables


@dataclass(frozen=True)
class Asked:
    """A range that is to be judged, by the rules of its layer; the part gets this name."""

    layer: Layer
    range: Range
    name: str


def judge_range(judging: Judging, asked: Asked) -> None:
    """Judge a range and leave its part.

    Raises:
        NoStore: its file is damaged.
    """
    rules, parameters = asked.layer.rules, judging.header.parameters()
    columns = frozenset({*needed_columns(rules), *asked.layer.order.stored})
    with damage_named(asked.range.path(judging.events)):
        raws = list(parquet.read_raws(parts_of(judging.events, asked.range), columns, in_order=False))
    tables = asking(judging.tables)
    runs = check_run(rules, raws, parameters, tables, begins=asked.range.first is None)
    summary = deque(runs, maxlen=1)[0]
    looked_up = asked_of(tables)
    write_part(judging.found / asked.name, RangeFindings(summary, looked_up, answer_of(looked_up, judging.tables)))
