"""Terms over rows as SQL text, and the joins that bring in what they look up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from spec.language.declare import Dimension, Rowset
from spec.language.sql.aggregates import said
from spec.language.sql.events import EventWriter, Trace
from spec.language.sql.rowsets import gathered, names
from spec.language.sql.stages import Stages
from spec.language.sql.terms import Leaf, Words, Writer
from spec.language.terms import Agg, Col, Lookup, Sort, Term, leaves, walk
from spec.language.vocabulary import TOTAL

Keys: TypeAlias = tuple[type[Dimension], tuple[Term, ...]]
"""A table and the key under which it is looked up."""


class RowWriter(Writer):
    """Writes terms over the base and neighbour columns of a row, and over tables that are joined to it.

    Attributes:
        written: the text of each column that has none of its own.
        there: lookups that were asked for already, and found, where the text stands that is being written.
    """

    def __init__(
        self, rowset: type[Rowset], trace: Trace, tables: Mapping[Keys, str], written: Mapping[str, str]
    ) -> None:
        super().__init__(trace.dialect, trace.parameters)
        self.rowset, self.trace, self.tables, self.written = rowset, trace, tables, written
        self.there = frozenset[Term]()

    def scalar(self, term: Term, domain: Words = ()) -> str:
        """The text of a number or truth value; ``domain`` is the mask for which a bound variable stands."""
        return self._where_there(term, domain, lambda: (super(RowWriter, self).scalar(term, domain),))[0]

    def words(self, term: Term, domain: Words = ()) -> Words:
        """The texts of a value of any sort: of a set, one for each mask word."""
        return self._where_there(term, domain, lambda: super(RowWriter, self).words(term, domain))

    def if_there(self, term: Term, domain: Words = ()) -> Words:
        """The texts of a value that mean nothing where a table lacks what the term looks up."""
        before, self.there = self.there, self.there | self._needed(term)
        try:
            return self.words(term, domain)
        finally:
            self.there = before

    def _where_there(self, term: Term, domain: Words, write: Callable[[], Words]) -> Words:
        """Ask once for all that a term looks up: behind that, engines compute with values that are never NULL."""
        if isinstance(term, Lookup) and term in self.made:
            columns, nothing = self.made[term], "FALSE" if term.sort == "bool" else "0"
            return tuple(f"coalesce({column}, {nothing})" for column in columns) if term in self.there else columns
        needed = self._needed(term) - self.there
        if not needed:
            return write()
        known = " AND ".join(f"{column} IS NOT NULL" for column in sorted(self.made[lookup][0] for lookup in needed))
        return tuple(f"CASE WHEN {known} THEN {text} END" for text in self.if_there(term, domain))

    def _needed(self, term: Term) -> frozenset[Term]:
        """The lookups without which the term is NULL, if nothing else makes it NULL; all of them have columns."""
        parts = self.unknown_by(term) if self.tables else frozenset()
        return parts if all(isinstance(part, Lookup) and part in self.made for part in parts) else frozenset()

    def leaf(self, term: Leaf) -> Words:
        """The columns of the row or of a joined table, or what is read from the bits of one."""
        match term:
            case Col(name) if name in self.written:
                return (self.written[name],)
            case Col(name, sort):
                return names("c", name, sort, self.parameters.words)
            case Lookup(dimension, column, sort, key):
                table = self.tables[dimension, key]
                return tuple(f"{table}.{name}" for name in names("v", column, sort, self.parameters.words))
            case _:
                raise TypeError(f"{term} is a field of an event, not a column of a row")

    def leaf_may_be_null(self, term: Leaf) -> bool:
        """Whether the events may not say it, nor the neighbours, nor the table."""
        match term:
            case Col(name) if name in self.rowset.near:
                near = self.rowset.near[name]
                return near.fn == "previous" or self.may_be_null(self.rowset.inline(near.of))
            case Col(name):
                return self._base_may_be_null(name)
            case _:
                return True

    def _base_may_be_null(self, name: str) -> bool:
        term = self.rowset.base[name]
        if isinstance(term, Agg):
            return term.fn not in TOTAL or bool(said(term, self.trace).unsure)
        writer = EventWriter(self.trace, self.trace.kinds(self.rowset.events))
        return name not in self.rowset.key and writer.may_be_null(term)


@dataclass(frozen=True)
class Joined:
    """A select over rows and the tables that its terms look up.

    Attributes:
        writer: writes the terms.
        clauses: what follows the name of the rows' own subquery.
        every: all columns of the rows alone.
        hint: what follows SELECT.
    """

    writer: RowWriter
    clauses: tuple[str, ...]
    every: str
    hint: str


def joined(
    stages: Stages,
    terms: Iterable[Term],
    rowset: type[Rowset],
    tables: Mapping[type[Dimension], str],
    trace: Trace,
) -> Joined:
    """Plan the select in which these terms over base and neighbour columns are written."""
    found: dict[Keys, str] = {}
    for term in terms:
        # A key may look something up itself: that table comes first, wherever else the same is looked up.
        for lookup in reversed([part for part in walk(term) if isinstance(part, Lookup)]):
            found.setdefault((lookup.dimension, lookup.key), f"d{len(found)}")
    writer = RowWriter(rowset, trace, found, stages.written)
    if not found:
        return Joined(writer, (), "*", "")
    clauses = ["AS r"]
    for (dimension, key), table in found.items():
        pairs = zip(dimension.key, key, strict=True)
        same = " AND ".join(f"{table}.k_{column} = {writer.scalar(part)}" for column, part in pairs)
        clauses.append(f"LEFT JOIN {tables[dimension]} AS {table} ON {same}")
    return Joined(writer, tuple(clauses), "r.*", trace.dialect.small.format(", ".join(found.values())))


def table(label: str, dimension: type[Dimension], wanted: Mapping[str, Sort], trace: Trace) -> Stages:
    """The stages that end in a dimension's table: keys ``k_...`` and the wanted columns ``v_...``."""
    terms = {name: dimension.inline(Col(name, sort)) for name, sort in wanted.items()}
    stages = gathered(label, dimension, {col.name for term in terms.values() for col in leaves(term, Col)}, trace)
    writer = RowWriter(dimension, trace, {}, stages.written)
    columns = [f"c_{key} AS k_{key}" for key in dimension.key]
    for name, term in terms.items():
        pairs = zip(writer.words(term), names("v", name, wanted[name], trace.parameters.words), strict=True)
        columns += [f"{text} AS {column}" for text, column in pairs]
    stages.add("", columns)
    return stages
