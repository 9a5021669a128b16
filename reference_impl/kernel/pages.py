"""Pages: an immutable map from whole numbers, for states that only grow.

A change copies one page of neighbouring keys and the directory of pages, so it costs little however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Generic, TypeVar

V = TypeVar("V")

PAGE_BITS: Final = 5
"""A page holds the keys that agree in all but their lowest five bits."""


class Pages(Generic[V]):
    """An immutable map from whole numbers to values; ``with_`` and ``without`` give changed copies."""

    __slots__ = ("_pages",)

    def __init__(self, pages: Mapping[int, Mapping[int, V]] | None = None) -> None:
        self._pages: Mapping[int, Mapping[int, V]] = pages or {}

    def get(self, key: int) -> V | None:
        """The value at a key; None where there is none."""
        page = self._pages.get(key >> PAGE_BITS)
        return None if page is None else page.get(key)

    def with_(self, key: int, value: V) -> Pages[V]:
        """The same map with one value set."""
        number = key >> PAGE_BITS
        page = self._pages.get(number)
        return Pages({**self._pages, number: {key: value} if page is None else {**page, key: value}})

    def without(self, keys: Iterable[int]) -> Pages[V]:
        """The same map without some keys; keys that it does not have are ignored."""
        pages = dict(self._pages)
        for key in keys:
            number = key >> PAGE_BITS
            rest = {other: value for other, value in pages.get(number, {}).items() if other != key}
            pages[number] = rest
            if not rest:
                del pages[number]
        return Pages(pages)

    def between(self, first: int, last: int) -> list[tuple[int, V]]:
        """Keys from ``first`` to ``last``, both included, with their values, in order."""
        pages = self._pages
        low, high = first >> PAGE_BITS, last >> PAGE_BITS
        numbers = range(low, high + 1) if high - low < len(pages) else sorted(pages)
        return [
            (key, page[key])
            for number in numbers
            if low <= number <= high and (page := pages.get(number)) is not None
            for key in sorted(page)
            if first <= key <= last
        ]

    def differing(self, other: Pages[V]) -> list[int]:
        """The keys at which two maps differ, in order; pages that both share are not looked at."""
        ours, theirs = self._pages, other._pages
        pages = [(ours.get(number, {}), theirs.get(number, {})) for number in sorted(ours.keys() | theirs.keys())]
        pairs = [(one, two) for one, two in pages if one is not two]
        return [key for one, two in pairs for key in sorted(one.keys() | two.keys()) if one.get(key) != two.get(key)]

    def items(self) -> Iterator[tuple[int, V]]:
        """All keys with their values, in order."""
        for number in sorted(self._pages):
            page = self._pages[number]
            for key in sorted(page):
                yield key, page[key]

    def __len__(self) -> int:
        return sum(map(len, self._pages.values()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pages) and self._pages == other._pages

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return f"Pages({dict(self.items())})"
