"""Branches: what a machine of events makes of a trace in which one event is another one, from that event on."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any, NamedTuple

from reference_impl.log.quorums import Quorums
from reference_impl.replay import Refusal, TraceChecker
from reference_impl.replay.observed import Cluster, Log
from spec.language.parameters import Parameters

SHARED = (Quorums, Parameters)
"""What books only look at."""


class Branch(NamedTuple):
    """What became of another event.

    Attributes:
        refusal: the first refusal from this event on; None if there is none.
        after: how many events after this one that was; 0 for the event itself, and where there is none.
    """

    refusal: Refusal | None
    after: int


class Fork:
    """The books of a machine at one event, to go on from as often as needed."""

    def __init__(self, machine: TraceChecker) -> None:
        self.machine, self._shared = machine, dict[int, Any]()
        buffer, shared = BytesIO(), self._shared

        class Pickler(pickle.Pickler):
            def persistent_id(self, obj: Any) -> int | None:
                if not isinstance(obj, SHARED):
                    return None
                shared[id(obj)] = obj
                return id(obj)

        Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump((machine.cluster, machine.logs))
        self._books = buffer.getvalue()

    def _again(self) -> tuple[Cluster, dict[int, Log]]:
        shared = self._shared

        class Unpickler(pickle.Unpickler):
            def persistent_load(self, pid: Any) -> Any:
                return shared[pid]

        books: tuple[Cluster, dict[int, Log]] = Unpickler(BytesIO(self._books)).load()
        return books

    def follow(self, events: Iterable[Mapping[str, Any]]) -> Branch:
        """Take events from here until one is refused; the machine itself stays where it is."""
        machine = self.machine
        books, counts = (machine.cluster, machine.logs), (machine.taken, machine.unsure)
        machine.cluster, machine.logs = self._again()
        try:
            refused = ((refusal, after) for after, event in enumerate(events) if (refusal := machine.step(event)))
            return Branch(*next(refused, (None, 0)))
        finally:
            (machine.cluster, machine.logs), (machine.taken, machine.unsure) = books, counts
