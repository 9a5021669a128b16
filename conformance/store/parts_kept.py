"""Parts kept: what was found of a range, and what it says of dimensions, as files of plain arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.store.arrays import read_arrays, write_arrays
from conformance.store.errors import damage_named
from conformance.store.lookups import Asked, name_of
from spec.columns.column import Array
from spec.columns.dimensions import Gathered
from spec.columns.parts import BlockSummary, Waiting
from spec.columns.piece import TracePosition
from spec.columns.states import State
from spec.language.declare import Dimension
from spec.language.outcomes import Judgement, Outcome, Violation


@dataclass(frozen=True)
class RangeFindings:
    """What was found of a range.

    Attributes:
        summary: what is settled, and what waits.
        asked: what was looked up on the way.
        answer: a fingerprint of what that found.
    """

    summary: BlockSummary
    asked: Asked
    answer: str


def write_part(path: Path, part: RangeFindings) -> None:
    """Keep a part, whole or not at all."""
    arrays, summary = dict[str, Array](), part.summary
    for name, keys in part.asked.items():
        arrays[f"asked/{name}"] = keys
    for view, waiting in summary.rows.items():
        arrays[f"todo/{view}"] = waiting.todo
        arrays |= _arrays(f"row/{view}", waiting.states)
    counts = [(rule, outcome.value, times) for (rule, outcome), times in summary.judgement.counts.items()]
    about = {
        "rules": summary.rules,
        "span": summary.span,
        "begins": summary.begins,
        "counts": counts,
        "violations": [(violation.rule, violation.key) for violation in sorted(summary.judgement.violations)],
        "answer": part.answer,
    }
    write_arrays(path, arrays, about)


def read_part(path: Path) -> RangeFindings:
    """A part that was kept.

    Raises:
        NoStore: it is damaged.
    """
    arrays, about = read_arrays(path)
    with damage_named(path):
        return _part(arrays, about)


def _part(arrays: Mapping[str, Array], about: Mapping[str, Any]) -> RangeFindings:
    judgement = Judgement()
    for rule, outcome, times in about["counts"]:
        judgement.count(rule, Outcome(outcome), times)
    judgement.violations |= {Violation(rule, tuple(key)) for rule, key in about["violations"]}
    rows = {
        view: Waiting(_states(arrays, f"row/{view}"), todo)
        for view, todo in ((name[5:], array) for name, array in arrays.items() if name.startswith("todo/"))
    }
    span = about["span"] and (TracePosition(*about["span"][0]), TracePosition(*about["span"][1]))
    summary = BlockSummary(tuple(about["rules"]), span, about["begins"], judgement, rows)
    asked = {name[6:]: array for name, array in arrays.items() if name.startswith("asked/")}
    return RangeFindings(summary, asked, about["answer"])


def write_gathered(path: Path, gathered: Iterable[Gathered]) -> None:
    """Keep what pieces of a range say of dimensions."""
    arrays, pieces = dict[str, Array](), list(gathered)
    for number, piece in enumerate(pieces):
        for dimension, states in piece.items():
            arrays |= _arrays(f"{number}/{name_of(dimension)}", states)
    write_arrays(path, arrays, {"pieces": len(pieces)})


def read_gathered(path: Path, dimensions: Iterable[type[Dimension]]) -> list[Gathered]:
    """What pieces of a range say of dimensions.

    Raises:
        NoStore: it is damaged.
    """
    arrays, about = read_arrays(path)
    wanted = tuple(dimensions)
    with damage_named(path):
        return [
            {dimension: _states(arrays, f"{number}/{name_of(dimension)}") for dimension in wanted}
            for number in range(about["pieces"])
        ]


def _arrays(prefix: str, states: Mapping[str, State]) -> dict[str, Array]:
    return {
        f"{prefix}/{name}/{part}": array
        for name, state in states.items()
        for part, array in state._asdict().items()
        if array is not None
    }


def _states(arrays: Mapping[str, Array], prefix: str) -> dict[str, State]:
    parts: dict[str, dict[str, Array]] = {}
    for name, array in arrays.items():
        if name.startswith(f"{prefix}/"):
            column, _, part = name[len(prefix) + 1 :].rpartition("/")
            parts.setdefault(column, {})[part] = array
    return {column: State(**some) for column, some in parts.items()}
