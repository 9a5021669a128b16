"""Verdicts: what may be said of a trace, and each violation with all that a person needs to believe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Violation:
    """One place at which one rule is broken.

    Attributes:
        rule: the rule's id, such as ``client.read.acked_is_delivered``.
        sentence: what the rule demands.
        source: the document that demands it, and the place in it.
        place: where it is broken, in words.
        events: the events that show it, at most twelve, as lines of a trace say them.
        explanation: the story: what happened, with a picture, what was demanded and what was seen.
        replay: the command that tells the story again; "" if the trace is in no file.
    """

    rule: str
    sentence: str
    source: str
    place: str
    events: tuple[Mapping[str, Any], ...]
    explanation: str
    replay: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What all rules together say of a trace. It is true, as a condition, only if it holds.

    Attributes:
        outcome: ``violated`` if a rule is; ``holds`` if all that could be judged hold; else ``unknown``, never a pass.
        violations: the first of each rule that is broken.
        asked: how many instances of each rule were judged, by its id; rules that had none are left out.
        broken: how many of them are violated, by the rule's id; rules that hold are left out.
        reasons: by the rule's id, why it is unknown or was not judged.
        notes: what else a reader of the verdict must know, such as that the trace is unfinished.
        summary: the verdict as one line.
    """

    outcome: Literal["holds", "violated", "unknown"]
    violations: tuple[Violation, ...]
    asked: Mapping[str, int]
    broken: Mapping[str, int]
    reasons: Mapping[str, str]
    notes: tuple[str, ...]
    summary: str

    def __bool__(self) -> bool:
        """Whether it holds, so that ``assert check(path)`` passes for nothing less."""
        return self.outcome == "holds"

    def __str__(self) -> str:
        """The stories, and the verdict as last line."""
        return "\n".join([*(violation.explanation for violation in self.violations), *self.notes, self.summary])
