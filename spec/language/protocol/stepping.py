"""Stepping: the formulas and actions of a text as functions, worked out once for all its worlds and states.

The meaning walks through a formula each time that it is asked. Where a text follows a long run, that would be most of
the work; here a formula becomes nested functions, and a state shares all relations with the next that a step leaves.
"""

# ruff: noqa: ARG005 - all formulas have one signature

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from spec.language.protocol.clauses import Clause
from spec.language.protocol.draft import Update
from spec.language.protocol.meaning import BrokenAssumption, compared, element
from spec.language.protocol.prefixes import Prefix, reads_of
from spec.language.protocol.sorts import Family, Order, Sort
from spec.language.protocol.states import Domains, Row, Rows, State, Step
from spec.language.protocol.text import Protocol
from spec.language.terms import Applied, Binder, Bound, Holds, Lit, Member, Op, Quantified, Term


class Asked(NamedTuple):
    """A state of a world of which much is asked at once: what a definition says of the same elements is found once."""

    world: Domains
    state: Mapping[str, Rows]
    answers: dict[tuple[str, Row], bool]


Values: TypeAlias = dict[int, int]
"""What each variable stands for, inner ones as far as they have been chosen."""

Test: TypeAlias = Callable[[Asked, Values], bool]
Choices: TypeAlias = Callable[[Asked, Values], Iterable[int]]
Ends: TypeAlias = Callable[[Asked, Values], int]
First: TypeAlias = Callable[[Asked, Values, int], int]


class Changes(NamedTuple):
    """What an action does to the rows of relations; what is both, is added."""

    added: dict[str, set[Row]]
    removed: dict[str, set[Row]]


Change: TypeAlias = Callable[[Asked, Values, Changes], None]


class _Action(NamedTuple):
    """An action as functions, and the clause that they were worked out of."""

    clause: Clause
    requires: tuple[tuple[Term, Test], ...]
    assumes: tuple[Test, ...]
    updates: tuple[Change, ...]
    functional: tuple[str, ...]


