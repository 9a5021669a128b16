"""A first look at a trace by tasks: which kinds of event occur, what rows look up, and where events stand.

It reads the columns that this takes, and of the events that tables are made of those that they say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from conformance.trace import parquet
from conformance.trace.blocks import Blocks
from conformance.trace.errors import Empty
from conformance.trace.files import placed
from conformance.trace.open import Parquet
from spark_checks.any_order.ranges import Places
from spark_checks.tasks import Row, from_part, over, parts_of, to_part
from spec.columns.column import Mask, Raw
from spec.columns.dimensions import Gathered, Tables, gather_piece, join_gathered
from spec.columns.piece import are_of, kinds_of
from spec.columns.plan import needed_of_kinds
from spec.language.declare import Dimension
from spec.language.orders import Order

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAMPLE: Final = 1 << 17
"""Events whose places are looked at, about."""


class Group(NamedTuple):
    """One row group of one file."""

    part: parquet.TraceFile
    number: int

    def read(self, blocks: Blocks) -> Raw:
        """Some columns, checked.

        Raises:
            TraceError: one of its kinds, with the place, for whatever is wrong.
        """
        with placed(self.place):
            return blocks.of(parquet.read_group(self.part, self.number, blocks.names))

    @property
    def partitions(self) -> tuple[int, int] | None:
        """The least and the greatest partition of an event, where the file tells."""
        return self.part.partitions[self.number]

    @property
    def rows(self) -> int:
        """How many events it has."""
        return self.part.groups[self.number]

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{self.part.path}, row group {self.number}"


def groups_of(trace: Parquet) -> tuple[Group, ...]:
    """The row groups of a trace that have events, in order.

    Raises:
        Empty: there is none.
    """
    found = tuple(Group(part, number) for part in trace.parts for number, rows in enumerate(part.groups) if rows)
    if not found:
        raise Empty("no event", "the trace has no rows", "check whether the recorders were on").at(trace.path)
    return found


def files_of(groups: Iterable[Group]) -> tuple[parquet.TraceFile, ...]:
    """The files of some row groups, as if they had no others: each is opened once, and small row groups are joined."""
    numbers, parts = defaultdict[Path, set[int]](set), dict[Path, parquet.TraceFile]()
    for part, number in groups:
        parts[part.path] = part
        numbers[part.path].add(number)
    return tuple(part.only(numbers[path]) for path, part in parts.items())


class InOrder(NamedTuple):
    """The events that have a place in an order, of some kinds.

    Attributes:
        order: the order.
        kinds: their kinds.
    """

    order: Order
    kinds: frozenset[int]

    def are(self, raw: Raw) -> Mask:
        """Which of some events they are."""
        found = are_of(raw["kind"].value, tuple(self.kinds))
        for name in (self.order.partition, self.order.place):
            known = raw[name].known
            found = found if known is None else found & known
        return found

    def places(self, raw: Raw) -> Places:
        """Where each of some events stands."""
        return Places(raw[self.order.partition].value.astype(np.int64, copy=False), raw[self.order.place].value)


class Look(NamedTuple):
    """What the first look at a trace shows.

    Attributes:
        kinds: the kinds of event that occur.
        tables: what rows look up.
        samples: of each order that was asked for, where some of its events stand.
    """

    kinds: frozenset[int]
    tables: Tables
    samples: tuple[Places, ...]


def look(
    session: SparkSession, trace: Parquet, dimensions: Sequence[type[Dimension]], orders: Sequence[InOrder] = ()
) -> Look:
    """Look at a trace that is about to be judged by rules.

    Args:
        session: where to run.
        trace: at a path that all workers can read.
        dimensions: what is to be gathered from the whole trace.
        orders: of which samples are wanted: in all a hundred thousand events of each, about.

    Raises:
        TraceError: one of its kinds, with the place, for whatever is wrong with what is read.
    """
    groups, header = groups_of(trace), trace.header
    parameters, wanted = header.parameters(), needed_of_kinds(dimensions)
    columns = frozenset({"kind"}.union(*({one.order.partition, one.order.place} for one in orders)))
    begins = list(accumulate((one.rows for one in groups), initial=0))
    step = max(1, begins[-1] // SAMPLE)

    def work(numbers: Iterator[int]) -> Iterator[Row]:
        mine = list(numbers)
        if not mine:
            return
        files, begin = files_of(groups[number] for number in mine), begins[mine[0]]
        here, samples = set[int](), list[list[Places]]()
        for raw in parquet.read_raws(files, columns, in_order=False):
            here.update(kinds_of(raw["kind"].value))
            samples.append([_sample(raw, one, -begin % step, step) for one in orders])
            begin += len(raw["kind"].value)
        raws = parquet.read_kinds(files, wanted) if not here.isdisjoint(wanted) else ()
        gathered = [gather_piece(dimensions, raw, parameters) for raw in raws]
        yield {"part": to_part((here, gathered, [*map(Places.together, zip(*samples, strict=True))]))}

    found: list[tuple[set[int], list[Gathered], list[Places]]] = [
        from_part(row.part) for row in parts_of(over(session, len(groups), work))
    ]
    gathered = [one for _, several, _ in found for one in several]
    return Look(
        frozenset[int]().union(*(here for here, _, _ in found)),
        join_gathered(dimensions, gathered, parameters),
        tuple(Places.together([samples[number] for *_, samples in found]) for number, _ in enumerate(orders)),
    )


def _sample(raw: Raw, wanted: InOrder, first: int, step: int) -> Places:
    """Where each so-manieth event stands, if it is one of those that are wanted."""
    some = {name: column.take(slice(first, None, step)) for name, column in raw.items()}
    here, places = wanted.are(some), wanted.places(some)
    return Places(places.partition[here], places.position[here])
