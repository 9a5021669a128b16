"""Lowering: a text in a finite world as formulas over the rows that can ever be there.

What does not depend on the state folds away. A step that would leave the state as it is need not be explored, so each
move says where it changes something.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from spec.explore.graph import Formula, Graph, Key
from spec.language.protocol.clauses import Clause
from spec.language.protocol.draft import Update
from spec.language.protocol.meaning import Values, compared, drawn, element, member
from spec.language.protocol.states import Row, Step
from spec.language.protocol.world import World
from spec.language.terms import Applied, Holds, Lit, Member, Op, Quantified, Term

Checked: TypeAlias = Literal["goal", "invariant"]
"""Which clauses a search holds against every state."""


@dataclass(frozen=True, eq=False)
class Move:
    """One action with its arguments.

    Attributes:
        guard: where it may happen.
        fires: where it may happen and changes something.
        sets: under which condition each row is there afterwards, whatever it was before.
        clears: under which condition each row is not there afterwards, unless it is set.
    """

    step: Step
    guard: Formula
    fires: Formula
    sets: dict[Key, Formula]
    clears: dict[Key, Formula]


class Lowering:
    """The moves of a world, and where something is wrong.

    Attributes:
        possible: the rows that some sequence of moves might set, found as a fixpoint.
        moves: every action instance that can ever change something.
        wrong: states in which a checked clause is false, and states from which a step breaks what the text assumes or
            gives a partial function two values.
    """

    def __init__(self, world: World, checked: Checked = "goal") -> None:
        self.world = world
        self.checked: Checked = checked
        self.possible: frozenset[Key] = frozenset()
        while True:
            self.graph = Graph()
            self._applied: dict[tuple[str, Row], Formula] = {}
            self.moves = [move for step in world.steps if (move := self._move(step)).fires is not False]
            found = self.possible.union(*(move.sets for move in self.moves))
            if found == self.possible:
                break
            self.possible = found

    @cached_property
    def wrong(self) -> list[Formula]:
        """Where a checked clause is false, or a step defective; each formula at most once, none of them false."""
        clauses = self.world.protocol.of_kind(self.checked)
        states = (self._false(clause, row) for clause in clauses for row in self.world.rows(clause.sorts))
        steps = (defect for move in self.moves for defect in self._defects(move))
        return [said for said in dict.fromkeys([*states, *steps]) if said is not False]

    def _false(self, clause: Clause, row: Row) -> Formula:
        return self.graph.negate(self.formula(clause.body, dict(enumerate(row))))

    def _move(self, step: Step) -> Move:
        values = dict(enumerate(step.args))
        guard: Formula = True
        sets: dict[Key, Formula] = {}
        clears: dict[Key, Formula] = {}
        for term in step.action.requires:
            guard = self.graph.all_of(guard, self.formula(term, values))
            if guard is False:
                return Move(step, guard, guard, sets, clears)
        for update in step.action.updates:
            for inner in drawn(update.over, self.world, values):
                self._update(update, inner, sets, clears)
        sets = {key: when for key, when in sets.items() if when is not False}
        clears = {
            key: when
            for key, when in clears.items()
            if when is not False and key in self.possible and sets.get(key) is not True
        }
        return Move(step, guard, self.graph.all_of(guard, self._changes(sets, clears)), sets, clears)

    def bit(self, key: Key) -> Formula:
        """The row is there; certainly not, if no move can set it."""
        return key in self.possible and self.graph.bit(key)

    def _changes(self, sets: dict[Key, Formula], clears: dict[Key, Formula]) -> Formula:
        """Some row is set that was not there, or cleared that was."""
        graph = self.graph
        new = [graph.all_of(when, graph.negate(self.bit(key))) for key, when in sets.items()]
        old = [graph.all_of(when, self.bit(key), graph.negate(sets.get(key, False))) for key, when in clears.items()]
        return graph.join("or", [*new, *old])

    def _update(self, update: Update, values: Values, sets: dict[Key, Formula], clears: dict[Key, Formula]) -> None:
        when = True if update.when is None else self.formula(update.when, values)
        row = tuple(element(one, values) for one in update.row)
        if update.how == "put":
            last = self.world.protocol.relations[update.relation].sorts[-1]
            replaced = [(*row[:-1], other) for other in self.world.elements(last)]
        else:
            replaced = [row] * (update.how == "remove")
        for other in replaced:
            clears[update.relation, other] = self.graph.any_of(clears.get((update.relation, other), False), when)
        if update.how != "remove":
            sets[update.relation, row] = self.graph.any_of(sets.get((update.relation, row), False), when)

    def _defects(self, move: Move) -> Iterator[Formula]:
        """Where a move may happen although what it assumes is false, and where it gives a function two values."""
        values = dict(enumerate(move.step.args))
        for fact in move.step.action.assumes:
            yield self.graph.all_of(move.guard, self.graph.negate(self.formula(fact, values)))
        for (name, row), when in move.sets.items():
            relation = self.world.protocol.relations[name]
            if relation.functional:
                others = ((name, (*row[:-1], other)) for other in self.world.elements(relation.sorts[-1]))
                for other in others:
                    if other != (name, row):
                        yield self.graph.all_of(move.guard, when, self._stays(move, other))

    def _stays(self, move: Move, key: Key) -> Formula:
        """The row is there after the move."""
        old = self.graph.all_of(self.bit(key), self.graph.negate(move.clears.get(key, False)))
        return self.graph.any_of(old, move.sets.get(key, False))

    def formula(self, term: Term, values: Values) -> Formula:
        """What a formula of the text says under given values of its variables."""
        graph = self.graph
        match term:
            case Lit(value):
                return bool(value)
            case Holds(relation, row):
                return self.bit((relation, tuple(element(one, values) for one in row)))
            case Member(item, family):
                return member(self.world, item, family, values)
            case Op("not", (body,)):
                return graph.negate(self.formula(body, values))
            case Op("and", (a, b)):
                first = self.formula(a, values)
                return first and graph.all_of(first, self.formula(b, values))
            case Op("or", (a, b)):
                return graph.any_of(self.formula(a, values), self.formula(b, values))
            case Op("implies", (a, b)):
                unless = graph.negate(self.formula(a, values))
                return unless is True or graph.any_of(unless, self.formula(b, values))
            case Op(name, (a, b)):
                return compared(name, element(a, values), element(b, values))
            case Quantified(kind, over, body):
                parts = (self.formula(body, inner) for inner in drawn(over, self.world, values))
                return graph.join("and" if kind == "every" else "or", parts)
            case Applied(name, args):
                return self._definition(name, tuple(element(arg, values) for arg in args))
            case _:
                raise TypeError(f"{term} is no formula of a protocol text")

    def _definition(self, name: str, args: Row) -> Formula:
        if (name, args) not in self._applied:
            body = self.world.protocol.definitions[name].body
            self._applied[name, args] = self.formula(body, dict(enumerate(args)))
        return self._applied[name, args]
