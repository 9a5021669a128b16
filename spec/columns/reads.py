"""What the terms of a plan read of a row, and which of them are worth remembering: each is looked at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from spec.language.terms import Col, Count, Lookup, Term, Var, children, rebuild


class Tabled(NamedTuple):
    """A term that only depends on what one dimension says under one key.

    Attributes:
        lookup: one of its lookups; all have the same dimension and key.
        term: the same over the dimension's columns.
    """

    lookup: Lookup
    term: Term


class LookedUp(NamedTuple):
    """What a term reads of one row of a dimension.

    Attributes:
        lookup: one of its lookups; all have the same dimension and key.
        columns: the dimension's columns that it reads.
    """

    lookup: Lookup
    columns: tuple[Col, ...]


FEW_SOURCES: Final = 2
"""A term with a count that reads so few columns is worked out once for all rows that say the same in them."""


class Parts:
    """All that lies at and below some terms in which equal terms are one object: each is looked at once.

    Attributes:
        terms: by id, each behind those below it.
        uses: how often each occurs.
        sources: what each reads of a row, by id: columns, and lookups without what is in their keys.
        counting: those with a count below them, or that are one.
        closed: those above others that say the same whatever domain a count is at.
    """

    def __init__(self, read: Sequence[Term]) -> None:
        self.terms = _below(read)
        self.uses = Counter(map(id, read))
        self.sources: dict[int, dict[int, Col | Lookup]] = {}
        self.counting, opened = set[int](), set[int]()
        for number, term in self.terms.items():
            below = [*map(id, children(term))]
            self.sources[number] = {part: source for one in below for part, source in self.sources[one].items()}
            if isinstance(term, Col | Lookup):
                self.sources[number] = {number: term}
            if isinstance(term, Count) or not self.counting.isdisjoint(below):
                self.counting.add(number)
            if isinstance(term, Var) or not opened.isdisjoint(below):
                opened.add(number)
        for number, term in reversed(self.terms.items()):
            for child in children(term):
                self.uses[id(child)] += self.uses[number]
        self.closed = {number: term for number, term in self.terms.items() if children(term) and number not in opened}

    def shared(self) -> frozenset[int]:
        """The terms that occur more than once, or are the same for all domains that a count ranges over."""
        ranged = _below(term.body for term in self.terms.values() if isinstance(term, Count))
        return frozenset(number for number in self.closed if self.uses[number] > 1 or number in ranged)

    def tabled(self) -> dict[int, Tabled]:
        """The terms that only depend on one row of a dimension."""
        found = {}
        for number, term in self.closed.items():
            different = list(_different(self.sources[number].values()).values())
            if len(different) == 1 and isinstance(lookup := different[0], Lookup):
                found[number] = Tabled(lookup, _over_table(term))
        return found

    def heavy(self, read: Iterable[Term]) -> dict[int, tuple[Col | LookedUp, ...]]:
        """The largest terms with a count that depend on few columns, or the count itself."""
        found, waiting = dict[int, tuple[Col | LookedUp, ...]](), [*read]
        while waiting:
            term = waiting.pop()
            if id(term) in self.counting and id(term) not in found:
                sources = _read([*self.sources[id(term)].values()])
                if isinstance(term, Count) or len(sources) <= FEW_SOURCES:
                    found[id(term)] = sources
                else:
                    waiting += children(term)
        return found


def _below(terms: Iterable[Term]) -> dict[int, Term]:
    """All objects at and below these terms by id, each behind those below it."""
    found: dict[int, Term] = {}

    def look(term: Term) -> None:
        if id(term) not in found:
            for child in children(term):
                look(child)
            found[id(term)] = term

    for term in terms:
        look(term)
    return found


def _different(sources: Iterable[Col | Lookup]) -> dict[object, Col | Lookup]:
    """The sources that are not the same column, or the same row of the same dimension."""
    return {(s.dimension, s.key) if isinstance(s, Lookup) else s.name: s for s in sources}


def _over_table(term: Term) -> Term:
    return Col(term.column, term.sort) if isinstance(term, Lookup) else rebuild(term, _over_table)


def _read(sources: list[Col | Lookup]) -> tuple[Col | LookedUp, ...]:
    """The different sources; of a row of a dimension all columns together."""
    columns: dict[object, dict[str, Col]] = {}
    for source in sources:
        if isinstance(source, Lookup):
            row = columns.setdefault((source.dimension, source.key), {})
            row[source.column] = Col(source.column, source.sort)
    return tuple(
        LookedUp(one, tuple(columns[one.dimension, one.key].values())) if isinstance(one, Lookup) else one
        for one in _different(sources).values()
    )
