"""Cases of recovery on all their levels, by hand: LogDevice, Recovery; common/Digest.cpp and common/EpochRecovery.cpp.

The log of the document's own recovery example is among them: five shards, three copies, epoch 5 after e5n4.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.logs import log_findings
from conformance.vectors.run import run
from reference_impl.log.repair.plan import BridgesFrom
from tests.support.digest_cases import DIGESTS, ENDED, FLAT, MOVED, PLACES, SPREAD, STREAMED, record
from tests.support.vector_files import Case, judged, refusal, shake

STRAY: Case = {
    "level": "epoch_recovery",
    "derived": True,
    "seal_epoch": 6,
    "shards": FLAT,
    "replication": {"NODE": 2},
    "last_known_good": 2,
    "digest": {
        "N0": [],
        "N1": [record("BRIDGE", 4, 3)],
        "N2": [record("NORMAL", 1, 3), record("NORMAL", 9, 9, bad_checksum=True), record("NORMAL", 1, 4)],
    },
    "digest_arrival_order": ["N1", "N0", "N2"],
    "mutation_set": ["N0", "N2"],
    "expected_by_code_rules": {
        "bridge_esn": 5,
        "tail_esn": 4,
        "mutations": {
            "3": {"kind": "HOLE", "amend": [], "conflict": ["N2"]},
            "4": {"kind": "RECORD", "amend": ["N2"], "required": ["N2"]},
            "5": {"kind": "BRIDGE"},
        },
    },
    "expected_by_immutability": {
        "bridge_esn": 3,
        "tail_esn": 2,
        "mutations": {"3": {"kind": "BRIDGE", "conflict": ["N2"]}, "4": {"kind": "HOLE", "overwrite": ["N2"]}},
    },
}
LOST: Case = STRAY | {
    "last_known_good": None,
    "sealed": [{"node": "N0", "lng": 3}, {"node": "N1", "lng": 2}],
    "fmajority_at_mutation": "NON_AUTHORITATIVE",
    "mutation_set": ["N0", "N1", "N2"],
    "expected": {"last_known_good": 3, "tail_is_gap": True, "tail_timestamp": 0, "mutations": {"4": {"kind": "HOLE"}}},
    "expected_by_code_rules": None,
    "expected_by_immutability": "as well",
}

FOUND = LOST | {
    "sealed": [{"node": "N0", "lng": 3, "tail_record": "e1n3"}],
    "fmajority_at_mutation": None,
    "complete_digest": True,
    "mutation_set": None,
    "expected": {"tail_esn": 4, "tail_is_gap": False, "result": "OK", "mutations": {"4": {}, "5": {}}},
}

FLOWING = FOUND | {
    "sealed": [{"node": "N0", "lng": 2}],
    "digest": {"N0": [record("WRITE_STREAM", 1, 3)], "N2": [record("NORMAL", 1, 4), record("WRITE_STREAM", 1, 6)]},
    "digest_arrival_order": None,
    "mutation_set": ["N0", "N2"],
    "complete_digest": False,
    "expected": {
        "mutations": {
            "3": {"kind": "WRITE_STREAM", "amend": ["N0"], "write_stream": True},
            "4": {"kind": "RECORD", "write_stream": False},
            "5": {"kind": "BRIDGE", "write_stream": False},
            "6": {"kind": "HOLE", "conflict": ["N2"], "write_stream": False},
        }
    },
}

EVENTS: Case = {
    "level": "epoch_recovery_trace",
    "seal_epoch": 6,
    "shards": {name: FLAT[name] for name in ("N0", "N1", "N2")},
    "replication": {"NODE": 2},
    "events": [
        ["activate"],
        ["sealed", "N0", 4],
        ["sealed", "N1", 3],
        ["digest_complete", ["N0", "N1"], {"4": "NORMAL on both"}],
        ["grace_expired"],
        ["mutation_done", 5],
        ["cleaned", "N0"],
        ["timeout"],
        ["node_dead", "N0"],
        ["node_alive", "N0"],
        ["set_status", "N2", "UNDERREPLICATION"],
        ["digest_complete", ["N0", "N1"]],
    ],
    "expected": {
        "state_after": {
            "sealed N0": "SEAL_OR_INACTIVE",
            "sealed N1": "DIGEST",
            "first digest_complete [N0, N1]": "DIGEST",
            "grace_expired": "MUTATION",
            "mutation_done": "CLEAN",
            "cleaned N0": "CLEAN (N1 is missing)",
            "timeout": "DIGEST",
            "set_status N2 (lost)": "DIGEST",
            "second digest_complete": "MUTATION",
            "last digest_complete": "MUTATION",
        },
        "final_node_states": {"SEALING": ["N2"], "MUTATABLE": ["N0", "N1"]},
    },
}


def held(kind: str, number: int, lsn: str, known_good: int = 0) -> Case:
    epoch, esn = (int(part) for part in lsn[1:].split("n"))
    return record(kind, number, esn, lsn=lsn, epoch=epoch, last_known_good=known_good)


def example(node: int) -> list[Case]:
    """What a shard of the document's example holds when the sequencer dies; n6 was acknowledged, n5 never stored."""
    holders = {4: {1, 2, 3}, 6: {1, 3, 4}, 7: {2}, 8: {4, 5}}
    return [held("NORMAL", 1, f"e5n{esn}", min(4, esn - 1)) for esn, nodes in holders.items() if node in nodes]


