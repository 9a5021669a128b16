"""Holding: how many nodes held a record when something happened, as the events at one LSN tell together.

A copy counts from its storing until it is erased, but for what was lost with a disk: that nobody could know before an
acknowledgement that was under way. Where no clock tells, a copy counts as stored before, and as not erased yet: what
cannot be asked is not held against a log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeAlias

from spec.events import RECORD, Ack, Erase, Store

Event: TypeAlias = dict[str, Any]

Wipe: TypeAlias = tuple[int, int | None]
"""A node that lost its disk, and when."""


def with_holders(events: Sequence[Event], clock_bound_ns: int, wipes: Collection[Wipe] = ()) -> list[Event]:
    """The events at one LSN, each acknowledgement and each stored record with how many nodes then held one."""
    stored = [event for event in events if event["kind"] == Store.kind and event["arg_b"] == RECORD]
    every = (event for event in events if event["kind"] == Erase.kind)
    erased = [event for event in every if not _is_wiped(event, wipes, clock_bound_ns)]
    if not stored:
        return [event | {"held": 0} if event["kind"] in (Ack.kind, Store.kind) else event for event in events]
    return [
        event | {"held": _known_to_hold(event, stored, erased, clock_bound_ns)}
        if event["kind"] == Ack.kind
        else event | {"held": len(_holding(event["time_ns"], stored, erased, 0))}
        if event["kind"] == Store.kind
        else event
        for event in events
    ]


def _is_wiped(erase: Event, wipes: Collection[Wipe], bound: int) -> bool:
    """Whether a copy may have been lost with its disk, as far as the clocks of two recorders tell."""
    time, lost = erase["time_ns"], [then for node, then in wipes if node == erase["node"]]
    return any(time is None or then is None or abs(time - then) <= bound for then in lost)


def _known_to_hold(ack: Event, stored: Sequence[Event], erased: Sequence[Event], bound: int) -> int | None:
    """How many nodes held a copy at an acknowledgement; None where it hangs on clocks whether there were enough."""
    held = len(_holding(ack["time_ns"], stored, erased, 0))
    most = len(_holding(ack["time_ns"], stored, erased, bound))
    enough = ack["arg"] is not None and held >= ack["arg"]
    return held if enough or held == most else None


def _holding(now: int | None, stored: Iterable[Event], erased: Iterable[Event], bound: int) -> set[int]:
    """The nodes that held a copy at a time, or may have if clocks differ as far as they may."""
    since: dict[int, int | None] = {}
    for event in stored:
        time, node = event["time_ns"], event["node"]
        if now is None or time is None or time <= now + bound:
            since[node] = time
    for event in erased:
        time, node = event["time_ns"], event["node"]
        if now is None or time is None or time + bound >= now:
            continue
        if node in since and not _again(since[node], time):
            del since[node]
    return set(since)


def _again(stored_at: int | None, erased_at: int) -> bool:
    """A node stored a copy after it had lost one."""
    return stored_at is not None and stored_at > erased_at
