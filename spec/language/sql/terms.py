"""Terms as SQL text: a scalar for a number or a truth value, one text for each mask word of a set.

SQL's truth is Kleene's, and its operators are strict, so NULL needs no text of its own except where a rule asks for
absence. A set is NULL in all its words or in none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from spec.language.parameters import FACTOR_BITS, WORD, Parameters, mask
from spec.language.quantifiers import DOMAIN
from spec.language.scopes import SCOPES
from spec.language.sql.dialects import Dialect
from spec.language.sql.pointwise import satisfying, unknown_by
from spec.language.terms import Col, Count, Field, Lit, Lookup, Op, Param, Term, Var
from spec.language.vocabulary import FACTOR, sort_of

Words: TypeAlias = tuple[str, ...]
"""The text of a value: one expression, or one for each mask word of a set."""

Leaf: TypeAlias = Field | Col | Lookup
"""What a term finds in an event or a row."""

NOBODY: Final = "0"
"""A mask word that a domain leaves empty: whatever is met with it needs no text."""

PHRASES: Final = {
    **{name: f"({{0}} {name} {{1}})" for name in ("=", "<>", "<", "<=", ">", ">=", "+", "-")},
    "neg": "(- {0})",  # with a space: two dashes begin a comment
    "and": "({0} AND {1})",
    "or": "({0} OR {1})",
    "not": "(NOT {0})",
    "implies": "(NOT {0} OR {1})",
}
"""Operations on scalars that both dialects write alike."""


class Writer(ABC):
    """Writes the terms of one place, an event or a row; a subclass knows how its leaves are written.

    Attributes:
        made: terms that have columns already.
    """

    def __init__(self, dialect: Dialect, parameters: Parameters) -> None:
        self.dialect, self.parameters = dialect, parameters
        self.made: dict[Term, Words] = {}
        self._unknown_by: dict[Term, frozenset[Term]] = {}

    @abstractmethod
    def leaf(self, term: Leaf) -> Words:
        """The text of a field, a column or a lookup."""

    @abstractmethod
    def leaf_may_be_null(self, term: Leaf) -> bool:
        """Can that text be NULL? Where it cannot, shorter text does."""

    def scalar(self, term: Term, domain: Words = ()) -> str:
        """The text of a number or truth value; ``domain`` is the mask for which a bound variable stands."""
        match term:
            case Op() | Count() | Lookup() | Col() if term in self.made:
                return self.made[term][0]
            case Lit(value):
                return str(value).upper()
            case Param(name):
                return str(self.parameters.number(name))
            case Count(scope, _, body):
                return self._count(self.parameters.domains_of(scope), body)
            case Op("=", (Op("size", (whole,)), Lit(0))):
                return _empty(self.words(whole, domain))
            case Op(name, args) if name in _BY_SETS:
                return _BY_SETS[name](self, *(self.words(arg, domain) for arg in args))
            case Op("known", (value,)):
                known = [f"{word} IS NOT NULL" for word in self.words(value, domain) if word != NOBODY]
                return f"({' AND '.join(known)})" if self.may_be_null(value) else "TRUE"
            case Op(name, args):
                return self._operation(name, args, [self.scalar(arg, domain) for arg in args])
            case Field() | Col() | Lookup():
                return self.leaf(term)[0]
            case _:
                raise TypeError(f"{term} belongs to a view's declaration, not to a row")

    def words(self, term: Term, domain: Words = ()) -> Words:
        """The texts of a value of any sort: of a set, one for each mask word."""
        if sort_of(term) != "set":
            return (self.scalar(term, domain),)
        match term:
            case Op() | Lookup() | Col() if term in self.made:
                return self.made[term]
            case Var():
                return domain
            case Op("one", (member,)):
                return self._one(member, self.scalar(member, domain))
            case Op("window", args):
                return self._window(args, domain)
            case Op("when", (value, condition)):
                chosen = self.scalar(condition, domain)
                return tuple(f"CASE WHEN {chosen} THEN {word} END" for word in self.words(value, domain))
            case Op(name, (left, right)):
                pairs = zip(self.words(left, domain), self.words(right, domain), strict=True)
                return tuple(_WORD_BY_WORD[name](a, b) for a, b in pairs)
            case Field() | Col() | Lookup():
                return self.leaf(term)
            case _:
                raise TypeError(f"{term} is not a set of one row")

    def may_be_null(self, term: Term) -> bool:
        """Can this term be NULL here?"""
        return bool(self.unknown_by(term))

    def unknown_by(self, term: Term) -> frozenset[Term]:
        """The parts of a term any of which, being NULL, makes all of it NULL, where nothing else does."""
        if term not in self._unknown_by:
            if isinstance(term, Field | Col | Lookup):
                self._unknown_by[term] = frozenset({term}) if self.leaf_may_be_null(term) else frozenset()
            else:
                self._unknown_by[term] = unknown_by(term, self.unknown_by)
        return self._unknown_by[term]

    def _operation(self, name: str, args: Sequence[Term], said: Sequence[str]) -> str:
        """An operation whose operands are all scalars."""
        unit = 1 << self.parameters.low_bits
        match name:
            case "is":
                same = f"({said[0]} = {said[1]})"
                return f"coalesce({same}, FALSE)" if any(map(self.may_be_null, args)) else same
            case "when":
                return f"CASE WHEN {said[1]} THEN {said[0]} END"
            case "high":
                return self.dialect.shift.format(said[0], self.parameters.low_bits)
            case "first":
                return f"({said[0]} * {unit})"
            case "last":
                return f"({said[0]} * {unit} + {unit - 1})"
            case _ if name.startswith(FACTOR):
                low = FACTOR_BITS * SCOPES.index(name.removeprefix(FACTOR))
                return f"({self.dialect.shift.format(said[0], low) if low else said[0]} & 127)"
            case _:
                return PHRASES[name].format(*said)

    def _one(self, member: Term, number: str) -> Words:
        """The set of one member; in a set of several words, all words but one are zero."""
        if self.parameters.words == 1:
            return (self.dialect.bit.format(number),)
        otherwise = f"WHEN {number} IS NOT NULL THEN 0" if self.may_be_null(member) else "ELSE 0"
        words = []
        for first in range(0, WORD * self.parameters.words, WORD):
            bit = self.dialect.bit.format(f"({number} - {first})")
            words.append(f"CASE WHEN {number} BETWEEN {first} AND {first + WORD - 1} THEN {bit} {otherwise} END")
        return tuple(words)

    def _window(self, args: Sequence[Term], domain: Words) -> Words:
        """The places of a ring, each looked at on its own: no number is divided by 0, and none is too large."""
        start, length, size = (self.scalar(arg, domain) for arg in args)
        ring = f"nullif(CAST({size} AS BIGINT), 0)"
        unknown = " OR ".join(f"{text} IS NULL" for text in (start, length, size))
        words = []
        for first in range(0, WORD * self.parameters.words, WORD):
            places = range(first, min(first + WORD, self.parameters.size))
            said = [
                f"CASE WHEN {size} > {place} AND ({place} - {start} % {ring} + {ring}) % {ring} < {length} "
                f"THEN {self.dialect.bit.format(place - first)} ELSE 0 END"
                for place in places
            ]
            text = f"({' | '.join(said)})" if said else NOBODY
            words.append(f"CASE WHEN {unknown} THEN NULL ELSE {text} END" if any(map(self.may_be_null, args)) else text)
        return tuple(words)

    def _count(self, domains: Sequence[frozenset[int]], body: Term) -> str:
        """A sum over the domains, spelt out: far faster than a function over an array."""
        words = self.parameters.words
        everyone = frozenset[int]().union(*domains)
        single = satisfying(body, DOMAIN, self.unknown_by) if len(domains) == len(everyone) > 1 else None
        if single is not None and all(len(domain) == 1 for domain in domains):
            return self.scalar(Op("size", (single,)), mask_text(everyone, words))
        said = [self.scalar(body, mask_text(domain, words)) for domain in domains]
        return f"({' + '.join(f'CAST({text} AS INT)' for text in said)})" if said else "0"


def mask_text(members: frozenset[int], words: int) -> Words:
    """The mask words of a domain. An empty domain keeps its zeros, so that what meets them stays NULL where it was."""
    return tuple(map(str, mask(members, words))) if members else ("(0)",) * words


def _meet(a: str, b: str) -> str:
    return NOBODY if NOBODY in {a, b} else f"({a} & {b})"


def _join(a: str, b: str) -> str:
    return b if a == NOBODY else a if b == NOBODY else f"({a} | {b})"


def _minus(a: str, b: str) -> str:
    return a if NOBODY in {a, b} else f"({a} & ~{b})"


def _size(writer: Writer, words: Words) -> str:
    sizes = [writer.dialect.size.format(word) for word in words if word != NOBODY]
    return sizes[0] if len(sizes) == 1 else f"({' + '.join(sizes)})"


def _empty(words: Words) -> str:
    some = [word for word in words if word != NOBODY]
    return f"({some[0]} = 0)" if len(some) == 1 else f"(({' | '.join(some)}) = 0)"


def _subset(_: Writer, left: Words, right: Words) -> str:
    return _empty(tuple(_minus(a, b) for a, b in zip(left, right, strict=True)))


_WORD_BY_WORD: Final[dict[str, Callable[[str, str], str]]] = {"meet": _meet, "join": _join, "minus": _minus}
_BY_SETS: Final[dict[str, Callable[..., str]]] = {"size": _size, "subset": _subset}
