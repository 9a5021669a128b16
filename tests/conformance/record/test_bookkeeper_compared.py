"""The page of the comparison with the shipped auditor has every ledger that is planted, and ours finds the truth.

Justified by BookKeeper, BP-34, High Level Logic; what it is recorded from, ``tests/real`` shows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from conformance.record.bookkeeper import VERSION
from conformance.record.bookkeeper_compared import (
    AFTER_THE_LOSS,
    BEFORE_THE_LOSS,
    WHILE_SILENT,
    Compared,
    Comparison,
    Planted,
)
from conformance.record.bookkeeper_compared_page import page
from spec.ledger.durability import Durability
from spec.ledger.violations import BY_DURABILITY, GAUGES, Category

PAGE: Final = Path(__file__).parents[3] / "docs" / "reference" / "audit-compared.md"

PLANTED: Final = (*BEFORE_THE_LOSS, *AFTER_THE_LOSS, WHILE_SILENT)


def right(planted: Planted) -> Compared:
    """What is said of a ledger when both checkers are right."""
    shipped = tuple(durability for durability, category in BY_DURABILITY.items() if category is planted.truth)
    return Compared(planted, () if planted.truth is None else (planted.truth,), shipped)


def cells(text: str) -> list[list[str]]:
    """The cells of all tables, but for what the shipped auditor says."""
    return [
        line.strip("| ").split(" | ")[:4] for line in text.splitlines() if line.startswith("|") and "NUM_" not in line
    ]


def test_the_page_has_every_ledger_and_ours_finds_what_is_planted() -> None:
    due = page(Comparison(tuple(map(right, PLANTED)), dict.fromkeys(GAUGES.values(), 0)))
    assert cells(PAGE.read_text(encoding="utf-8")) == cells(due)


def test_the_page_names_the_release_that_is_locked() -> None:
    assert f"the one that BookKeeper {VERSION} has" in " ".join(PAGE.read_text(encoding="utf-8").split())


def test_a_wide_ensemble_shows_that_the_shipped_auditor_gives_false_alarms() -> None:
    said = {tuple(line.strip("| ").split(" | ")) for line in PAGE.read_text(encoding="utf-8").splitlines()}
    assert ("whole, E - W = 2", "5, 3, 3", "nothing", "nothing", "**NO_REPLICA**") in said


def test_what_is_reported_twice_stands_there_twice_and_what_is_wrong_is_bold() -> None:
    once = right(BEFORE_THE_LOSS[0])
    wrong = once._replace(ours=once.ours * 2, shipped=(Durability.NO_REPLICA,))
    (row,) = (
        line
        for line in page(Comparison((wrong,), dict.fromkeys(GAUGES.values(), 0))).splitlines()
        if "lost" in line and "|" in line
    )
    name = Category.BELOW_WRITE_QUORUM.name
    assert row.endswith(f"| {name} | {name}, {name} | **NO_REPLICA** |")