EXAMPLE: Case = {
    "level": "cluster",
    "seal_epoch": 5,
    "records_by_node": {f"N{node}": example(node) for node in range(1, 6)},
    "absent_during_recovery": ["N1"],
    "authoritative_status": {},
    "bridge_for_empty_epoch": True,
    "epochs": [
        {
            "epoch": 5,
            "nodeset": [f"N{node}" for node in range(1, 6)],
            "replication": {"NODE": 3},
            "expected_tail": [5, 8],
            "expected_final": {
                "checked_above_esn": 4,
                "records": [6, 7, 8],
                "plugs": [5],
                "bridges": [9],
                "fully_replicated": True,
            },
            "expected_actions_from_comment": {
                "5": {"kind": "HOLE", "amend": [], "overwrite": []},
                "6": {"kind": "RECORD", "amend": ["N3", "N4"]},
                "4": "none",
                "7": {"kind": "RECORD", "amend": ["N2"]},
                "8": {"kind": "RECORD", "amend": ["N4", "N5"]},
                "9": {"kind": "BRIDGE", "note": "above the last record"},
                "note": "as the document's figure has it",
            },
        }
    ],
    "reader": {
        "ranges": ["lsn(5, 4), lsn(5, 6)", "lsn(5, 4), last_lsn"],
        "expected_records": ["e5n4", "e5n6", "e5n7", "e5n8", "<last appended lsn>"],
        "expected_gaps": [
            ["HOLE", "e5n5", "e5n5"],
            ["BRIDGE", "e5n9", "e5n4294967295"],
            ["BRIDGE (one or several)", "e6n0", "<last lsn - 1>"],
        ],
    },
}
EMPTY: Case = {
    "level": "cluster",
    "seal_epoch": 3,
    "shards": FLAT,
    "replication": {"NODE": 2},
    "records_by_node": {"N0": [held("NORMAL", 1, "e1n1")]},
    "per_epoch_released": {"N0": {"1": 1}},
    "absent_during_recovery": ["N2", "N3"],
    "authoritative_status": {"N2": "UNAVAILABLE", "N3": "AUTHORITATIVE_EMPTY"},
    "bridge_for_empty_epoch": False,
    "epochs": [
        {"epoch": 1, "nodeset": list(FLAT), "expected_tail": [1, 1], "expected_final": {"bridges": [2], "plugs": []}},
        {"epoch": 2, "nodeset": list(FLAT), "expected_tail": [1, 1], "expected_final": {"bridges": [], "records": []}},
    ],
    "reader": {
        "ranges": ["lsn(1, 1), lsn(1, ESN_MAX - 3)", "lsn(1, 1), lsn(1, ESN_MAX.val_)", "lsn(1, 1), lsn(3, 0)"],
        "expected_records": ["e1n1"],
        "expected_gaps": [
            *(["BRIDGE", "e1n2", "e1n4294967292"], ["BRIDGE", "e1n2", "e1n4294967295"]),
            ["BRIDGE", "e2n0", "e3n0"],
        ],
    },
}
CASES = (*DIGESTS, STRAY, LOST, FOUND, FLOWING, EVENTS, EXAMPLE, EMPTY)


@pytest.mark.parametrize("level", ["digest", "epoch_recovery", "epoch_recovery_trace", "cluster"])
def test_cases_by_hand(tmp_path: Path, level: str) -> None:
    """Digests, epochs in both variants, the machine's states, and whole logs with their readers."""
    cases = [case for case in CASES if case["level"] == level]
    assert judged(tmp_path, *cases) == [f"{len(cases)} agree, 0 disagree, 0 not applicable"]


