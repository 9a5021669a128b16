"""Prefixes: how far a formula says the same of the elements of an order, from the first on.

``every(self.acknowledged(lower) for lower in entry.before())`` is asked of each entry in turn. As long as the relations
that it reads only grow, or only shrink, in the direction that keeps an answer, what was found of the first elements
stays so: with rows that versions share, only those behind them are asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from spec.language.protocol.sharing import Line, SharedRows
from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Domains, Rows
from spec.language.protocol.text import Protocol
from spec.language.terms import Applied, Binder, Bound, Holds, Member, Op, Quantified, Term, walk

FEW: Final = 8
"""So many elements are asked at once, rather than that anything is remembered of them."""

MOST: Final = 256
"""So much is remembered of one line of versions; then all is forgotten."""


@dataclass(frozen=True)
class Reads:
    """What an answer depends on.

    Attributes:
        relations: by name; True: the answer stays as long as rows are added; False: as long as rows are taken away.
        values: the variables that have been chosen outside.
        sorts: the sorts of whose number of elements it depends.
        families: the families whose sets it looks into.
    """

    relations: tuple[tuple[str, bool], ...]
    values: tuple[int, ...]
    sorts: tuple[type[Sort], ...]
    families: tuple[type[Family[Any]], ...]


class _Remembered(NamedTuple):
    """In versions of these sizes, or later ones of their lines, the answer is the same of so many elements."""

    sizes: tuple[int, ...]
    upto: int


class Prefix:
    """Finds the first of some elements of which a formula gives an answer.

    Args:
        reads: what it depends on that the formula does not give the answer.
    """

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self._signs = tuple(sign for _, sign in reads.relations)

    def first(
        self,
        world: Domains,
        state: Mapping[str, Rows],
        values: Mapping[int, int],
        end: int,
        gives: Callable[[int], bool],
    ) -> int:
        """The first element below an end of which the formula ``gives`` the answer; the end, where there is none."""
        rows = [state[name] for name, _ in self._reads.relations] if end > FEW else []
        shared = [one for one in rows if isinstance(one, SharedRows)]
        if not shared or len(shared) < len(rows):
            return next((element for element in range(end) if gives(element)), end)
        lines = [one.growing if sign else one.shrinking for one, sign in zip(shared, self._signs, strict=True)]
        sizes, place = tuple(map(len, shared)), (self, *lines[1:], *self._around(world, values))
        known: _Remembered | None = lines[0].remembered.get(place)
        is_older = known is not None and not self._is_since(known.sizes, sizes)
        begin = 0 if known is None or is_older else known.upto
        found = next((element for element in range(begin, end) if gives(element)), end)
        if not is_older and (known is None or found > begin):
            _remember(lines[0], place, _Remembered(sizes, found))
        return found

    def _around(self, world: Domains, values: Mapping[int, int]) -> Iterator[Any]:
        """What must be the same, besides the relations."""
        reads = self._reads
        yield tuple(values[number] for number in reads.values)
        yield tuple(len(world.elements(sort)) for sort in reads.sorts)
        yield tuple(world.families[family] for family in reads.families)

    def _is_since(self, before: tuple[int, ...], now: tuple[int, ...]) -> bool:
        both = zip(self._signs, before, now, strict=True)
        return all(then <= later if sign else then >= later for sign, then, later in both)


def _remember(line: Line, place: tuple[Any, ...], known: _Remembered) -> None:
    if len(line.remembered) >= MOST:
        line.remembered.clear()
    line.remembered[place] = known


def reads_of(protocol: type[Protocol], body: Term, number: int, *, stays: bool) -> Reads | None:
    """What an answer of a formula about one variable depends on; None: relations in both directions.

    Args:
        protocol: the text whose definitions the formula may use.
        body: the formula.
        number: the variable.
        stays: the answer that is to stay.
    """
    signs: dict[str, bool] = {}
    around: dict[type[Sort], None] = {}
    for name, sign in _relations(protocol, body, around, sign=stays):
        if signs.setdefault(name, sign) is not sign:
            return None
    families = tuple(sort for sort in around if issubclass(sort, Family))
    sorts = tuple(sort for sort in around if not issubclass(sort, Family))
    return Reads(tuple(signs.items()), tuple(sorted(_free(body) - {number})), sorts, families)


def _relations(
    protocol: type[Protocol], term: Term, around: dict[type[Sort], None], *, sign: bool
) -> Iterator[tuple[str, bool]]:
    """The relations that a formula reads, each with the direction in which its answer stays."""
    match term:
        case Holds(relation, _):
            yield relation, sign
        case Member(_, Bound(_, sort)):
            around[sort] = None
        case Op("not", (body,)):
            yield from _relations(protocol, body, around, sign=not sign)
        case Op("implies", (a, b)):
            yield from _relations(protocol, a, around, sign=not sign)
            yield from _relations(protocol, b, around, sign=sign)
        case Op("and" | "or", parts):
            for part in parts:
                yield from _relations(protocol, part, around, sign=sign)
        case Quantified(_, over, body):
            around |= {sort: None for binder in over for sort in _ranged(binder)}
            yield from _relations(protocol, body, around, sign=sign)
        case Applied(name, _):
            yield from _relations(protocol, protocol.definitions[name].body, around, sign=sign)


def _ranged(binder: Binder) -> Iterator[type[Sort]]:
    """The sorts on whose elements it depends what a variable is drawn from."""
    match binder.within:
        case Op("<" | "<=", (a, _)) if a == binder.var:
            return
        case Member(_, Bound(_, family)):
            yield family
        case _:
            yield binder.var.sort


def _free(term: Term) -> set[int]:
    """The variables of a formula that are chosen outside."""
    used = {one.number for one in walk(term) if isinstance(one, Bound)}
    inner = {binder.var.number for one in walk(term) if isinstance(one, Quantified) for binder in one.over}
    return used - inner
