"""Sorts: the kinds of things that a protocol text speaks about, of any number.

``for voter in Voter`` runs its body once, with ``voter`` standing for any of them. In a comprehension it makes a
quantifier, as a statement in an action it makes a bulk update. ``for voter in quorum`` and ``for slot in end.before()``
range over a part of a sort.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from types import FrameType
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar, cast, get_args

from spec.language.handles import Bool
from spec.language.protocol.draft import Draft, draft
from spec.language.ranges import open_ranges
from spec.language.refusals import AuthorMistake
from spec.language.terms import Binder, Member, Named, Op, Term

S = TypeVar("S", bound="Sort")


def bind(sort: type[S], within: Callable[[Term], Term] | None = None) -> Generator[S]:
    """Hand out one variable, which stands for every element that the loop ranges over.

    Raises:
        AuthorMistake: the loop is no generator expression and no bulk update.
    """
    clause = draft()
    var = clause.variable(sort)
    handle = sort(var)
    begun = _sizes(clause)
    yield handle
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to tell a quantifier from a loop, and the variable's name
    binder = Binder(var, _name_of(handle, frame), within and within(var))
    ranges = open_ranges()
    if frame.f_code.co_name == "<genexpr>" and ranges is not None:
        ranges.binders.append(binder)
    elif frame.f_code.co_name.startswith("<"):
        raise AuthorMistake("a comprehension that is no quantifier", "Write every(... for x in Sort), without brackets")
    else:
        _repeat(clause, binder, *begun)


def _name_of(handle: Sort, frame: FrameType) -> str:
    found = (name for name, value in frame.f_locals.items() if value is handle)
    return next(found, type(handle).__name__.lower())


def _sizes(clause: Draft) -> tuple[int, int, int]:
    return len(clause.updates), len(clause.works), len(clause.requires)


def _repeat(clause: Draft, binder: Binder, updates: int, works: int, requires: int) -> None:
    """Make the updates of a loop's body bulk updates, and its work work for each."""
    if len(clause.requires) > requires:
        raise AuthorMistake("require() inside a loop", "Write require(every(... for ...))")
    if _sizes(clause)[:2] == (updates, works):
        raise AuthorMistake(
            "a loop that changes nothing", "Formulas range by every(... for x in Sort), without brackets"
        )
    clause.updates[updates:] = [replace(one, over=(binder, *one.over)) for one in clause.updates[updates:]]
    clause.works[works:] = [replace(one, over=(binder, *one.over)) for one in clause.works[works:]]


class SortType(type):
    """Makes ``for voter in Voter`` mean "for any voter"."""

    def __iter__(cls: type[S]) -> Iterator[S]:  # type: ignore[misc]  # a metaclass's first parameter is a class
        return bind(cls)


class Sort(metaclass=SortType):
    """A kind of thing, of any number; its instances are handles of such things."""

    __slots__ = ("term",)
    __hash__ = None  # type: ignore[assignment]  # == builds a formula, so a handle is no dictionary key
    constants: ClassVar[tuple[str, ...]] = ()

    def __init__(self, term: Term) -> None:
        self.term = term

    def _compared(self, name: str, other: object) -> Bool:
        if isinstance(other, Sort) and type(other) is type(self):
            return Bool(Op(name, (self.term, other.term)))
        raise AuthorMistake(f"a {type(self).__name__} is compared with {_what(other)}", "Compare elements of one sort")

    def __eq__(self, other: object) -> Bool:  # type: ignore[override]  # builds a formula
        return self._compared("=", other)

    def __ne__(self, other: object) -> Bool:  # type: ignore[override]  # builds a formula
        return self._compared("<>", other)

    def __and__(self, other: object) -> NoReturn:
        raise AuthorMistake(
            f"a {type(self).__name__} was joined like a formula",
            "& and | bind tighter than comparisons in Python: put each comparison in parentheses",
        )

    __or__ = __rand__ = __ror__ = __and__


class constant:  # noqa: N801 - reads as a word of the language, as property does
    """A named element of the sort that declares it; different names are different elements."""

    def __set_name__(self, owner: type[Sort], name: str) -> None:
        self.name = name
        owner.constants += (name,)

    def __get__(self, _: object, owner: type[S]) -> S:
        return owner(Named(owner, self.name))


class Order(Sort):
    """A sort in a total order, with a least element ``first``."""

    __slots__ = ()
    __hash__ = None  # == builds a formula, so a handle is no dictionary key
    first = constant()

    def __lt__(self, other: object) -> Bool:
        return self._compared("<", other)

    def __le__(self, other: object) -> Bool:
        return self._compared("<=", other)

    def before(self) -> Iterator[Self]:
        """Every element below this one."""
        return bind(type(self), lambda x: Op("<", (x, self.term)))

    def upto(self) -> Iterator[Self]:
        """Every element below this one, and this one."""
        return bind(type(self), lambda x: Op("<=", (x, self.term)))

    def after(self) -> Iterator[Self]:
        """Every element above this one."""
        return bind(type(self), lambda x: Op("<", (self.term, x)))

    def onward(self) -> Iterator[Self]:
        """This element and every one above it."""
        return bind(type(self), lambda x: Op("<=", (self.term, x)))


class Family(Sort, Generic[S]):
    """A sort of sets, such as quorums: ``for voter in quorum`` ranges over one of them.

    A finite world says exactly which sets there are; proofs know only the text's axioms about them.
    """

    __slots__ = ()
    __hash__ = None  # == builds a formula, so a handle is no dictionary key
    element: ClassVar[type[Sort]]

    def __init_subclass__(cls) -> None:
        cls.element = get_args(cast("Any", cls).__orig_bases__[0])[0]

    def __iter__(self) -> Iterator[S]:
        return bind(cast("type[S]", self.element), lambda x: Member(x, self.term))

    def has(self, item: S) -> Bool:
        """The element belongs to this set.

        Raises:
            AuthorMistake: it is of another sort than the members of the family.
        """
        if type(item) is not self.element:
            raise AuthorMistake(
                f"a {type(self).__name__} has no {_what(item)}", f"Its members are of the sort {self.element.__name__}"
            )
        return Bool(Member(item.term, self.term))

    def __contains__(self, item: object) -> NoReturn:
        raise AuthorMistake("'in' was asked of a set", "Write quorum.has(voter) instead of voter in quorum")


def _what(value: object) -> str:
    return f"a {type(value).__name__}" if isinstance(value, Sort) else repr(value)
