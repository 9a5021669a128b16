"""Typed handles: what the author of a rule touches. Their operators build terms.

Truth values join with ``& | ~`` and ``.implies()``; numbers compare and add; sets meet, join and differ. Whatever
Python would decide on the spot (``and``, ``if``, ``in``, chained comparisons) is refused with advice, because a rule
is a formula that several engines read, not code that runs once.
"""

from __future__ import annotations

from typing import NoReturn

from spec.language.parameters import PARAMETERS
from spec.language.refusals import AuthorMistake, note_made, note_used
from spec.language.scopes import SCOPES
from spec.language.terms import Lit, Op, Param, Sort, Term
from spec.language.vocabulary import FACTOR, sort_of
from spec.near import did_you_mean

_PRECEDENCE = "& and | bind tighter than comparisons in Python: put each comparison in parentheses"


class Handle:
    """A value that a rule speaks about."""

    __slots__ = ("term",)
    __hash__ = None  # type: ignore[assignment]  # == builds a formula, so a handle is no dictionary key
    sort: Sort

    def __init__(self, term: Term) -> None:
        self.term = term

    def __bool__(self) -> NoReturn:
        raise AuthorMistake(
            "Python asked this formula for a truth value",
            "Write & | ~ and .implies() for and, or, not and if; split a < b < c into (a < b) & (b < c)",
        )

    def __contains__(self, item: object) -> NoReturn:
        raise AuthorMistake("'in' was asked of a formula", "Write one_of(member) <= members for member in members")

    def __iter__(self) -> NoReturn:
        raise AuthorMistake(
            "a row's value was looped over", "Loop over domains instead: count(... for domain in domains('rack'))"
        )


def as_term(value: object, sort: Sort) -> Term:
    """The term of a handle or constant, of the sort that an operator needs.

    Raises:
        AuthorMistake: it is of another sort.
    """
    if isinstance(value, Handle) and sort_of(value.term) == sort:
        note_used(value)
        return value.term
    if isinstance(value, bool) and sort == "bool":
        return Lit(value)
    if isinstance(value, int) and not isinstance(value, bool) and sort == "int":
        if not -(1 << 63) <= value < 1 << 63:
            raise AuthorMistake(f"{value} does not fit into 64 bits", "Engines compare numbers of 64 bits with sign")
        return Lit(value)
    what = f"a {sort_of(value.term)}" if isinstance(value, Handle) else f"{value!r}"
    raise AuthorMistake(f"{what} stands where a {sort} is needed", _PRECEDENCE)


class Bool(Handle):
    """A truth value: true, false, or unknown where an input is NULL."""

    __slots__ = ()
    sort = "bool"

    def __init__(self, term: Term) -> None:
        super().__init__(term)
        note_made(self)

    def _with(self, name: str, other: object) -> Bool:
        return Bool(Op(name, (as_term(self, "bool"), as_term(other, "bool"))))

    def __and__(self, other: Bool) -> Bool:
        return self._with("and", other)

    def __or__(self, other: Bool) -> Bool:
        return self._with("or", other)

    def __invert__(self) -> Bool:
        return Bool(Op("not", (as_term(self, "bool"),)))

    def implies(self, other: Bool) -> Bool:
        """Outermost in a rule, the left side says which rows are instances of the rule."""
        return self._with("implies", other)


class Int(Handle):
    """A whole number: a position, a time in nanoseconds, a count, a member's number."""

    __slots__ = ()
    __hash__ = None  # == builds a formula, so a number is no dictionary key
    sort = "int"

    def _compare(self, name: str, other: object) -> Bool:
        return Bool(Op(name, (self.term, as_term(other, "int"))))

    def __eq__(self, other: object) -> Bool:  # type: ignore[override]  # builds a formula
        return self._compare("=", other)

    def __ne__(self, other: object) -> Bool:  # type: ignore[override]  # builds a formula
        return self._compare("<>", other)

    def __lt__(self, other: Int | int) -> Bool:
        return self._compare("<", other)

    def __le__(self, other: Int | int) -> Bool:
        return self._compare("<=", other)

    def __gt__(self, other: Int | int) -> Bool:
        return self._compare(">", other)

    def __ge__(self, other: Int | int) -> Bool:
        return self._compare(">=", other)

    def __add__(self, other: Int | int) -> Int:
        return Int(Op("+", (self.term, as_term(other, "int"))))

    def __sub__(self, other: Int | int) -> Int:
        return Int(Op("-", (self.term, as_term(other, "int"))))

    def __neg__(self) -> Int:
        return Int(Op("neg", (self.term,)))

    def __and__(self, other: object) -> NoReturn:
        raise AuthorMistake("a number was joined like a formula", _PRECEDENCE)

    __or__ = __rand__ = __ror__ = __and__

    def is_(self, value: Int | int) -> Bool:
        """Known and equal: never unknown."""
        return self._compare("is", value)

    def when(self, condition: Bool) -> Int:
        """This number where the condition is true, else NULL."""
        return Int(Op("when", (self.term, as_term(condition, "bool"))))

    def not_after(self, other: Int) -> Bool:
        """This time is not after the other, as far as two clocks can tell.

        Unknown where it is later by no more than the header's clock bound: such a violation is possible, not certain.
        """
        later = as_term(other, "int")
        bound = Op("+", (later, Param("clock_bound_ns")))
        certain = Op("or", (Op("<=", (self.term, later)), Op(">", (self.term, bound))))
        return Bool(Op("<=", (Op("when", (self.term, certain)), later)))


