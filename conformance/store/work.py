"""Work on a store that others can do: reading a slice, joining new events with a range, and judging a range.

Each gives little and leaves files under names that follow from their content, so it can be done again, or twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from conformance.store.lookups import answer_of, asked_of, asking
from conformance.store.numbers_seen import Stretches, stretches_of
from conformance.store.parts_kept import Part, write_gathered, write_part
from conformance.store.ranges import (
    Range,
    cuts_of,
    in_order,
    joined,
    place_of,
    read_range,
    split,
    with_a_place,
    write_range,
)
from conformance.store.sources import Slice, read_slice
from conformance.trace import parquet
from conformance.trace.arrow import whole, with_recorders
from conformance.trace.blocks import numbers
from conformance.trace.files import atomic
from conformance.trace.header import Header
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


@dataclass(frozen=True)
class Run:
    """Rows of a sorted file of new events."""

    path: Path
    begin: int
    end: int


@dataclass(frozen=True)
class Taken:
    """What a slice has: how many events, with which numbers, up to what time, and for which range of each layer."""

    slice: Slice
    events: int
    told: int | None
    numbers: Stretches
    latest_ns: int
    runs: dict[str, dict[int, Run]]


def take_in(intake: Intake, slice_: Slice) -> Taken:
    """Read a slice and leave its events in the order of each layer.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the slice.
    """
    said = read_slice(slice_, intake.header)
    table = None if said.table is None else with_recorders(_of_others(said.table), intake.header)
    if table is None or not len(table):
        return Taken(slice_, 0, said.told, {}, 0, {})
    recorder = whole(table["recorder"]).indices.to_numpy()
    runs: dict[str, dict[int, Run]] = {}
    for layer, firsts in intake.layers:
        some = table if layer.kinds is None else with_a_place(table, layer.order, layer.kinds)
        if len(some):
            path = intake.folder / f"{slice_.name}-{slice_.begin}-{layer.name}.arrow"
            runs[layer.name] = _left(path, in_order(some, layer.order, intake.header), layer, firsts, intake.header)
    times = numbers(table["time_ns"]) if "time_ns" in table.column_names else None
    known = None if times is None else times.value if times.known is None else times.value[times.known]
    latest = int(known.max()) if known is not None and known.size else 0
    stretches = stretches_of(recorder, numbers(table["seq"]).value, list(intake.header.recorders))
    return Taken(slice_, len(table), said.told, stretches, latest, runs)


def _of_others(table: Any) -> Any:
    """The events that books have not added."""
    names = whole(table["recorder"]).dictionary.to_pylist()
    if BOOKS not in names:
        return table
    return table.filter(pa.array(whole(table["recorder"]).indices.to_numpy() != names.index(BOOKS)))


def _left(path: Path, table: Any, layer: Layer, firsts: Sequence[TracePosition], header: Header) -> dict[int, Run]:
    cuts = cuts_of(table, layer.order, header, firsts)
    with (
        atomic(path) as unfinished,
        pa.ipc.new_file(str(unfinished), table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as file,
    ):
        file.write_table(table)
    return {number: Run(path, begin, end) for number, (begin, end) in enumerate(pairwise(cuts)) if begin < end}


@dataclass(frozen=True)
class Growth:
    """A range and what is new in it."""

    layer: Layer
    range: Range
    runs: tuple[Run, ...]


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
    order, header = growth.layer.order, growing.header
    tables = [_rows_of(run) for run in growth.runs]
    if growth.range.rows:
        tables.insert(0, read_range(growing.folder, growth.range, header))
    found = joined(tables, order, header)
    if found.doubled and len(found.table) == growth.range.rows:
        return Grown((growth.range,), found.doubled)
    return Grown(cut(found.table, growth.range.first, growing, order), found.doubled)


def cut(table: Any, first: TracePosition | None, growing: Growing, order: Order) -> tuple[Range, ...]:
    """Keep a table in order as ranges, of which the first begins at this place."""
    cuts, found = split(table, order, growing.header, growing.length), list[Range]()
    for begin, end in pairwise(cuts):
        here = first if not begin else place_of(table, begin, order, growing.header)
        found.append(write_range(growing.folder, table.slice(begin, end - begin), here, growing.header))
    return tuple(found)


def _rows_of(run: Run) -> Any:
    with pa.memory_map(str(run.path)) as source, pa.ipc.open_file(source) as file:
        return file.read_all().slice(run.begin, run.end - run.begin).combine_chunks()


@dataclass(frozen=True)
class Looking:
    """What gathering takes: the folders of events and of what was found, and the rules of all layers."""

    events: Path
    found: Path
    header: Header
    rules: tuple[Rule, ...]


def gather_range(looking: Looking, named: tuple[Range, str]) -> None:
    """Leave what a range says of dimensions under a name."""
    range_, name = named
    dimensions = dimensions_of(looking.rules)
    raws = parquet.read_kinds(parquet.parts_of(range_.path(looking.events)), needed_of_kinds(dimensions))
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
    """Judge a range and leave its part."""
    rules, parameters = asked.layer.rules, judging.header.parameters()
    parts = parquet.parts_of(asked.range.path(judging.events))
    columns = frozenset({*needed_columns(rules), *asked.layer.order.stored})
    raws = parquet.read_raws(parts, columns, in_order=False)
    tables = asking(judging.tables)
    runs = check_run(rules, raws, parameters, tables, begins=asked.range.first is None)
    summary = deque(runs, maxlen=1)[0]
    looked_up = asked_of(tables)
    write_part(judging.found / asked.name, Part(summary, looked_up, answer_of(looked_up, judging.tables)))
