"""Domains of a protocol text: so many elements of each sort, and exactly these sets in each family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Row, State
from spec.language.protocol.text import Protocol


@dataclass(frozen=True)
class Domains:
    """What the sorts of a text stand for; whether that fits the text is another question.

    Args:
        protocol: the text.
        sizes: how many elements each sort has that is no family.
        families: the sets of each family.
    """

    protocol: type[Protocol]
    sizes: Mapping[type[Sort], int]
    families: Mapping[type[Family[Any]], Sequence[frozenset[int]]] = field(default_factory=dict)

    def elements(self, sort: type[Sort]) -> range:
        """The elements of a sort."""
        return range(len(self.families[sort]) if issubclass(sort, Family) else self.sizes[sort])

    def rows(self, sorts: Iterable[type[Sort]]) -> Iterator[Row]:
        """Every row of these sorts."""
        return product(*(self.elements(sort) for sort in sorts))

    @cached_property
    def start(self) -> State:
        """Nothing has happened yet."""
        return State.of(dict.fromkeys(self.protocol.relations, ()))
