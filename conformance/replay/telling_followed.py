"""Telling what following says: for people, and for machines."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from conformance.replay.following import FollowedTrace
from conformance.replay.telling import VERSION, WIDTH, counted, plain
from conformance.trace.show import Teller
from reference_impl.following.checker import Refusal


def as_text(said: FollowedTrace) -> str:
    """A few lines for people; the last one is the verdict."""
    times = "" if said.texts == 1 else f"{said.texts:,} times "
    lines = [f"{said.taken:,} events followed by {times}the text {said.followed.text}, in {said.steps:,} steps"]
    if said.passed_over:
        lines.append(f"Passed over, since it does not speak of them: {counted(said.passed_over)}")
    if said.refusal is not None:
        lines += ["", *_refused(said, said.refusal), ""]
    reason = f" ({said.reason})" if said.reason else ""
    return "\n".join([*lines, f"verdict: {said.verdict.value}{reason}"]) + "\n"


def _refused(said: FollowedTrace, refusal: Refusal) -> Iterator[str]:
    yield f"Event {refusal.number:,} is no step of the text {said.followed.text}:"
    yield f"  {Teller(said.header).event(refusal.event)}"
    parts = [("Claims", refusal.claims), *(("Because", reason) for reason in refusal.reasons)]
    parts += [("Step", refusal.sentence), ("Source", refusal.cite)] if refusal.sentence else []
    for word, text in parts:
        yield from textwrap.wrap(text, WIDTH, initial_indent=f"{word + ':':10}", subsequent_indent=" " * 10)


def as_json(said: FollowedTrace) -> str:
    """The same as one object of JSON."""
    found: dict[str, Any] = {
        "format": VERSION,
        "trace": said.trace,
        "text": said.followed.text,
        "verdict": said.verdict.value,
        "reason": said.reason,
        "events": said.taken,
        "texts": said.texts,
        "steps": said.steps,
        "choices": said.choices,
        "passed_over": dict(said.passed_over),
        "refusal": None if said.refusal is None else _refusal(said.refusal),
    }
    return json.dumps(found, indent=2) + "\n"


def _refusal(refusal: Refusal) -> dict[str, Any]:
    return {
        "number": refusal.number,
        "event": plain(refusal.event),
        "claims": refusal.claims,
        "reasons": list(refusal.reasons),
        "sentence": refusal.sentence,
        "cite": refusal.cite,
    }
