"""Outcomes and verdicts: what a rule says of one row, and of a whole trace."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum


class Outcome(IntEnum):
    """What a rule says of one row."""

    NO_INSTANCE = 0
    HOLDS = 1
    UNKNOWN = 2
    VIOLATED = 3


class Verdict(StrEnum):
    """What a rule, or a set of rules, says of a trace."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, order=True)
class Violation:
    """One row that breaks one rule: the rule's id and the row's key."""

    rule: str
    key: tuple[int, ...]


@dataclass
class Judgement:
    """Counts of outcomes by rule, and every violation; what all readings of a trace must agree on."""

    counts: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    violations: set[Violation] = field(default_factory=set)

    def count(self, rule: str, outcome: Outcome, times: int = 1) -> None:
        """Add rows with one outcome; rows that are no instance are not counted."""
        if outcome is not Outcome.NO_INSTANCE and times:
            self.counts[rule, outcome] += times

    def merge(self, other: Judgement) -> None:
        """Add what was found in another part of the trace."""
        self.counts.update(other.counts)
        self.violations |= other.violations

    def judged(self, rule: str) -> int:
        """How many instances of a rule were judged, whatever came of it."""
        return sum(self.counts[rule, outcome] for outcome in Outcome)
