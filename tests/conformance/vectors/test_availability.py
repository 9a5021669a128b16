"""Cases of availability, judged and told: BookKeeper, util/AvailabilityOfEntriesOfLedger.java and BP-34."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.vectors.run import run
from spec.ledger.availability.encoding import GROUP, HEADER, encode, pack
from spec.ledger.availability.groups import SequenceGroup
from tests.support.vector_files import Case, judged, refusal


def case(kind: str, given: Case, **expected: Any) -> Case:
    return {"kind": kind, "input": given, "expected": expected}


ENCODED = case("encode", {"entries": [1, 2, 4, 5]}, groups_bp34=[[1, 4, 2, 3]])
DECODED = case("decode", {"bytes_hex": encode([0, 3]).hex(), "window": [0, 3]}, entries=[0, 3], unavailable=[1, 2])
CUT = case("decode", {"bytes_hex": encode([0, 3]).hex()[:-2]}, error_shipped="ArrayIndexOutOfBounds")
WINDOW = {"available": [0, 3], "start_entry": 0, "last_entry": 3}
LACKING = case("unavailable", WINDOW | {"expected_entries": [0, 3]}, unavailable=[], unavailable_shipped=[3])

HUGE = (HEADER.pack(0, 1, bytes(56)) + GROUP.pack(-(1 << 63), (1 << 63) - 1, 1, 1)).hex()
"""A group of all numbers that there are."""


def test_cases_by_hand(tmp_path: Path) -> None:
    assert judged(tmp_path, ENCODED, DECODED, CUT, LACKING) == ["4 agree, 0 disagree, 0 not applicable"]


def test_disagreements_are_told(tmp_path: Path) -> None:
    """Groups, an entry, a refusal that does not come, one that comes, and what nobody knows."""
    lines = judged(
        tmp_path,
        ENCODED | {"expected": {"groups_bp34": [[1, 4, 2, 4]]}},
        ENCODED | {"expected": {"contains": {"3": True}}},
        DECODED | {"expected": {"error_shipped": "ArithmeticException"}},
        CUT | {"expected": {"entries": [0, 3]}},
        LACKING | {"expected": {"unavailable_shipped": []}},
        LACKING | {"expected": {"unavailable": [], "mood": "good"}},
    )
    told = [
        "groups_bp34: expected [[1, 4, 2, 4]], seen [[1, 4, 2, 3]]",
        "contains: expected {'3': True}, seen {'3': False}",
        "error_shipped: expected ArithmeticException, seen no refusal",
        "entries: expected [0, 3], seen a refusal",
        "unavailable_shipped: expected [], seen [3]",
        "1 not applicable: nobody reads expected.mood",
        "0 agree, 5 disagree, 1 not applicable",
    ]
    assert [clause in line for clause, line in zip(told, lines, strict=True)] == [True] * len(told)


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        (ENCODED | {"expected": {}}, "nothing is expected"),
        (ENCODED | {"expected": {"contains": {"one": True}}}, "'one'"),
        (ENCODED | {"input": {"entries": [1 << 63]}}, "entries[0] is 9223372036854775808"),
        (ENCODED | {"kind": "guess"}, "'guess'"),
        (DECODED | {"input": {"bytes_hex": "0"}}, "no such bytes"),
        (DECODED | {"input": {"bytes_hex": pack((SequenceGroup(0, 0, 10**7, 0),)).hex()}}, "the case is too large"),
        (DECODED | {"input": {"bytes_hex": HUGE}}, "the case is too large"),
        (LACKING | {"input": WINDOW | {"last_entry": 10**7, "expected_entries": []}}, "the window is too long"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, damaged: Case, told: str) -> None:
    assert told in refusal(tmp_path, ENCODED, damaged)


def test_cases_of_bookkeeper(shared: Path) -> None:
    """All of them."""
    lines = list(run([shared / "vectors" / "bookkeeper" / "availability.json"]).lines())
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")
