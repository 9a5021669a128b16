"""Rows that versions share: a state that follows another by a step costs what the step changes, however much it has.

All versions of a relation share one set. It has the rows of the version that was asked last; each other version knows
how it differs from its neighbour on the way there, and takes the set over when it is asked. Source: Henry Baker,
Shallow binding makes functional arrays fast, 1991.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from spec.language.protocol.states import Row

NOTHING: frozenset[Row] = frozenset()


class Line:
    """Versions in a row, of which each has all rows of the one before; or of which each has some of them only.

    Two versions of one line are told apart by their sizes.

    Attributes:
        end: the size of the last one.
        remembered: what is true from some version of the line on.
    """

    __slots__ = ("end", "remembered")

    def __init__(self, end: int) -> None:
        self.end = end
        self.remembered: dict[Hashable, Any] = {}


class _Version:
    """A version's own set, while it is the one that has it; else how it differs from its neighbour towards that one."""

    __slots__ = ("less", "more", "neighbour", "rows")

    def __init__(self, rows: set[Row]) -> None:
        self.rows: set[Row] | None = rows
        self.neighbour: _Version | None = None
        self.more = self.less = NOTHING

    def way(self) -> list[_Version]:
        """The versions from this one to the one that has the set."""
        way: list[_Version] = [self]
        while (neighbour := way[-1].neighbour) is not None:
            way.append(neighbour)
        return way

    def own(self) -> set[Row]:
        """The set, with the rows of this version."""
        if self.rows is not None:
            return self.rows
        *way, owner = self.way()
        for one in reversed(way):
            owner.hand_over(one, one.more, one.less)
            owner = one
        return owner.own()

    def hand_over(self, other: _Version, more: frozenset[Row], less: frozenset[Row]) -> None:
        """Give the set to a neighbour, which has more rows or less."""
        rows = self.own()
        rows |= more
        rows -= less
        self.rows, self.neighbour, self.more, self.less = None, other, less, more
        other.rows, other.neighbour, other.more, other.less = rows, None, NOTHING, NOTHING

    def equals(self, other: _Version) -> bool:
        """Whether both have the same rows; of versions that share a set, only what differs is looked at."""
        mine, way = self.own(), other.way()
        if way[-1] is not self:
            return mine == other.own()
        said: dict[Row, bool] = {}
        for one in reversed(way):
            said |= dict.fromkeys(one.less, False) | dict.fromkeys(one.more, True)
        return all((row in mine) is there for row, there in said.items())


class SharedRows(AbstractSet[Row]):
    """Rows that do not change; ``|`` and ``-`` give versions of them which share all that stays.

    A version equals any set of the same rows, but its hash is its own: do not mix it with others in one dictionary.

    Attributes:
        version: where its rows are.
        size: how many there are.
        hashed: their hash.
        growing: the line of versions that it belongs to, of which each has all rows of the one before.
        shrinking: the line of which each has some of them only.
    """

    __slots__ = ("growing", "hashed", "shrinking", "size", "version")

    def __init__(self, version: _Version, size: int, hashed: int, growing: Line, shrinking: Line) -> None:
        self.version, self.size, self.hashed = version, size, hashed
        self.growing, self.shrinking = growing, shrinking

    @staticmethod
    def of(rows: Iterable[Row] = ()) -> SharedRows:
        """The first version, with these rows."""
        own = set(rows)
        return SharedRows(_Version(own), len(own), _hashed(own), Line(len(own)), Line(len(own)))

    def __len__(self) -> int:
        return self.size

    def __contains__(self, row: object) -> bool:
        return row in self.version.own()

    def __iter__(self) -> Iterator[Row]:
        return iter(tuple(self.version.own()))

    def __hash__(self) -> int:
        return self.hashed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SharedRows):
            return AbstractSet.__eq__(self, other)
        if self is other:
            return True
        return self.size == other.size and self.hashed == other.hashed and self.version.equals(other.version)

    def __or__(self, other: AbstractSet[Row]) -> SharedRows:  # type: ignore[override]  # of rows only
        """The version that has these, too; this one, if it has them."""
        more = frozenset(row for row in other if row not in self)
        size = self.size + len(more)
        return self._then(more, NOTHING, _continued(self.growing, self.size, size), Line(size)) if more else self

    def __sub__(self, other: AbstractSet[Any]) -> SharedRows:
        """The version that has none of these; this one, if it has none."""
        less = frozenset(row for row in other if row in self)
        size = self.size - len(less)
        return self._then(NOTHING, less, Line(size), _continued(self.shrinking, self.size, size)) if less else self

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> frozenset[Any]:
        return frozenset(it)

    def _then(self, more: frozenset[Row], less: frozenset[Row], growing: Line, shrinking: Line) -> SharedRows:
        self.version.own()
        then = _Version(set())
        self.version.hand_over(then, more, less)
        return SharedRows(
            then, self.size + len(more) - len(less), self.hashed ^ _hashed(more | less), growing, shrinking
        )


def _continued(line: Line, size: int, then: int) -> Line:
    """The line that goes on with a version of another size; a new one, where it goes on otherwise already."""
    if line.end != size:
        return Line(then)
    line.end = then
    return line


def _hashed(rows: Iterable[Row]) -> int:
    """A hash of rows in any order; that of rows that come or go is combined with it by ``^``."""
    found = 0
    for row in rows:
        found ^= hash(row)
    return found
