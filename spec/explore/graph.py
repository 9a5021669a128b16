"""Formulas over rows as one shared graph: literals, conjunctions and disjunctions, each built once.

Negations stand at the literals only (negation normal form). What is known for certain is a plain truth value and never
part of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from spec.language.protocol.states import Row

Key: TypeAlias = tuple[str, Row]
"""A row of a relation: the relation's name and the elements."""

Kind: TypeAlias = Literal["bit", "not", "and", "or"]

DUAL: Final[dict[Kind, Kind]] = {"bit": "not", "not": "bit", "and": "or", "or": "and"}
"""What each kind of gate turns into when it is negated."""


class Gate:
    """One formula; equal formulas are the same object.

    Attributes:
        kind: a row that is there, a row that is not there, or what joins the parts.
        key: the row of a literal.
        parts: what is joined; never of the same kind.
        number: gates are numbered as they are made, parts before what joins them.
    """

    __slots__ = ("key", "kind", "number", "opposite", "parts")

    def __init__(self, kind: Kind, key: Key | None, parts: frozenset[Gate], number: int) -> None:
        self.kind: Kind = kind
        self.key, self.parts, self.number = key, parts, number
        self.opposite: Formula | None = None

    @property
    def literal(self) -> bool:
        """It speaks of one row."""
        return self.key is not None

    def ordered(self) -> list[Gate]:
        """The parts in the order in which they were made."""
        return sorted(self.parts, key=lambda part: part.number)


Formula: TypeAlias = Gate | bool
"""A gate, or what is known for certain."""


class Graph:
    """All formulas of one lowering."""

    def __init__(self) -> None:
        self._made: dict[tuple[Kind, Key | frozenset[Gate]], Gate] = {}

    def bit(self, key: Key) -> Gate:
        """The row is there."""
        return self._make("bit", key)

    def negate(self, said: Formula) -> Formula:
        """By De Morgan: the opposite."""
        if isinstance(said, bool):
            return not said
        if said.opposite is None:
            dual = DUAL[said.kind]
            if said.key is not None:
                said.opposite = self._make(dual, said.key)
            else:
                said.opposite = self.join(dual, [self.negate(part) for part in said.ordered()])
            if isinstance(said.opposite, Gate) and said.opposite.opposite is None:
                said.opposite.opposite = said
        return said.opposite

    def all_of(self, *parts: Formula) -> Formula:
        """Every part holds."""
        return self.join("and", parts)

    def any_of(self, *parts: Formula) -> Formula:
        """Some part holds."""
        return self.join("or", parts)

    def join(self, kind: Kind, parts: Iterable[Formula]) -> Formula:
        """A conjunction or disjunction, flattened; what another part decides is folded away."""
        decided = kind == "or"
        flat: set[Gate] = set()
        for part in parts:
            if isinstance(part, bool):
                if part is decided:
                    return decided
            elif part.kind == kind:
                flat |= part.parts
            else:
                flat.add(part)
        if any(part.opposite in flat for part in flat):
            return decided
        return self._folded(kind, flat)

    def _folded(self, kind: Kind, flat: set[Gate]) -> Formula:
        """Leave out parts that another part implies, and in the other parts what another part excludes."""
        excluded = {part.opposite for part in flat if part.opposite is not None}
        kept: list[Formula] = []
        changed = False
        for part in sorted(flat, key=lambda part: part.number):
            if part.parts & flat:
                continue
            shorter = part.parts - excluded
            changed |= len(shorter) < len(part.parts)
            kept.append(part if len(shorter) == len(part.parts) else self.join(DUAL[kind], shorter))
        if changed:
            return self.join(kind, kept)
        gates = frozenset(part for part in kept if isinstance(part, Gate))
        if not gates:
            return kind == "and"
        return next(iter(gates)) if len(gates) == 1 else self._make(kind, gates)

    def _make(self, kind: Kind, what: Key | frozenset[Gate]) -> Gate:
        gate = self._made.get((kind, what))
        if gate is None:
            key, parts = (None, what) if isinstance(what, frozenset) else (what, frozenset[Gate]())
            gate = self._made[kind, what] = Gate(kind, key, parts, len(self._made))
            if key is not None:
                twin = self._made.get((DUAL[kind], key))
                if twin is not None:
                    gate.opposite, twin.opposite = twin, gate
        return gate
