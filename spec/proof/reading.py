"""The z3 reading of terms: one row, one definition or one theorem, with symbols for what is not given.

It follows ``spec.language.meaning`` word by word; ``tests/agreement/test_z3_agrees.py`` holds it to that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import z3

from spec.language.parameters import Parameters
from spec.language.terms import Col, Count, Lit, Lookup, Op, Param, Term, Var
from spec.language.vocabulary import FACTOR
from spec.proof.building import all_of, denied, total
from spec.proof.symbols import TRUE, Symbolic, bits

ONE, NONE = z3.IntVal(1), z3.IntVal(0)

Domains = Mapping[str, Sequence[Any]]
"""For each location scope the domains, each a bit vector of its nodes."""


def size(nodes: Any) -> Any:
    """How many bits are set."""
    return total(z3.If(z3.Extract(bit, bit, nodes) == 1, ONE, NONE) for bit in range(nodes.size()))


def equal(a: Any, b: Any) -> Any:
    """Two numbers, truth values or sets are equal; two replication properties, scope by scope."""
    return z3.And([a[scope] == b[scope] for scope in a]) if isinstance(a, Mapping) else a == b


STRICT: Final[dict[str, Callable[..., Any]]] = {
    "=": equal,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "neg": lambda a: -a,
    "not": denied,
    "meet": lambda a, b: a & b,
    "join": lambda a, b: a | b,
    "minus": lambda a, b: a & ~b,
    "subset": lambda a, b: a & ~b == 0,
    "size": size,
}
"""Operations whose result is known when all operands are."""


@dataclass(frozen=True)
class Reading:
    """Terms over given columns.

    Attributes:
        width: how many nodes a set can have; they are numbered from 0.
        domains: the domains of each scope, concrete or symbolic.
        numbers: what each ``Param`` leaf stands for.
        low_bits: how many low bits of a position are its low part.
        column: what each column of the row stands for.
        lookup: what each column of a dimension stands for, under a key.
        remembered: what has been read already, by the identities of term and domain.
    """

    width: int
    domains: Domains
    column: Callable[[Col], Symbolic]
    numbers: Mapping[str, Any] = field(default_factory=dict)
    low_bits: int = 32
    lookup: Callable[[Lookup, tuple[Symbolic, ...]], Symbolic] | None = None
    remembered: dict[tuple[int, int], tuple[Term, Any, Symbolic]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def read(self, term: Term, domain: Any = None) -> Symbolic:
        """The value of a term and whether it is known; ``domain`` is what a bound variable stands for.

        Raises:
            TypeError: the term belongs to a view's declaration, or looks up where there are no dimensions.
        """
        key = (id(term), id(domain))
        if key not in self.remembered:
            # PurgeSurvivor with what they stand for, so that no other object takes over their identities.
            self.remembered[key] = (term, domain, self._read(term, domain))
        return self.remembered[key][-1]

    def _read(self, term: Term, domain: Any) -> Symbolic:
        match term:
            case Lit(value):
                return Symbolic(z3.BoolVal(value) if isinstance(value, bool) else z3.IntVal(value), TRUE)
            case Param(name):
                return Symbolic(self.numbers[name], TRUE)
            case Var():
                return Symbolic(domain, TRUE)
            case Col():
                return self.column(term)
            case Lookup(_, _, _, key) if self.lookup is not None:
                return self.lookup(term, tuple(self.read(part, domain) for part in key))
            case Count(scope, _, body):
                return self._count([self.read(body, domain) for domain in self.domains.get(scope, ())])
            case Op("<", (Op("size", (nodes,)), Lit(1))):
                # Nobody at all is far easier on the solver than a sum of bits below one.
                some = self.read(nodes, domain)
                return Symbolic(some.value == 0, some.known)
            case Op(name, args):
                return self._operation(name, [self.read(arg, domain) for arg in args])
            case _:
                raise TypeError(f"{term} cannot be read here: it is no term over this row's columns")

    def _count(self, said: list[Symbolic]) -> Symbolic:
        return Symbolic(total(z3.If(one.value, ONE, NONE) for one in said), all_known(said))

    def _operation(self, name: str, said: list[Symbolic]) -> Symbolic:
        match name:
            case "and":
                return both(*said)
            case "or":
                return negated(both(*map(negated, said)))
            case "implies":
                return negated(both(said[0], negated(said[1])))
            case "known":
                return Symbolic(said[0].known, TRUE)
            case "is":
                return Symbolic(z3.And(said[0].known, said[1].known, said[0].value == said[1].value), TRUE)
            case "when":
                return Symbolic(said[0].value, z3.And(said[0].known, said[1].known, said[1].value))
        known = all_known(said)
        values = [one.value for one in said]
        if name.startswith(FACTOR):
            return Symbolic(values[0][name.removeprefix(FACTOR)], known)
        return Symbolic((STRICT.get(name) or self._placed(name))(*values), known)

    def _placed(self, name: str) -> Callable[..., Any]:
        """Operations on numbers of nodes, and on positions with their low part."""
        unit = 1 << self.low_bits
        placed: dict[str, Callable[..., Any]] = {
            "one": self._one,
            "window": self._window,
            "high": lambda position: position / unit,
            "first": lambda high: high * unit,
            "last": lambda high: high * unit + (unit - 1),
        }
        return placed[name]

    def _one(self, node: Any) -> Any:
        """The set of one node, which must lie within the width: a caller that does not know so must assume it."""
        alone = bits(frozenset(), self.width)
        for number in range(self.width):
            alone = z3.If(node == number, bits(frozenset({number}), self.width), alone)
        return alone

    def _window(self, start: Any, length: Any, size: Any) -> Any:
        """The places of a ring, as far as the width goes."""
        places = bits(frozenset(), self.width)
        for place in range(self.width):
            chosen = z3.And(size > place, (place - start) % size < length)
            places |= z3.If(chosen, bits(frozenset({place}), self.width), bits(frozenset(), self.width))
        return places


def all_known(said: Sequence[Symbolic]) -> Any:
    """That all of these values are known; plainly so, where none of them is ever unknown."""
    return all_of([one.known for one in said if one.known is not TRUE])


def both(a: Symbolic, b: Symbolic) -> Symbolic:
    """Kleene's conjunction: false where one is false, even beside one that is not known."""
    if a.known is b.known is TRUE:
        return Symbolic(all_of([a.value, b.value]), TRUE)
    true = z3.And(a.known, a.value, b.known, b.value)
    false = z3.Or(z3.And(a.known, z3.Not(a.value)), z3.And(b.known, z3.Not(b.value)))
    return Symbolic(true, z3.Or(true, false))


def negated(a: Symbolic) -> Symbolic:
    """Unknown stays unknown."""
    return Symbolic(denied(a.value), a.known)


def concrete_domains(parameters: Parameters, width: int) -> Domains:
    """The domains of a known topology."""
    scopes = {"shard", *parameters.domains}
    return {scope: [bits(domain, width) for domain in parameters.domains_of(scope)] for scope in scopes}
