"""What Spark and DuckDB write differently: seven phrases. All other text is common to both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Dialect:
    """The phrases of one engine; ``{0}`` and ``{1}`` stand for operands.

    Attributes:
        name: the engine.
        bit: the mask of one bit, numbered from 0 to 63.
        shift: a number without its low bits.
        left: a number with so many zeros behind it.
        size: how many bits a mask word has.
        seen: the window function for the last known value.
        small: a hint that these joined tables fit in memory, or nothing where the engine finds out by itself.
    """

    name: str
    bit: str
    shift: str
    left: str
    size: str
    seen: str
    small: str


SPARK: Final = Dialect(
    name="spark",
    bit="shiftleft(1L, CAST({0} AS INT))",
    shift="shiftright({0}, {1})",
    left="shiftleft({0}, {1})",
    size="bit_count({0})",
    seen="last_value({0}) IGNORE NULLS",
    small=" /*+ BROADCAST({0}) */",
)
"""Spark SQL 4, ANSI mode on or off."""

DUCKDB: Final = Dialect(
    name="duckdb",
    bit="CASE WHEN {0} = 63 THEN -9223372036854775808 ELSE 1::BIGINT << CAST({0} AS INTEGER) END",  # << overflows at 63
    shift="({0} >> {1})",
    left="({0} << {1})",
    size="CAST(bit_count({0}) AS BIGINT)",  # a TINYINT, whose sum over two words overflows
    seen="last_value({0} IGNORE NULLS)",
    small="",
)
"""DuckDB 1.2 and later."""
