"""Cases of a reader's helpers: outliers and the filtered-out list, judged and told.

LogDevice, Read path, SCD greylisting: nodes much slower than their peers are put in the known down list.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.run import run
from tests.support.vector_files import Case, judged, refusal, shake

SLOW: Case = {
    "kind": "find_outliers",
    "method": "RMSD",
    "samples": [["N1", 10], ["N2", 90], ["N3", 12], ["N4", 11], ["N5", 200]],
    "num_deviations": 5,
    "max_outliers": 2,
    "required_margin": 1,
    "allowed": None,
    "expected": [["N2", 90], ["N5", 200]],
}
LISTS: Case = {
    "kind": "filtered_out_list",
    "ops": [
        {"op": "slow", "arg": ["N1", "N2"], "returns": True},
        {"op": "add_down", "arg": "N2", "returns": True},
        {"op": "add_down", "arg": "N2", "returns": False},
        {"state": {"new_down": ["N2"], "new_slow": ["N1"], "down": [], "slow": []}},
        {"op": "apply", "arg": None, "returns": True},
        {"op": "remove_down", "arg": "N2", "returns": True},
        {"op": "erase", "arg": "N1", "returns": True},
        {"state": {"new_down": [], "new_slow": [], "down": ["N2"], "slow": []}},
        {"op": "clear", "arg": None, "returns": None},
        {"state": {"new_down": [], "new_slow": [], "down": [], "slow": []}},
    ],
}
CASES = (
    SLOW,
    SLOW | {"method": "MAD"},
    SLOW | {"max_outliers": 1, "expected": []},
    SLOW | {"allowed": ["N1", "N5"], "expected": []},
    SLOW | {"expected_count_not": 5},
    {name: part for name, part in SLOW.items() if name != "expected"} | {"expected_count": 2},
    SLOW | {"samples": [], "expected": []},
    LISTS,
)


def test_cases_by_hand(tmp_path: Path) -> None:
    """By both methods, too few allowed, one not allowed, no samples; and a life of the lists."""
    assert judged(tmp_path, *CASES) == [f"{len(CASES)} agree, 0 disagree, 0 not applicable"]


def test_disagreements_are_told(tmp_path: Path) -> None:
    """Which outliers, how many not, which answer, which list."""
    ops = [{"op": "apply", "returns": True}, {"state": {"new_down": ["N3"], "new_slow": [], "down": [], "slow": []}}]
    lines = judged(
        tmp_path, SLOW | {"expected": []}, SLOW | {"expected_count_not": 2}, {"kind": "filtered_out_list", "ops": ops}
    )
    assert lines[0].endswith("disagrees: expected [], seen [[N2, 90.0], [N5, 200.0]]")
    assert lines[1].endswith("disagrees: expected another number of outliers than 2")
    assert lines[2].endswith(
        "disagrees: ops[0] apply: expected True, seen False; ops[1] new_down: expected [3], seen []"
    )


@pytest.mark.parametrize(
    ("base", "damage", "told"),
    [
        (SLOW, {"kind": "riddle"}, "'riddle'"),
        (SLOW, {"method": "GUESS"}, "'GUESS'"),
        (SLOW, {"samples": [[1, 10]]}, "samples[0][0] is 1"),
        (SLOW, {"samples": [["N1"]]}, "samples[0] is ['N1']"),
        (SLOW, {"samples": [["N1", float("inf")]]}, "samples[0][1] is inf"),
        (SLOW, {"samples": [["N1", True]]}, "samples[0][1] is True"),
        (SLOW, {"num_deviations": "many"}, "num_deviations is 'many'"),
        (SLOW, {"max_outliers": -1}, "max_outliers is -1"),
        (SLOW, {"allowed": "all"}, "allowed is 'all'. Try: a list"),
        (SLOW, {"expected": None}, "a case lacks a part: expected is None"),
        (LISTS, {"ops": [{"op": "shout"}]}, "'shout'"),
        (LISTS, {"ops": [{"op": "add_down", "arg": None}]}, "arg is None"),
        (LISTS, {"ops": [{"op": "apply", "returns": 1}]}, "ops[0].returns is 1. Try: true or false"),
        (LISTS, {"ops": [{"state": {"down": []}}]}, "ops[0].state.new_down is missing"),
        (LISTS, {"ops": ["apply"]}, "ops[0] is 'apply'"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, base: Case, damage: Case, told: str) -> None:
    """By name, never with a crash."""
    assert told in refusal(tmp_path, SLOW, base | damage)


@given(data=st.data())
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the file is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, *CASES)


def test_cases_of_logdevice(shared: Path) -> None:
    """All of them."""
    lines = list(run([shared / "vectors" / "logdevice" / "reader_aux.json"]).lines())
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")
