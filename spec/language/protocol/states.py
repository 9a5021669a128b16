"""Finite domains for the sorts of a protocol text, the states that it has in them, and the steps between these.

Elements are numbers from 0; named elements come first, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

from spec.language.protocol.clauses import Clause
from spec.language.protocol.sorts import Family, Order, Sort
from spec.language.protocol.text import Protocol

Row: TypeAlias = tuple[int, ...]
"""Elements, one for each column of a relation or each parameter of a clause."""

Rows: TypeAlias = AbstractSet[Row]
"""Rows of one relation, which do not change."""


@dataclass(frozen=True)
class State(Mapping[str, Rows]):
    """A frozen state: the rows of each relation."""

    relations: tuple[tuple[str, Rows], ...]

    @cached_property
    def _by_name(self) -> dict[str, Rows]:
        return dict(self.relations)

    def __getitem__(self, name: str) -> Rows:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self.relations)

    def __hash__(self) -> int:
        return hash(self.relations)

    @staticmethod
    def of(relations: Mapping[str, Iterable[Row]]) -> State:
        """The state with these rows."""
        return State(tuple((name, frozenset(rows)) for name, rows in relations.items()))


@dataclass(frozen=True)
class Step:
    """An action with its arguments."""

    action: Clause
    args: Row

    def __str__(self) -> str:
        names = (element_name(param.var.sort, one) for param, one in zip(self.action.params, self.args, strict=True))
        return self.with_names(names)

    def with_names(self, names: Iterable[str]) -> str:
        """The action as a call, its arguments by these names."""
        said = (
            name if name.startswith(param.name) else f"{param.name}={name}"
            for param, name in zip(self.action.params, names, strict=True)
        )
        return f"{self.action.name}({', '.join(said)})"


def element_name(sort: type[Sort], element: int) -> str:
    """What an element is called: by its name, or by its sort and number; in orders always so, which tells its place."""
    named = () if issubclass(sort, Order) else sort.constants
    return named[element] if element < len(named) else f"{sort.__name__.lower()}{element}"


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
