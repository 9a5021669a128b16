"""Any number of nodes and domains: the same terms, read as arithmetic of cardinalities.

The size of a set is the sum of the sizes of its regions, and the domains of a scope are counted by kind. Counts and
sizes are whole numbers without a bound: what z3 proves here holds for clusters of every size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, combinations
from typing import Any, Final

import z3

from spec.language.meaning import Value
from spec.language.parameters import Parameters
from spec.language.scopes import SCOPES
from spec.language.terms import Col, Count, Lit, Op, Term
from spec.language.vocabulary import FACTOR
from spec.proof.building import all_of, natural, total
from spec.proof.countermodels import CounterModel
from spec.proof.proofs import Proof, Status, solve, timed
from spec.proof.reading import STRICT
from spec.proof.regions import Region, Regions, some_of
from spec.proof.theorems import Theorem

_CONNECTIVES: Final = {"or": z3.Or, "implies": z3.Implies}


def prove_for_any_number(theorem: Theorem, scopes: tuple[str, ...] = SCOPES[1:]) -> Proof:
    """Prove a theorem whatever the number of nodes and of domains; the scopes are those that have domains.

    Raises:
        ValueError: the claim speaks of a choice.
        KeyError: a term says more than cardinalities can.
    """
    return timed(theorem, "any number of nodes and domains", lambda: Cardinalities(theorem, scopes).decide())


class Cardinalities:
    """A theorem about sets of nodes, numbers and replication properties, whatever the number of nodes.

    Args:
        theorem: its claim must not speak of a choice.
        scopes: the scopes that have domains; the others have none.

    Raises:
        ValueError: the claim speaks of a choice.
        KeyError: a count asks for more than which of the sets a domain reaches into.
    """

    def __init__(self, theorem: Theorem, scopes: tuple[str, ...] = SCOPES[1:]) -> None:
        if theorem.choice is not None:
            raise ValueError(f"{theorem.id} speaks of some choice of nodes: prove it for small topologies instead")
        self.theorem = theorem
        (*self.hypotheses, self.claim), parts = theorem.shared
        columns = [part for part in parts if isinstance(part, Col)]
        named = {sort: sorted(col.name for col in columns if col.sort == sort) for sort in ("set", "int", "factors")}
        counts = [part for part in parts if isinstance(part, Count)]
        self.sets = named["set"]
        self.regions = Regions(self.sets, self.hypotheses, counts)
        self.sizes = {region: z3.Int("|" + " & ".join(sorted(region)) + "|") for region in self.regions.all}
        self.numbers = {name: z3.Int(name) for name in named["int"]}
        self.factors = {name: {scope: z3.Int(f"{name} {scope}") for scope in SCOPES} for name in named["factors"]}
        self._remembered: dict[int, tuple[Term, Any]] = {}
        self.domains = {
            scope: [z3.Int(f"{scope} {n}") for n in range(len(self.regions.kinds))]
            for scope in scopes
            if any(count.scope == scope for count in counts)
        }

    def decide(self) -> tuple[Status, CounterModel | None]:
        """Look for cardinalities that refute the theorem.

        Where the theorem rests on how domains lie, only what follows from that for cardinalities is assumed; so what
        is found then need not be a topology, and the theorem stays undecided.
        """
        hypotheses = [self.read(term) for term in self.hypotheses]
        status, model = solve([*self._laws(), *hypotheses, z3.Not(self.read(self.claim))])
        if status is Status.REFUTED and (self.theorem.located or self.theorem.nested):
            return Status.UNDECIDED, None
        return status, None if model is None else self.decode(model)

    def read(self, term: Term) -> Any:
        """A formula or number as arithmetic of cardinalities.

        Raises:
            KeyError: the term has a word that says more than cardinalities can.
        """
        if id(term) not in self._remembered:
            self._remembered[id(term)] = (term, self._read(term))
        return self._remembered[id(term)][1]

    def _read(self, term: Term) -> Any:
        match term:
            case Lit(value):
                return z3.BoolVal(value) if isinstance(value, bool) else z3.IntVal(value)
            case Col(name, "int"):
                return self.numbers[name]
            case Count("shard", _, body):
                counts = self.regions.counts(body)
                return self._size(region for region in self.regions.all if counts(frozenset({region})))
            case Count(scope, _, body):
                return self._number_of(scope, map(self.regions.counts(body), self.regions.kinds))
            case Op("size", (nodes,)):
                return self._size(self.regions.of(nodes))
            case Op("subset", (inner, outer)):
                return self._size(self.regions.of(inner) - self.regions.of(outer)) < 1
            case Op(name, (Col(column),)) if name.startswith(FACTOR):
                return self.factors[column][name.removeprefix(FACTOR)]
            case Op("and", args):
                return all_of([self.read(arg) for arg in args])
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
        domains = {scope: self._placed(numbers, members, model) for scope, numbers in self.domains.items()}
        values: dict[str, Value] = {
            name: frozenset(node for region, inside in members.items() if name in region for node in inside)
            for name in self.sets
        }
        values |= {name: _number(model, number) for name, number in self.numbers.items()}
        for name, factors in self.factors.items():
            copies = {scope: _number(model, factor) for scope, factor in factors.items()}
            values[name] = {scope: factor for scope, factor in copies.items() if factor}
        return CounterModel(Parameters(nodes, domains), values)

    def _placed(
        self, numbers: list[Any], members: Mapping[Region, list[int]], model: Any
    ) -> tuple[frozenset[int], ...]:
        """Each domain takes one node of each cell that it reaches into; the other nodes have no location."""
        free = {cell: chain(*(members[region] for region in cell)) for cell in self.regions.cells}
        counted = zip(self.regions.kinds, numbers, strict=True)
        wanted = [kind for kind, number in counted for _ in range(_number(model, number))]
        return tuple(frozenset(next(nodes) for cell, nodes in free.items() if cell <= kind) for kind in wanted)

    def _laws(self) -> list[Any]:
        """Nothing is counted below zero, factors included; domains of one scope share no node."""
        factors = chain(*(factors.values() for factors in self.factors.values()))
        counted = natural(chain(self.sizes.values(), factors, *self.domains.values()))
        apart = [
            self._number_of(scope, map(cell.issubset, self.regions.kinds)) <= self._size(cell)
            for scope in self.domains
            for cell in self.regions.cells
        ]
        return [counted, *apart] + (self._nesting() if self.theorem.nested and self.theorem.located else [])

    def _nesting(self) -> list[Any]:
        """Nodes that all have a domain, inside one larger domain, touch no more of the larger than of the smaller."""
        wanted = self.factors["replication"]
        kinds, unions = self.regions.kinds, some_of(self.regions.cells)
        reached = [[any(cell <= kind for cell in cells) for kind in kinds] for cells in unions]
        return [
            z3.Implies(wanted[small] > 0, self._number_of(large, touched) <= self._number_of(small, touched))
            for small, large in combinations(self.domains, 2)
            for touched in reached
        ]

    def _number_of(self, scope: str, which: Iterable[bool]) -> Any:
        """How many domains of a scope are of these kinds; none, where it has no domains."""
        numbers = self.domains.get(scope, [])
        return total(number for number, counted in zip(numbers, which, strict=False) if counted)

    def _size(self, regions: Iterable[Region]) -> Any:
        return total(self.sizes[region] for region in regions)


def _number(model: Any, number: Any) -> int:
    found: int = model.eval(number, model_completion=True).as_long()
    return found
