"""What is wrong with ledgers, in columns: a row for each violation, with as much of it as people need.

The reading in columns of ``reference_impl.ledger.checker.judging.violations``. BookKeeper, BP-34, High Level Logic:
each violation is told with complete information.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from spark_checks.audit.durability import LEVELS, Missing
from spark_checks.audit.ledgers import Ledgers
from spec.ledger.violations import BY_DURABILITY, Category

Array: TypeAlias = "np.ndarray[Any, Any]"

SCHEMA: Final = pa.schema(
    [
        pa.field("ledger", pa.int64(), nullable=False),
        pa.field("category", pa.string(), nullable=False),
        pa.field("segment", pa.int64()),
        pa.field("bookies", pa.list_(pa.string()), nullable=False),
        pa.field("entries", pa.int64()),
        pa.field("first_entry", pa.int64()),
        pa.field("last_entry", pa.int64()),
        pa.field("since_ms", pa.int64()),
    ]
)
"""The table of violations: the segment by its first entry, and how many entries are concerned, the first and the last
of them; since when a mark stands."""


class Lacking(NamedTuple):
    """Entries that lack copies, by segment and level.

    Attributes:
        key: segment and level as one number, in ascending order.
        entries, first, last: how many entries, the first and the last of them.
        whose, bookie: who lacks copies: keys in ascending order, and bookies by their rows.
    """

    key: Array
    entries: Array
    first: Array
    last: Array
    whose: Array
    bookie: Array


def lacking(found: Iterable[Missing]) -> Lacking:
    """Entries that lack copies, gathered from windows of which none shares an entry with another."""
    parts = [_of_window(one) for one in found if len(one.entry)]
    if not parts:
        return Lacking(*(np.zeros(0, np.int64) for _ in Lacking._fields))
    key, entries, first, last, whose, bookie = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(key, kind="stable")
    begins = _changes(key[order])
    whose, bookie = np.unique(np.stack((whose, bookie)), axis=1)
    return Lacking(
        key[order][begins],
        np.add.reduceat(entries[order], begins),
        np.minimum.reduceat(first[order], begins),
        np.maximum.reduceat(last[order], begins),
        whose,
        bookie,
    )


def _of_window(found: Missing) -> Lacking:
    key = found.segment * len(LEVELS) + found.level
    order = np.lexsort((found.entry, key))
    ordered, entry = key[order], found.entry[order]
    is_new = np.ones(len(key), bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]) | (entry[1:] != entry[:-1])
    ordered, entry = ordered[is_new], entry[is_new]
    begins = _changes(ordered)
    ends = np.append(begins[1:], len(ordered))
    whose, bookie = np.unique(np.stack((key, found.bookie)), axis=1)
    return Lacking(ordered[begins], ends - begins, entry[begins], entry[ends - 1], whose, bookie)


def table_of(ledgers: Ledgers, found: Lacking, bookies: Any) -> Any:
    """The violations that entries without enough copies are.

    Args:
        ledgers: the metadata of all.
        found: the entries.
        bookies: what bookies are called, as an array of Arrow.
    """
    segment, level = np.divmod(found.key, len(LEVELS))
    begins = np.append(np.searchsorted(found.whose, found.key), len(found.whose)).astype(np.int32)
    words = pa.array([BY_DURABILITY[one].name for one in LEVELS if one in BY_DURABILITY])
    return table(
        ledger=ledgers.number[ledgers.of_segment[segment]],
        category=words.take(pa.array(level)),
        segment=ledgers.first[segment],
        bookies=pa.ListArray.from_arrays(pa.array(begins), bookies.take(pa.array(found.bookie))),
        entries=found.entries,
        first_entry=found.first,
        last_entry=found.last,
    )


def of_one_category(category: Category, ledger: Array, bookies: Any, **more: Any) -> Any:
    """The violations of one category: the number of each ledger, and whom each is about."""
    words = pa.array([category.name] * len(ledger), pa.string())
    return table(ledger=ledger, category=words, bookies=bookies, **more)


def table(**columns: Any) -> Any:
    """Rows of violations; columns that are not named are NULL."""
    rows = len(columns["ledger"])
    return pa.table(
        [pa.array(columns[one.name], one.type) if one.name in columns else pa.nulls(rows, one.type) for one in SCHEMA],
        schema=SCHEMA,
    )


def _changes(ascending: Array) -> Array:
    """Where each value begins."""
    return np.flatnonzero(np.concatenate(([True], ascending[1:] != ascending[:-1])))