def changed(case: Case, *path: Any, to: Any) -> Case:
    """The case with another value somewhere."""
    other = deepcopy(case)
    inside: Any = other
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = to
    return other


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (changed(SPREAD, "expected", "entries", 0, "success", to=["N0"]), "esn 4 success: expected ['N0'], seen"),
        (changed(SPREAD, "expected", "entries", 1, "needs_mutation", to=False), "esn 5 needs_mutation: expected False"),
        (changed(SPREAD, "expected", "entries", 1, "esn", to=6), "esn 6: expected in the digest"),
        (changed(ENDED, "expected", "bridge_esn", to=7), "bridge_esn: expected 7, seen 5"),
        (changed(ENDED, "expected", "tail_esn", to=1), "tail_esn: expected 1, seen 4"),
        (changed(ENDED, "expected", "entries", 1, "target_kind", to="MUTATED"), "esn 6 kind: expected MUTATED, seen"),
        (changed(STREAMED, "expected", "hole_esns", to=[4, 6]), "hole_esns: expected [4, 6], seen [6]"),
        (changed(STREAMED, "expected", "all_esns", to=[]), "all_esns: expected [], seen [4, 6, 7]"),
        (changed(MOVED, "expected", "entries", 1, "offset", to=160), "esn 5 offset: expected 160, seen 130"),
        (changed(STRAY, "expected_by_immutability", "bridge_esn", to=5), "bridge_esn: expected 5, seen 3"),
        (changed(STRAY, "expected_by_code_rules", "bridge_esn", to=3), "bridge_esn: expected 3, seen 5"),
        (changed(STRAY, "expected_by_code_rules", "mutations", "6", to={}), "mutated ESNs: expected [3, 4, 5, 6]"),
        (
            changed(FLOWING, "expected", "mutations", "3", "write_stream", to=False),
            "esn 3 write_stream: expected False",
        ),
        (changed(LOST, "expected", "tail_is_gap", to=False), "tail_is_gap: expected False, seen True"),
        (changed(EVENTS, "expected", "state_after", "timeout", to="CLEAN"), "state after timeout: expected CLEAN"),
        (changed(EVENTS, "expected", "final_node_states", "SEALED", to=["N1"]), "shards in SEALED: expected ['N1']"),
        (changed(EXAMPLE, "epochs", 0, "expected_tail", to=None), "epoch 5 tail: expected None, seen [5, 8]"),
        (changed(EXAMPLE, "epochs", 0, "expected_final", "plugs", to=[]), "epoch 5 plugs: expected [], seen [5]"),
        (changed(EXAMPLE, "epochs", 0, "expected_final", "fully_replicated", to=False), "seen True"),
        (changed(EXAMPLE, "absent_during_recovery", to=["N1", "N2", "N3"]), "seen waiting for shards"),
        (changed(EXAMPLE, "reader", "expected_records", to=["e5n5"]), "records read: expected ['e5n5'], seen"),
        (changed(EXAMPLE, "reader", "expected_gaps", 0, 0, to="DATALOSS"), "gaps: expected"),
        (changed(EXAMPLE, "reader", "expected_gaps", 0, 0, to="RIDDLE"), "no such LSN or gap as 'RIDDLE'"),
        (changed(EXAMPLE, "reader", "ranges", 0, to="all of it"), "no such LSN or gap as 'all of it'"),
    ],
)
def test_disagreements_are_told(tmp_path: Path, case: Case, said: str) -> None:
    """In one line, whatever it is."""
    line, counts = judged(tmp_path, case)
    assert said in line
    assert counts == "0 agree, 1 disagree, 0 not applicable"


