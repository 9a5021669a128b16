"""Terms: what a rule says, as a small tree that every reading walks.

Authors never build terms: they touch typed handles (``spec.language.handles``), whose operators build them. The
vocabulary is closed: a leaf, a strict operation on values, one of the connectives, a count over domains, a lookup, an
aggregate or a neighbour; and in protocol texts an element, a row of a relation, a member of a set, a quantifier or a
definition's name. Nothing here knows that a reading exists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

Sort: TypeAlias = Literal["bool", "int", "set", "factors"]
"""What a value is: a truth value, a whole number, a set of members, or a number of copies for each location scope. The
elements that protocol texts speak about have sorts of their own."""


@dataclass(frozen=True, slots=True)
class Lit:
    """A constant number or truth value."""

    value: int | bool


@dataclass(frozen=True, slots=True)
class Param:
    """A number that the trace's header fixes, such as the bound on the difference between two clocks."""

    name: str


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an event of this class, or of any class below it."""

    event: type[Any]
    name: str
    column: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class Col:
    """A column of a view's row."""

    name: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class Var:
    """The set of members of one domain, bound by a count."""

    number: int


@dataclass(frozen=True, slots=True)
class Op:
    """An operation on values; ``spec.language.vocabulary`` says what each name means."""

    name: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """How many domains of a location scope satisfy the body; a domain is the set of its members."""

    scope: str
    var: Var
    body: Term


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a dimension (a small table) says under a key; NULL where it has no such key."""

    dimension: type[Any]
    column: str
    sort: Sort
    key: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Agg:
    """What the events of one row say together; ``of`` holds one term for each class of event."""

    fn: str
    of: tuple[tuple[type[Any], Term], ...]
    where: Term | None = None


@dataclass(frozen=True, slots=True)
class Along:
    """What another row of the same partition says, in the order of the view's key."""

    fn: str
    partition: tuple[Term, ...]
    of: Term


@dataclass(frozen=True, slots=True)
class Bound:
    """In a protocol text, a parameter or a bound variable: an element of a sort; numbers are unique in one clause."""

    number: int
    sort: type[Any]


@dataclass(frozen=True, slots=True)
class Named:
    """In a protocol text, an element of a sort that has a name, such as the first of an order."""

    sort: type[Any]
    name: str


@dataclass(frozen=True, slots=True)
class Holds:
    """In a protocol text, a row of elements is in a relation of the state."""

    relation: str
    row: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """In a protocol text, an element belongs to a set of a family, such as a voter to a quorum."""

    item: Term
    family: Term


@dataclass(frozen=True, slots=True)
class Binder:
    """A bound variable, the name that its author gave it, and what it is drawn from (None: the whole sort)."""

    var: Bound
    name: str
    within: Term | None = None


@dataclass(frozen=True, slots=True)
class Quantified:
    """In a protocol text, the body holds for every element, or for some element, that the binders draw."""

    kind: Literal["every", "some"]
    over: tuple[Binder, ...]
    body: Term


@dataclass(frozen=True, slots=True)
class Applied:
    """In a protocol text, a definition by name; its body has variables of its own, from 0 on its parameters."""

    name: str
    args: tuple[Term, ...]


Term: TypeAlias = (
    Lit
    | Param
    | Field
    | Col
    | Var
    | Op
    | Count
    | Lookup
    | Agg
    | Along
    | Bound
    | Named
    | Holds
    | Member
    | Quantified
    | Applied
)


def children(term: Term) -> tuple[Term, ...]:
    """The terms directly below this one."""
    match term:
        case Op(_, args) | Lookup(_, _, _, args) | Holds(_, args) | Applied(_, args):
            return args
        case Member(item, family):
            return (item, family)
        case Quantified(_, over, body):
            return (*(part for binder in over for part in (binder.var, binder.within) if part is not None), body)
        case Count(_, var, body):
            return (var, body)
        case Agg(_, of, where):
            return (*(value for _, value in of), *((where,) if where is not None else ()))
        case Along(_, partition, of):
            return (*partition, of)
        case _:
            return ()


def walk(term: Term) -> Iterator[Term]:
    """The term and everything below it, outermost first."""
    waiting = [term]
    while waiting:
        here = waiting.pop()
        yield here
        waiting += reversed(children(here))


def leaves(term: Term, kind: type[Any]) -> list[Any]:
    """All different subterms of one class, in the order in which they are written."""
    return list(dict.fromkeys(found for found in walk(term) if isinstance(found, kind)))


def rebuild(term: Term, change: Callable[[Term], Term]) -> Term:
    """The same term with every child changed."""
    match term:
        case Op(_, args):
            return replace(term, args=tuple(map(change, args)))
        case Lookup(_, _, _, key):
            return replace(term, key=tuple(map(change, key)))
        case Count(_, _, body):
            return replace(term, body=change(body))
        case Along(_, partition, of):
            return replace(term, partition=tuple(map(change, partition)), of=change(of))
        case _:
            return term
