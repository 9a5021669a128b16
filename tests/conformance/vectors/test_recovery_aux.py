"""Cases of seals, epoch recovery metadata and purging, by hand: LogDevice, server/storage/ and common/."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.run import run
from tests.support.vector_files import Case, judged, refusal, shake


def seal(request: int, normal: int, soft: int, **expected: Any) -> Case:
    before = {"normal_seal_before": normal, "soft_seal_before": soft, "seal_request_epoch": request}
    return {"kind": "seal", **before, "expected": expected}


SEALED = seal(7, 3, 7, status="OK", preempted_by_epoch=None, normal_seal_after=7, soft_seal_after=7)
PREEMPTED = seal(7, 3, 8, status="PREEMPTED", preempted_by_epoch=8, normal_seal_after=7, soft_seal_after=8)

HELD = [{"lsn": "e3n2", "last_known_good": 1}, {"lsn": "e3n1", "last_known_good": 0}, {"lsn": "e9n5"}]
INFO: Case = {
    "kind": "seal_epoch_info",
    "records": HELD,
    "last_clean_epoch": 2,
    "seal_epoch": 8,
    "expected": {
        "per_epoch": {"3": {"lng": 1, "max_seen_esn": 2}},
        "epochs_not_listed": {"lng": 0, "max_seen_esn": 0},
        "tail_records": ["e3n1"],
    },
}
INFO_IN_WORDS: Case = {
    "kind": "seal_epoch_info",
    "records": HELD,
    "normal_seal_before": 9,
    "expected": {
        "recovery seal(9)": "OK with epoch info {3: lng 1, max 2, 9: lng 0, max 5}",
        "recovery seal(8)": "PREEMPTED without epoch info",
        "purge seal(8) from epoch 2": "PREEMPTED with epoch info {3: lng 1, max 2}",
        "purge seal(8) from epoch 3": "PREEMPTED with epoch info {}",
    },
}

RELEASED = INFO | {
    "per_epoch_released": {"3": 7, "5": 2},
    "expected": {"per_epoch": {"3": {"lng": 7, "max_seen_esn": 2}}, "tail_records": ["e3n2"]},
}
BY_METADATA = RELEASED | {
    "per_epoch_released": None,
    "mutable_metadata": {"3": {"lng": 7}, "5": {"last_known_good": 2}},
}

ASKED: Case = {
    "kind": "get_epoch_recovery_metadata",
    "nodes": 5,
    "epochs": [4, 5],
    "statuses": {"N3": "UNAVAILABLE", "N4": "UNDERREPLICATION"},
    "replies": [["N0 (self)", "NOTREADY"], ["N1", "AGAIN"], ["any one node", {"4": "EMPTY"}], ["N1", "FAILED"]],
    "expected": {"4": "EMPTY", "5": "UNKNOWN"},
}
SETTLED = ASKED | {"replies": [["N1", "EMPTY"]], "expected": {"4": "EMPTY", "5": "EMPTY"}}
UNSETTLED = SETTLED | {"single_empty_erm": False, "expected": {}}
BY_NAMES = UNSETTLED | {"replies": [["N1 and N2", "NOTREADY"], ["all others but N0", "EMPTY"]]}
ALL_EMPTY = UNSETTLED | {"replies": [["all nodes", "EMPTY"]], "expected": {"4": "EMPTY", "5": "EMPTY"}}
TWO_COPIES = UNSETTLED | {
    "replication_factor": 2,
    "replies": [["N1", "EMPTY"], ["N2", "EMPTY"]],
    "expected": {"4": "EMPTY", "5": "EMPTY"},
}
LAST_BUT_ONE = SETTLED | {
    "epochs": [4],
    "statuses": {},
    "replies": [["all contacted but one", "NOTREADY"], ["the last one", {"4": "OK"}]],
    "expected": {"4": "OK"},
}
LEFT_OVER = LAST_BUT_ONE | {"replies": [["all others", "NOTREADY"], ["the last one", {"4": "OK"}]]}
NOBODY_MORE = LAST_BUT_ONE | {"replies": [["all but two", "NOTREADY"], ["N4", "EMPTY"]], "expected": {"4": "EMPTY"}}
TOO_OLD = ASKED | {
    "replies": [["N1", {"4": "OK", "5": "EMPTY"}], ["N2", "NOTREADY"]],
    "epochs": [4, 5, 6],
    "expected": {"4": "OK", "5": "UNKNOWN", "6": "UNKNOWN"},
}
TOO_OLD["replies"].insert(1, ["N0", "PROTONOSUPPORT"])
OLD_FOR_ONE = LAST_BUT_ONE | {"replies": [["N0", "PROTONOSUPPORT"], ["N1", "EMPTY"]], "expected": {"4": "EMPTY"}}

PURGED: Case = {
    "kind": "purge_single_epoch",
    "local_lng": 4,
    "local_last_record": 9,
    "get_erm_status": "OK",
    "erm": {"lng": 6},
    "expected_tasks": ["delete_records", "write_recovery_metadata", "complete"],
    "delete_esn_range_by_rule": [7, 9],
}
KEPT = PURGED | {"get_erm_status": "EMPTY", "expected_tasks": ["complete"], "delete_esn_range_by_rule": None}
DELETED: Case = {
    "kind": "purge_delete",
    "epoch": 3,
    "delete_esn": [2, 4],
    "before": ["e2n3", "e3n1", "e3n3", "e3n4", "e3n5"],
    "expected_after": ["e2n3", "e3n1", "e3n5"],
}
UNCLEAN: Case = {
    "kind": "purge_unclean_epochs",
    "local_lce": 3,
    "purge_to": 9,
    "locally_nonempty_epochs": [5, 8],
    "epoch_metadata_since": [1, 6],
    "expected": {
        "get_erm_requests": [[4, 5], [6, 9]],
        "single_epoch_purges_for_reply": {
            "4": "EMPTY and locally empty -> none",
            "5": "UNKNOWN -> none",
            "6..9": "odd epochs OK -> purge; even EMPTY: only 8 (locally non-empty) -> purge",
        },
    },
}
ONE_BY_ONE = UNCLEAN | {"get_erm_for_empty_epoch": False, "expected": {"get_erm_requests": [[5, 5], [8, 8]]}}
METADATA_LOG = {name: part for name, part in UNCLEAN.items() if name != "epoch_metadata_since"} | {
    "expected": {"get_erm_requests": [[4, 9]], "status": "OK", "last_clean_epoch": 9}
}
NOTHING_LEFT = METADATA_LOG | {"local_lce": 9, "expected": {"get_erm_requests": [], "status": "UPTODATE"}}
ONLY_WRITTEN = NOTHING_LEFT | {"new_lce": 11, "expected": {"status": "OK", "last_clean_epoch": 11}}

CASES = (
    *(SEALED, PREEMPTED, INFO, INFO_IN_WORDS, RELEASED, BY_METADATA),
    *(ASKED, SETTLED, UNSETTLED, BY_NAMES, ALL_EMPTY),
    *(TWO_COPIES, LAST_BUT_ONE, LEFT_OVER, NOBODY_MORE, TOO_OLD, OLD_FOR_ONE),
    *(PURGED, KEPT, DELETED, UNCLEAN, ONE_BY_ONE),
    *(METADATA_LOG, NOTHING_LEFT, ONLY_WRITTEN),
)


def test_cases_by_hand(tmp_path: Path) -> None:
    """Seals of both kinds, what sealed shards tell, metadata that settles or does not, and purges."""
    assert judged(tmp_path, *CASES) == [f"{len(CASES)} agree, 0 disagree, 0 not applicable"]


def changed(case: Case, *path: Any, to: Any) -> Case:
    """The case with another value somewhere."""
    other = deepcopy(case)
    inside: Any = other
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = to
    return other


WORDS = "recovery seal(8)"
REPLY = ("expected", "single_epoch_purges_for_reply")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (changed(PREEMPTED, "expected", "preempted_by_epoch", to=None), "preempted_by_epoch: expected None, seen 8"),
        (changed(SEALED, "expected", "normal_seal_after", to=3), "normal_seal_after: expected 3, seen 7"),
        (changed(INFO, "expected", "per_epoch", to={}), "epochs told: expected [], seen [3]"),
        (changed(INFO, "expected", "per_epoch", "3", "lng", to=2), "epoch 3 lng: expected 2, seen 1"),
        (changed(INFO, "expected", "epochs_not_listed", "lng", to=1), "epochs not listed: expected"),
        (changed(INFO, "expected", "tail_records", to=["e3n2"]), "tail_records: expected ['e3n2'], seen ['e3n1']"),
        (changed(INFO_IN_WORDS, "expected", WORDS, to="OK"), f"{WORDS}: expected OK, seen PREEMPTED"),
        (changed(INFO_IN_WORDS, "expected", WORDS, to="PREEMPTED with epoch info"), f"{WORDS} tells: expected True"),
        (changed(INFO_IN_WORDS, "expected", WORDS, to="perhaps"), f"{WORDS}: no such answer as 'perhaps'"),
        (
            changed(INFO_IN_WORDS, "expected", "purge seal(8) from epoch 2", to="PREEMPTED with epoch info {}"),
            "tells of",
        ),
        (changed(ASKED, "expected", "5", to="OK"), "epoch 5: expected OK, seen UNKNOWN"),
        (changed(UNSETTLED, "expected", to={"4": "EMPTY"}), "epoch 4: expected EMPTY, seen None"),
        (changed(PURGED, "expected_tasks", to=["complete"]), "tasks: expected ['complete'], seen ['delete_records',"),
        (changed(PURGED, "delete_esn_range_by_rule", to=[5, 9]), "deleted ESNs: expected [5, 9], seen [7, 9]"),
        (changed(RELEASED, "expected", "tail_records", to=["e3n1"]), "tail_records: expected ['e3n1'], seen ['e3n2']"),
        (changed(TOO_OLD, "expected", "5", to="EMPTY"), "epoch 5: expected EMPTY, seen UNKNOWN"),
        (changed(NOTHING_LEFT, "expected", "status", to="OK"), "status: expected OK, seen UPTODATE"),
        (changed(ONLY_WRITTEN, "expected", "last_clean_epoch", to=9), "last_clean_epoch: expected 9, seen 11"),
        (changed(DELETED, "expected_after", to=["e3n1"]), "LSNs left: expected ['e3n1'], seen"),
        (changed(UNCLEAN, "expected", "get_erm_requests", to=[[4, 9]]), "epochs asked for: expected [[4, 9]], seen"),
        (changed(UNCLEAN, *REPLY, "4", to="EMPTY -> purge"), "epochs purged of 4: expected [4], seen []"),
        (changed(UNCLEAN, *REPLY, "6..9", to="even EMPTY -> none"), "epochs purged of 6..9: expected [], seen [8]"),
        (changed(UNCLEAN, *REPLY, "4", to="who knows"), "epochs 4: no such answer as 'who knows'"),
    ],
)
def test_disagreements_are_told(tmp_path: Path, case: Case, said: str) -> None:
    """In one line, whatever it is."""
    line, counts = judged(tmp_path, case)
    assert said in line
    assert counts == "0 agree, 1 disagree, 0 not applicable"


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (SEALED | {"kind": ["seal"]}, "kind is ['seal']"),
        (SEALED | {"kind": "riddle"}, "kind is 'riddle'. Try: one of seal,"),
        (SEALED | {"seal_request_epoch": -1}, "seal_request_epoch is -1"),
        (SEALED | {"expected": []}, "expected is []. Try: an object"),
        (INFO | {"records": [{"lsn": "e1"}]}, "records[0].lsn is 'e1'"),
        (INFO | {"records": [{"lsn": "e1n9999999999"}]}, "no such LSN"),
        (INFO | {"expected": {"per_epoch": {"x": {}}}}, "no such number"),
        (RELEASED | {"per_epoch_released": {"3": "many"}}, "per_epoch_released.3 is 'many'"),
        (BY_METADATA | {"mutable_metadata": {"3": {}}}, "mutable_metadata.3.last_known_good is missing"),
        (ASKED | {"nodes": 1 << 30}, "nodes is 1073741824"),
        (ASKED | {"statuses": {"N7": "UNAVAILABLE"}}, "statuses names 'N7'. Try: one of N0 to N4"),
        (ASKED | {"statuses": {"N1": "ASLEEP"}}, "statuses.N1 is 'ASLEEP'"),
        (ASKED | {"replies": [["N1"]]}, "replies[0] is ['N1']. Try: 2 members"),
        (ASKED | {"replies": [["N1", "HELLO"]]}, "replies[0][1] is 'HELLO'. Try: one of OK,"),
        (ASKED | {"replies": [[1, "EMPTY"]]}, "replies[0][0] is 1"),
        (PURGED | {"get_erm_status": "MAYBE"}, "get_erm_status is 'MAYBE'"),
        (PURGED | {"erm": None}, "erm is None"),
        (DELETED | {"delete_esn": [1]}, "delete_esn is [1]. Try: 2 members"),
        (DELETED | {"before": [7]}, "before[0] is 7"),
        (UNCLEAN | {"epoch_metadata_since": [6, 1]}, "is [6, 1]. Try: epochs, the oldest first"),
        (changed(UNCLEAN, *REPLY, "soon", to="OK -> purge"), "no such epochs"),
        (changed(UNCLEAN, *REPLY, "1..99999999", to="OK -> purge"), "no such epochs"),
    ],
)
def test_damaged_cases_are_refused(tmp_path: Path, case: Case, said: str) -> None:
    """By name, never with a crash."""
    assert said in refusal(tmp_path, SEALED | {"id": "sound"}, case)


@given(data=st.data())
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the file is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, *CASES)


def test_cases_of_logdevice(shared: Path) -> None:
    """All of them."""
    lines = list(run([shared / "vectors" / "logdevice" / "recovery_aux.json"]).lines())
    print(*lines, sep="\n")
    assert len(lines) == 1
    assert lines[0].endswith(" agree, 0 disagree, 0 not applicable")
