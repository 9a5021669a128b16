"""Regions: how a few sets of nodes cut the world, and how far a count tells domains apart.

A region holds the nodes that are in just these sets and in no other, so a set is a union of regions. A domain matters
only by which regions it reaches into, and only as far as some count asks for it: regions that no count tells apart make
one cell, and domains that reach into the same cells are of one kind. Plain sets of names; no solver is needed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, combinations
from operator import and_, or_, sub
from typing import Final, TypeAlias, TypeVar

from spec.language.terms import Col, Count, Lit, Op, Term, Var, leaves

Region: TypeAlias = frozenset[str]
"""Nodes that are in just these sets."""

Union: TypeAlias = frozenset[Region]
"""A set of nodes, as the regions that it is made of; of a domain, the regions that it reaches into."""

T = TypeVar("T")

_SETS: Final[dict[str, Callable[[Union, Union], Union]]] = {"meet": and_, "join": or_, "minus": sub}


def some_of(members: Iterable[T]) -> list[frozenset[T]]:
    """All subsets but the empty one."""
    all_of = list(members)
    return [frozenset(few) for size in range(len(all_of)) for few in combinations(all_of, size + 1)]


class Regions:
    """The regions that the columns of a few terms make, and the cells and kinds that their counts tell apart.

    Args:
        sets: the names of the columns that hold sets of nodes.
        hypotheses: what may be assumed; where one says that a set lies in another, some regions are empty.
        counts: every count over domains.

    Raises:
        KeyError: a count asks for more than which regions a domain reaches into.
    """

    def __init__(self, sets: Iterable[str], hypotheses: Iterable[Term], counts: Iterable[Count]) -> None:
        self.all = some_of(sorted(sets))
        for term in hypotheses:
            match term:
                case Op("subset", (inner, outer)):
                    empty = self.of(inner) - self.of(outer)
                    self.all = [region for region in self.all if region not in empty]
        self.cells = self._cells({union for count in counts for union in self._tests(count.body)})
        self.kinds: list[Union] = [frozenset(chain(*cells)) for cells in some_of(self.cells)]

    def of(self, nodes: Term) -> Union:
        """The regions that a set is made of.

        Raises:
            KeyError: the term is no union, meet or difference of columns.
        """
        match nodes:
            case Col(name):
                return frozenset(region for region in self.all if name in region)
            case Op(name, (a, b)) if name in _SETS:
                return _SETS[name](self.of(a), self.of(b))
            case _:
                raise KeyError(f"{nodes} is no set of nodes that regions can say")

    def counts(self, body: Term) -> Callable[[Union], bool]:
        """Which domains satisfy the body of a count, told from the regions that they reach into.

        Raises:
            KeyError: the body asks for more than that.
        """
        match body:
            case Op("<" | "subset"):
                return self._asked(body).isdisjoint
            case Op("not", (a,)):
                denied = self.counts(a)
                return lambda domain: not denied(domain)
            case Op("and" | "or" as name, (a, b)):
                first, second = self.counts(a), self.counts(b)
                if name == "and":
                    return lambda domain: first(domain) and second(domain)
                return lambda domain: first(domain) or second(domain)
            case _:
                raise KeyError(f"{body} depends on more than which regions a domain reaches into")

    def _asked(self, test: Term) -> Union:
        """The nodes of which a test says that the domain has none."""
        match test:
            case Op("<", (Op("size", (share,)), Lit(1))):
                return self._share(share)
            case Op("subset", (share, outer)):
                return self._share(share) - self.of(outer)
            case _:
                raise KeyError(f"{test} asks for more than whether a domain has some of these nodes")

    def _share(self, term: Term) -> Union:
        """Of a set that is a domain's share of some nodes, all these nodes."""
        match term:
            case Var():
                return frozenset(self.all)
            case Op("meet", (a, b)):
                return self._share(a) & self.of(b)
            case Op("minus", (a, b)):
                return self._share(a) - self.of(b)
            case _:
                raise KeyError(f"{term} is no share of a domain")

    def _tests(self, body: Term) -> list[Union]:
        """All nodes that a count asks for.

        Raises:
            KeyError: it asks for more; or it also counts domains that reach into none of them.
        """
        if self.counts(body)(frozenset()):
            raise KeyError(f"{body} also counts domains that reach into none of the sets")
        return [self._asked(test) for test in leaves(body, Op) if test.name in ("<", "subset")]

    def _cells(self, asked: Iterable[Union]) -> list[Union]:
        """The regions that no count tells apart, without those that none asks for."""
        asked = list(asked)
        cells: dict[frozenset[Union], Union] = {}
        for region in self.all:
            signature = frozenset(union for union in asked if region in union)
            cells[signature] = cells.get(signature, frozenset()) | {region}
        return [cell for signature, cell in cells.items() if signature]
