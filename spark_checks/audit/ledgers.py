"""Metadata of ledgers in columns, and which of them no ledger is like.

The reading in columns of ``spec.ledger.metadata``: ``check`` refuses what has a fault here.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from spec.ledger.metadata import NO_ENTRY, State

Array: TypeAlias = "np.ndarray[Any, Any]"

SEGMENT: Final = pa.struct(
    [
        pa.field("first_entry", pa.int64(), nullable=False),
        pa.field("ensemble", pa.list_(pa.field("bookie", pa.int32(), nullable=False)), nullable=False),
    ]
)

SCHEMA: Final = pa.schema(
    [
        pa.field("ledger", pa.int64(), nullable=False),
        pa.field("state", pa.int32(), nullable=False),
        pa.field("ensemble_size", pa.int32(), nullable=False),
        pa.field("write_quorum", pa.int32(), nullable=False),
        pa.field("ack_quorum", pa.int32(), nullable=False),
        pa.field("last_entry", pa.int64()),
        pa.field("segments", pa.list_(pa.field("segment", SEGMENT, nullable=False)), nullable=False),
        pa.field("version", pa.int64()),
    ]
)
"""The table of ledgers: states by their numbers in BookKeeper, bookies by their rows in the table of bookies."""

UNENDED: Final = NO_ENTRY - 1
"""Stands for the end of a ledger that has none."""

UNTOLD: Final = -1
"""Stands for the version of metadata where it is not told."""

FAULTS: Final = (
    "",
    "its sizes do not fit: ensemble size >= write quorum >= ack quorum >= 1",
    "it has no segment, or one that begins before entry 0",
    "an ensemble has another size than the ledger says",
    "its segments do not ascend",
    "it has an end and is not closed, or is closed and has none",
    "an ensemble names a bookie that the table of bookies has not",
)
"""What may be wrong with metadata, by number; 0 is nothing."""

SIZES, NO_SEGMENT, WRONG_ENSEMBLE, NOT_ASCENDING, WRONG_END, NO_BOOKIE = range(1, len(FAULTS))


class Ledgers(NamedTuple):
    """The metadata of ledgers, in the order of their rows.

    Attributes:
        number: what each is called.
        state: a number of ``spec.ledger.metadata.State``.
        ensemble, write, ack: its sizes.
        last: where it ends; ``UNENDED`` where it has no end.
        begins: where its segments begin; one more number, where the last one's end.
        first: the first entry of each segment.
        member: where the ensemble of each segment begins in ``bookies``.
        bookies: the rows of bookies, ensemble by ensemble.
        version: the version of its metadata; ``UNTOLD`` where it is not told.
        faults: a number of ``FAULTS`` for each ledger.
    """

    number: Array
    state: Array
    ensemble: Array
    write: Array
    ack: Array
    last: Array
    begins: Array
    first: Array
    member: Array
    bookies: Array
    version: Array
    faults: Array

    @property
    def of_segment(self) -> Array:
        """The ledger to which each segment belongs, by its row."""
        return np.repeat(np.arange(len(self.number)), np.diff(self.begins))

    @property
    def is_closed(self) -> Array:
        """Nothing more is written to it, and it is as a ledger can be."""
        closed: Array = (self.state == State.CLOSED) & (self.faults == 0)
        return closed

    def ends_of_segments(self, *, as_shipped: bool = False) -> Array:
        """One past the last entry of each segment of closed ledgers.

        As shipped, a segment goes up to the next one even behind the end of the ledger:
        ``spec.ledger.durability.shares_as_shipped``.
        """
        of = self.of_segment
        is_last = np.ones(len(of), bool)
        is_last[:-1] = of[1:] != of[:-1]
        following = np.append(self.first[1:], 0)
        end = self.last[of] + 1
        return np.where(is_last, end, following if as_shipped else np.minimum(following, end))


def columns_of(table: Any, bookies: int) -> Ledgers:
    """The columns of rows of the table of ledgers.

    Args:
        table: rows with the columns of ``SCHEMA``.
        bookies: how many rows the table of bookies has.
    """
    number, state, ensemble, write, ack = (_numbers(table[name]) for name in SCHEMA.names[:5])
    last = _numbers(table["last_entry"].fill_null(UNENDED))
    segments = _whole(table["segments"])
    ensembles = segments.flatten().field("ensemble")
    begins, member = _begins(segments), _begins(ensembles)
    first, of_bookies = _numbers(segments.flatten().field("first_entry")), _numbers(ensembles.flatten())
    version = _numbers(table["version"].fill_null(UNTOLD))
    columns = Ledgers(
        *(number, state, ensemble, write, ack, last),
        *(begins, first, member[:-1], of_bookies),
        version,
        np.zeros(len(number), int),
    )
    return columns._replace(faults=_faults(columns, np.diff(member), bookies))


def _faults(ledgers: Ledgers, sizes: Array, bookies: int) -> Array:
    """The first fault of each ledger."""
    of, rows = ledgers.of_segment, len(ledgers.number)
    fits = (ledgers.ensemble >= ledgers.write) & (ledgers.write >= ledgers.ack) & (ledgers.ack >= 1)
    is_first = np.ones(len(of), bool)
    is_first[1:] = of[1:] != of[:-1]
    step = np.diff(ledgers.first, prepend=0)
    is_closed = ledgers.state == State.CLOSED
    known = np.isin(ledgers.state, list(State)) & (is_closed == (ledgers.last >= NO_ENTRY))
    stranger = np.repeat(np.arange(len(of)), sizes)[(ledgers.bookies < 0) | (ledgers.bookies >= bookies)]
    return np.select(
        [
            ~fits,
            (np.diff(ledgers.begins) == 0) | _any(of[ledgers.first < 0], rows),
            _any(of[sizes != ledgers.ensemble[of]], rows),
            _any(of[~is_first & (step <= 0)], rows),
            ~known,
            _any(of[stranger], rows),
        ],
        range(1, len(FAULTS)),
        0,
    )


def _any(rows: Array, count: int) -> Array:
    """Whether each of so many rows is among these."""
    found = np.zeros(count, bool)
    found[rows] = True
    return found


def _numbers(column: Any) -> Array:
    return np.asarray(_whole(column).to_numpy(zero_copy_only=False)).astype(np.int64)


def _whole(column: Any) -> Any:
    """A column in one piece."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _begins(lists: Any) -> Array:
    """Where each of some lists begins among the values of all; one more number, where the last one's end."""
    return np.concatenate(([0], np.cumsum(_numbers(lists.value_lengths()))))
