"""What came of the proofs of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from spec.proof.inductive.countermodel import CounterModel
from spec.proof.inductive.solvers import SolverName

Status: TypeAlias = Literal["holds", "violated", "unknown"]
"""Proved; refuted by a counter-model that was replayed; or neither in the given time."""


@dataclass(frozen=True)
class Proved:
    """One condition and what a solver made of it.

    Attributes:
        name: where it is asked and what is claimed.
        solver: who was asked.
        engine: its way of instantiating quantifiers; empty if nothing was proved.
        hinted: the hint sufficed; nothing was searched.
        hypotheses: what the proof used.
        cpu_s: CPU seconds of this process.
        counter: a state and a step that refute the condition.
    """

    name: str
    status: Status
    solver: SolverName
    engine: str
    hinted: bool
    hypotheses: tuple[str, ...]
    cpu_s: float
    counter: CounterModel | None = None

    def to_json(self) -> dict[str, Any]:
        """As JSON-able values."""
        found: dict[str, Any] = {
            "name": self.name,
            "status": self.status,
            "solver": self.solver,
            "engine": self.engine,
            "hinted": self.hinted,
            "hypotheses": list(self.hypotheses),
            "cpu_s": round(self.cpu_s, 4),
        }
        return found | ({"counter_model": self.counter.to_json()} if self.counter is not None else {})


@dataclass(frozen=True)
class Report:
    """All conditions of one text.

    Attributes:
        text: its name.
        versions: of the solvers that were asked.
        stale: why the hints may no longer fit; empty if they do, or if there are none.
    """

    text: str
    versions: dict[str, str]
    conditions: tuple[Proved, ...]
    stale: str = ""

    @property
    def status(self) -> Status:
        """The worst of all; ``unknown`` where there was nothing to prove."""
        found = {one.status for one in self.conditions}
        if "violated" in found:
            return "violated"
        return "holds" if found == {"holds"} else "unknown"

    @property
    def unproved(self) -> list[Proved]:
        """The conditions that do not hold, or of which that is unknown."""
        return [one for one in self.conditions if one.status != "holds"]

    @property
    def searched(self) -> list[str]:
        """The conditions that had no hint, or whose hint did not suffice."""
        return [one.name for one in self.conditions if not one.hinted]

    @property
    def cpu_s(self) -> float:
        """CPU seconds of this process for all proofs."""
        return sum(one.cpu_s for one in self.conditions)

    def to_json(self) -> dict[str, Any]:
        """As JSON-able values."""
        return {
            "text": self.text,
            "status": self.status,
            "versions": self.versions,
            "stale": self.stale,
            "cpu_s": round(self.cpu_s, 4),
            "conditions": [one.to_json() for one in self.conditions],
        }
