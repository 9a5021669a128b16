"""What a clause on progress demands of a text, as formulas of the text: two for weak fairness, as in a proof by hand.

As long as its end is awaited, the first kind of work that is left can be done, whichever of it; and each step reaches
the end, or leaves of each kind only what was left before, once nothing is left of the kinds before it, and not what the
step has done. Then whatever is left of the first kind can be done until it is, so that fair runs do it; what is left is
finite and never grows, so nothing of it is left in the end; likewise of the second kind, and so on to the last, which
reaches the end.

Source: Manna and Pnueli, Completing the Temporal Picture: response under justice, by a well-founded order. Here the
order is lexicographic, of finite sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, TypeAlias

from spec.language.protocol.clauses import Clause, Progress, conjunction
from spec.language.protocol.draft import Work
from spec.language.protocol.text import Protocol
from spec.language.terms import Applied, Binder, Bound, Holds, Lit, Member, Op, Quantified, Term

NEXT: Final = "'"
"""What follows the name of a relation where its rows after a step are meant."""

Values: TypeAlias = Mapping[int, Term]
"""What stands for each variable."""


@dataclass(frozen=True)
class Renewed:
    """Terms of different clauses in one formula: each variable gets a number of its own."""

    text: type[Protocol]
    numbers: Iterator[int]

    def drawn(self, binders: tuple[Binder, ...], values: Values) -> tuple[tuple[Binder, ...], Values]:
        """New variables for these, and the values with them."""
        inner = dict(values)
        for binder in binders:
            inner[binder.var.number] = Bound(next(self.numbers), binder.var.sort)
        return tuple(self._binder(binder, inner) for binder in binders), inner

    def _binder(self, binder: Binder, values: Values) -> Binder:
        var = values[binder.var.number]
        if not isinstance(var, Bound):
            raise TypeError(f"{var} is no variable")
        return Binder(var, binder.name, None if binder.within is None else self.term(binder.within, values))

    def term(self, term: Term, values: Values, *, then: bool = False) -> Term:
        """A term under these values of its variables; ``then``: what it says after a step, definitions unfolded."""

        def again(parts: tuple[Term, ...]) -> tuple[Term, ...]:
            return tuple(self.term(part, values, then=then) for part in parts)

        match term:
            case Bound(number, _):
                return values[number]
            case Holds(relation, row):
                return Holds(f"{relation}{NEXT}" if then else relation, again(row))
            case Member(item, family):
                return Member(*again((item, family)))
            case Op(name, args):
                return Op(name, again(args))
            case Applied(name, args) if then:
                body = self.text.definitions[name].body
                return self.term(body, dict(enumerate(again(args))), then=True)
            case Applied(name, args):
                return Applied(name, again(args))
            case Quantified(kind, over, body):
                own, inner = self.drawn(over, values)
                return Quantified(kind, own, self.term(body, inner, then=then))
            case _:
                return term

    def each(self, over: tuple[Binder, ...], body: Term) -> Term:
        """For every value of these variables."""
        return Quantified("every", over, body) if over else body


def goes_on(text: type[Protocol], progress: Progress) -> Clause:
    """As long as the end is awaited, the first kind of work that is left can be done."""
    new = Renewed(text, count())
    params, values = new.drawn(progress.params, {})
    parts = []
    for work, earlier in _in_turn(progress):
        over, inner = new.drawn(work.over, values)
        args = dict(enumerate(new.term(arg, inner) for arg in work.args))
        can = conjunction(tuple(new.term(guard, args) for guard in text.clauses[work.action].requires))
        possible = new.each(over, Op("implies", (_left(new, work, inner), can)))
        parts.append(Op("implies", (_nothing_left(new, earlier, values), possible)))
    body = Op("implies", (new.term(progress.body, values), conjunction(tuple(parts))))
    return _demand(progress, params, body)


def comes_nearer(text: type[Protocol], progress: Progress, action: Clause) -> Clause:
    """A step reaches the end, or it is awaited still, and more is left of no kind of work whose turn it is.

    Its parameters are those of the progress, then those of the action; it speaks of two states at once.
    """
    new = Renewed(text, count())
    params, values = new.drawn(progress.params, {})
    step, done = new.drawn(action.params, {})
    parts = [new.term(progress.start, values, then=True)]
    for work, earlier in _in_turn(progress):
        over, inner = new.drawn(work.over, values)
        given = zip(work.args, done.values(), strict=False)
        same = conjunction(tuple(Op("=", (new.term(arg, inner), value)) for arg, value in given))
        left = _left(new, work, inner)
        if work.action == action.name:
            left = Op("and", (left, Op("not", (same,))))
        shrinks = new.each(over, Op("implies", (_left(new, work, inner, then=True), left)))
        parts.append(Op("implies", (_nothing_left(new, earlier, values), shrinks)))
    end = new.term(progress.end, values, then=True)
    body = Op("implies", (new.term(progress.body, values), Op("or", (end, conjunction(tuple(parts))))))
    return _demand(progress, (*params, *step), body)


def _in_turn(progress: Progress) -> Iterator[tuple[Work, tuple[Work, ...]]]:
    """Each kind of work, and those before it."""
    return ((work, progress.works[:number]) for number, work in enumerate(progress.works))


def _left(new: Renewed, work: Work, values: Values, *, then: bool = False) -> Term:
    return Lit(value=True) if work.left is None else new.term(work.left, values, then=then)


def _nothing_left(new: Renewed, works: tuple[Work, ...], values: Values) -> Term:
    parts = []
    for work in works:
        over, inner = new.drawn(work.over, values)
        parts.append(new.each(over, Op("not", (_left(new, work, inner),))))
    return conjunction(tuple(parts))


def _demand(progress: Progress, params: tuple[Binder, ...], body: Term) -> Clause:
    said = Clause(progress.kind, progress.name, progress.sentence, progress.cite, params, body)
    return replace(said, where=progress.where)