@pytest.mark.parametrize(
    ("case", "part"),
    [
        (changed(SPREAD, "expected", "entries", 1, "colour", to="red"), "expected.entries[1].colour"),
        (changed(EVENTS, "expected", "mood", to="good"), "expected.mood"),
        (changed(EXAMPLE, "epochs", 0, "location", to="a.b"), "epochs[0].location"),
        (SPREAD | {"weather": "fair"}, "weather"),
    ],
)
def test_what_nobody_reads_is_named_and_nothing_is_said_of_its_case(tmp_path: Path, case: Case, part: str) -> None:
    lines = judged(tmp_path, case)
    assert lines == [f"mine.json: 1 not applicable: nobody reads {part}", "0 agree, 0 disagree, 1 not applicable"]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (SPREAD | {"level": "galaxy"}, "level is 'galaxy'. Try: one of digest,"),
        (SPREAD | {"shards": None}, "a case lacks a part: shards is None"),
        (SPREAD | {"shards": {"N0": 7}}, "shards.N0 is 7. Try: an object"),
        (SPREAD | {"shards": PLACES | {"N0": {"location": "a.b"}}}, "shards.N0.node is missing"),
        (SPREAD | {"replication": {"SHELF": 2}}, "'SHELF': 2}. Try: copies for some of SHARD, NODE"),
        (SPREAD | {"replication": {"NODE": -1}}, "replication.NODE is -1. Try: a whole number"),
        (SPREAD | {"operation": "guess"}, "guess"),
        (SPREAD | {"records": [{}]}, "records[0].node is missing. Try: one of N0,"),
        (SPREAD | {"records": [record("RIDDLE", 1, 1, "N0")]}, "'RIDDLE'. Try: one of NORMAL,"),
        (SPREAD | {"records": [record("HOLE", True, 1, "N0")]}, "wave_or_seal is True"),
        (
            SPREAD | {"records": [record("HOLE", 1, 1 << 32, "N0")]},
            "esn is 4294967296. Try: a whole number",
        ),
        (SPREAD | {"expected": {"entries": [7]}}, "expected.entries[0] is 7"),
        (STRAY | {"expected_by_code_rules": 3, "expected_by_immutability": None}, "nothing is expected"),
        (STRAY | {"mutation_set": ["N9"]}, "'N9'"),
        (STRAY | {"mutation_set": [9]}, "mutation_set[0] is 9. Try: one of N0,"),
        (STRAY | {"digest": {"N0": [record("NORMAL", 1, 1 << 31)]}}, "the epoch is too long"),
        (LOST | {"fmajority_at_mutation": "SOME"}, "is 'SOME'. Try: one of NONE,"),
        (changed(STRAY, "expected_by_code_rules", "mutations", "x", to={}), "no such number"),
        (EVENTS | {"events": ["activate"]}, "events[0] is 'activate'. Try: a list"),
        (EVENTS | {"events": [["dance"]]}, "'dance'"),
        (EVENTS | {"events": [["sealed", "N0", "4"]]}, "events[0][2] is '4'. Try: a whole number from 0"),
        (EVENTS | {"events": [["digest_complete", 0]]}, "events[0][1] is 0. Try: a list"),
        (EVENTS | {"events": [["digest_complete", [], {"1": "RIDDLE"}]]}, "'RIDDLE'"),
        (EVENTS | {"events": [["digest_complete", [], {"99999999": "HOLE"}]]}, "the epoch is too long"),
        (EVENTS | {"events": [["set_status", "N0", "ASLEEP"]]}, "events[0][2] is 'ASLEEP'. Try: one of"),
        (EVENTS | {"expected": {"state_after": {"sealed N0": "ASLEEP"}}}, "state_after.sealed N0 is 'ASLEEP'"),
        (EVENTS | {"expected": {"state_after": {"third timeout": "CLEAN"}}}, "names 'third timeout'"),
        (EVENTS | {"expected": {"final_node_states": {"ASLEEP": []}}}, "names 'ASLEEP'. Try: one of SEALING,"),
        (changed(EXAMPLE, "records_by_node", "N1", 0, "esn", to=1 << 31), "the epoch is too long"),
        (changed(EMPTY, "epochs", 0, "epoch", to=2), "not in ascending order"),
        (
            changed(EXAMPLE, "reader", "expected_records", to=["e5"]),
            "expected_records[0] is 'e5'. Try: an epoch",
        ),
        (
            changed(EXAMPLE, "reader", "expected_gaps", to=[["HOLE", 1]]),
            "is ['HOLE', 1]. Try: 3 members",
        ),
        (changed(EXAMPLE, "reader", "expected_gaps", to=[["HOLE", 1, 2]]), "expected_gaps[0][1] is 1"),
        (changed(EXAMPLE, "epochs", 0, "nodeset", to=None), "epochs[0].nodeset is None"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, case: Case, said: str) -> None:
    """By name, never with a crash."""
    assert said in refusal(tmp_path, case)


@given(data=st.data())
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the file is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, *CASES)


def test_cases_of_logdevice(shared: Path) -> None:
    """All of them, those that name a variant in that variant."""
    lines = list(run([shared / "vectors" / "logdevice" / "epoch_recovery.json"]).lines())
    print(*lines, sep="\n")
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")


def test_logs_of_logdevice_in_the_variant_that_is_immutable(shared: Path) -> None:
    """Its tests of whole logs do not tell the two orders of steps apart."""
    cases = json.loads((shared / "vectors" / "logdevice" / "epoch_recovery.json").read_text(encoding="utf-8"))
    logs = [Fields(case, case["id"]) for case in cases["vectors"] if case["level"] == "cluster"]
    assert logs
    assert [case.where for case in logs if log_findings(case, BridgesFrom.WHOLE_DIGEST).differences()] == []
