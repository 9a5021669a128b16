"""Placing: which copies of which tiles a trace has, and by what each is shifted, so that no two share a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from conformance.generate import long_log
from conformance.generate.kit import Kit
from conformance.generate.ordering import VARIETY, Order
from conformance.generate.shifting import Shift, shifted
from conformance.generate.tiles import Tile
from spec.language.outcomes import Judgement, Outcome

STAGGER_NS: Final = 7_000_003
"""How much later than the copy before it a copy begins."""


@dataclass(frozen=True)
class Copy:
    """A copy of a tile: the tile's number in the order's plans, itself, and by what it is shifted."""

    number: int
    tile: Tile
    shift: Shift

    @property
    def ends_ns(self) -> int:
        """When its last event happens, at the latest."""
        return self.shift.time_ns + self.tile.size.time_ns


@dataclass(frozen=True)
class Placed:
    """All copies of a trace, by where they begin.

    Attributes:
        long: those of the long log, which follow one another in it.
        others: all others, which overlap in time.
    """

    long: Sequence[Copy]
    others: Sequence[Copy]

    @property
    def all(self) -> list[Copy]:
        """All copies, in the order of their sequence numbers."""
        return [*self.long, *self.others]

    @property
    def events(self) -> int:
        """How many events there are."""
        return sum(len(copy.tile.rows) for copy in self.all)


def placed(order: Order, kit: Kit) -> Placed:
    """The copies of an order: those of mutants stand evenly between others."""
    long, size = _long(order, kit)
    broken = [(VARIETY + place, tile) for place, tile in enumerate(kit.broken.values())]
    planted = [broken[number % len(broken)] for number in range(len(order.broken))]
    rest = order.events - sum(len(copy.tile.rows) for copy in long) - sum(len(tile.rows) for _, tile in planted)
    correct = _drawn(order, kit, rest)
    count = len(correct) + len(planted)
    stagger_ns = max(STAGGER_NS, size.time_ns // count)
    after: dict[int, list[tuple[int, Tile]]] = {}
    for place, one in enumerate(planted):
        after.setdefault(place * len(correct) // len(planted), []).append(one)
    others, shift = [], replace(size, time_ns=0, epoch=0, reader=0)
    for place, drawn in enumerate(correct):
        for number, tile in (drawn, *after.get(place, ())):
            others.append(Copy(number, tile, shift))
            shift = replace(shift.plus(tile.size), time_ns=shift.time_ns + stagger_ns, epoch=0, reader=0)
    return Placed(long, others)


def _long(order: Order, kit: Kit) -> tuple[list[Copy], Shift]:
    """The copies of the long log, and by what all others are shifted."""
    first = Shift(log=1)
    if kit.long_log is None:
        return [], first
    tile, number = kit.long_log, len(order.plans)
    times = max(2, round(order.events * order.skew / len(tile.of_logs)))
    shifts = list(long_log.shifts(tile, times, first))
    last = shifts[-1].plus(tile.size)
    return [Copy(number, tile, shift) for shift in shifts], last


def _drawn(order: Order, kit: Kit, events: int) -> list[tuple[int, Tile]]:
    """Runs of the correct machine with so many events, about: each once, then as the seed draws them."""
    seeds = Random(order.seed)
    drawn = list(enumerate(kit.correct))
    events -= sum(len(tile.rows) for tile in kit.correct)
    while events > len(kit.correct[0].rows) // 2:
        number = seeds.randrange(len(kit.correct))
        drawn.append((number, kit.correct[number]))
        events -= len(kit.correct[number].rows)
    return drawn


def truth_of(copies: Placed, truths: Sequence[Sequence[Judgement]]) -> Judgement:
    """What is true of all copies together."""
    counts: Counter[tuple[str, Outcome]] = Counter()
    for number, times in Counter(copy.number for copy in copies.others).items():
        _add(counts, truths[number][0], times)
    if copies.long:
        two, step = truths[-1]
        _add(counts, two, 1)
        _add(counts, step, len(copies.long) - 2)
    violations = {
        shifted(violation, copy.shift) for copy in copies.others for violation in truths[copy.number][0].violations
    }
    return Judgement(counts, violations)


def _add(counts: Counter[tuple[str, Outcome]], judgement: Judgement, times: int) -> None:
    for said, number in judgement.counts.items():
        counts[said] += times * number
