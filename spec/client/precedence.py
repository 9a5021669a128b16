"""Before: what is known of the order in which things happened, from recorders, clocks and clients.

Recorders are believed: what one of them saw happened in its order. Clocks are believed as far as their bound: of two
moments of different recorders the one came first whose clock is behind by more than the bound; otherwise clocks say
nothing, equal times included. Clients have an order of their own (``History.own_pairs``). Chains of these are followed.

A way in which everything may have happened is an order of all moments, one after the other, that keeps to what is
known. For clocks this is exact: readings that differ by the bound or less allow either order, and any order of all
moments that respects each pair has instants within the bound. Source: this is the project's own definition; L. Lamport,
Time, Clocks, and the Ordering of Events, for chains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from spec.client.history import History, Moment

Pair = tuple[Moment, Moment]
"""An earlier and a later moment."""


def is_seen_before(one: Moment, other: Moment, clock_bound_ns: int) -> bool:
    """By the order of the recorder that saw both, or by clocks that differ by more than their bound."""
    if one.recorder == other.recorder:
        return one.seq < other.seq
    return one.time is not None and other.time is not None and other.time - one.time > clock_bound_ns


@dataclass(frozen=True, slots=True)
class Order:
    """What is known to come before what, chains included.

    Attributes:
        numbers: a number for each moment.
        after: for the moment of each number, the set of the numbers of all that come after it, as bits.
    """

    numbers: Mapping[Moment, int]
    after: tuple[int, ...]

    def has(self, pair: Pair) -> bool:
        """Whether the first moment of a pair is known to come before the second."""
        earlier, later = pair
        return bool(self.after[self.numbers[earlier]] >> self.numbers[later] & 1)

    def beside(self, pairs: Iterable[Pair]) -> Order:
        """What is known when these pairs are known, too."""
        after = list(self.after)
        for earlier, later in pairs:
            one, other = self.numbers[earlier], self.numbers[later]
            beyond = after[other] | 1 << other
            for number, reached in enumerate(after):
                if number == one or reached >> one & 1:
                    after[number] = reached | beyond
        return Order(self.numbers, tuple(after))

    @property
    def is_possible(self) -> bool:
        """Whether everything can have happened so: nothing comes before itself."""
        return not any(after >> number & 1 for number, after in enumerate(self.after))


def seen_order(history: History, clock_bound_ns: int) -> Order:
    """What recorders and clocks tell of the order of a history, if clocks differ by no more than this."""
    numbers = history.moments()
    seen = [
        sum(
            1 << number
            for other, number in numbers.items()
            if other is not moment and is_seen_before(moment, other, clock_bound_ns)
        )
        for moment in numbers
    ]
    return Order(numbers, _chained(seen))


def known_order(history: History) -> Order:
    """What recorders, clocks and the clients themselves tell of the order of a history."""
    return seen_order(history, history.clock_bound_ns).beside(history.own_pairs())


def told_order(history: History) -> Order:
    """The same, if clocks are right as they stand, but where recorders and clients know better."""
    known, moments = known_order(history), history.moments()
    told = [(one, other) for one in moments for other in moments if one is not other and is_seen_before(one, other, 0)]
    return known.beside((one, other) for one, other in told if not known.has((other, one)))


def _chained(after: list[int]) -> tuple[int, ...]:
    for middle in range(len(after)):
        for number, reached in enumerate(after):
            if reached >> middle & 1:
                after[number] = reached | after[middle]
    return tuple(after)
