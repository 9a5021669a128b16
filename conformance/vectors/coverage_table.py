"""Tables of coverage: for each size of a ledger, how many sets of members suffice if they answer, and the smallest.

A row is five numbers in a list; or five parts with names; or two of them, under a name with the three sizes in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from conformance.vectors.differences import differences
from reference_impl.ledger.schedule import Quorums, covering_sets

ENSEMBLE_MAX: Final = 10
"""All subsets of the ensemble are looked at."""

_SIZES: Final = re.compile(r"\D*(\d{1,2})\D+(\d{1,2})\D+(\d{1,2})\D*")
_NAMES: Final = (re.compile("small|min", re.IGNORECASE), re.compile("cover|subset|set|count", re.IGNORECASE))
"""What tells the smallest set, and, of the others, what tells their number."""


class Row(NamedTuple):
    """One ledger, and what is said of it."""

    quorums: Quorums
    sets: int
    smallest: int


def table_differences(expected: Any) -> tuple[str, ...] | None:
    """How each row differs from what the schedule says; None where there are no rows of such a form."""
    inside = expected.values() if isinstance(expected, Mapping) else ()
    for table in (expected, *inside):
        rows = list(_rows(table))
        if rows and all(rows):
            return tuple(clause for row in rows if row for clause in _compared(row))
    return None


def _compared(row: Row) -> tuple[str, ...]:
    about = f"E={row.quorums.ensemble} W={row.quorums.write} A={row.quorums.ack}"
    return differences((row.sets, row.smallest), covering_sets(row.quorums), about)


def _rows(table: Any) -> Iterator[Row | None]:
    """Each row of a table, None for what is no row; nothing where it is no table."""
    if isinstance(table, list):
        yield from (_row(list(row.items()) if isinstance(row, Mapping) else row) for row in table)
    elif isinstance(table, Mapping):
        for name, said in table.items():
            sizes = _SIZES.fullmatch(name)
            answers = list(said.items()) if isinstance(said, Mapping) else said
            yield _row([*map(int, sizes.groups()), *answers]) if sizes and isinstance(answers, list) else None


def _row(row: Any) -> Row | None:
    """A row of numbers, or of names and numbers: the sizes come first, and the smallest set may be written out."""
    if not isinstance(row, list) or len(row) != len(("E", "W", "A", "sets", "smallest")):
        return None
    *sizes, first, second = (_number(part) for part in row)
    if _NAMES[0].search(_name(row[3])) and _NAMES[1].search(_name(row[4])):
        first, second = second, first
    known = [size for size in sizes if size is not None and 1 <= size <= ENSEMBLE_MAX]
    if len(known) != len(sizes) or first is None or second is None:
        return None
    return Row(Quorums(*sorted(known, reverse=True)), first, second)


def _name(part: Any) -> str:
    return str(part[0]) if isinstance(part, tuple) else ""


def _number(part: Any) -> int | None:
    """A number, or how many members a list has."""
    value = part[1] if isinstance(part, tuple) else part
    if isinstance(value, list):
        return len(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
