"""The page of what is caught has a row for every defect that the project knows, and every mutant meets every engine.

CONTRIBUTING, Goals: a check that cannot fail is a defect. That the marks are true is asked at the end of ``make test``.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from reference_impl.ledger.mutants import LEDGER_MUTANTS
from reference_impl.mutants import MUTANTS
from spec.protocols.known_bugs import KNOWN_BUGS
from spec.protocols.registry import TEXTS
from tests.suite.caught import PAGE, marks_of
from tests.support.damage import DAMAGES

MARKS = marks_of(PAGE.read_text(encoding="utf-8"))

KNOWN: dict[str, Iterable[str]] = {
    "mutant": MUTANTS,
    "ledger": LEDGER_MUTANTS,
    "bug": KNOWN_BUGS,
    "form": [f"{name}/{form}" for name, text in TEXTS.items() for form in text.variants],
    "damage": [name for name, _ in DAMAGES],
}


@pytest.mark.parametrize("kind", KNOWN)
def test_every_defect_is_noticed_by_something(kind: str) -> None:
    assert set(KNOWN[kind]) - {mark.defect for mark in MARKS if mark.kind == kind} == set()


@pytest.mark.parametrize(
    "judge", ["rules", "reference", "columns", "DuckDB", "Spark SQL", "Spark blocks", "story", "replay"]
)
def test_every_mutant_is_noticed_by_every_engine(judge: str) -> None:
    noticed = {mark.defect for mark in MARKS if (mark.kind, mark.judge) == ("mutant", judge)}
    assert set(MUTANTS) - noticed == set()
