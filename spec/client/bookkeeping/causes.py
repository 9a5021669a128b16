"""Causes: what was given before its append began, as recorders tell together, each by its own order.

Whatever is given began before. Where one recorder gives a record before another append begins there, that append began
later than the record's; a circle of such steps says that some record was given before it began. Only recorders that see
both, what is given and what begins, pass anything on. L. Lamport, Time, Clocks, and the Ordering of Events.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from spec.client.bookkeeping.fields import INVOKED
from spec.client.bookkeeping.recording import RecorderPosition, Recording
from spec.events import Ack
from spec.language.bookkeeping import Event

CIRCLES: Final = 50
"""So many show that a trace is broken; to find each takes a walk through all of it."""


class Spot(NamedTuple):
    """The begin of an append, or the delivery of a record, as one recorder saw it."""

    recorder: str
    seq: int
    is_begin: bool
    log: object
    digest: int | None
    lsn: int | None = None

    @property
    def place(self) -> RecorderPosition:
        """Where it stands in its recorder's order."""
        return self.recorder, self.seq


@dataclass
class Named:
    """What answers say of the appends of one log that they name.

    Attributes:
        at: where the append began that an LSN was acknowledged to.
        told: the appends of which it is told where they are, or that they are nowhere.
    """

    at: dict[int, RecorderPosition] = field(default_factory=dict)
    told: set[RecorderPosition] = field(default_factory=set)

    def note(self, answer: Event, recording: Recording) -> None:
        """Learn what an answer says, if it names its append."""
        if answer.get(INVOKED) is None:
            return
        place = answer["recorder"], answer[INVOKED]
        self.told.add(place)
        if answer["kind"] == Ack.kind:
            self.at[recording.lsn(answer)] = place

    def meant(self, lsn: int | None, begins: Sequence[RecorderPosition]) -> list[RecorderPosition]:
        """Those of some appends of one payload that may lie at an LSN: the one that is named, or any but the others."""
        place = self.at.get(lsn) if lsn is not None else None
        return [begin for begin in begins if begin == place] or [begin for begin in begins if begin not in self.told]


def given_too_early(spots: Iterable[Spot], named: Mapping[object, Named]) -> frozenset[RecorderPosition]:
    """Deliveries that stand in a circle: each came before the append of its record began.

    A payload that several appends have, of which no answer tells which is meant, tells nothing: it may be any of them,
    or one of which nobody recorded the payload.
    """
    listed = sorted(spots, key=attrgetter("place"))
    begins: dict[tuple[object, int | None], list[RecorderPosition]] = defaultdict(list)
    for spot in listed:
        if spot.is_begin:
            begins[spot.log, spot.digest].append(spot.place)
    earlier: dict[RecorderPosition, list[RecorderPosition]] = {spot.place: [] for spot in listed}
    for _, own in groupby(listed, itemgetter(0)):
        before: RecorderPosition | None = None
        for spot in own:
            earlier[spot.place] += [] if before is None else [before]
            before = spot.place
            if not spot.is_begin:
                alike = [*begins[spot.log, spot.digest], *begins[spot.log, None]]
                sources = named[spot.log].meant(spot.lsn, alike)
                earlier[spot.place] += sources if len(sources) == 1 else []
    given = {spot.place for spot in listed if not spot.is_begin}
    return frozenset(given & _in_circles(earlier))


def _in_circles(earlier: Mapping[RecorderPosition, Iterable[RecorderPosition]]) -> set[RecorderPosition]:
    """The places of the first circles that are found; each is cut open before the next is looked for."""
    left, found = {place: set(others) for place, others in earlier.items()}, set[RecorderPosition]()
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
