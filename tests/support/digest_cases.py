"""Cases of one digest, by hand: LogDevice, common/Digest.cpp."""

from __future__ import annotations

from typing import Any

from tests.support.vector_files import Case

PLACES: Case = {f"N{node}": {"node": node, "location": f"a.b.c.d.r{node % 2}"} for node in range(4)}
FLAT: Case = {f"N{node}": {"node": node, "location": ""} for node in range(4)}


def record(kind: str, number: int, esn: int, node: str | None = None, **more: Any) -> Case:
    said = {"kind": kind, "wave_or_seal": number, "esn": esn, **more}
    return said if node is None else {"node": node, **said}


def case_of(operation: str, records: list[Case], expected: Case, **more: Any) -> Case:
    """A case of one digest: four shards in two racks, two copies in both."""
    case = {"level": "digest", "shards": PLACES, "replication": {"NODE": 2, "RACK": 2}, "seal_epoch": 9, "lng": 3}
    return case | {"records": records, "operation": operation, "expected": expected} | more


STORED = [record("MUTATED", 9, 4, "N0"), record("MUTATED", 9, 4, "N2"), record("HOLE", 9, 5, "N1")]
SPREAD = case_of(
    "needs_mutation",
    STORED,
    {
        "entries": [
            {"esn": 4, "needs_mutation": True, "success": ["N0", "N2"], "amend": [], "conflict": []},
            {"esn": 5, "complete_digest": True, "needs_mutation": True, "target_kind": "HOLE"},
        ]
    },
)
SPREAD_WELL = case_of(
    "needs_mutation(complete=True)",
    [record("NORMAL", 2, 4, "N0"), record("NORMAL", 2, 4, "N1"), record("NORMAL", 1, 4, "N2")],
    {"entries": [{"esn": 4, "needs_mutation": False, "target_kind": "NORMAL", "target_wave_or_seal": 2}]},
)
LEFT_OUT = case_of(
    "needs_mutation",
    [record("MUTATED", 7, 4, "N0"), record("HOLE", 6, 4, "N1"), record("NORMAL", 5, 4, "N2")],
    {"entries": [{"esn": 4, "target_kind": "MUTATED", "amend": ["N2"], "conflict": ["N1"], "success": []}]},
    removed_nodes=["N0"],
)
ENDED = case_of(
    "bridge",
    [record("BRIDGE", 8, 5, "N0"), record("NORMAL", 1, 4, "N1"), record("MUTATED", 7, 6, "N1")],
    {
        "bridge_esn": 5,
        "tail_esn": 4,
        "hole_esns": [5, 6],
        "all_esns": [4, 5, 6],
        "entries": [
            {"esn": 5, "needs_mutation": True, "target_kind": "BRIDGE"},
            {"esn": 6, "target_kind": "HOLE", "target_wave_or_seal": 8},
        ],
    },
)
STREAMED = case_of(
    "write_stream",
    [record("WRITE_STREAM", 1, esn, "N0") for esn in (4, 6)] + [record("NORMAL", 1, 7, "N0")],
    {"hole_esns": [6], "all_esns": [4, 6, 7]},
)
WAVELESS = case_of(
    "needs_mutation",
    [record("NORMAL", 0, 4, "N0") | {"wave_or_seal": None}, record("HOLE", 0, 5, "N0") | {"wave_or_seal": None}],
    {"entries": [{"esn": 4, "target_wave_or_seal": 1}, {"esn": 5, "target_wave_or_seal": 0}]},
)
MOVED = case_of(
    "recompute_offsets(lng) then needs_mutation",
    [
        record("NORMAL", 1, 3, "N0", offset_in=100),
        record("HOLE", 9, 4, "N0", offset_in=100),
        record("MUTATED", 9, 5, "N0", offset_in=160),
        record("MUTATED", 9, 5, "N1", offset_in=160),
    ],
    {"entries": [{"esn": 4, "success": ["N0"], "offset": 100}, {"esn": 5, "amend": ["N0", "N1"], "offset": 130}]},
    payload_bytes_each=30,
)
GIVEN = MOVED | {
    "operation": "recompute_offsets(lng, 70)",
    "expected": {"entries": [{"esn": 5, "offset": 100}]},
}
DIGESTS = (SPREAD, SPREAD_WELL, LEFT_OUT, ENDED, STREAMED, WAVELESS, MOVED, GIVEN)
