"""Any number of nodes and domains: the same terms, read as arithmetic of cardinalities.

A few sets of nodes cut the world into regions: nodes that are in just these sets and in no other. A set is a union of
regions, its size a sum of their sizes. A domain matters only by which regions it reaches into, so the domains of a
scope are counted by kind. Counts and sizes are whole numbers without a bound: what z3 proves here holds for clusters of
every size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, combinations
from operator import and_, or_, sub
from typing import Any, Final, TypeAlias

import z3

from spec.language.meaning import Value
from spec.language.parameters import Parameters
from spec.language.terms import Col, Count, Lit, Op, Term, Var, leaves
from spec.language.vocabulary import FACTOR, SCOPES
from spec.proof.reading import STRICT
from spec.proof.theorems import CounterModel, Proof, Status, Theorem, solve, timed

Region: TypeAlias = frozenset[str]
"""Nodes that are in just these sets."""

Union: TypeAlias = frozenset[Region]
"""A set of nodes, as the regions that it is made of."""

TIMEOUT_MS: Final = 60_000

_SETS: Final[dict[str, Callable[[Union, Union], Union]]] = {"meet": and_, "join": or_, "minus": sub}
_CONNECTIVES: Final = {"and": z3.And, "or": z3.Or, "implies": z3.Implies}


def subsets(of: Iterable[Any]) -> list[frozenset[Any]]:
    """All subsets, the empty one first."""
    members = list(of)
    return [frozenset(few) for few in chain.from_iterable(combinations(members, n) for n in range(len(members) + 1))]


class Cardinalities:
    """A theorem about sets of nodes and a replication property, whatever the number of nodes.

    Args:
        theorem: it must not depend on how domains of different scopes lie in each other.
        scopes: the scopes that have domains; the others have none.
    """

    def __init__(self, theorem: Theorem, scopes: tuple[str, ...] = SCOPES[1:]) -> None:
        if theorem.located or theorem.nested or theorem.picked:
            raise ValueError(f"{theorem.name!r} depends on how domains lie: prove it for small topologies instead")
        self.theorem = theorem
        terms = [*theorem.hypotheses.values(), theorem.claim]
        counted = {count.scope for term in terms for count in leaves(term, Count)}
        self.scopes = [scope for scope in scopes if scope in counted]
        columns = {col for term in terms for col in leaves(term, Col)}
        self.sets = sorted(col.name for col in columns if col.sort == "set")
        self.regions = self._possible(subsets(self.sets)[1:])
        self.sizes = {region: z3.Int("|" + " & ".join(sorted(region)) + "|") for region in self.regions}
        self.factors = {scope: z3.Int(f"R {scope}") for scope in SCOPES}
        self.kinds = subsets(self.regions)[1:] if self.scopes else []
        self.domains = {scope: [z3.Int(f"{scope} {n}") for n in range(len(self.kinds))] for scope in self.scopes}

    def prove(self) -> Proof:
        """Look for cardinalities that refute the theorem."""

        def run() -> tuple[Status, CounterModel | None]:
            hypotheses = [self.read(term) for term in self.theorem.hypotheses.values()]
            refuted = [*self._counts(), *hypotheses, z3.Not(self.read(self.theorem.claim))]
            status, model = solve(refuted, TIMEOUT_MS)
            return status, None if model is None else self.decode(model)

        return timed(self.theorem, "any number of nodes and domains", run)

    def read(self, term: Term) -> Any:
        """A formula or number as arithmetic of cardinalities.

        Raises:
            KeyError: the term has a word that says more than cardinalities can.
        """
        match term:
            case Lit(value):
                return z3.BoolVal(value) if isinstance(value, bool) else z3.IntVal(value)
            case Count(_, _, body) if self._of(body, frozenset()):
                raise KeyError(f"{body} also counts domains that reach into none of the sets")
            case Count("shard", _, body):
                return z3.Sum([self.sizes[region] for region in self.regions if self._of(body, frozenset({region}))])
            case Count(scope, _, body):
                counted = zip(self.kinds, self.domains.get(scope, ()), strict=False)
                return z3.Sum([z3.IntVal(0), *(number for kind, number in counted if self._of(body, kind))])
            case Op("size", (nodes,)):
                return z3.Sum([z3.IntVal(0), *(self.sizes[region] for region in self._set(nodes, frozenset()))])
            case Op("subset", (inner, outer)):
                rest = self._set(inner, frozenset()) - self._set(outer, frozenset())
                return z3.And([self.sizes[region] == 0 for region in rest])
            case Op(name, _) if name.startswith(FACTOR):
                return self.factors[name.removeprefix(FACTOR)]
            case Op(name, args) if name in _CONNECTIVES:
                return _CONNECTIVES[name](*map(self.read, args))
            case Op(name, args):
                return STRICT[name](*map(self.read, args))
            case _:
                raise KeyError(f"{term} has no cardinality")

    def decode(self, model: Any) -> CounterModel:
        """Nodes and domains that have a model's cardinalities; all scopes cut the nodes in the same order."""
        members: dict[Region, list[int]] = {}
        nodes = 0
        for region, size in self.sizes.items():
            members[region] = list(range(nodes, nodes := nodes + _number(model, size)))
        domains = {scope: self._placed(scope, members, model) for scope in self.scopes}
        values: dict[str, Value] = {
            name: frozenset(node for region in self.regions if name in region for node in members[region])
            for name in self.sets
        }
        factors = {scope: _number(model, copies) for scope, copies in self.factors.items()}
        replication = {scope: copies for scope, copies in factors.items() if copies}
        return CounterModel(Parameters(nodes, domains), values | {"replication": replication})

    def _placed(self, scope: str, members: dict[Region, list[int]], model: Any) -> tuple[frozenset[int], ...]:
        """Each domain takes one node of each region that it reaches into; the other nodes have no location."""
        free = {region: iter(nodes) for region, nodes in members.items()}
        numbers = zip(self.kinds, self.domains[scope], strict=True)
        wanted = [kind for kind, number in numbers for _ in range(_number(model, number))]
        return tuple(frozenset(next(free[region]) for region in kind) for kind in wanted)

    def _possible(self, regions: list[Region]) -> list[Region]:
        """Regions that no hypothesis of the form 'this set lies in that one' declares empty."""
        self.regions = regions
        for term in self.theorem.hypotheses.values():
            match term:
                case Op("subset", (inner, outer)):
                    empty = self._set(inner, frozenset()) - self._set(outer, frozenset())
                    regions = [region for region in regions if region not in empty]
        return regions

    def _counts(self) -> list[Any]:
        """Nothing is counted below zero, factors included; domains of one scope share no node."""
        numbers = [*self.sizes.values(), *self.factors.values(), *chain.from_iterable(self.domains.values())]
        apart = [
            z3.Sum([z3.IntVal(0), *(number for kind, number in zip(self.kinds, found, strict=True) if region in kind)])
            <= self.sizes[region]
            for found in self.domains.values()
            for region in self.regions
        ]
        return [number >= 0 for number in numbers] + apart

    def _set(self, term: Term, domain: Union) -> Union:
        match term:
            case Col(name):
                return frozenset(region for region in self.regions if name in region)
            case Var():
                return domain
            case Op(name, (a, b)):
                return _SETS[name](self._set(a, domain), self._set(b, domain))
            case _:
                raise KeyError(f"{term} is no set of nodes that cardinalities can say")

    def _of(self, body: Term, domain: Union) -> bool:
        """Whether a domain that reaches into these regions satisfies the body of a count."""
        match body:
            case Op("<", (Op("size", (nodes,)), Lit(1))):
                return not self._set(nodes, domain)
            case Op("subset", (inner, outer)):
                return self._set(inner, domain) <= self._set(outer, domain)
            case Op("not", (a,)):
                return not self._of(a, domain)
            case Op("and", (a, b)):
                return self._of(a, domain) and self._of(b, domain)
            case Op("or", (a, b)):
                return self._of(a, domain) or self._of(b, domain)
            case _:
                raise KeyError(f"{body} depends on more than which regions a domain reaches into")


def _number(model: Any, number: Any) -> int:
    found: int = model.eval(number, model_completion=True).as_long()
    return found
