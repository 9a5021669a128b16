"""Truth files: every planted violation by rule and key, and how many outcomes of each sort each rule has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance.trace.errors import TraceError
from conformance.trace.files import TRUTH, placed, readable
from conformance.trace.json_text import decode
from spec.language.outcomes import Judgement, Outcome, Violation
from spec.registry import BY_ID

FORM: Final = 1
"""The version of the form."""

NAME: Final = TRUTH
"""What the file is called, beside the files of the trace."""


class NoTruth(TraceError):
    """A file is no truth file."""


@dataclass(frozen=True)
class Truth:
    """What is true of a generated trace.

    Attributes:
        events: how many there are indeed.
        judgement: what the rules say of them.
        order: what was asked for, in plain values.
    """

    events: int
    judgement: Judgement
    order: dict[str, Any]

    def text(self) -> str:
        """The truth as JSON."""
        said = {"quorate_truth": FORM, "order": self.order, "events": self.events} | to_plain(self.judgement)
        return json.dumps(said)


def to_plain(judgement: Judgement) -> dict[str, Any]:
    """A judgement in plain values."""
    counts: dict[str, dict[str, int]] = {}
    for (rule, outcome), times in sorted(judgement.counts.items()):
        if times:
            counts.setdefault(rule, {})[outcome.name.lower()] = times
    rows = [(violation.rule, BY_ID[violation.rule].view.key, violation.key) for violation in judgement.violations]
    violations = [{"rule": rule, "row": dict(zip(names, key, strict=True))} for rule, names, key in sorted(rows)]
    return {"counts": counts, "violations": violations}


def from_plain(said: dict[str, Any]) -> Judgement:
    """A judgement from plain values."""
    outcomes = ((rule, name, times) for rule, by_name in said["counts"].items() for name, times in by_name.items())
    return Judgement(
        Counter({(rule, Outcome[name.upper()]): times for rule, name, times in outcomes}),
        violations_of(said["violations"]),
    )


def violations_of(rows: Iterable[dict[str, Any]]) -> set[Violation]:
    """Violations from plain values."""
    return {Violation(one["rule"], tuple(one["row"][name] for name in BY_ID[one["rule"]].view.key)) for one in rows}


def read(path: Path) -> Truth:
    """The truth in a file, or of the trace in a folder.

    Raises:
        NotReadable: there is no such file.
        NoTruth: it is none.
    """
    file = path / NAME if path.is_dir() else path
    with placed(file), readable():
        said = decode(file.read_text(encoding="utf-8", errors="replace"))
        try:
            if said["quorate_truth"] == FORM:
                return Truth(said["events"], from_plain(said), said["order"])
        except (KeyError, TypeError, AttributeError):
            pass
        raise NoTruth("no truth file", "it does not have what one has", "one that `quorate generate` wrote")