class Set(Handle):
    """A set of members; wherever an engine needs speed, a bit mask of one or more words."""

    __slots__ = ()
    sort = "set"

    def _with(self, name: str, other: object) -> Op:
        return Op(name, (self.term, as_term(other, "set")))

    def __and__(self, other: Set) -> Set:
        return Set(self._with("meet", other))

    def __or__(self, other: Set) -> Set:
        return Set(self._with("join", other))

    def __sub__(self, other: Set) -> Set:
        return Set(self._with("minus", other))

    def __le__(self, other: Set) -> Bool:
        """Every member of this set is in the other."""
        return Bool(self._with("subset", other))

    def size(self) -> Int:
        """How many members the set has."""
        return Int(Op("size", (self.term,)))

    def is_empty(self) -> Bool:
        """The set has no member."""
        return self.size() < 1


class Factors(Handle):
    """A replication property: how many domains of each location scope must hold a copy."""

    __slots__ = ()
    sort = "factors"

    def at(self, scope: str) -> Int:
        """The copies required across this scope; 0 where the property does not name it.

        Raises:
            AuthorMistake: there is no such scope.
        """
        if scope not in SCOPES:
            raise AuthorMistake(f"no location scope {scope!r}", f"Scopes are {', '.join(SCOPES)}")
        return Int(Op(FACTOR + scope, (self.term,)))


def known(value: Handle) -> Bool:
    """Not NULL: the way to turn absence into a truth value."""
    return Bool(Op("known", (value.term,)))


def alike(least: Int, most: Int, other_least: Int | None = None, other_most: Int | None = None) -> Bool:
    """All values from least to most, of one kind of event or of two, are one value.

    Said with ``<=`` rather than ``==``, so that it is plain that more values can only make it false.
    """
    if other_least is None or other_most is None:
        return most <= least
    return (other_most <= least) & (most <= other_least)


def one_of(member: Int) -> Set:
    """The set that has this member alone."""
    return Set(Op("one", (as_term(member, "int"),)))


def window(start: Int | int, length: Int | int, size: Int | int) -> Set:
    """So many places of a ring of this size, from a start on, which may lie anywhere: places are numbered from 0.

    A ring of size 5 has the window {3, 4, 0} of length 3 from 8 on. Places beyond those that sets have room
    for are left out; a ring of size 0 or less has none.
    """
    return Set(Op("window", tuple(as_term(part, "int") for part in (start, length, size))))


def parameter(name: str) -> Int:
    """A number that the trace's header gives: ``clock_bound_ns`` or ``copies``.

    Raises:
        AuthorMistake: headers give no such number.
    """
    if name not in PARAMETERS:
        raise AuthorMistake(f"headers give no number {name}", did_you_mean(name, PARAMETERS))
    return Int(Param(name))


def high(position: Int) -> Int:
    """The high part of a position."""
    return Int(Op("high", (as_term(position, "int"),)))


def first(high: Int | int) -> Int:
    """The least position with this high part."""
    return Int(Op("first", (as_term(high, "int"),)))


def last(high: Int | int) -> Int:
    """The greatest position with this high part."""
    return Int(Op("last", (as_term(high, "int"),)))


HANDLES: dict[Sort, type[Handle]] = {"bool": Bool, "int": Int, "set": Set, "factors": Factors}
"""The handle for each sort."""


def handle(term: Term) -> Handle:
    """A handle of the term's own sort."""
    return HANDLES[sort_of(term)](term)
