"""Terms in mathematical notation: the reading for people.

Brackets stand only where they are needed. A definition that a formula contains is said by its name, with what stands
for each parameter, when the caller names the definitions that readers know.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, Final

from spec.language.definition import Definition
from spec.language.folding import AlikeParts, fold, marked, unmarked
from spec.language.terms import Agg, Along, Col, Count, Field, Lit, Lookup, Op, Param, Term, Var, children
from spec.language.vocabulary import CONNECTIVES, FACTOR

BINARY: Final = {
    "implies": ("⇒", 1),
    "or": ("∨", 2),
    "and": ("∧", 3),
    "=": ("=", 5),
    "<>": ("≠", 5),
    "<": ("<", 5),
    "<=": ("≤", 5),
    ">": (">", 5),
    ">=": ("≥", 5),
    "subset": ("⊆", 5),
    "is": ("is", 5),
    "+": ("+", 6),
    "-": ("-", 6),
    "meet": ("∩", 6),
    "join": ("∪", 6),
    "minus": ("∖", 6),
}
"""Signs, and how tightly they bind."""

LOOSE, QUANTIFIED, DENYING, COMPARED, JOINED, ATOM = 0, 1, 4, 5, 6, 7
"""How tightly what is not joined by a sign binds."""

OPEN: Final = {"+": ("+", "-"), "-": ("+", "-"), "meet": ("meet",), "join": ("join",), "minus": ("minus",)}
"""What needs no brackets as the first operand of an operation."""

ASSOCIATIVE: Final = frozenset({"+", "meet", "join"})
"""What needs no brackets as the second operand of the same operation."""

QUANTIFIERS: Final = {"and": "∀", "or": "∃"}
"""What a chain of like parts is said with."""

DENIED: Final = {"=": "≠", "<>": "=", "<": "≥", "<=": ">", ">": "≤", ">=": "<", "subset": "⊈", "is": "is not"}
"""What a denied comparison is written as."""

GATHERED: Final = {"any": "∃", "count": "number of", "min": "min", "max": "max", "union": "⋃", "common": "⋂"}

SEEN: Final = {
    "previous": "{} of the row before",
    "latest": "last known {} so far",
    "next": "next known {} from here on",
    "highest": "highest {} so far",
    "lowest": "lowest {} from here on",
}

DOMAIN: Final = "D"
"""What a bound domain is called."""

WIDTH: Final = 96

Words = Mapping[str, Mapping[int, str]]
"""For fields and columns that hold one of a few numbers, by name, what each number is called."""


class Notation:
    """Terms as text.

    Args:
        definitions: those that are said by name.
        words: names for numbers.
        called: names for operations.
        unfolds: a formula that is a definition's own, parameters and all, is said in full: what a page on it needs.
    """

    def __init__(
        self,
        definitions: Iterable[Definition[..., Any]] = (),
        words: Words | None = None,
        called: Mapping[str, str] | None = None,
        *,
        unfolds: bool = True,
    ) -> None:
        self.unfolds = unfolds
        self.definitions = tuple(definition for definition in definitions if _worth_naming(definition))
        self.words, self.called = words or {}, called or {}

    def say(self, term: Term) -> str:
        """The term on one line."""
        return unmarked(self._say(term)[0])

    def lines(self, term: Term, width: int = WIDTH) -> list[str]:
        """The term on several lines where it is long, one for each part that a connective joins."""
        return [unmarked(line) for line in self._lines(term, width)]

    def used(self, term: Term) -> list[Definition[..., Any]]:
        """The definitions that are said by name when the term is said."""
        found = self._match(term)
        names, below = ([found[0]], found[1].values()) if found else ([], children(term))
        return list(dict.fromkeys([*names, *(one for part in below for one in self.used(part))]))

    def _lines(self, term: Term, width: int) -> list[str]:
        whole, _ = self._say(term)
        if len(unmarked(whole)) <= width or not isinstance(term, Op) or self._match(term) is not None:
            return [whole]
        if term.name == "implies":
            given, claim = (self._lines(part, width - 2) for part in term.args)
            return [*given, *_hanging("⇒ ", claim)]
        if term.name not in QUANTIFIERS:
            return [whole]
        chain, sign = self._chain(term.name, term), BINARY[term.name][0]
        folded = fold([self._say(part)[0] for part in chain], QUANTIFIERS[term.name])
        return [
            line for part in folded for line in _hanging(f"{sign} ", self._part(part, chain[part.first], width - 2))
        ]

    def _part(self, part: AlikeParts, term: Term, width: int) -> list[str]:
        """One part of a chain; what a quantifier speaks of stands below it where it has several lines."""
        lines = self._lines(term, width - 2 * bool(part.head))
        if not part.head:
            return lines
        told = [part.generalized(line) for line in lines]
        return [f"{part.head}: {told[0]}"] if len(told) == 1 else [f"{part.head}:", *(f"  {line}" for line in told)]

    def _say(self, term: Term) -> tuple[str, int]:
        match term:
            case Lit(value):
                return str(value).lower(), ATOM
            case Param(name) | Col(name, _):
                return name, ATOM
            case Var():
                return DOMAIN, ATOM
            case Field(event, name, _, _):
                return f"{event.__name__}.{name}", ATOM
            case Lookup(dimension, column, _, key):
                return f"{dimension.__name__}.{column}[{self._list(key)}]", ATOM
            case Count(scope, _, body):
                return f"|{{{DOMAIN} ∈ {marked(scope)} : {self._say(body)[0]}}}|", ATOM
            case Agg():
                return self._aggregate(term), LOOSE
            case Along(fn, partition, of):
                return f"{SEEN[fn].format(self._inside(of, COMPARED))}, along ({self._list(partition)})", LOOSE
            case Op():
                return self._named(term) or self._idiom(term) or self._operation(term.name, term.args)
            case _:
                raise TypeError(f"{term} belongs to a protocol text, which spec.language.protocol.prose tells")

    def _operation(self, name: str, args: tuple[Term, ...]) -> tuple[str, int]:
        if name in QUANTIFIERS:
            return self._chained(name, args)
        if name in BINARY:
            sign, level = BINARY[name]
            first = self._inside(args[0], level + (not _has(args[0], OPEN.get(name, ()))))
            second = self._number(args[0], args[1], level + (not _has(args[1], ASSOCIATIVE & {name})))
            return f"{first} {sign} {second}", level
        inner = self._inside(args[0], ATOM)
        if name.startswith(FACTOR):
            return f"{inner}[{marked(name.removeprefix(FACTOR))}]", ATOM
        match name:
            case "not":
                return f"¬{self._inside(args[0], COMPARED)}", DENYING
            case "neg":
                return f"-{inner}", JOINED
            case "size":
                return f"|{self._say(args[0])[0]}|", ATOM
            case "one":
                return f"{{{self._say(args[0])[0]}}}", ATOM
            case "known":
                return f"{self._inside(args[0], JOINED)} is known", COMPARED
            case "when":
                return f"{self._inside(args[0], COMPARED)} if {self._say(args[1])[0]}", LOOSE
            case _:
                return f"{self.called.get(name, name)}({self._list(args)})", ATOM

    def _chained(self, name: str, args: tuple[Term, ...]) -> tuple[str, int]:
        sign, level = BINARY[name]
        said = [self._say(part) for part in self._chain(name, Op(name, args))]
        folded = fold([text for text, _ in said], QUANTIFIERS[name])
        parts = [
            (f"{part.head}: {part.generalized(said[part.first][0])}", QUANTIFIED) if part.head else said[part.first]
            for part in folded
        ]
        if len(parts) == 1:
            return parts[0]
        return f" {sign} ".join(text if bound > level else _bracketed(text) for text, bound in parts), level

    def _chain(self, name: str, term: Term) -> list[Term]:
        """The parts that a connective joins, except inside what is said by name."""
        if isinstance(term, Op) and term.name == name and self._match(term) is None:
            return [part for arg in term.args for part in self._chain(name, arg)]
        return [term]

    def _idiom(self, term: Op) -> tuple[str, int] | None:
        """What is said in one sign though it takes several words to build."""
        match term:
            case Op("not", (Op("<", (Op("size", (members,)), Lit(1))),)):
                return f"{self._inside(members, JOINED)} ≠ ∅", COMPARED
            case Op("<", (Op("size", (members,)), Lit(1))):
                return f"{self._inside(members, JOINED)} = ∅", COMPARED
            case Op("not", (Op("known", (value,)),)):
                return f"{self._inside(value, JOINED)} is not known", COMPARED
            case Op("not", (Op(name, (a, b)),)) if name in DENIED:
                return f"{self._inside(a, JOINED)} {DENIED[name]} {self._number(a, b, JOINED)}", COMPARED
            case Op(">", (Count(scope, _, body), Lit(0))):
                return f"∃ {DOMAIN} ∈ {marked(scope)}: {self._say(body)[0]}", QUANTIFIED
            case Op("=", (Count(scope, _, Op("not", (body,))), Lit(0))):
                return f"∀ {DOMAIN} ∈ {marked(scope)}: {self._say(body)[0]}", QUANTIFIED
            case Op("<=", (Op("when", (a, Op("or", (Op("<=", (b, c)), Op(">", (d, Op("+", (e, Param())))))))), f)) if (
                a == b == d and c == e == f
            ):
                return f"{self._inside(a, JOINED)} not after {self._inside(f, JOINED)}", COMPARED
            case _:
                return None

    def _named(self, term: Term) -> tuple[str, int] | None:
        """The name of a definition, with what stands for its parameters."""
        found = self._match(term)
        if found is None:
            return None
        definition, bound = found
        return f"{definition.name}({self._list(tuple(bound[name] for name in definition.columns))})", ATOM

    def _match(self, term: Term) -> tuple[Definition[..., Any], dict[str, Term]] | None:
        for definition in self.definitions:
            bound: dict[str, Term] = {}
            if not (self.unfolds and term == definition.term) and _fits(definition.term, term, bound):
                return definition, bound
        return None

    def _number(self, beside: Term, term: Term, least: int) -> str:
        """The second operand; a number by its name, if the first is a field or column whose numbers have names."""
        names = self.words.get(beside.name, {}) if isinstance(beside, Col | Field) else {}
        if isinstance(term, Lit) and term.value in names:
            return names[term.value]
        return self._inside(term, least)

    def _inside(self, term: Term, least: int) -> str:
        """The term, in brackets if it binds less tightly than what is around it."""
        said, level = self._say(term)
        return said if level >= least else _bracketed(said)

    def _list(self, terms: tuple[Term, ...]) -> str:
        return ", ".join(self._say(term)[0] for term in terms)

    def _aggregate(self, agg: Agg) -> str:
        values = [event.__name__ if isinstance(value, Lit) else self._say(value)[0] for event, value in agg.of]
        what = values[0] if len(values) == 1 else _bracketed(", ".join(values))
        where = "" if agg.where is None else f" where {self._say(agg.where)[0]}"
        return f"{GATHERED[agg.fn]} {what}{where}"


def _worth_naming(definition: Definition[..., Any]) -> bool:
    """A definition of one comparison is as short as its name, and would be found everywhere."""
    return isinstance(definition.term, Op) and definition.term.name in CONNECTIVES


def _has(term: Term, names: Container[str]) -> bool:
    return isinstance(term, Op) and term.name in names


def _bracketed(text: str) -> str:
    return f"({text})"


def _hanging(sign: str, lines: list[str]) -> list[str]:
    """Lines behind a sign, the later ones set in."""
    return [sign + lines[0], *(" " * len(sign) + line for line in lines[1:])]


def _fits(pattern: Term, term: Term, bound: dict[str, Term]) -> bool:
    """Whether a term is a definition's formula, with a term of its own for each parameter."""
    match pattern, term:
        case Col(name, _), _:
            return bound.setdefault(name, term) == term
        case (Op(name, args), Op(other, others)) if name == other and len(args) == len(others):
            return all(_fits(a, b, bound) for a, b in zip(args, others, strict=True))
        case Count(scope, _, body), Count(other, _, inside) if scope == other:
            return _fits(body, inside, bound)
        case _:
            return pattern == term
