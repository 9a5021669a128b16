"""Findings: where what a case expects differs from what the machine does, each told in one clause."""

from __future__ import annotations

from conformance.vectors.differences import alike

CLAUSES_MAX = 4
"""More differences of one case are counted, not told."""


class Findings:
    """The differences found so far."""

    def __init__(self) -> None:
        self._told: list[str] = []

    def compare(self, about: str, expected: object, seen: object) -> None:
        """What is expected must be seen; 1 is not true."""
        if not alike(expected, seen):
            self.add(f"{about}: expected {expected}, seen {seen}")

    def add(self, clause: str) -> None:
        """A difference."""
        self._told.append(clause)

    def differences(self) -> tuple[str, ...]:
        """All differences, at most a few in words."""
        rest = len(self._told) - CLAUSES_MAX
        return (*self._told[:CLAUSES_MAX], *([f"{rest} more"] if rest > 0 else []))
