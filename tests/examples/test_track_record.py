"""The track record: each real defect is caught by the rule that its row names, in a trace of at most twelve events.

Justified by docs/reference/track-record.md, whose rows name their sources.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from conformance.cli import parser
from conformance.trace.open import open_trace
from conformance.vectors.cases import read
from conformance.vectors.run import Answer, run
from conformance.vectors.track_record import page

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "examples" / "track-record" / "index.json"
CASES = read(INDEX).main
PAGE = ROOT / "docs" / "reference" / "track-record.md"
EVENTS_MAX = 12


def test_each_defect_is_caught_by_its_rule() -> None:
    report = run([INDEX])
    assert {one.answer for one in report.judged} == {Answer.AGREES}, list(report.lines())
    assert len(report.judged) >= 12


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_each_trace_is_small_and_its_row_says_where_the_facts_are_from(case: dict[str, str]) -> None:
    assert sum(1 for _ in open_trace(INDEX.parent / case["file"]).events()) <= EVENTS_MAX
    assert {"system", "defect", "reason", "source"} <= set(case)
    if "model" in case:
        parser().parse_args(shlex.split(case["model"])[1:])


def test_every_trace_stands_in_the_index() -> None:
    assert sorted(case["file"] for case in CASES) == sorted(path.name for path in INDEX.parent.glob("*.jsonl"))


def test_the_page_is_what_the_index_says(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    if request.config.getoption("--rewrite"):
        PAGE.write_text(page(INDEX), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(INDEX)
