"""Compact: columns of whole numbers in as little memory as their values need.

Numbers are kept in as few bytes as hold them all; one number that stands in all rows is kept once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from spec.columns.column import Array, Column, end_to_end, is_one_number, of_one_number

WIDTHS: Final = (np.int8, np.int16, np.int32)
"""The types that are narrower than 64 bits."""


def compact(column: Column, *, is_number: bool) -> Column:
    """The same column in as few bytes as hold it; of sets no more than that all are one is made use of."""
    known = None if column.known is None or column.known.all() else column.known
    return Column(_compact(column.value, is_number=is_number), known)


def _compact(value: Array, *, is_number: bool) -> Array:
    if value.ndim > 1 or not len(value):
        return value
    low, high = int(value.min()), int(value.max())
    if low == high:
        return of_one_number(value[0], len(value))
    fitting = (width for width in WIDTHS if np.iinfo(width).min <= low and high <= np.iinfo(width).max)
    return value.astype(next(fitting, value.dtype) if is_number else value.dtype, copy=False)


def compact_end_to_end(columns: Sequence[Column]) -> Column:
    """The rows of several compact columns, one after another."""
    whole = end_to_end(columns)
    values = [column.value for column in columns]
    if all(is_one_number(value) and value[0] == values[0][0] for value in values):
        return whole._replace(value=of_one_number(values[0][0], len(whole.value)))
    return whole
