"""Findings: where what a case expects differs from what the machine does, each told in one clause."""

from __future__ import annotations

from collections.abc import Iterable

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

    def unknown(self, about: str, names: Iterable[str], known: Iterable[str]) -> None:
        """What is expected and cannot be judged is no agreement."""
        for name in sorted(set(names).difference(known)):
            self.add(f"{about}: {name!r} is expected, of which the machine says nothing")

    def told(self) -> tuple[str, ...]:
        """All differences, at most a few in words."""
        rest = len(self._told) - CLAUSES_MAX
        return (*self._told[:CLAUSES_MAX], *([f"{rest} more"] if rest > 0 else []))
