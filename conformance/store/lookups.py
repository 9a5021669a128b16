"""Lookups: which rows of dimensions a part has asked for, and whether these would still say the same.

A part whose own events are as they were must be judged again only if one of these rows has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from spec.columns.column import Array, Column
from spec.columns.dimensions import Table, Tables
from spec.columns.order import changes
from spec.language.declare import Dimension

Asked: TypeAlias = dict[str, Array]
"""For each dimension by name the keys that were looked up, each once; their parts stand on axis 0."""


class Asking(Table):
    """A table that takes note of what it is asked for; what was worked out of it serves both."""

    def __init__(self, table: Table) -> None:
        vars(self).update(vars(table))
        self.asked: list[Array] = []

    def find(self, key: Sequence[Column]) -> Column:
        """As ``Table.find``."""
        values = [part.value for part in key]
        runs = changes(values)
        self.asked.append(_distinct(np.stack([value[runs].astype(np.int64) for value in values])))
        return super().find(key)


def asking(tables: Tables) -> dict[type[Dimension], Asking]:
    """Tables that take note of what they are asked for."""
    return {dimension: Asking(table) for dimension, table in tables.items()}


def asked_of(tables: Mapping[type[Dimension], Asking]) -> Asked:
    """What was looked up."""
    return {
        name_of(dimension): _distinct(np.concatenate(table.asked, axis=1))
        for dimension, table in tables.items()
        if table.asked
    }


def name_of(dimension: type[Dimension]) -> str:
    """A dimension's full name."""
    return f"{dimension.__module__}.{dimension.__qualname__}"


def answer_of(asked: Asked, tables: Tables) -> str:
    """A fingerprint of all that these keys find; that a key finds nothing is part of it."""
    named, found = {name_of(dimension): table for dimension, table in tables.items()}, blake2b(digest_size=16)
    for name, keys in sorted(asked.items()):
        found.update(name.encode())
        for array in _rows(named[name], keys):
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _rows(table: Table, keys: Array) -> Iterable[Array]:
    """What a table says under some keys: which there are, and each base column of these."""
    rows = table.find([Column(part) for part in keys]).value
    there = rows < table.size
    yield there
    for state in table.base.values():
        some = state.take(rows[there])
        size = some.value.shape[-1]
        said = np.ones(size, np.bool_) if some.said is None else some.said
        yield np.where(said, some.value, 0).astype(np.int64)
        yield said
        yield np.zeros(size, np.bool_) if some.unsure is None else some.unsure


def _distinct(keys: Array) -> Array:
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    return keys[:, changes(list(keys))]
