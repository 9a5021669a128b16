"""Chronology: events as people are told them, by the clock where there is one, else by what comes before what."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, TypeAlias

from conformance.trace.fields import shapes_of
from conformance.trace.rows import EventRow
from spec.language.family import BOOKS
from spec.log.family import LOG

Stage: TypeAlias = tuple[int, int, int]
"""Where an event is told that has no time: what comes before what."""

_BEFORE: Final = (
    "epoch",
    "status",
    "scattered",
    "scattered_reader",
    "invoke",
    "append",
    "streamed",
    "chosen",
    "store",
    "dismissed",
    "retired",
    "ack",
    "fail",
    "indefinite",
    "fault",
    "draining",
    "soft_seal",
    "seal",
)
_THEN: Final = ("digest", "plan", "obey", "mutate", "settle", "clean", "described", "release", "purge", "kept")
_BEGINNING: Final = ("read", "learnt", "greylisted", "reinstated", "ask", "allow")
_READING: Final = (*_BEGINNING, "ship", "trim", "trimmed", "gap", "passed", "deliver", "at_end")
_REBUILDING: Final = ("rebuilding", "donated", "rebuilt", "copyset", "emptied", "erase")
_AFTER: Final = (*_READING, *_REBUILDING)
"""What comes before what where no clock tells: writing an epoch, repairing it, reading, and what is gone at the end."""


def in_order(found: Iterable[EventRow]) -> list[EventRow]:
    """Events by the clock, and what has no time before the first that comes after it by nature.

    What a recorder saw at unknown times is told in its own order.
    """
    events = sorted(found, key=lambda event: event["seq"])
    epochs = _Epochs(events)
    untimed: list[tuple[Stage, EventRow]] = []
    latest: dict[str, Stage] = {}
    for event in (event for event in events if event["time_ns"] is None):
        stage = epochs.stage(event)
        stage = latest[event["recorder"]] = max(stage, latest.get(event["recorder"], stage))
        untimed.append((stage, event))
    waiting = deque(sorted(untimed, key=lambda one: (one[0], one[1]["recorder"], one[1]["seq"])))
    told: list[EventRow] = []
    for event in sorted((event for event in events if event["time_ns"] is not None), key=_by_clock):
        while waiting and waiting[0][0] < epochs.stage(event):
            told.append(waiting.popleft()[1])
        told.append(event)
    return [*told, *(event for _, event in waiting)]


def _by_clock(event: EventRow) -> tuple[int, bool]:
    """What books add comes after what they conclude it from."""
    return event["time_ns"], event["recorder"] == BOOKS


class _Epochs:
    """In which epoch an event that names none belongs."""

    def __init__(self, events: list[EventRow]) -> None:
        self.homes = {event["digest"]: event["epoch"] for event in events if "digest" in event and "epoch" in event}
        self.times = sorted(
            (event["time_ns"], event["epoch"]) for event in events if "epoch" in event and event["time_ns"] is not None
        )

    def stage(self, event: EventRow) -> Stage:
        """Where it is told: writing and repairing by epoch, then the rest."""
        word = shapes_of(LOG)[event["kind"]].word
        if word in _AFTER:
            return 1, 0, _AFTER.index(word)
        epoch = self._epoch(event)
        here, when = [time for time, home in self.times if home == epoch], event["time_ns"]
        if word == "fault" and (not here or (when is not None and when < here[0])):
            word = _BEFORE[1]
        return 0, epoch, (*_BEFORE, *_THEN).index(word)

    def _epoch(self, event: EventRow) -> int:
        if "epoch" in event:
            return int(event["epoch"])
        if event.get("digest") in self.homes:
            return int(self.homes[event["digest"]])
        when = event["time_ns"]
        return max((epoch for time, epoch in self.times if when is not None and time <= when), default=0)
