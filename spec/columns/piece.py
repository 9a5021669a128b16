"""Pieces: the columns of one piece of a trace, with the positions that their high and low parts make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from spec.columns.column import Array, Column, Mask, Raw, both, end_to_end
from spec.columns.mistakes import MissingColumn, NotSorted, NullKey, PositionOverflow
from spec.columns.order import changes, places, run_numbers
from spec.language.orders import POSITIONS, Order, Position
from spec.language.parameters import Parameters

BLOCK: Final = 1 << 19
"""Events judged at once: enough to make a numpy call cheap, few enough for the processor's cache."""


class TracePosition(NamedTuple):
    """A place in a trace's order."""

    partition: int
    position: int


class Piece:
    """One piece of a trace.

    Args:
        raw: the trace's own columns; NULL in an optional column is a row that is not known.
        parameters: what the trace's header fixes.
    """

    def __init__(self, raw: Raw, parameters: Parameters) -> None:
        self.raw, self.parameters = raw, parameters
        self._computed: dict[str, Column] = {}
        self.kind: Array = self.column("kind").value
        self.size = len(self.kind)
        self.kinds = kinds_of(self.kind)
        self._positions: dict[tuple[int, ...], Array | None] = {}
        self._runs: dict[tuple[str, ...], Array] = {}

    def positions(self, kinds: tuple[int, ...]) -> Array | None:
        """Where the events of some kinds are; None: everywhere."""
        here = tuple(kind for kind in kinds if kind in self.kinds)
        if here == self.kinds:
            return None
        if here not in self._positions:
            others = tuple(kind for kind in self.kinds if kind not in kinds)
            few = here if len(here) <= len(others) else others
            mask = are_of(self.kind, few)
            self._positions[here] = places(mask if few is here else ~mask)
        return self._positions[here]

    def runs(self, columns: tuple[str, ...]) -> Array:
        """The number of the run that each event lies in: in a run, events say the same in all these columns."""
        if columns not in self._runs:
            starts = changes([self.column(name).value for name in columns])
            self._runs[columns] = run_numbers(starts, self.size)
        return self._runs[columns]

    def column(self, name: str) -> Column:
        """A column by its name in the vocabulary.

        Raises:
            MissingColumn: it was not given.
            PositionOverflow: it is a position, and a part of it does not fit.
        """
        if name in POSITIONS:
            if name not in self._computed:
                self._computed[name] = self._position(POSITIONS[name])
            return self._computed[name]
        if name not in self.raw:
            raise MissingColumn(name)
        return self.raw[name]

    def certain(self, name: str) -> Array:
        """The values of a column that every event must know.

        Raises:
            NullKey: an event does not.
        """
        column = self.column(name)
        if column.known is not None and not column.known.all():
            raise NullKey(
                "NULL",
                f"column {name}, row {int(np.argmin(column.known))} of the piece",
                "an event without it has no place in the trace's order",
                "Leave the event out when the trace is recorded, or record where it belongs",
            )
        return column.value

    def _position(self, made: Position) -> Column:
        high, low = self.column(made.high), self.column(made.low)
        bits = self.parameters.low_bits
        self._fits(made.high, made, high, 63 - bits, "lower")
        self._fits(made.low, made, low, bits, "raise")
        return Column((high.value.astype(np.int64, copy=False) << bits) + low.value, both(high.known, low.known))

    def _fits(self, name: str, made: Position, column: Column, bits: int, change: str) -> None:
        value = column.value if column.known is None else column.value[column.known]
        if value.size and (value.min() < 0 or value.max() >= 1 << bits):
            worst = int(value[np.argmax((value < 0) | (value >= 1 << bits))])
            raise PositionOverflow(
                f"{worst} does not fit into {bits} bits",
                f"column {name}",
                f"{made.column} keeps {made.low} in its low {self.parameters.low_bits} of 63 bits",
                f"{change.capitalize()} how many low bits the trace's header gives {made.low}, if it is made that way",
            )

    def check_order(self, order: Order, *, by_own: bool) -> tuple[TracePosition, TracePosition]:
        """The places of the first and the last event, after checking that all are in order.

        Raises:
            NotSorted: they are not.
            NullKey: an event does not know where it stands.
        """
        partition, position = self.certain(order.partition), self.column(order.place).value
        for name in order.position.parts:
            self.certain(name)
        same = partition[1:] == partition[:-1]
        late = partition[1:] < partition[:-1]
        back = position[1:] < position[:-1]
        if back.any():
            late |= back & same
        if by_own:
            own = self.certain(order.own)
            late |= (own[1:] < own[:-1]) & same & (position[1:] == position[:-1])
        if late.any():
            row = int(np.argmax(late))
            before, here = ((int(partition[at]), int(position[at])) for at in (row, row + 1))
            raise NotSorted(
                f"({order.partition}, {order.place}) {here} comes after {before}",
                f"row {row + 1} of the piece",
                "a sorted trace is what lets a block be judged without the rest",
                f"Sort the events by {', '.join(order.stored)}",
            )
        return TracePosition(int(partition[0]), int(position[0])), TracePosition(int(partition[-1]), int(position[-1]))


def kinds_of(kind: Array) -> tuple[int, ...]:
    """The kinds that occur among these, in order; of single bytes, each is looked for, as most are soon found."""
    if kind.itemsize > 1 or not len(kind):
        return tuple(np.bincount(kind, minlength=1).nonzero()[0].tolist())
    said = kind.tobytes()
    return tuple(one for one in range(int(kind.min()), int(kind.max()) + 1) if one in said)


def are_of(kind: Array, kinds: tuple[int, ...]) -> Mask:
    """Which events are of one of these kinds."""
    found = np.zeros(len(kind), np.bool_)
    for wanted in kinds:
        found |= kind == wanted
    return found


def joined_pieces(raws: Iterable[Raw], size: int) -> Iterator[Raw]:
    """The same events, in order, in fewer pieces: small ones are joined as long as they have no more than this many."""
    waiting: list[Raw] = []
    events = 0
    for raw in raws:
        more = len(raw["kind"].value)
        if waiting and events + more > size:
            yield _one_piece(waiting)
            waiting, events = [], 0
        waiting.append(raw)
        events += more
    if waiting:
        yield _one_piece(waiting)


def _one_piece(raws: list[Raw]) -> Raw:
    if len(raws) == 1:
        return raws[0]
    return {name: end_to_end([raw[name] for raw in raws]) for name in raws[0]}


def blocks_of(raw: Raw, size: int = BLOCK) -> Iterator[Raw]:
    """The same events in blocks of this many; no event is copied."""
    for first in range(0, len(raw["kind"].value), size):
        yield {name: column.take(slice(first, first + size)) for name, column in raw.items()}
