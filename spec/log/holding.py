"""Holding: which nodes held a record when something happened, as the events at one LSN tell together.

A copy counts from its storing until it is erased, but for what was lost with a disk: that nobody could know before an
acknowledgement that was under way. Where no clock tells, a copy counts as stored before, and as not erased yet: what
cannot be asked is not held against a log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from spec.events import RECORD, Ack, DeleteSent, Erase, Store
from spec.language.events import column

Event: TypeAlias = dict[str, Any]

BECOMES: Final = column(Store.becomes)
WAVE: Final = column(Store.wave)
HELD_THEN: Final = column(Store.holders)
DELETED: Final = column(DeleteSent.wave)
TOLD: Final = column(DeleteSent.told)
AGAIN: Final = column(DeleteSent.again)
REQUIRED: Final = column(Ack.required)
HELD: Final = column(Ack.held)
HOLDERS: Final = column(Ack.holders)

Wipe: TypeAlias = tuple[int, int | None]
"""A node that lost its disk, and when."""


def with_holders(events: Sequence[Event], clock_bound_ns: int, wipes: Collection[Wipe] = ()) -> list[Event]:
    """The events at one LSN; acknowledgements, copies and deletes say who held a record then, or holds one again."""
    here = _Copies.among(events, clock_bound_ns, wipes)
    again = here.again(_waves_to_delete(events))
    said: dict[int | None, Callable[[Event], Event]] = {
        Ack.kind: here.when_acked,
        Store.kind: here.when_stored,
        DeleteSent.kind: lambda _: {AGAIN: again},
    }
    return [event | said[event["kind"]](event) if event["kind"] in said else event for event in events]


@dataclass(frozen=True)
class _Copies:
    """What was stored and erased at one LSN.

    Attributes:
        stored: copies of a record that were stored.
        erased: what was erased.
        given_up: the same without what was lost with a disk.
        bound: the most by which two clocks may differ, in nanoseconds.
    """

    stored: Sequence[Event]
    erased: Sequence[Event]
    given_up: Sequence[Event]
    bound: int

    @classmethod
    def among(cls, events: Iterable[Event], bound: int, wipes: Collection[Wipe]) -> _Copies:
        told = [event for event in events if event["kind"] in (Store.kind, Erase.kind)]
        stored = [event for event in told if event["kind"] == Store.kind and event[BECOMES] == RECORD]
        erased = [event for event in told if event["kind"] == Erase.kind]
        return cls(stored, erased, [event for event in erased if not _is_wiped(event, wipes, bound)], bound)

    def when_acked(self, ack: Event) -> Event:
        """How many nodes held a copy, None where it hangs on clocks whether there were enough; and who may have."""
        held, most = self._holding(ack["time_ns"], 0), self._holding(ack["time_ns"], self.bound)
        enough = ack[REQUIRED] is not None and len(held) >= ack[REQUIRED]
        return {HELD: len(held) if enough or len(held) == len(most) else None, HOLDERS: held | most}

    def when_stored(self, store: Event) -> Event:
        """The nodes that held a copy as soon as this one was stored."""
        return {HELD_THEN: self._holding(store["time_ns"], 0)}

    def again(self, told: Mapping[int, Collection[int]]) -> frozenset[int] | None:
        """Of nodes that were told to delete copies of these waves, who has one of a later wave, or stored one since.

        None where that hangs on clocks.
        """
        found = {node: self._has_again(node, waves) for node, waves in told.items()}
        return None if None in found.values() else frozenset(node for node, is_held in found.items() if is_held)

    def _has_again(self, node: int, waves: Collection[int]) -> bool | None:
        stored = [event for event in self.stored if event["node"] == node]
        if any(event[WAVE] is not None and event[WAVE] > max(waves) for event in stored):
            return True
        gone = [event for event in self.erased if event["node"] == node]
        if len(gone) < len(waves):
            return False
        since = [[self._is_before(erase, store) for erase in gone] for store in stored]
        if any(all(after) for after in since):
            return True
        return None if any(False not in after for after in since) else False

    def _is_before(self, one: Event, other: Event) -> bool | None:
        """By a recorder's own order, or by clocks; None where these do not tell."""
        if one["recorder"] == other["recorder"]:
            return bool(one["seq"] < other["seq"])
        first, then = one["time_ns"], other["time_ns"]
        if first is None or then is None or abs(then - first) <= self.bound:
            return None
        return bool(first < then)

    def _holding(self, now: int | None, bound: int) -> frozenset[int]:
        """The nodes that held a copy at a time, or may have if clocks differ as far as they may."""
        since: dict[int, int | None] = {}
        for event in self.stored:
            time, node = event["time_ns"], event["node"]
            if now is None or time is None or time <= now + bound:
                since[node] = time
        for event in self.given_up:
            time, node = event["time_ns"], event["node"]
            if now is None or time is None or time + bound >= now:
                continue
            if node in since and not _is_after(since[node], time):
                del since[node]
        return frozenset(since)


def _waves_to_delete(events: Iterable[Event]) -> dict[int, list[int]]:
    """The waves of which each node was told to delete its copy."""
    waves: dict[int, list[int]] = defaultdict(list)
    for event in events:
        for node in event[TOLD] if event["kind"] == DeleteSent.kind else ():
            waves[node].append(event[DELETED])
    return waves


def _is_wiped(erase: Event, wipes: Collection[Wipe], bound: int) -> bool:
    """Whether a copy may have been lost with its disk, as far as the clocks of two recorders tell."""
    time, lost = erase["time_ns"], [then for node, then in wipes if node == erase["node"]]
    return any(time is None or then is None or abs(time - then) <= bound for then in lost)


def _is_after(stored_at: int | None, erased_at: int) -> bool:
    """A node stored a copy after it had lost one."""
    return stored_at is not None and stored_at > erased_at
