"""Random recordings of a segment layer, most of them wrong somewhere: events of the published cases, mixed and changed."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from conformance.trace.errors import TraceError
from conformance.trace.header import Header, Node, Recorder, System
from conformance.trace.rows import Rows
from spec.segment.family import SEGMENT
from tests.support.segment_cases import CASES
from tests.support.segment_cases.recording import COUNTER_BITS, FIRST, MINE, OTHER, ROLES, recorded, recorder_of

EVENTS: Final = tuple(event for case in CASES for events in (case.events, case.change(case.events)) for event in events)
"""What happens in the cases, right and wrong."""

HEADER: Final = Header(
    family=SEGMENT,
    system=System("example"),
    nodes=tuple(Node(f"n{number}") for number in range(3)),
    recorders={
        name: Recorder(ROLES[name[:4]], {event["kind"]: "complete" for event in EVENTS if recorder_of(event) == name})
        for name in sorted(set(map(recorder_of, EVENTS)))
    },
    clock_bound_ns=15,
    esn_bits=COUNTER_BITS,
    promises=dict.fromkeys(SEGMENT.promises, True),
)
"""A header that promises and records everything."""

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
    chosen = [_changed(event, rng) for event in rng.choices(EVENTS, k=size)]
    found = []
    for event in recorded(chosen):
        if rng.random() < 0.1:
            del event["time_ns"]
        try:
            found.append(rows.from_json(event))
        except TraceError:  # fields that contradict each other
            continue
    return found


def _changed(event: Any, rng: Random) -> dict[str, Any]:
    return {
        name: rng.choice(DRAWN[name]) if name in DRAWN and rng.random() < 0.2 else value for name, value in event.items()
    }


