"""Numbers for values: equal values have one number, and comparing a million times costs no more than numbers do."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class Numbers(Generic[V]):
    """Values, numbered from 0 in the order in which they are seen first.

    Attributes:
        values: the first of all equal values, by number.
    """

    def __init__(self) -> None:
        self.values: list[V] = []
        self._number: dict[Hashable, int] = {}

    def of(self, value: V) -> int:
        """The number of a value.

        Raises:
            TypeError: something in it is neither a map, a tuple nor hashable.
        """
        number = self._number.setdefault(frozen(value), len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


def frozen(value: Any) -> Hashable:
    """A key for a value: maps count without their order, tuples of different classes differ."""
    if isinstance(value, Mapping):
        return frozenset((key, frozen(one)) for key, one in value.items())
    if isinstance(value, tuple):
        return (type(value), *map(frozen, value))
    hash(value)
    key: Hashable = value
    return key
