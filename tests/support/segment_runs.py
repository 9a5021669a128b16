"""Random recordings of a segment layer, most of them wrong: events of the published cases, mixed and changed."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from conformance.trace.errors import TraceError
from conformance.trace.header import Header, Member, Recorder, System
from conformance.trace.rows import Rows
from spec.segment.channel_numbers import LOCAL_BITS
from spec.segment.events.universes import NODES
from spec.segment.family import SEGMENT
from tests.support.segment_cases.cases import CASES
from tests.support.segment_cases.recording import FIRST, MINE, OTHER, ROLES, Said, recorded, recorder_of

SESSIONS: Final = 3
"""How many sessions a case has at most."""

CALLERS: Final = [f"caller{number}" for number in range(1, 100)]
"""Who calls; each session has a caller of its own."""

EVENTS: Final = tuple(event for case in CASES for events in (case.events, case.change(case.events)) for event in events)
"""What happens in the cases, right and wrong."""


def _is_by(event: Said, recorder: str) -> bool:
    return recorder_of(event)[:4] == recorder[:4]


HEADER: Final = Header(
    family=SEGMENT,
    system=System("example"),
    members={NODES.section: tuple(Member(f"n{number}") for number in range(3))},
    recorders={
        name: Recorder(ROLES[name[:4]], {event["kind"]: "complete" for event in EVENTS if _is_by(event, name)})
        for name in ("gateway", "overseer", *(f"node{number}" for number in range(3)), *CALLERS)
    },
    clock_bound_ns=15,
    low_bits=LOCAL_BITS,
    promises=dict.fromkeys(SEGMENT.promises, True),
)
"""A header that promises and records everything."""

MIXED: Final = 0.3
CHANGED: Final = 0.05
UNKNOWN: Final = 0.1
"""How often events are mixed, how often a field says something else, and how often a time is not known."""

DRAWN: Final[dict[str, tuple[int, ...]]] = {
    "session": (1, 2),
    "request": (0, 1, 2, 3),
    "channel": (MINE, OTHER, FIRST),
    "node": (0, 1, 2),
    "start": (10, 20, 30, 40),
    "last": (30, 40, 50),
    "upto": (30, 40, 60),
    "digest": (7, 8),
    "ok": (0, 1),
    "failed": (0, 1),
    "turn": (1, 2, 3),
    "holder": (-1, 1, 2),
    "scan": (1, 2),
}
"""What fields are changed to."""


def random_run(seed: int, size: int = 60) -> list[Any]:
    """Events as readers of traces give them, of whom some do not know the time."""
    rng, rows = Random(seed), Rows(HEADER)
    chosen = [_changed(event, rng) for event in _drawn(rng, size)]
    found = []
    for event in recorded(chosen):
        if rng.random() < UNKNOWN:
            del event["time_ns"]
        try:
            found.append(rows.from_json(event))
        except TraceError:  # fields that contradict each other
            continue
    return found


def _drawn(rng: Random, size: int) -> list[Said]:
    """Events of several cases, each in its order and of sessions of its own, or all of them mixed."""
    if rng.random() < MIXED:
        return rng.choices(EVENTS, k=size)
    found, later = list[Said](), 0
    while len(found) < size:
        case = rng.choice(CASES)
        found += [_later(event, later) for event in rng.choice((case.events, case.change(case.events)))]
        later += SESSIONS
    return found


def _later(event: Said, by: int) -> Said:
    """The same of a session that is opened later."""
    return {name: value + by if name in ("session", "holder") and value > 0 else value for name, value in event.items()}


def _changed(event: Said, rng: Random) -> Said:
    return {
        name: rng.choice(DRAWN[name]) if name in DRAWN and rng.random() < CHANGED else value
        for name, value in event.items()
    }