class Stepping:
    """The steps of one text; they agree with its meaning."""

    def __init__(self, protocol: type[Protocol]) -> None:
        self._protocol = protocol
        self._definitions: dict[str, Test] = {}
        self._actions: dict[str, _Action] = {}

    def after(self, world: Domains, state: State, step: Step, *, strict: bool = True) -> State | None:
        """The state after an action, or None where it is not enabled.

        Where it is ``strict``, what the text only assumes must hold, and partial functions must stay functions.

        Raises:
            BrokenAssumption: they do not.
        """
        action, asked, values = self._action(step.action), Asked(world, state, {}), dict(enumerate(step.args))
        if not all(test(asked, values) for _, test in action.requires):
            return None
        if strict and not all(fact(asked, values) for fact in action.assumes):
            raise BrokenAssumption(f"{step} was enabled where what it assumes is false")
        changes = Changes(defaultdict(set), defaultdict(set))
        for change in action.updates:
            change(asked, values, changes)
        then = State(tuple((name, _changed(name, rows, changes)) for name, rows in state.relations))
        for name in action.functional if strict else ():
            rows = then[name]
            if rows is not state[name] and len({row[:-1] for row in rows}) < len(rows):
                raise BrokenAssumption(f"{step} gives {name} two values for the same arguments")
        return state if all(then[name] is rows for name, rows in state.relations) else then

    def failing(self, world: Domains, state: State, step: Step) -> tuple[Term, ...]:
        """The guards of an action that do not hold."""
        asked, values = Asked(world, state, {}), dict(enumerate(step.args))
        return tuple(guard for guard, test in self._action(step.action).requires if not test(asked, values))

    def defined(self, world: Domains, state: State, name: str, args: Row) -> bool:
        """What a definition says of these elements.

        Raises:
            KeyError: the text has no such definition.
        """
        return self._definition(name)(Asked(world, state, {}), dict(enumerate(args)))

    # -------------------------------------------------------------------------------------------- formulas

    def _test(self, term: Term) -> Test:
        match term:
            case Lit(value):
                said = bool(value)
                return lambda asked, values: said
            case Holds(relation, row):
                of = _row(row)
                return lambda asked, values: of(values) in asked.state[relation]
            case Member(item, Bound(number, sort)) if issubclass(sort, Family):
                one = _element(item)
                return lambda asked, values: one(values) in asked.world.families[sort][values[number]]
            case Op(name, parts):
                return self._joined(name, parts)
            case Quantified(kind, over, body):
                return self._quantified(over, body, self._test(body), wanted=kind != "every")
            case Applied(name, args):
                return self._applied(name, _row(args))
            case _:
                raise TypeError(f"{term} is no formula of a protocol text")

    def _joined(self, name: str, parts: tuple[Term, ...]) -> Test:
        """A connective, or a comparison of two elements."""
        if name not in ("not", "and", "or", "implies"):
            one, other = map(_element, parts)
            return lambda asked, values: compared(name, one(values), other(values))
        a, *rest = map(self._test, parts)
        if not rest:
            return lambda asked, values: not a(asked, values)
        (b,) = rest
        if name == "and":
            return lambda asked, values: a(asked, values) and b(asked, values)
        if name == "or":
            return lambda asked, values: a(asked, values) or b(asked, values)
        return lambda asked, values: not a(asked, values) or b(asked, values)

    def _quantified(self, over: tuple[Binder, ...], term: Term, body: Test, *, wanted: bool) -> Test:
        """Whether the body says what is wanted of some choice of the variables; the opposite, where it never does."""
        for place in reversed(range(len(over))):
            binder, inner = over[place], over[place + 1 :]
            rest = Quantified("some" if wanted else "every", inner, term) if inner else term
            body = self._some_of_order(binder, rest, body, wanted=wanted) or _some_choice(
                binder.var.number, self._choices(binder), body, wanted=wanted
            )
        return body

    def _some_of_order(self, binder: Binder, term: Term, body: Test, *, wanted: bool) -> Test | None:
        """The same of the first elements of an order, of which much may be remembered; None: it is another binder."""
        number, ends = binder.var.number, _ends(binder)
        first = None if ends is None else self._first(number, term, body, wanted=wanted)
        if ends is None or first is None:
            return None

        def said(asked: Asked, values: Values) -> bool:
            end = ends(asked, values)
            return wanted if first(asked, values, end) < end else not wanted

        return said

    def _first(self, number: int, term: Term, body: Test, *, wanted: bool) -> First | None:
        """Finds the first element below an end of which a formula says what is wanted, or the end."""
        reads = reads_of(self._protocol, term, number, stays=not wanted)
        if reads is None:
            return None
        prefix = Prefix(reads)

        def first(asked: Asked, values: Values, end: int) -> int:
            def gives(element: int) -> bool:
                values[number] = element
                return body(asked, values) is wanted

            return prefix.first(asked.world, asked.state, values, end, gives)

        return first

    def _choices(self, binder: Binder) -> Choices:
        """The elements over which a variable ranges."""
        sort: type[Sort] = binder.var.sort
        match binder.within:
            case None:
                return lambda asked, values: asked.world.elements(sort)
            case Member(_, Bound(number, family)) if issubclass(family, Family):
                return lambda asked, values: asked.world.families[family][values[number]]
            case Op("<" | "<=" as name, (a, b)) if a == binder.var:
                end, more = _element(b), int(name == "<=")
                return lambda asked, values: range(end(values) + more)
            case Op("<" | "<=" as name, (a, b)) if b == binder.var:
                start, more = _element(a), int(name == "<")
                return lambda asked, values: range(start(values) + more, len(asked.world.elements(sort)))
            case within:
                return _within(binder.var.number, sort, self._test(within))

    def _applied(self, name: str, of: Callable[[Values], Row]) -> Test:
        def said(asked: Asked, values: Values) -> bool:
            args = of(values)
            answer = asked.answers.get((name, args))
            if answer is None:
                answer = asked.answers[name, args] = self._definition(name)(asked, dict(enumerate(args)))
            return answer

        return said

    def _definition(self, name: str) -> Test:
        if name not in self._definitions:
            self._definitions[name] = self._test(self._protocol.definitions[name].body)
        return self._definitions[name]

    # --------------------------------------------------------------------------------------------- actions

    def _action(self, clause: Clause) -> _Action:
        found = self._actions.get(clause.name)
        if found is None or found.clause is not clause:
            changed = dict.fromkeys(update.relation for update in clause.updates)
            growing = changed.keys() - {update.relation for update in clause.updates if update.how != "add"}
            found = self._actions[clause.name] = _Action(
                clause,
                tuple((guard, self._test(guard)) for guard in clause.requires),
                tuple(self._test(fact) for fact in clause.assumes),
                tuple(self._update(update, grows=update.relation in growing) for update in clause.updates),
                tuple(name for name in changed if self._protocol.relations[name].functional),
            )
        return found

    def _update(self, update: Update, *, grows: bool) -> Change:
        """An update for every choice of its variables; the relation only grows, or other updates take rows away."""
        every = self._change(update)
        for place in reversed(range(len(update.over))):
            binder, is_last = update.over[place], place == len(update.over) - 1
            added = self._each_new(binder, update, every) if is_last and grows and update.when is None else None
            every = added or _each_choice(binder.var.number, self._choices(binder), every)
        return every

    def _change(self, update: Update) -> Change:
        name, how, of = update.relation, update.how, _row(update.row)
        when = None if update.when is None else self._test(update.when)

        def change(asked: Asked, values: Values, changes: Changes) -> None:
            if when is not None and not when(asked, values):
                return
            row = of(values)
            if how == "remove":
                changes.removed[name].add(row)
                return
            if how == "put":
                changes.removed[name].update(one for one in asked.state[name] if one[:-1] == row[:-1])
            changes.added[name].add(row)

        return change

    def _each_new(self, binder: Binder, update: Update, change: Change) -> Change | None:
        """Add for the elements of an order, without the first ones of which it is known that they are there."""
        number, ends, there = binder.var.number, _ends(binder), Holds(update.relation, update.row)
        first = None if ends is None else self._first(number, there, self._test(there), wanted=False)
        if ends is None or first is None:
            return None

        def every(asked: Asked, values: Values, changes: Changes) -> None:
            end = ends(asked, values)
            for choice in range(first(asked, values, end), end):
                values[number] = choice
                change(asked, values, changes)

        return every


