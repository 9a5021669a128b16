"""Schemas derived from the event classes: what columns a recorded trace has, and how wide they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spec.language.events import ColumnLayout, all_events, layout
from spec.language.parameters import Parameters
from spec.language.terms import Sort

KIND_BITS: Final = 8
"""Bits of the kind of an event."""


@dataclass(frozen=True, slots=True)
class StorageColumn:
    """One stored column: whole numbers with sign of this many bits, or text where ``bits`` is 0.

    Attributes:
        column: the column of the vocabulary that it keeps, or a word of.
        word: which mask word of a set it is.
        optional: the kinds in which it may hold NULL; in kinds that do not fill it, it holds 0.
    """

    name: str
    bits: int
    column: str
    word: int
    sort: Sort
    kinds: tuple[int, ...]
    optional: tuple[int, ...]


def word_name(column: str, word: int) -> str:
    """The name of one mask word of a set: the column's own name for the first."""
    return f"{column}_{word}" if word else column


def storage(base: type, parameters: Parameters) -> list[StorageColumn]:
    """The stored columns of all events below a class, sets as mask words; computed columns are not stored."""
    every = tuple(sorted(event.kind for event in all_events(base) if event.kind is not None))
    found = [
        StorageColumn("kind", KIND_BITS, "kind", 0, "int", every, ()),
        StorageColumn("recorder", 0, "recorder", 0, "int", every, ()),
    ]
    for column in layout(base).values():
        found += _words(column, parameters)
    return found


def _words(column: ColumnLayout, parameters: Parameters) -> list[StorageColumn]:
    if column.computed:
        return []
    words = parameters.words if column.sort == "set" else 1
    names = (word_name(column.name, word) for word in range(words))
    return [
        StorageColumn(name, column.bits, column.name, word, column.sort, column.kinds, column.optional)
        for word, name in enumerate(names)
    ]
