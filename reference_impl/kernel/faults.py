"""Faults: a seeded schedule of what happens to hosts, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heapify, heapreplace
from random import Random
from typing import NamedTuple


class Rate(NamedTuple):
    """How often a fault strikes and how long it lasts, in nanoseconds of virtual time."""

    every_ns: int
    least_ns: int = 0
    most_ns: int = 0


class FaultEvent(NamedTuple):
    """One fault: at this time, of this kind, for so long. Whom it strikes is drawn when it strikes."""

    at_ns: int
    what: str
    lasts_ns: int


def schedule(rng: Random, rates: Mapping[str, Rate]) -> Iterator[FaultEvent]:
    """Faults without end, in order of time; each kind strikes at random intervals around its rate."""

    def draw(after_ns: int, what: str) -> FaultEvent:
        rate = rates[what]
        return FaultEvent(after_ns + int(rate.every_ns * (0.3 + 1.4 * rng.random())), what, rng.randint(*rate[1:]))

    coming = [draw(0, what) for what in rates]
    heapify(coming)
    while coming:
        fault = coming[0]
        heapreplace(coming, draw(fault.at_ns, fault.what))
        yield fault
