"""Tables of coverage: for each size of a ledger, how many sets of members suffice if they answer, and the smallest.

A row is five numbers in a list, the sizes first; or parts with names, given in the row or once for all rows; or two of
them under a name with the three sizes in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from conformance.vectors.differences import differences
from spec.ledger.schedule import Quorums, covering_sets

ENSEMBLE_MAX: Final = 10
"""All subsets of the ensemble are looked at."""

_SIZES: Final = re.compile(r"\D*(\d{1,2})\D+(\d{1,2})\D+(\d{1,2})\D*")
_ROLES: Final = {
    "smallest": re.compile(r"small|min", re.IGNORECASE),
    "all": re.compile(r"total|all\b|^subsets$", re.IGNORECASE),
    "sets": re.compile(r"cover|set|count", re.IGNORECASE),
    "size": re.compile(r"^[ewa]\b|^[ewa]$|ensemble|write|ack|quorum", re.IGNORECASE),
}
"""By what its name tells: a part of a row is what the first of these says that fits."""

NamedValue = tuple[str, Any]


class Row(NamedTuple):
    """One ledger, and what is said of it.

    Attributes:
        quorums: its sizes.
        sets: how many sets of members cover.
        smallest: how many members the smallest of them has, each time that it is said.
        subsets: how many subsets there are, each time that it is said.
    """

    quorums: Quorums
    sets: int
    smallest: tuple[int, ...]
    subsets: tuple[int, ...] = ()


def table_differences(expected: Any) -> tuple[str, ...] | None:
    """How each row differs from what the schedule says; None where there are no rows of such a form."""
    inside = list(expected.values()) if isinstance(expected, Mapping) else []
    columns = next((part for part in inside if _is_header(part)), None)
    for table in (expected, *inside):
        rows = list(_rows(table, columns))
        if rows and all(rows):
            return tuple(clause for row in rows if row for clause in _compared(row))
    return None


def _compared(row: Row) -> tuple[str, ...]:
    about = f"E={row.quorums.ensemble} W={row.quorums.write} A={row.quorums.ack}"
    sets, smallest = covering_sets(row.quorums)
    told = tuple(clause for said in row.smallest for clause in differences((row.sets, said), (sets, smallest), about))
    return told + tuple(
        clause for said in row.subsets for clause in differences(said, 1 << row.quorums.ensemble, f"{about} subsets")
    )


def _is_header(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(name, str) for name in part)


def _rows(table: Any, columns: list[str] | None) -> Iterator[Row | None]:
    """Each row of a table, None for what is no row; nothing where it is no table."""
    if isinstance(table, list):
        yield from (_row(_parts(row, columns)) for row in table)
    elif isinstance(table, Mapping):
        for name, said in table.items():
            sizes = _SIZES.fullmatch(name)
            parts = _parts(said, None)
            yield _row([*(("", int(size)) for size in sizes.groups()), *parts]) if sizes and parts else None


def _parts(row: Any, columns: list[str] | None) -> list[NamedValue]:
    """The parts of a row with their names, empty where they have none; sizes may stand together in one part."""
    if isinstance(row, Mapping):
        named = list(row.items())
    elif isinstance(row, list):
        named = (
            list(zip(columns, row, strict=True)) if columns and len(columns) == len(row) else [("", one) for one in row]
        )
    else:
        return []
    first = named[0][1] if named else None
    if isinstance(first, Mapping):
        return [*first.items(), *named[1:]]
    if isinstance(first, list) and len(first) == len(("E", "W", "A")):
        return [*(("", size) for size in first), *named[1:]]
    return named


def _row(parts: list[NamedValue]) -> Row | None:
    """A row: parts without names are the sizes, the number of sets and the smallest one, which may be written out."""
    roles: dict[str, list[Any]] = {role: [] for role in _ROLES}
    unnamed = iter(["size"] * 3 if len(parts) == len(("E", "W", "A", "sets", "smallest")) or _named(parts) else [])
    rest = iter(("sets", "smallest"))
    for name, value in parts:
        role = _role(name) if name else next(unnamed, None) or next(rest, None)
        if role is None:
            return None
        roles[role].append(_number(value, may_be_list=role == "smallest"))
    sizes = [size for size in roles["size"] if size is not None and 1 <= size <= ENSEMBLE_MAX]
    said = [*roles["sets"], *roles["smallest"], *roles["all"]]
    if len(sizes) != len(("E", "W", "A")) or len(roles["sets"]) != 1 or not roles["smallest"] or None in said:
        return None
    quorums = Quorums(*sorted(sizes, reverse=True))
    return Row(quorums, roles["sets"][0], tuple(roles["smallest"]), tuple(roles["all"]))


def _named(parts: list[NamedValue]) -> bool:
    return any(name for name, _ in parts)


def _role(name: str) -> str | None:
    return next((role for role, word in _ROLES.items() if word.search(name)), None)


def _number(value: Any, *, may_be_list: bool) -> int | None:
    """A number, or how many members a list has."""
    if may_be_list and isinstance(value, list):
        return len(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
