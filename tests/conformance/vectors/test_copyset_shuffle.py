"""Cases of copyset shuffling: judged by the order, the hash and the seeds, and refused by name where they are broken.

LogDevice, Read path, Single copy delivery: each storage node deterministically shuffles the copyset of each record.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.run import run
from tests.support.vector_files import Case, judged, refusal, shake

FIXED: Case = {
    "mode": "HASH_SHUFFLE",
    "seed1": "0x59d2d101d78f02ad",
    "seed2": "0x430bfb34b1cd41e1",
    "input_node_ids": [8, 2, 6, 4],
    "expected": [2, 4, 8, 6],
    "hash128": ["0xe186019ba84134f7", "0xa843161651675a13"],
}
CLIENT: Case = FIXED | {
    "mode": "HASH_SHUFFLE_CLIENT_SEED",
    "client_session_id": "reader-17",
    "seed1": "0x1a87b0996ea2efd2",
    "seed2": "0xffece490c8aeb0fb",
    "expected": [2, 4, 6, 8],
    "hash128": ["0x34f6b2639004b18c", "0xd69d5edf96d74ce0"],
}
OFF: Case = FIXED | {"mode": "NONE", "expected": [8, 2, 6, 4]}
RATIO: Case = {"id": "ratio", "mode": "HASH_SHUFFLE_CLIENT_SEED", "expected_ratio_shipped_by_N0": [0.29, 0.37]}


def test_cases_by_hand(tmp_path: Path) -> None:
    """By the fixed seeds, by a session's, not at all, and one in three by chance; the hashes are another library's."""
    assert judged(tmp_path, FIXED, CLIENT, OFF, statistical=[RATIO]) == ["4 agree, 0 disagree, 0 not applicable"]


def test_disagreements_are_told(tmp_path: Path) -> None:
    """The order, the hash, the seeds and the ratio, each in one clause."""
    other = FIXED | {"expected": [2, 4, 6, 8], "hash128": ["0x1", "0x2"], "id": "wrong"}
    ratio = RATIO | {"expected_ratio_shipped_by_N0": [0.9, 1.0]}
    seeds = CLIENT | {"client_session_id": "reader-18", "id": "seeds"}
    lines = judged(tmp_path, other, seeds, OFF | {"expected_hash": 1}, statistical=[ratio])
    assert "wrong disagrees: expected [2, 4, 6, 8], seen [2, 4, 8, 6]; hash: expected [1, 2], seen [1625" in lines[0]
    assert "seeds disagrees: seeds: expected [1911" in lines[1]
    assert "ratio disagrees: shipped by the first: expected [0.9, 1.0], seen 0.3" in lines[2]
    assert lines[3:] == [
        "mine.json: 1 not applicable: nobody reads expected_hash",
        "0 agree, 3 disagree, 1 not applicable",
    ]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"mode": "BY_LOT"}, "'BY_LOT'"),
        ({"seed1": "seed"}, "seed1 is 'seed'"),
        ({"seed2": 7}, "seed2 is 7"),
        ({"seed2": "0x10000000000000000"}, "seed2 is"),
        ({"input_node_ids": [1, -2]}, "input_node_ids[1] is -2"),
        ({"input_node_ids": [40000]}, "input_node_ids[0] is 40000"),
        ({"input_node_ids": [True]}, "input_node_ids[0] is True"),
        ({"expected": "5"}, "expected is '5'. Try: a list"),
        ({"client_session_id": 5}, "client_session_id is 5. Try: a text"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, damage: Case, told: str) -> None:
    """By name, never with a crash."""
    assert told in refusal(tmp_path, FIXED | damage)


@pytest.mark.parametrize("bounds", [[0.3], [0, 1], ["a", "b"], None])
def test_a_ratio_has_a_range(tmp_path: Path, bounds: object) -> None:
    """Two fractions."""
    assert "expected_ratio" in refusal(tmp_path, FIXED, statistical=[RATIO | {"expected_ratio_shipped_by_N0": bounds}])


@given(data=st.data())
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the file is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, FIXED, CLIENT, OFF)


def test_cases_of_logdevice(shared: Path) -> None:
    """All of them, with the one that is only a matter of chance."""
    lines = list(run([shared / "vectors" / "logdevice" / "copyset_shuffle.json"]).lines())
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")
