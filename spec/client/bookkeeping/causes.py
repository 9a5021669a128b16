"""Causes: what was given before its append began, as recorders tell together, each by its own order.

Whatever is given began before. Where one recorder gives a record before another append begins there, that append began
later than the record's; a circle of such steps says that some record was given before it began. Only recorders that see
both, what is given and what begins, pass anything on. L. Lamport, Time, Clocks, and the Ordering of Events.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from spec.client.bookkeeping.recording import Place

CIRCLES: Final = 50
"""So many show that a trace is broken; to find each takes a walk through all of it."""


class Spot(NamedTuple):
    """The begin of an append, or the delivery of a record, as one recorder saw it."""

    recorder: str
    seq: int
    is_begin: bool
    log: object
    digest: int

    @property
    def place(self) -> Place:
        """Where it stands in its recorder's order."""
        return self.recorder, self.seq


def given_too_early(spots: Iterable[Spot]) -> frozenset[Place]:
    """Deliveries that stand in a circle: each came before the append of its record began.

    A payload that several appends have tells nothing: any of them may be meant.
    """
    listed = sorted(spots)
    begins: dict[tuple[object, int], list[Place]] = defaultdict(list)
    for spot in listed:
        if spot.is_begin:
            begins[spot.log, spot.digest].append(spot.place)
    sources = {place: places[0] for place, places in begins.items() if len(places) == 1}
    earlier: dict[Place, list[Place]] = {spot.place: [] for spot in listed}
    for _, own in groupby(listed, itemgetter(0)):
        before: Place | None = None
        for spot in own:
            earlier[spot.place] += [] if before is None else [before]
            before = spot.place
            if not spot.is_begin and (source := sources.get((spot.log, spot.digest))):
                earlier[spot.place].append(source)
    given = {spot.place for spot in listed if not spot.is_begin}
    return frozenset(given & _in_circles(earlier))


def _in_circles(earlier: Mapping[Place, Iterable[Place]]) -> set[Place]:
    """The places of the first circles that are found; each is cut open before the next is looked for."""
    left, found = {place: set(others) for place, others in earlier.items()}, set[Place]()
    for _ in range(CIRCLES):
        try:
            TopologicalSorter(left).prepare()
        except CycleError as circle:
            places = circle.args[1]
            found.update(places)
            left[places[1]].discard(places[0])
        else:
            break
    return found
