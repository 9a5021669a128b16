"""The z3 reading on plain values: what z3 makes of a term when every leaf is given.

Nothing is solved here; z3 only simplifies. Its one use is the test that this reading and the meaning agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import z3

from spec.language.meaning import Tables, Value
from spec.language.outcomes import Outcome
from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.language.terms import Col, Lookup, Op, Term, leaves
from spec.proof.reading import Reading, both, concrete_domains, negated
from spec.proof.symbols import Symbolic, constant, literal

NUMBERS: Final = ("clock_bound_ns", "copies")
"""The numbers of a trace's header that rules may use."""


class Values:
    """Terms over one row of plain values.

    Args:
        of: the values by column; sets as frozensets, replication properties as mappings, NULL as None.
        parameters: what the trace's header fixes.
        tables: the rows of each dimension, by key.
    """

    def __init__(self, of: Mapping[str, Value], parameters: Parameters, tables: Tables) -> None:
        self.of, self.parameters, self.tables = of, parameters, tables

    def value(self, term: Term) -> Value:
        """What z3 makes of the term: None where it is not known."""
        return _plain(self._reading(term).read(term))

    def outcome(self, rule: Rule) -> Outcome:
        """What z3 makes of a rule on this row."""
        given, claim = (self._reading(part).read(part) for part in rule.parts)
        if _plain(given) is False:
            return Outcome.NO_INSTANCE
        truth = _plain(negated(both(given, negated(claim))))
        return Outcome.UNKNOWN if truth is None else Outcome.HOLDS if truth else Outcome.VIOLATED

    def _reading(self, term: Term) -> Reading:
        """A reading wide enough for every node that the term names by its number."""
        narrow = self._of_width(self.parameters.size)
        named = [_plain(narrow.read(op.args[0])) for op in leaves(term, Op) if op.name == "one"]
        return self._of_width(max([self.parameters.size, *(node + 1 for node in named if node is not None)]))

    def _of_width(self, width: int) -> Reading:
        parameters = self.parameters

        def column(col: Col) -> Symbolic:
            return constant(self.of[col.name], col.sort, width)

        def lookup(term: Lookup, key: tuple[Symbolic, ...]) -> Symbolic:
            row = self.tables[term.dimension].get(tuple(map(_plain, key)))
            return constant(None if row is None else row[term.column], term.sort, width)

        numbers = {name: z3.IntVal(parameters.number(name)) for name in NUMBERS}
        empty = Reading(width, {}, column, numbers, parameters.low_bits, lookup)
        return replace(empty, domains=concrete_domains(parameters, width))


def _plain(said: Symbolic) -> Value:
    return literal(said.value, z3.simplify) if z3.is_true(z3.simplify(said.known)) else None
