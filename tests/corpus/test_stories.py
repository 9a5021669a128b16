"""Whatever the rules notice of a mutant is witnessed and explained, by the command that people use.

Justified by the goal that every violation is explained.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.check.checking import check
from conformance.check.story import explain
from conformance.cli_simulate import header_for
from conformance.trace import parquet_writing
from conformance.trace.open import Parquet, open_trace
from reference_impl.mutants import MUTANTS
from spec.language.outcomes import Verdict
from tests.suite.caught import Catches
from tests.support.corpus import PLANS, run_of
from tests.support.simulated import NOTICED_BY

pytestmark = pytest.mark.slow

HOLDING = ("right00", "right15")
"""Runs of the correct machine that are checked as people would."""


def recorded(name: str, folder: Path) -> Parquet:
    """A run as a trace."""
    path = folder / "run.parquet"
    parquet_writing.write_events(path, header_for(PLANS[name]), run_of(name).events)
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    return trace


@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_noticed_of_a_mutant_is_explained(name: str, tmp_path: Path, catches: Catches) -> None:
    """All rules that are broken have a witness; that which the mutant was made for is told."""
    trace = recorded(name, tmp_path)
    report = check(trace, shown=1)
    broken = {said.rule.id: said for said in report.verdict.judged if said.violations}
    assert [rule for rule, said in broken.items() if said.violations[0] not in report.witnesses] == []
    said = broken[NOTICED_BY[name]]
    story = explain(trace, said.rule, said.violations[0].key)
    assert story.witness is not None
    assert said.rule.sentence.split()[0] in story.text
    catches("mutant", name, "story")


@pytest.mark.parametrize("name", HOLDING)
def test_the_correct_machine_holds(name: str, tmp_path: Path) -> None:
    assert check(recorded(name, tmp_path)).verdict.verdict is Verdict.HOLDS
