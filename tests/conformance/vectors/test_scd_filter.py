"""Cases of single copy delivery: what a storage node sends, judged by the document's own tables.

LogDevice, Single Copy Delivery: the storage node N0 and its seven records.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.run import run
from tests.support.vector_files import Case, judged, refusal, shake

COPYSETS = {
    42: [1, 0, 2, 3],
    43: [3, 5, 0, 1],
    44: [0, 1, 2, 3],
    45: [4, 0, 5, 2],
    46: [0, 3, 2, 1],
    48: [1, 4, 0, 5],
}


def records(**more: bool) -> list[Case]:
    return [{"lsn": lsn, "copyset": copyset, **more} for lsn, copyset in COPYSETS.items()]


def case(node: int, shipped: list[int], down: list[int | str], **more: Any) -> Case:
    """A reader at a node, as START describes it."""
    return {
        "my_node": node,
        "known_down": down,
        "copyset_reordering": "NONE",
        "records": records(),
        "expected_shipped_lsns": shipped,
        "expected_next_read_lsn": 49,
    } | more


ABROAD = {name: at for node in range(6) for name, at in [(f"N{node}", "east.a" if node < 3 else "west.b")]}
LOCAL: Case = {"client_location": "east.a", "node_locations": ABROAD}
SHIPPERS: Case = {
    "copyset": [7, 8, 9],
    "known_down": [7, 9],
    "copyset_reordering": "NONE",
    "expected_shippers_if_all_alive": [8, 7],
}
CASES = (
    case(0, [44, 46], []),
    case(0, [42, 44, 46], [1]),
    case(0, [42, 44, 45, 46, 48], ["N1", 4], expected_next_read_lsn=None),
    case(0, [43, 44, 45, 46], [], **LOCAL),
    case(0, [42, 43, 44, 45, 46, 48], [], records=records(hole=True)),
    case(0, [], [], records=records(drained=True)),
    case(0, [42, 43, 44, 45, 46, 48], [], scd_enabled=False),
    case(0, [43, 45, 48], [], scd_enabled=False, required_in_copyset=[5]),
    case(0, [43, 45, 48], [], required_in_copyset=[5], my_node=None),
    case(0, [], [], required_in_copyset=[5]),
    case(0, [44, 46, 48], [], scd_replication=2, records=[record for record in records() if record["lsn"] > 43]),
    case(2, [45], [], copyset_reordering="HASH_SHUFFLE", records=[{"lsn": 45, "copyset": [8, 2, 6, 4]}])
    | {"expected_next_read_lsn": 46},
    case(0, [44, 46], [], expected_next_read_lsn=60),
    case(0, [44, 46], [], expected_next_read_lsn=60, last_released=59, window_high=70),
    case(0, [44], [], expected_next_read_lsn=46, last_released=59, window_high=45),
    SHIPPERS,
)


def test_cases_by_hand(tmp_path: Path) -> None:
    """Primary recipient, known down list, local delivery, holes, drained records, all send all, rebuilding, extras."""
    assert judged(tmp_path, *CASES) == [f"{len(CASES)} agree, 0 disagree, 0 not applicable"]


def test_the_variants_of_local_delivery(tmp_path: Path) -> None:
    """The document's priorities prefer a nearer node within the region; LogDevice takes all of the region alike."""
    at = {"N1": "east.a.c1.r1.k1", "N2": "east.b.c2.r2.k2", "N3": "west.a.c1.r1.k1"}
    near = {"client_location": "east.b.c2.r2.k9", "node_locations": at, "expected_next_read_lsn": 2}
    one = [{"lsn": 1, "copyset": [3, 1, 2]}]
    code = case(1, [1], [], records=one, **near)
    document = case(2, [1], [], records=one, local_priorities="scopes", **near)
    assert judged(tmp_path, code, document) == ["2 agree, 0 disagree, 0 not applicable"]


def test_disagreements_are_told(tmp_path: Path) -> None:
    """What is sent, where reading goes on, and who sends."""
    lines = judged(
        tmp_path,
        case(0, [44], [], expected_next_read_lsn=48),
        SHIPPERS | {"expected_shippers_if_all_alive": [8], "derived": True},
        case(0, [44, 46], [], expected_next_read_lsn=60, last_released=48),
    )
    assert lines[0].endswith("disagrees: expected [44], seen [44, 46]; next LSN to read: expected 48, seen 49")
    assert lines[1].endswith("disagrees: expected [8], seen [7, 8] (derived, not from a test)")
    assert lines[2].endswith("disagrees: next LSN to read: expected 60, seen 49")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"my_node": "zero"}, "my_node is 'zero'"),
        ({"my_node": True}, "my_node is True"),
        ({"known_down": 1}, "known_down is 1. Try: a list"),
        ({"known_down": [1.5]}, "known_down[0] is 1.5"),
        ({"copyset_reordering": "SORTED"}, "'SORTED'"),
        ({"scd_enabled": 1}, "scd_enabled is 1. Try: true or false"),
        ({"scd_replication": -1}, "scd_replication is -1"),
        ({"records": [{"lsn": 1}]}, "records[0].copyset is missing"),
        ({"records": [7]}, "records[0] is 7"),
        ({"records": [{"lsn": "one", "copyset": []}]}, "records[0].lsn is 'one'"),
        ({"client_location": "a.b.c.d.e.f", "node_locations": {}}, "'a.b.c.d.e.f'"),
        ({"client_location": "a", "node_locations": {"N1": 7}}, "node_locations.N1 is 7"),
        ({"client_location": "a"}, "node_locations is missing"),
        ({"client_location": "a", "node_locations": {}, "local_priorities": "town"}, "'town'"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, damage: Case, told: str) -> None:
    """By name, never with a crash."""
    assert told in refusal(tmp_path, case(0, [44, 46], []) | damage)


@given(data=st.data())
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the file is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, *CASES)


def test_cases_of_logdevice(shared: Path) -> None:
    """All of them."""
    lines = list(run([shared / "vectors" / "logdevice" / "scd_filter.json"]).lines())
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")
