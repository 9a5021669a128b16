"""Cases of audits, judged and told: BookKeeper, replication/AuditorReplicasCheckTask.java and BP-34."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.run import run
from spec.ledger.violations import GAUGES
from tests.support.vector_files import Case, judged, refusal, shake

LEDGER: Case = {
    "state": "CLOSED",
    "ensemble_size": 3,
    "write_quorum": 2,
    "ack_quorum": 1,
    "segments": {"0": ["a", "b", "c"]},
    "last_entry_id": 2,
}
NO_COPY, _, BELOW_WRITE = GAUGES.values()


def case(name: str, answers: Case, category: str, ledger: Case | None = None, **expected: Any) -> Case:
    expected = {"category": category} | expected
    return {"id": name, "ledger": LEDGER | (ledger or {}), "bookie_answers": answers, "expected": expected}


LOST = case("lost", {"a": [0, 2], "b": [0], "c": [1, 2]}, "below_wq", missing_replica_count={"1": 1})
SILENT = case("silent", {"a": [0, 2], "b": "Timeout"}, "ok", unavailable=[[0, "c"], [0, "b"]])
GONE = case("gone", {"a": "NoSuchLedgerExists", "b": [], "c": []}, "none", category_shipped="none")
OPEN = case("open", {}, "skipped", {"state": "OPEN"}, unavailable=[], shipped_is_wrong=False)
MARKED = case("marked", {"a": [], "b": [], "c": []}, "skipped", {"marked_underreplicated": True})
FALSE_ALARM = case(
    "alarm",
    {"a": [0, 3], "b": [1], "c": [2]},
    "ok",
    {"write_quorum": 1, "last_entry_id": 3},
    category_shipped="none",
    missing_replica_count_shipped={"3": 1},
    shipped_is_wrong=True,
)
FAR = case("far", {}, "ok", {"segments": {"4294967290": ["a", "b", "c"]}, "last_entry_id": 4294967300})
CASES = (LOST, SILENT, GONE, OPEN, MARKED, FALSE_ALARM, FAR)
RANGES = {
    "id": "ranges",
    "ranges": [["gone", "alarm"], ["lost", "marked"]],
    "expected": {NO_COPY: 1, BELOW_WRITE: 1},
    "expected_shipped": {NO_COPY: 0, BELOW_WRITE: 1},
}


def test_cases_by_hand(tmp_path: Path) -> None:
    """Every category, both variants, and a scenario over ranges."""
    assert judged(tmp_path, *CASES, scenarios=[RANGES]) == ["8 agree, 0 disagree, 0 not applicable"]


@pytest.mark.parametrize(
    "said",
    [
        {"expected": {f"{NO_COPY}": 1, f"{NO_COPY}_shipped": 0}},
        {"expected": {"as written": {NO_COPY: 1}, "shipped": {NO_COPY: 0}, "note": "?"}},
        {"expected": {NO_COPY: {"meant": 1, "shipped": 0}}},
        {"expected": {NO_COPY: 0}, "expected over all": {NO_COPY: 1}},
        {"expected": {NO_COPY: 0}},
    ],
)
def test_gauges_in_other_forms(tmp_path: Path, said: Case) -> None:
    """What is shipped says so somewhere on the way to the number, or nothing else does; each can disagree."""
    scenario = {"id": "ranges", "ranges": RANGES["ranges"]} | said
    assert judged(tmp_path, *CASES, scenarios=[scenario]) == ["8 agree, 0 disagree, 0 not applicable"]
    wrong = scenario | {"ranges": [["gone"], ["gone"]]}
    assert judged(tmp_path, *CASES, scenarios=[wrong])[-1] == "7 agree, 1 disagree, 0 not applicable"


def test_ledgers_that_are_not_here_may_be_anything(tmp_path: Path) -> None:
    """A gauge shows those that are, and at most all others too."""
    for number, answer in ((0, "1 disagree"), (1, "0 disagree"), (2, "0 disagree"), (3, "1 disagree")):
        scenario = {"id": "some", "ledgers": ["gone", "elsewhere"], "expected": {NO_COPY: number}}
        assert f" agree, {answer}" in judged(tmp_path, *CASES, scenarios=[scenario])[-1]


def test_disagreements_are_told(tmp_path: Path) -> None:
    lines = judged(
        tmp_path,
        LOST | {"expected": {"category": "ok", "category_shipped": "none"}},
        SILENT | {"expected": {"unavailable": [[0, "b"]]}},
        FALSE_ALARM | {"expected": {"shipped_is_wrong": False}},
        OPEN | {"expected": {"category": "skipped", "mood": 1}},
        scenarios=[RANGES | {"ranges": [["alarm"], ["lost"]], "expected": {}, "expected_shipped": {NO_COPY: 1}}],
    )
    told = [
        "category: expected ok, seen below_wq; category_shipped: expected none, seen below_wq",
        "unavailable: expected [[0, b]], seen [[0, b], [0, c]]",
        "shipped_is_wrong: expected False, seen True",
        f"{NO_COPY} as shipped: expected 1, seen 0",
        "1 not applicable: nobody reads expected.mood",
        "0 agree, 4 disagree, 1 not applicable",
    ]
    assert [clause in line for clause, line in zip(told, lines, strict=True)] == [True] * len(told)


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        (case("x", {}, "ok", {"state": "SHUT"}), "ledger.state is 'SHUT'"),
        (case("x", {}, "ok", {"last_entry_id": None}), "last_entry_id is None"),
        (case("x", {}, "ok", {"last_entry_id": 10**9}), "the ledger is too long"),
        (case("x", {}, "ok", {"write_quorum": 4}), "its sizes do not fit"),
        (case("x", {}, "ok", {"segments": {}}), "no such segments"),
        (case("x", {}, "ok", {"segments": {"-1": ["a", "b", "c"]}}), "no such number"),
        (case("x", {"a": [0.5]}, "ok"), "bookie_answers.a[0] is 0.5"),
        (case("x", {}, "ok", unavailable=[[0]]), "a list is too short or too long"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, damaged: Case, told: str) -> None:
    assert told in refusal(tmp_path, LOST, damaged)


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        ({"id": "x", "expected": {NO_COPY: 1}}, "ledgers is missing"),
        (RANGES | {"expected": {}, "expected_shipped": {}}, "nothing is expected"),
        (RANGES | {"expected": {"MOOD": 1}}, "no such gauge"),
    ],
)
def test_damaged_scenarios_are_refused(tmp_path: Path, damaged: Case, told: str) -> None:
    assert told in refusal(tmp_path, *CASES, scenarios=[damaged])


@given(data=st.data())
def test_any_value_anywhere_in_scenarios(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the file is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, RANGES, main=CASES)


def test_cases_of_bookkeeper(shared: Path) -> None:
    """All of them."""
    lines = list(run([shared / "vectors" / "bookkeeper" / "replicas_check.json"]).lines())
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")
