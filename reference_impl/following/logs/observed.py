"""Observed: what events say that no text keeps, and by which later events are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from reference_impl.following.claims import EventRow
from reference_impl.log.copies import Nodes
from reference_impl.refinement.contents import By
from spec import events
from spec.events import PAUSE, RESTART, RESUME, WIPE
from spec.language.events import column

EMPTY: Final = column(events.StatusTable.empty)
WHAT: Final = column(events.Fault.what)
RECOVERY: Final = column(events.Planned.recovery)
ROUND: Final = column(events.Planned.round)


@dataclass
class Cluster:
    """What happened to nodes.

    Attributes:
        wiped: those whose data is lost and that did not start again since.
        asleep: those that are paused.
        empty: those whose data was copied elsewhere.
    """

    wiped: set[int] = field(default_factory=set)
    asleep: set[int] = field(default_factory=set)
    empty: Nodes = frozenset()

    def learn(self, event: EventRow) -> None:
        """Take note of an event that was taken."""
        if event["kind"] == events.StatusTable.kind:
            self.empty = event[EMPTY]
        elif event["kind"] == events.Fault.kind:
            self._struck(event["node"], event[WHAT])

    def _struck(self, node: int, what: int) -> None:
        if what == WIPE:
            self.wiped.add(node)
        elif what == PAUSE:
            self.asleep.add(node)
        elif what in (RESTART, RESUME):
            self.asleep.discard(node)
            if what == RESTART:
                self.wiped.discard(node)


@dataclass
class ObservedLog:
    """What is remembered of a log.

    Attributes:
        cluster: what happened to nodes; one for all logs.
        given: the epochs that the epoch store has given out.
        dismissed: who was told to delete its copy, by epoch and ESN.
        heard: whom a recovery heard of an epoch in a round, by epoch.
    """

    cluster: Cluster
    given: set[int] = field(default_factory=set)
    dismissed: dict[tuple[int, int], Nodes] = field(default_factory=dict)
    heard: dict[tuple[int, By], Nodes] = field(default_factory=dict)

    def learn(self, event: EventRow) -> None:
        """Take note of an event that was taken."""
        if event["kind"] == events.NewEpoch.kind:
            self.given.add(event["epoch"])
        elif event["kind"] == events.DeleteSent.kind:
            place = event["epoch"], event["esn"]
            self.dismissed[place] = self.dismissed.get(place, frozenset()) | event["nodes"]
        elif event["kind"] == events.Planned.kind:
            self.heard[event["epoch"], By(event[RECOVERY], event[ROUND])] = event["nodes"]
