"""The run reading: a text in a finite world, compiled to closures over states that are one number.

Each row that the relations can have is one bit. What a formula says under given arguments is worked out once: parts
that do not depend on the state fold away, literals join to two masks, and what is left becomes a closure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from spec.language.protocol.clauses import Clause
from spec.language.protocol.draft import Update
from spec.language.protocol.meaning import Values, compared, drawn, element, member
from spec.language.protocol.states import Row, State, Step
from spec.language.protocol.world import World
from spec.language.terms import Applied, Holds, Lit, Member, Op, Quantified, Term

Test: TypeAlias = Callable[[int], bool]
"""Whether a packed state satisfies a formula."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A formula in normal form: all of these literals and parts hold, or any of them.

    Attributes:
        ones: rows that are there, as a mask.
        zeros: rows that are not there.
        parts: formulas of the other kind.
    """

    kind: Literal["all", "any"]
    ones: int = 0
    zeros: int = 0
    parts: tuple[Joined, ...] = ()

    @property
    def single(self) -> bool:
        """It is one literal, so that it does not matter of which kind it is."""
        return not self.parts and (self.ones | self.zeros).bit_count() == 1

    def negated(self) -> Joined:
        """By De Morgan: any of the opposites, or all of them."""
        kind: Literal["all", "any"] = "any" if self.kind == "all" else "all"
        return Joined(kind, self.zeros, self.ones, tuple(part.negated() for part in self.parts))

    def test(self) -> Test:
        """The formula as a closure."""
        ones, zeros = self.ones, self.zeros
        mask, tests = ones | zeros, [part.test() for part in self.parts]
        if self.kind == "all":
            return _all(mask, ones, tests)
        return _any(ones, zeros, tests)


def _all(mask: int, ones: int, tests: list[Test]) -> Test:
    if not tests:
        return lambda word: word & mask == ones
    if len(tests) == 1:
        (one,) = tests
        return (lambda word: word & mask == ones and one(word)) if mask else one
    return lambda word: word & mask == ones and all(test(word) for test in tests)


def _any(ones: int, zeros: int, tests: list[Test]) -> Test:
    if not tests:
        if not zeros:
            return lambda word: word & ones != 0
        return lambda word: word & ones != 0 or word & zeros != zeros
    if len(tests) == 1 and not ones and not zeros:
        return tests[0]
    return lambda word: word & ones != 0 or word & zeros != zeros or any(test(word) for test in tests)


def join(kind: Literal["all", "any"], parts: list[Joined | bool]) -> Joined | bool:
    """A conjunction or disjunction, flattened; what is known for certain is folded away."""
    decided = kind == "any"
    ones = zeros = 0
    rest: dict[Joined, None] = {}
    for part in parts:
        if isinstance(part, bool):
            if part is decided:
                return decided
        elif part.kind == kind or part.single:
            ones, zeros = ones | part.ones, zeros | part.zeros
            rest.update(dict.fromkeys(part.parts))
        else:
            rest[part] = None
    if ones & zeros:
        return decided
    if not ones and not zeros and len(rest) < 2:  # noqa: PLR2004 - nothing to join
        return next(iter(rest)) if rest else not decided
    return Joined(kind, ones, zeros, tuple(rest))


def test_of(said: Joined | bool) -> Test:  # noqa: FBT001 - a formula that is decided already
    """A formula as a closure, whatever it depends on."""
    if isinstance(said, bool):
        return lambda _: said
    return said.test()


@dataclass(frozen=True)
class Move:
    """One action with its arguments, compiled: where it may happen, and what it makes of a packed state."""

    step: Step
    enabled: Test
    apply: Callable[[int], int]
    assumed: tuple[Test, ...] = ()


class PackedWorld:
    """A world that runs. Packed states are numbers with one bit for each row that a relation can have."""

    def __init__(self, world: World) -> None:
        self.world = world
        rows = ((name, row) for name, one in world.protocol.relations.items() for row in world.rows(one.sorts))
        self.bit: dict[tuple[str, Row], int] = {key: number for number, key in enumerate(rows)}
        self._applied: dict[tuple[str, Row], Joined | bool] = {}

    @cached_property
    def moves(self) -> list[Move]:
        """Every action that its arguments alone do not exclude."""
        return [move for step in self.world.steps if (move := self.move(step)) is not None]

    def move(self, step: Step) -> Move | None:
        """One action with its arguments; None where these alone exclude it."""
        values = dict(enumerate(step.args))
        guard = join("all", [self.formula(part, values) for part in step.action.requires])
        if guard is False:
            return None
        assumed = tuple(test_of(self.formula(fact, values)) for fact in step.action.assumes)
        return Move(step, test_of(guard), self._updates(step, values), assumed)

    def pack(self, state: State) -> int:
        """A state as a number."""
        return sum(1 << self.bit[name, row] for name, rows in state.items() for row in rows)

    def unpack(self, word: int) -> State:
        """The state that a number stands for."""
        rows: dict[str, list[Row]] = {name: [] for name in self.world.protocol.relations}
        for (name, row), bit in self.bit.items():
            if word >> bit & 1:
                rows[name].append(row)
        return State.of(rows)

    def successors(self, word: int) -> Iterator[tuple[Move, int]]:
        """What may happen in a state, and what comes of it; steps that change nothing are among them."""
        for move in self.moves:
            if move.enabled(word):
                yield move, move.apply(word)

    def always(self, clause: Clause) -> list[tuple[Row, Test]]:
        """An invariant or goal: a test for each choice of its parameters for which it may fail."""
        rows = ((row, self.formula(clause.body, dict(enumerate(row)))) for row in self.world.rows(clause.sorts))
        return [(row, test_of(said)) for row, said in rows if said is not True]

    def formula(self, term: Term, values: Values) -> Joined | bool:
        """What a formula says under given values of its variables, in normal form."""
        match term:
            case Lit(value):
                return bool(value)
            case Holds(relation, row):
                return Joined("all", 1 << self.bit[relation, tuple(element(one, values) for one in row)])
            case Member(item, family):
                return member(self.world, item, family, values)
            case Op("not", (body,)):
                said = self.formula(body, values)
                return not said if isinstance(said, bool) else said.negated()
            case Op("and", (a, b)):
                return join("all", [self.formula(a, values), self.formula(b, values)])
            case Op("or", (a, b)):
                return join("any", [self.formula(a, values), self.formula(b, values)])
            case Op("implies", (a, b)):
                return join("any", [self.formula(Op("not", (a,)), values), self.formula(b, values)])
            case Op(name, (a, b)):
                return compared(name, element(a, values), element(b, values))
            case Quantified(kind, over, body):
                parts = [self.formula(body, inner) for inner in drawn(over, self.world, values)]
                return join("all" if kind == "every" else "any", parts)
            case Applied(name, args):
                return self._definition(name, tuple(element(arg, values) for arg in args))
            case _:
                raise TypeError(f"{term} is no formula of a protocol text")

    def _definition(self, name: str, args: Row) -> Joined | bool:
        if (name, args) not in self._applied:
            body = self.world.protocol.definitions[name].body
            self._applied[name, args] = self.formula(body, dict(enumerate(args)))
        return self._applied[name, args]

    def _updates(self, step: Step, values: Values) -> Callable[[int], int]:
        """What an action makes of a state: removals and replacements first, so that what is added stays."""
        added = removed = 0
        sometimes: list[tuple[Test, int, int]] = []
        for update in step.action.updates:
            for inner in drawn(update.over, self.world, values):
                when = True if update.when is None else self.formula(update.when, inner)
                adds, removes = self._change(update, inner)
                if when is True:
                    added, removed = added | adds, removed | removes
                elif not isinstance(when, bool):
                    sometimes.append((when.test(), adds, removes))
        if not sometimes:
            keep = ~removed
            return lambda word: word & keep | added
        return lambda word: _applied(word, added, removed, sometimes)

    def _change(self, update: Update, values: Values) -> tuple[int, int]:
        """The bits that one update sets and clears."""
        row = tuple(element(one, values) for one in update.row)
        bit = 1 << self.bit[update.relation, row]
        if update.how == "remove":
            return 0, bit
        if update.how == "add":
            return bit, 0
        last = self.world.protocol.relations[update.relation].sorts[-1]
        others = (self.bit[update.relation, (*row[:-1], other)] for other in self.world.elements(last))
        return bit, sum(1 << other for other in others)


def _applied(word: int, added: int, removed: int, sometimes: list[tuple[Test, int, int]]) -> int:
    for test, adds, removes in sometimes:
        if test(word):
            added, removed = added | adds, removed | removes
    return word & ~removed | added
