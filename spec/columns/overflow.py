"""Overflow: sums are made in 64 bits, and one that does not fit is refused. Numpy would give another number in silence.

SQL does the same: Spark's ANSI mode and DuckDB raise an error. The definition reckons without a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from spec.columns.column import Array, Column, Mask
from spec.columns.mistakes import NumberOverflow

_SAFE: Final = 1 << 62
"""Two numbers between this and its negative have a sum that fits."""

OVERFLOWS: Final[dict[str, Callable[..., Mask]]] = {
    "+": lambda _, found, a, b: ((a ^ found) & (b ^ found)) < 0,
    "-": lambda _, found, a, b: ((a ^ b) & (a ^ found)) < 0,
    "neg": lambda _, found, a: (a == found) & (a != 0),
    "first": lambda bits, found, high: found >> bits != high,
    "last": lambda bits, found, high: found >> bits != high,
}
"""Where an operation on numbers gives one that does not fit; the first argument is how many bits a low part has."""


def refuse_overflow(name: str, found: Column, args: Sequence[Column], low_bits: int) -> None:
    """Make sure that a sum is one wherever it is known.

    Raises:
        NumberOverflow: it is not.
    """
    limit = _SAFE >> low_bits if name in ("first", "last") else _SAFE
    if all(_is_between(arg.value, limit) for arg in args):
        return
    wrong = OVERFLOWS[name](low_bits, found.value, *(arg.value for arg in args))
    if found.known is not None:
        wrong = wrong & found.known
    if wrong.any():
        raise NumberOverflow(
            "a number does not fit into 64 bits",
            f"operation {name}",
            "a rule works it out of two that do, and what it is compared with would be another one",
            "Look for the numbers near 2^63 in the trace: they are hardly what was meant",
        )


def _is_between(value: Array, limit: int) -> bool:
    return value.dtype.itemsize < 8 or not value.size or (-limit <= int(value.min()) and int(value.max()) < limit)  # noqa: PLR2004 - bytes
