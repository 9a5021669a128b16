"""Cases of a ledger's distribution schedule, judged and told.

Apache BookKeeper, client/RoundRobinDistributionSchedule.java.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.run import run
from tests.support.vector_files import Case, judged, refusal, shake

FOUR = {"ensemble_size": 4, "write_quorum": 3, "ack_quorum": 2}


def case(kind: str, given: Case, **expected: Any) -> Case:
    return {"kind": kind, "input": given, "expected": expected}


WRITE_SET = case("write_set", FOUR | {"entry_id": 6}, write_set=[2, 3, 0], ensemble_set=[2, 3, 0, 1])
SHIPPED = case(
    "write_set",
    FOUR | {"ensemble_size": 5, "entry_id": 2**31 - 1},
    write_set=[2, 3, 4],
    write_set_via_index_method_shipped=[2, -3, -2],
)
COVERED = case("coverage", FOUR | {"return_codes": [0, -7, None, -13]}, covered=True)
STRIPED = case("striped", FOUR | {"bookie_index": 1, "start_entry": 2, "last_entry": 8}, entries=[3, 4, 5, 7, 8])
REFUSED = case("striped", FOUR | {"bookie_index": 4, "start_entry": 2, "last_entry": 8}, error="IllegalArgument")
ACKS = case("ack_set", FOUR | {"ops": ["c0", "f1", "c1", "r0", "f2", "f3"]}, failed_bookies=[2, 3])
ACKS["expected"]["returns"] = [False, False, True, False, False, True]
MOVED = case("move_and_shift", {"write_set": [5, 6, 7, 8], "from": 0, "to": 2}, write_set=[6, 7, 5, 8])
TABLE = case("coverage_table", {}, rows=[[2, 1, 1, 1, 2], {"E": 3, "W": 3, "A": 2, "covering": 4, "smallest": 2}])
CASES = (
    WRITE_SET,
    SHIPPED,
    COVERED,
    case("coverage", FOUR | {"return_codes": [0, None, -23, -13]}, covered=False),
    STRIPED,
    REFUSED,
    ACKS,
    MOVED,
    TABLE,
)


def test_cases_by_hand(tmp_path: Path) -> None:
    """Every kind, the variant as shipped, and what is refused."""
    assert judged(tmp_path, *CASES) == [f"{len(CASES)} agree, 0 disagree, 0 not applicable"]


@pytest.mark.parametrize(
    "rows",
    [
        [[2, 1, 1, 1, 2], [3, 3, 2, 4, [0, 1]]],
        [{"E": 3, "W": 3, "A": 2, "smallest": 2, "covering": 4}],
        {"E=2,W=1,A=1": [1, 2], "E=3,W=3,A=2": {"covering sets": 4, "smallest": 2}},
        [{"e": 3, "w": 3, "a": 2, "subsets": 8, "covered": 4, "min_size": 2, "smallest_subset": [0, 1]}],
        [{"sizes": {"E": 3, "W": 3, "A": 2}, "smallest": 2, "number of sets that cover": 4}],
        [[[3, 3, 2], 4, 2]],
    ],
)
def test_tables_in_other_forms(tmp_path: Path, rows: object) -> None:
    """Lists and names, sizes in names or together, a smallest set written out; each can disagree."""
    assert judged(tmp_path, case("coverage_table", {}, rows=rows)) == ["1 agree, 0 disagree, 0 not applicable"]
    wrong = json.loads(json.dumps(rows).replace("4", "5").replace("[1, 2]", "[1, 1]"))
    assert "expected [5, 2], seen [4, 2]" in judged(tmp_path, case("coverage_table", {}, rows=wrong))[0]


def test_columns_may_be_named_once(tmp_path: Path) -> None:
    """And how many subsets there are is judged where it is said."""
    columns = ["ensemble", "write quorum", "ack quorum", "total subsets", "covering", "smallest"]
    table = case("coverage_table", {}, columns=columns, rows=[[3, 3, 2, 8, 4, 2], [2, 1, 1, 4, 1, 2]])
    assert judged(tmp_path, table) == ["1 agree, 0 disagree, 0 not applicable"]
    table["expected"]["rows"][1][3] = 5
    assert "E=2 W=1 A=1 subsets: expected 5, seen 4" in judged(tmp_path, table)[0]


def test_a_table_of_unknown_form_is_not_judged(tmp_path: Path) -> None:
    """It is counted, and never taken for agreement."""
    forms: list[Case] = [
        {"rows": []},
        {"rows": [[3, 2, 1]]},
        {"rows": [[3, 2, 1, True, 2]]},
        {"rows": [[99, 2, 1, 5, 2]]},
    ]
    tables = [case("coverage_table", {}) | {"expected": form} for form in [*forms, {}, None]]
    lines = judged(tmp_path, MOVED, *tables)
    assert lines == [
        "mine.json: 6 not applicable: no chapter for cases of this form",
        "1 agree, 0 disagree, 6 not applicable",
    ]


def test_disagreements_are_told(tmp_path: Path) -> None:
    """What was expected and seen, a refusal on one side, a row of a table; a number is no truth value."""
    lines = judged(
        tmp_path,
        WRITE_SET | {"expected": {"write_set": [2, 3]}},
        REFUSED | {"expected": {"entries": []}},
        MOVED | {"expected": {"error": "IndexOutOfBounds"}},
        TABLE | {"expected": {"rows": [[3, 3, 2, 5, 2]]}},
        COVERED | {"expected": {"covered": 1}},
        COVERED | {"expected": {"covered": True, "mood": "good"}},
    )
    told = [
        "disagrees: write_set: expected [2, 3], seen [2, 3, 0]",
        "seen refusal: no entries 2 to 8 of member 4 in 4",
        "disagrees: expected IndexOutOfBounds, seen {'write_set': [6, 7, 5, 8]}",
        "disagrees: E=3 W=3 A=2: expected [5, 2], seen [4, 2]",
        "disagrees: covered: expected 1, seen True",
        "1 not applicable: nobody reads expected.mood",
        "0 agree, 5 disagree, 1 not applicable",
    ]
    assert [clause in line for clause, line in zip(told, lines, strict=True)] == [True] * 7


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        (case("riddle", FOUR), "'riddle'"),
        (WRITE_SET | {"input": []}, "input is []. Try: an object"),
        (WRITE_SET | {"expected": None}, "expected is None. Try: an object"),
        (WRITE_SET | {"expected": {"note": "?"}}, "nothing is expected"),
        (case("write_set", FOUR, write_set=[]), "input.entry_id is missing"),
        (case("write_set", FOUR | {"ensemble_size": "many"}), "ensemble_size is 'many'"),
        (case("coverage", FOUR | {"return_codes": [0]}, covered=True), "return_codes is [0]. Try: 4 members"),
        (case("striped", FOUR | {"bookie_index": 1, "start_entry": 0, "last_entry": 10**9}), "too long"),
        (case("ack_set", FOUR | {"ops": ["x1"]}), "'x1'"),
        (case("ack_set", FOUR | {"ops": ["c"]}), "'c'"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, damaged: Case, told: str) -> None:
    """By name, never with a crash."""
    assert told in refusal(tmp_path, WRITE_SET, damaged)


@given(data=st.data())
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the file is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, *CASES)


def test_cases_of_bookkeeper(shared: Path) -> None:
    """All of them."""
    lines = list(run([shared / "vectors" / "bookkeeper" / "distribution_schedule.json"]).lines())
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")
