"""Columns: what numpy arrays say of many rows at once, where they are known, and where they may still change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""Values of rows: the last axis is rows; a set of more than 64 members has its words on the axis before."""

Mask: TypeAlias = NDArray[np.bool_]
"""One truth value for each row."""


class Bound(NamedTuple):
    """What is settled of open numbers: that they will be known, and on which side of what stands there now.

    Attributes:
        there: where this is so; open everywhere.
        falls: they may only become less, or stay; else only greater.
    """

    there: Mask
    falls: bool


class Column(NamedTuple):
    """One value for each row, or one value for all rows (an array without axes).

    Attributes:
        value: the values; what stands in a row that is not known means nothing.
        known: where the value is known; None: everywhere.
        open: where rows outside this piece of the trace may still decide it; None: nowhere. Never known as well.
        bound: what is settled of it where it is open; None: nothing.
    """

    value: Array
    known: Mask | None = None
    open: Mask | None = None
    bound: Bound | None = None

    def take(self, rows: Array | slice) -> Column:
        """The column of some of the rows, or of rows in another order."""
        bound = None if self.bound is None else self.bound._replace(there=of_rows(self.bound.there, rows))
        return Column(of_rows(self.value, rows), _take_mask(self.known, rows), _take_mask(self.open, rows), bound)

    def spread(self, size: int) -> Column:
        """The column with a value of its own for each of so many rows, and whether that is known."""
        value = self.value if self.value.ndim else np.broadcast_to(self.value, size)
        known = None if self.known is None else np.broadcast_to(self.known, size)
        return self._replace(value=value, known=known)

    def repeat(self, lengths: Array) -> Column:
        """The column with each row as often as this says."""
        return Column(
            self.value if self.value.ndim == 0 else np.repeat(self.value, lengths, axis=-1),
            None if self.known is None else np.repeat(self.known, lengths),
            None if self.open is None else np.repeat(self.open, lengths),
            None if self.bound is None else self.bound._replace(there=np.repeat(self.bound.there, lengths)),
        )


def certain(column: Column) -> Column:
    """The same column, without masks where all of it is known: every operation is cheaper then."""
    return Column(column.value) if column.known is not None and column.known.all() else column


def end_to_end(columns: Sequence[Column]) -> Column:
    """The rows of several columns, none of which has open rows, one after another."""
    known: Mask | None = None
    if any(column.known is not None for column in columns):
        sizes = [column.value.shape[-1] for column in columns]
        masks = [column.known for column in columns]
        known = np.concatenate(
            [np.ones(size, np.bool_) if mask is None else mask for mask, size in zip(masks, sizes, strict=True)]
        )
    return Column(np.concatenate([column.value for column in columns], axis=-1), known)


Raw: TypeAlias = Mapping[str, Column]
"""The columns of a piece of a trace, in its order, by their names in the vocabulary."""


def of_one_number(number: Any, size: int) -> Array:
    """One number that stands in all rows, and is kept once."""
    return np.broadcast_to(np.asarray(number), size)


def is_one_number(values: Array) -> bool:
    """Whether one number is kept for all rows."""
    return values.ndim == 1 and values.strides == (0,)


def of_rows(values: Array, rows: Array | slice) -> Array:
    """The values of some rows, on whichever axis rows are; numpy takes numbered rows of a single axis fastest."""
    if values.ndim != 1:
        return values[..., rows] if values.ndim else values
    if isinstance(rows, slice) or rows.dtype == np.bool_:
        return values[rows]
    if is_one_number(values):
        return of_one_number(values[0], len(rows)) if len(rows) else values[:0]
    return values.take(rows)


def _take_mask(mask: Mask | None, rows: Array | slice) -> Mask | None:
    return None if mask is None else of_rows(mask, rows)


def both(a: Mask | None, b: Mask | None) -> Mask | None:
    """Where both are true; None stands for true everywhere."""
    return b if a is None else a if b is None else a & b


def either(a: Mask | None, b: Mask | None) -> Mask | None:
    """Where one is true; None stands for true nowhere."""
    return b if a is None else a if b is None else a | b


def true(column: Column) -> Mask:
    """Where a truth value is known to be true."""
    return column.value if column.known is None else column.value & column.known


def false(column: Column) -> Mask:
    """Where a truth value is known to be false."""
    return ~column.value if column.known is None else ~column.value & column.known