_KNOWN: Final[dict[type[Protocol], Stepping]] = {}


def stepping(protocol: type[Protocol]) -> Stepping:
    """The steps of a text, worked out when it is first asked for."""
    if protocol not in _KNOWN:
        _KNOWN[protocol] = Stepping(protocol)
    return _KNOWN[protocol]


def _some_choice(number: int, choices: Choices, body: Test, *, wanted: bool) -> Test:
    def said(asked: Asked, values: Values) -> bool:
        for choice in choices(asked, values):
            values[number] = choice
            if body(asked, values) is wanted:
                return wanted
        return not wanted

    return said


def _each_choice(number: int, choices: Choices, change: Change) -> Change:
    def every(asked: Asked, values: Values, changes: Changes) -> None:
        for choice in choices(asked, values):
            values[number] = choice
            change(asked, values, changes)

    return every


def _within(number: int, sort: type[Sort], test: Test) -> Choices:
    def chosen(asked: Asked, values: Values) -> Iterable[int]:
        for choice in asked.world.elements(sort):
            values[number] = choice
            if test(asked, values):
                yield choice

    return chosen


def _ends(binder: Binder) -> Ends | None:
    """The end of the elements from the first on that a variable of an order ranges over; None: it is another range."""
    sort: type[Sort] = binder.var.sort
    if not issubclass(sort, Order):
        return None
    match binder.within:
        case None:
            return lambda asked, values: len(asked.world.elements(sort))
        case Op("<" | "<=" as name, (a, b)) if a == binder.var:
            end, more = _element(b), int(name == "<=")
            return lambda asked, values: end(values) + more
        case _:
            return None


def _changed(name: str, rows: Rows, changes: Changes) -> Rows:
    """The rows of a relation after an action; these, where nothing changes."""
    if name in changes.removed:
        rows = rows - changes.removed[name]
    more = {row for row in changes.added.get(name, ()) if row not in rows}
    return rows | more if more else rows


def _element(term: Term) -> Callable[[Values], int]:
    if isinstance(term, Bound):
        return itemgetter(term.number)
    named = element(term, {})
    return lambda values: named


def _row(terms: tuple[Term, ...]) -> Callable[[Values], Row]:
    """The elements of a row."""
    numbers = [term.number for term in terms if isinstance(term, Bound)]
    if len(numbers) < len(terms):
        parts = [_element(term) for term in terms]
        return lambda values: tuple(part(values) for part in parts)
    if len(numbers) > 1:
        found: Callable[[Values], Row] = itemgetter(*numbers)
        return found
    if not numbers:
        return lambda values: ()
    (number,) = numbers
    return lambda values: (values[number],)
