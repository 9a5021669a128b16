"""Polarity: which way more events of one kind could change what a rule says.

A recorder that is not complete (a snapshot, a sample) shows only some events. A rule that such events can only
turn from violated into holding may still be trusted where it holds; and the other way round. This is derived from the
rule's formula: each aggregate grows or shrinks with more events, each operation passes growth on, turns it round, or
mixes it.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Flag
from functools import cache, reduce
from operator import or_

from spec.language.absence import without
from spec.language.declare import Dimension, Rowset
from spec.language.events import AnyEvent, is_raised, is_settled, kinds, told_by
from spec.language.rule import Rule
from spec.language.terms import Agg, Along, Col, Count, Field, Lit, Lookup, Op, Param, Sort, Term, leaves, rebuild
from spec.language.vocabulary import ABSENCE, TOTAL


class Effect(Flag):
    """What more events may do to a value; for truth values, true counts as greater than false."""

    NOTHING = 0
    GROWS = 1
    SHRINKS = 2
    EITHER = 3


def turned(effect: Effect) -> Effect:
    """The effect on what falls when this value rises."""
    if effect is Effect.GROWS:
        return Effect.SHRINKS
    return Effect.GROWS if effect is Effect.SHRINKS else effect


def mixed(effect: Effect) -> Effect:
    """The effect on what may rise or fall when this value changes at all."""
    return Effect.EITHER if effect else Effect.NOTHING


_OPERANDS = {
    "and": "++",
    "or": "++",
    "not": "-",
    "implies": "-+",
    "<": "-+",
    "<=": "-+",
    ">": "+-",
    ">=": "+-",
    "+": "++",
    "-": "+-",
    "neg": "-",
    "meet": "++",
    "join": "++",
    "minus": "+-",
    "subset": "-+",
    "size": "+",
    "high": "+",
    "first": "+",
    "last": "+",
}
"""For each operand: + passes growth on, - turns it round. Operations that are not named here mix."""

_AGGREGATES = {
    "any": Effect.GROWS,
    "count": Effect.GROWS,
    "max": Effect.GROWS,
    "union": Effect.GROWS,
    "min": Effect.SHRINKS,
    "common": Effect.SHRINKS,
}


def trusted(rule: Rule, event: type[AnyEvent], absent: Collection[type[AnyEvent]] = ()) -> tuple[bool, bool]:
    """Whether (holds, violated) may be trusted where the events of one class are recorded only in part.

    More instances never change a verdict on a row; fewer would make both outcomes wrong. Events of classes that are
    absent do not occur at all.
    """
    instances, claim = (_effect(without(part, absent), rule.view, event) for part in rule.parts)
    if instances & Effect.SHRINKS:
        return False, False
    denied = _effect(without(undoubted(rule.parts[1]), absent), rule.view, event)
    return not claim & Effect.SHRINKS, not denied & Effect.GROWS


@cache
def undoubted(claim: Term) -> Term:
    """The same claim without its doubts: what is said twice, once under a condition, is false just where it is false.

    The condition only decides where it is unknown instead of true.
    """
    match claim:
        case Op("and", (said, again)) if said == _unconditional(again):
            return undoubted(said)
        case Op("and" | "or" as name, args):
            return Op(name, tuple(map(undoubted, args)))
        case _:
            return claim


def _unconditional(term: Term) -> Term:
    match term:
        case Op("when", (value, _)):
            return _unconditional(value)
        case Op(name, _) if name in ABSENCE:
            return term
        case _:
            return rebuild(term, _unconditional)


def _effect(term: Term, rows: type[Rowset], event: type[AnyEvent]) -> Effect:
    match term:
        case Col(name):
            return _column(name, rows, event)  # type: ignore[arg-type]  # mypy takes a class for its rows
        case Lookup(dimension, column, sort, key):
            inside = _looked_up(dimension, column, sort, event)  # type: ignore[arg-type]  # as above
            return mixed(reduce(or_, (_effect(part, rows, event) for part in key), inside))
        case Count(_, _, body):
            return _effect(body, rows, event)
        case Op("known", (value,)):
            return _knowledge(value, rows, event) if _effect(value, rows, event) else Effect.NOTHING
        case Op("when", (value, condition)):
            return _when(_effect(value, rows, event), _effect(condition, rows, event))
        case Op(name, args):
            signs = _OPERANDS.get(name, "?" * len(args))
            below = [_effect(arg, rows, event) for arg in args]
            return reduce(or_, map(_through, signs, below), Effect.NOTHING)
        case _:
            return Effect.NOTHING


@cache
def _looked_up(dimension: type[Dimension], column: str, sort: Sort, event: type[AnyEvent]) -> Effect:
    return _effect(dimension.inline(Col(column, sort)), dimension, event)


def _knowledge(value: Term, rows: type[Rowset], event: type[AnyEvent]) -> Effect:
    """More events make more known, but for what is known only while a condition holds: that all say the same."""
    match value:
        case Lookup(dimension, column, sort, key):
            inside = _knowledge(dimension.inline(Col(column, sort)), dimension, event)
            return reduce(or_, (mixed(_effect(part, rows, event)) for part in key), inside)
        case Op("when", (inner, condition)):
            return _knowledge(inner, rows, event) | _effect(condition, rows, event)
        case Op(_, args):
            return reduce(or_, (_knowledge(arg, rows, event) for arg in args), Effect.GROWS)
        case _:
            return Effect.GROWS


def _through(sign: str, effect: Effect) -> Effect:
    if sign == "+":
        return effect
    return turned(effect) if sign == "-" else mixed(effect)


def _when(value: Effect, condition: Effect) -> Effect:
    return value if condition is Effect.NOTHING else Effect.EITHER


@cache
def _column(name: str, rows: type[Rowset], event: type[AnyEvent]) -> Effect:
    leaf = rows.base.get(name) or rows.near[name]
    match leaf:
        case Agg(fn, of, where):
            if any(_told(field, event) for field in _fields(where)):
                return Effect.EITHER
            inside = reduce(or_, (_told(field, event) for _, term in of for field in _fields(term)), Effect.NOTHING)
            touched = any(set(kinds(event)) & set(kinds(said)) for said, _ in of)
            return inside | (_AGGREGATES[fn] if touched else Effect.NOTHING)
        case Along(fn, _, value):
            return _neighbour(fn, rows.inline(value), rows, event)
        case Field() if told := _told(leaf, event):
            return told
        case Field(said, _, _) if not rows.grouped:
            # More events make more rows, which does not change what a row says of itself.
            return Effect.NOTHING if said else Effect.EITHER
        case _:
            return Effect.NOTHING


def _told(field: Field, event: type[AnyEvent]) -> Effect:
    """What more events do to what bookkeeping works out from them."""
    if event not in told_by(field) or is_settled(field, event):
        return Effect.NOTHING
    return Effect.GROWS if is_raised(field, event) else Effect.EITHER


def _fields(term: Term | None) -> tuple[Field, ...]:
    return () if term is None else tuple(leaves(term, Field))


def _neighbour(fn: str, value: Term, rows: type[Rowset], event: type[AnyEvent]) -> Effect:
    """A row that appears between two others changes who is whose neighbour; only extremes keep a direction."""
    makes_rows = bool(set(kinds(event)) & set(kinds(rows.events)))
    # A row for each event, or one that always says something, is seen by others as soon as it is there.
    appears = Effect.GROWS if makes_rows and (not rows.grouped or _always_said(value, rows)) else Effect.NOTHING
    inside = _effect(value, rows, event)
    match fn, value:
        case "highest", _ if inside in (Effect.NOTHING, Effect.GROWS):
            return inside | appears
        case "lowest", _ if inside in (Effect.NOTHING, Effect.SHRINKS):
            return inside | turned(appears)
        case "next", Op("when", (Col(key), condition)) if key in rows.key:
            # The first key, at or after this one, of the rows that satisfy the condition: more of them, sooner found.
            return turned(_effect(condition, rows, event) | appears)
        case "latest", Op("when", (Col(key), condition)) if key in rows.key:
            return _effect(condition, rows, event) | appears
        case (("latest" | "next" | "highest" | "lowest"), _) if not inside | appears:
            return Effect.NOTHING
        case "previous", _ if not makes_rows:
            return mixed(inside)
        case _:
            return Effect.EITHER


def _always_said(value: Term, rows: type[Rowset]) -> bool:
    """Whether a row says this even without the events that it is made of: its key, or that there are none of them."""
    match value:
        case Col(name):
            leaf = rows.base.get(name)
            return name in rows.key or (isinstance(leaf, Agg) and leaf.fn in TOTAL)
        case Lit() | Param():
            return True
        case Op(name, args) if name != "when":
            return all(_always_said(arg, rows) for arg in args)
        case _:
            return False
