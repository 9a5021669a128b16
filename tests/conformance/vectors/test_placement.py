"""Cases of placement, judged and told: BookKeeper, client/*EnsemblePlacementPolicy*.java."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.run import run
from tests.support.vector_files import Case, judged, refusal, shake

SIZES: Case = {"ensemble": ["a", "b"], "write_quorum": 2, "ack_quorum": 2}
RACKS = {"a": "/region/one", "b": "/region/two"}


def case(policy: str, expected: str, **given: Any) -> Case:
    return {"policy": policy, "input": SIZES | given, "expected": expected}


RACK = case("rackaware", "FAIL", network_location=RACKS, writable_bookies=["a"]) | {"id": "down"}
REGION = case("regionaware", "MEETS_STRICT") | {"id": "region"}
LEDGER = {"id": "ledger", "segments": ["region", "down"], "state": "CLOSED", "expected": "not_adhering"}
MARKS = {"id": "old", "grace_period_s": 1, "marks": [{"age_s": 2}, {"age_s": 1}, {}], "expected": 1}


def test_cases_by_hand(tmp_path: Path) -> None:
    """A policy, ledgers made of its cases, marks, and both variants in one case."""
    both = case("rackaware", "MEETS_STRICT", network_location=RACKS, writable_bookies=[]) | {"expected_shipped": "FAIL"}
    lines = judged(tmp_path, RACK, REGION, both, ledgers=[LEDGER], marks=[MARKS])
    assert lines == ["5 agree, 0 disagree, 0 not applicable"]


@pytest.mark.parametrize(
    ("segments", "agreeing"),
    [
        (["region"], ["adhering"]),
        (["region", "elsewhere"], ["adhering", "softly_adhering", "not_adhering"]),
        (["down", "elsewhere"], ["not_adhering"]),
    ],
)
def test_segments_that_are_not_here_may_be_anything(tmp_path: Path, segments: list[str], agreeing: list[str]) -> None:
    """So a ledger is never better than those that are."""
    for said in ("adhering", "softly_adhering", "not_adhering", "skipped"):
        ledger = LEDGER | {"segments": segments, "expected": said}
        lines = judged(tmp_path, RACK, REGION, ledgers=[ledger])
        assert lines[-1].startswith("3 agree, 0 disagree" if said in agreeing else "2 agree, 1 disagree")


def test_disagreements_are_told(tmp_path: Path) -> None:
    lines = judged(
        tmp_path,
        RACK | {"expected": "MEETS_STRICT"},
        REGION | {"expected_mood": "good"},
        ledgers=[LEDGER | {"segments": ["region"]}, LEDGER | {"id": "open", "state": "OPEN"}],
        marks=[MARKS | {"expected": 2}],
    )
    told = [
        "down disagrees: expected: expected MEETS_STRICT, seen FAIL",
        "ledger disagrees: expected not_adhering, seen adhering",
        "open disagrees: expected not_adhering, seen skipped",
        "old disagrees: over the grace: expected 2, seen 1",
        "1 not applicable: nobody reads expected_mood",
        "0 agree, 4 disagree, 1 not applicable",
    ]
    assert [clause in line for clause, line in zip(told, lines, strict=True)] == [True] * len(told)


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        (case("fair", "FAIL"), "'fair'"),
        (case("default", "PERHAPS"), "'PERHAPS'"),
        (case("default", "FAIL", write_quorum=0), "input.write_quorum is 0"),
        (case("default", "FAIL", ensemble=["a"] * 1001), "the ensemble is too large"),
        (case("rackaware", "FAIL"), "network_location is missing"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, damaged: Case, told: str) -> None:
    assert told in refusal(tmp_path, REGION, damaged)


@given(data=st.data())
def test_any_value_anywhere_in_other_lists(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the file is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, LEDGER, MARKS, main=[RACK, REGION])


def test_cases_of_bookkeeper(shared: Path) -> None:
    """All of them."""
    lines = list(run([shared / "vectors" / "bookkeeper" / "placement.json"]).lines())
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")
