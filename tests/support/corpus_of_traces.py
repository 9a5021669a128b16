"""The published traces, and what their index says of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from conformance.trace.errors import TraceError
from conformance.trace.open import open_trace
from spec.client.history import History
from tests.support.history_traces import from_events

FOLDER: Final = Path(__file__).parents[2] / "examples" / "traces"

ALLOWED: Final = {"real_time_order"}
"""The promises that the definition of what clients may see knows of."""


class Published(NamedTuple):
    """One trace, and what the index says of it; a damaged one has no rule."""

    name: str
    path: Path
    verdict: str
    rule: str
    reason: str

    @property
    def kind(self) -> str:
        """The folder that it lies in."""
        return self.name.partition("/")[0]


def published() -> list[Published]:
    """All of them, in the order of the index."""
    cases: list[dict[str, str]] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))["vectors"]
    return [
        Published(case["id"], FOLDER / case["file"], case["verdict"], case.get("rule", ""), case["reason"])
        for case in cases
    ]


def histories() -> Iterator[tuple[Published, History]]:
    """Those that the definition of what clients may see can judge: of clients alone, of one log, and complete."""
    for one in published():
        if one.rule and (history := _history(one.path)) is not None:
            yield one, history


def _history(path: Path) -> History | None:
    try:
        trace = open_trace(path)
        list(trace.events())
    except TraceError:
        return None
    header, *lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line)
    events: list[dict[str, Any]] = sorted((line for line in lines if "kind" in line), key=_when)
    is_partial = any("partial" in recorder.records.values() for recorder in trace.header.recorders.values())
    has_one_log = len({event.get("log") for event in events}) == 1
    says_payloads = all("digest" in event for event in events if event["kind"] in ("invoke", "deliver"))
    if is_partial or not has_one_log or not says_payloads or set(trace.header.promises) - ALLOWED:
        return None
    return from_events(header, events)


def _when(event: dict[str, Any]) -> tuple[str, int]:
    """In each recorder's own order; a client that goes on under another recorder does so under a later name."""
    return event["recorder"], event["seq"]
