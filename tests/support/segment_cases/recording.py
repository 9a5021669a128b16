"""Recordings of a segment layer in few words: what events say unless a case says otherwise, and who records them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from conformance.trace.header import Header, Member, Recorder, System
from conformance.trace.rows import Rows
from spec.segment.channel_numbers import LOCAL_BITS, key_of, leaseholder_of
from spec.segment.events.universes import NODES
from spec.segment.events.values import JOINED, NEXT_SPAN, SEEK_FIRST
from spec.segment.family import SEGMENT

Said: TypeAlias = Mapping[str, Any]
"""One event as JSON lines have it."""

MINE, OTHER, FIRST = key_of(1, 1), key_of(2, 1), key_of(0, 1)
"""Channels of nodes 1, 2 and 0."""

_PIECE: Final = {"channel": MINE, "start": 10, "last": 30, "samples": 3, "digest": 7}
_DESCRIBED: Final = {"channel": MINE, "leaseholder": 1, "period": 10, "density": 8}
_LOCK: Final = {"session": 1, "request": 0, "channel": MINE, "turn": 1, "holder": 1, "held_with": 200}

USUAL: Final[dict[str, Said]] = {
    "channel_created": _DESCRIBED,
    "channel_deleted": {"channel": MINE},
    "channel_learnt": _DESCRIBED | {"node": 0},
    "channel_forgotten": {"channel": MINE, "node": 0},
    "range_known": {"channel": MINE, "start": 10, "node": 1},
    "membership": {"node": 0, "what": JOINED},
    "shut_down": {"node": 0},
    "open_asked": {"session": 1, "request": 0, "gateway": 0},
    "channel_requested": {"session": 1, "request": 0, "channel": MINE, "leaseholder": 1},
    "opened": {"session": 1, "request": 0, "gateway": 0, "parts_on": [1], "start": 0, "upto": 100},
    "open_refused": {"session": 1, "request": 0, "reason": 2},
    "part_opened": {"session": 1, "request": 0, "node": 1},
    "part_closed": {"session": 1, "request": 9, "node": 1},
    "output_closed": {"session": 1, "request": 9},
    "closed": {"session": 1, "request": 9, "failed": 0},
    "cancelled": {"session": 1, "request": 1},
    "called": {"session": 1, "request": 1, "op": SEEK_FIRST},
    "executed": {"session": 1, "request": 1, "node": 1},
    "acknowledged": {"session": 1, "request": 1, "node": 1, "about": 1, "ok": 1},
    "returned": {"session": 1, "request": 1, "ok": 1, "failed": 0},
    "window": {"session": 1, "request": 1, "channel": MINE, "start": 0, "upto": 40, "op": NEXT_SPAN, "scan": 1},
    "sent": {"session": 1, "request": 1, "node": 1, **_PIECE},
    "given": {"session": 1, "request": 1, "node": 1, "scan": 1, **_PIECE},
    "gap": {"session": 1, "request": 1, "channel": MINE, "start": 31, "upto": 40, "scan": 1},
    "lock_taken": _LOCK | {"authority": 200},
    "lock_released": _LOCK | {"turn": 2, "holder": -1, "held_with": -1},
    "lock_refused": _LOCK | {"session": 2, "turn": 2},
    "written": {"session": 2, "request": 1, **_PIECE},
    "stored": {"session": 2, "request": 1, "node": 1, "density": 8, **_PIECE},
    "rejected": {"session": 2, "request": 1, "node": 1, "channel": MINE, "start": 10},
    "error_told": {"session": 2, "request": 1},
    "requests_closed": {"session": 1, "request": 8},
}
"""What each kind of event says where a case does not say otherwise."""

BY_NODE: Final = frozenset(
    [
        "channel_created",
        "channel_learnt",
        "channel_forgotten",
        "part_opened",
        "part_closed",
        "executed",
        "sent",
        "stored",
        "rejected",
        "lock_taken",
        "lock_released",
        "lock_refused",
    ]
)
BY_GATEWAY: Final = frozenset(["channel_requested", "opened", "open_refused", "acknowledged", "output_closed"])
BY_CONTROLLER: Final = frozenset(["channel_deleted", "range_known", "membership", "shut_down"])


TIMES: Final = ("start", "last", "upto", "period")
"""Fields whose names end with their unit in JSON lines."""


def said(kind: str, **others: Any) -> Said:
    """An event of a kind: what it says differently from others."""
    return {"kind": kind, **USUAL[kind], **others}


def recorder_of(event: Said) -> str:
    """Who records it: a node of the cluster, the gateway, the caller of a session, or whoever sees everything."""
    kind = event["kind"]
    if kind in BY_NODE:
        return f"node{event.get('node', leaseholder_of(event['channel']) if 'channel' in event else 0)}"
    if kind in BY_GATEWAY:
        return "gateway"
    return "overseer" if kind in BY_CONTROLLER else f"caller{event['session']}"


ROLES: Final = {"node": "node", "gate": "gateway", "over": "controller", "call": "client"}

Change: TypeAlias = Callable[[Sequence[Said]], Sequence[Said]]
"""What makes a broken recording of one that is right."""


def but(at: int, **others: Any) -> Change:
    """One event says something else."""
    return lambda events: [{**event, **others} if number == at else event for number, event in enumerate(events)]


def without(at: int) -> Change:
    """One event did not happen."""
    return lambda events: [event for number, event in enumerate(events) if number != at]


def and_then(*more: Said) -> Change:
    """Something more happens at the end."""
    return lambda events: [*events, *more]


def moved(at: int, to: int) -> Change:
    """One event happens at another place."""

    def change(events: Sequence[Said]) -> Sequence[Said]:
        rest = [event for number, event in enumerate(events) if number != at]
        return [*rest[:to], events[at], *rest[to:]]

    return change


@dataclass(frozen=True)
class Case:
    """A recording on which a rule holds, and the change that breaks it.

    Attributes:
        rule: the rule.
        holds: why it holds, in a sentence.
        broken: why it is violated after the change.
        events: what happened, in order.
        change: what makes it wrong.
        promises: what the header promises.
        also: kinds that are recorded, and of which there was none.
        nodes: how many nodes the cluster has.
    """

    rule: str
    holds: str
    broken: str
    events: Sequence[Said]
    change: Change
    promises: Sequence[str] = ()
    also: Sequence[str] = ()
    nodes: int = 3

    @property
    def header(self) -> Header:
        """The header of both: whoever records a kind of event records all of them."""
        told: dict[str, dict[str, Any]] = {}
        for event in (*self.events, *self.change(self.events), *map(said, self.also)):
            told.setdefault(recorder_of(event), {})[event["kind"]] = "complete"
        recorders = {name: Recorder(ROLES[name[:4]], kinds) for name, kinds in sorted(told.items())}
        return Header(
            family=SEGMENT,
            system=System("example"),
            members={NODES.section: tuple(Member(f"n{number}") for number in range(self.nodes))},
            recorders=recorders,
            clock_bound_ns=0,
            low_bits=LOCAL_BITS,
            promises=dict.fromkeys(self.promises, True),
        )

    def rows(self, events: Iterable[Said]) -> list[Any]:
        """Events as readers of traces give them."""
        return [Rows(self.header).from_json(event) for event in recorded(events)]


def recorded(events: Iterable[Said]) -> list[dict[str, Any]]:
    """Events one after the other, each with its recorder, the recorder's count, and a clock that all share."""
    seen = Counter[str]()
    found = []
    for number, event in enumerate(events, 1):
        recorder = recorder_of(event)
        seen[recorder] += 1
        place = {"kind": event["kind"], "recorder": recorder, "seq": seen[recorder], "time_ns": 10 * number}
        found.append(place | {name + "_ns" * (name in TIMES): value for name, value in event.items()})
    return found
