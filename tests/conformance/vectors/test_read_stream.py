"""Scripts of read streams: LogDevice, Read path, and Single Copy Delivery; what the scripts take for granted is theirs.

Our own small scripts agree, one with a wrong expectation does not, and a damaged one is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.run import run
from tests.support.vector_files import Case, judged, refusal, shake

CONFIG: Case = {
    "shards": ["N0", "N1", "N2"],
    "start_lsn": "e2n1",
    "until_lsn": "e2n40",
    "buffer_size": 6,
    "flow_control_threshold": 0.5,
    "replication": {"NODE": 2},
    "sequencer_window_size": 1,
    "scd_enabled": False,
    "default_epoch_metadata": True,
    "settings": {},
    "node_locations": {},
}


def do(what: str, /, **parts: Any) -> Case:
    return {"do": what, **parts}


def expect(what: str, /, **parts: Any) -> Case:
    return {"expect": what, **parts}


def script(*steps: Case, **config: Any) -> Case:
    return {"config": CONFIG | config, "steps": list(steps)}


def start_message(to: list[str], version: int = 1, **parts: Any) -> Case:
    said = {"start": "e2n1", "until": "e2n40", "window_high": "e2n6", "filter_version": version, "scd": False}
    return expect("start_messages", **said | {"filtered_out": []} | parts, to=to)


EVERYONE = ["N0", "N1", "N2"]
ORDER = script(
    do("start"),
    start_message(EVERYONE),
    do("record", **{"from": "N0"}, lsn="e2n2"),
    expect("records", lsns=[]),
    do("record", **{"from": "N1"}, lsn="e2n1"),
    do("record", **{"from": "N1"}, lsn="e2n3", bad_checksum=True),
    do("record", **{"from": "N2"}, lsn="e2n3", flags=["HOLE"]),
    expect("records", lsns=["e2n1", "e2n2"]),
    expect("gaps", gaps=[["HOLE", "e2n3", "e2n3"]]),
    expect("window_messages", low="e2n4", high="e2n9", to=EVERYONE),
    expect("timer_active", timer="GracePeriodTimer", value=False),
    expect("disposed", value=False),
    do("destroy_stream"),
    expect("stop_messages", to=EVERYONE),
)
SINGLE = script(
    do("start"),
    do("discard_output", what="start"),
    do("connection_closed", shard="N2", status="PEER_CLOSED"),
    expect("rewind_scheduled", value=True),
    do("run_scheduled_rewind"),
    start_message(EVERYONE, 2, scd=True, filtered_out=["N2"]),
    do("connection_closed", shard="N2", status="PEER_CLOSED"),
    expect("reconnect_timer_active", shard="N2", value=True),
    do("started", filter_version=2, status="OK", **{"from": ["N0", "N1"]}),
    do("gap", **{"from": ["N0", "N1"]}, lo="e2n1", hi="e2n2", reason="NO_RECORDS"),
    do("run_scheduled_rewind"),
    expect("scd_active", value=False),
    scd_enabled=True,
)
EPOCHS = script(
    do("start"),
    expect("metadata_requests", epochs=[2]),
    do("epoch_metadata_error", epoch=2, status="NOTFOUND"),
    do("fire_timer", timer="MetaDataRetryTimer"),
    expect("metadata_requests", epochs=[2]),
    do("epoch_metadata", epoch=2, since=2, until=2, replication=2, scope="NODE", shards=["N0", "N1"], source="LAST"),
    expect("last_epoch_with_metadata", value=2),
    do("set_connection_state", state="READING", shards="all"),
    expect("connection_healthy", value=True),
    do("set_callbacks_accepting", value=False),
    do("record", **{"from": "N0"}, lsn="e2n1"),
    expect("timer_active", timer="RedeliveryTimer", value=True),
    do("set_callbacks_accepting", value=True),
    do("set_memory_pressure", value=True),
    do("shard_status_event", event="SHARD_NEEDS_REBUILD", shard="N0"),
    do("set_setting", name="grace_counter_limit", value=0),
    do("change_log_config", name="scd_enabled", value=True),
    do("update_config", shards=["N0", "N1"], replication=2, sequencer_window_size=3),
    do("note_config_changed"),
    expect("rewind_scheduled", value=True),
    do("start_sent", shard="N1", status="OK"),
    do("set_send_start_error", shard="N1", error="UNREACHABLE"),
    do("connection_health", shard="N1", healthy=True),
    do("cluster_state", node="N1", alive=False),
    do("ignore_released_status"),
    {"note": "nothing"},
    default_epoch_metadata=False,
)
CASES = (ORDER, SINGLE, EPOCHS)


def test_our_own_scripts_agree(tmp_path: Path) -> None:
    """Re-ordering, failover, and epochs, with numbers of our own."""
    assert judged(tmp_path, *CASES) == ["3 agree, 0 disagree, 0 not applicable"]


WIDE = script(
    do("start"),
    start_message(EVERYONE, window_high="e18n0", until="LSN_MAX"),
    do("gap", **{"from": EVERYONE}, lo="e2n1", hi="e9n0", reason="NO_RECORDS"),
    do("record", **{"from": "N0"}, lsn="e17n5"),
    expect("gaps", gaps=[["BRIDGE", "e2n1", "e9n0"]]),
    expect("window_messages", to=[]),
    do("gap", **{"from": EVERYONE}, lo="e9n1", hi="e12n0", reason="NO_RECORDS"),
    expect("window_messages", low="e12n1", high="e28n0", to=EVERYONE),
    until_lsn="LSN_MAX",
    buffer_size=16 << 32,
)


def test_a_buffer_may_span_whole_epochs(tmp_path: Path) -> None:
    """Its size is no count of records: LogDevice, ClientReadStreamOrderedMapBuffer.h, keeps only those that arrived."""
    assert judged(tmp_path, WIDE) == ["1 agree, 0 disagree, 0 not applicable"]


def test_what_is_filtered_out_is_counted_one_by_one(tmp_path: Path) -> None:
    """So a gap of whole epochs is refused, unless the window lets nothing of it in."""
    case = deepcopy(WIDE)
    case["steps"][2] |= {"from": "N0", "reason": "FILTERED_OUT"}
    assert "too much is filtered out" in refusal(tmp_path, ORDER, case)
    case["config"]["buffer_size"], case["steps"][1:] = 6, case["steps"][2:3]
    assert judged(tmp_path, case) == ["1 agree, 0 disagree, 0 not applicable"]


@pytest.mark.shared
def test_scripts_of_the_real_system(shared: Path) -> None:
    """All scripts of LogDevice's own tests agree."""
    lines = list(run([shared / "vectors" / "logdevice" / "client_read_stream.json"]).lines())
    assert lines == ["80 agree, 0 disagree, 0 not applicable"]


def test_a_disagreement_names_its_step(tmp_path: Path) -> None:
    """One line, with what was expected and what was seen; later steps say nothing."""
    case = deepcopy(ORDER)
    case["steps"][3]["lsns"] = ["e2n2"]
    case["steps"][7]["lsns"] = []
    assert judged(tmp_path, case)[0] == ("mine.json: case-0 disagrees: step 4: expected records ['e2n2'], seen []")


@pytest.mark.parametrize(
    ("step", "parts", "told"),
    [
        (1, {"to": ["N0", "N1"]}, "expected start_messages"),
        (1, {"filter_version": 2}, "'filter_version': 1"),
        (1, {"filtered_out": ["N1"]}, "'filtered_out': []"),
        (9, {"high": "e2n10"}, "'high': 'e2n9'"),
        (8, {"gaps": [["BRIDGE", "e2n3", "e2n3"]]}, "seen [['HOLE', 'e2n3', 'e2n3']]"),
        (10, {"value": True}, "expected timer_active True, seen False"),
        (13, {"to": []}, "expected stop_messages"),
    ],
)
def test_every_expectation_can_fail(tmp_path: Path, step: int, parts: Case, told: str) -> None:
    """Messages, gaps and timers are compared part by part."""
    case = deepcopy(ORDER)
    case["steps"][step] |= parts
    assert told in judged(tmp_path, case)[0]


Damage = Callable[[Case], object]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda case: case["config"].pop("shards"), "config.shards is missing"),
        (lambda case: case["config"].update(shards=[1]), "config.shards[0] is 1. Try: a text"),
        (lambda case: case["config"].update(start_lsn="n1"), "no such LSN: config.start_lsn is 'n1'"),
        (lambda case: case["config"].update(start_lsn="e3n1"), "nothing can be read"),
        (lambda case: case["config"].update(start_lsn="e4294967296n0"), "no such LSN"),
        (lambda case: case["config"].update(shards=[], start_lsn="e2n0"), "the stream asks without end"),
        (lambda case: case["config"].update(buffer_size=0), "buffer_size is 0"),
        (lambda case: case["config"].update(flow_control_threshold="half"), "is 'half'. Try: a number from 0 to 1"),
        (lambda case: case["config"].update(replication={"SHELF": 2}), "no replication property"),
        (lambda case: case["config"].update(replication={"NODE": -1}), "NODE is -1"),
        (lambda case: case["config"].update(settings=[1]), "config.settings is [1]. Try: an object"),
        (lambda case: case["config"].update(settings={"grace_counter_limit": "2"}), "grace_counter_limit is '2'"),
        (lambda case: case["config"].update(node_locations={"N0": "a.b.c.d.e.f"}), "6 parts"),
        (lambda case: case["config"].update(node_locations=["N0"]), "node_locations is ['N0']"),
        (lambda case: case["steps"].append(7), "steps[14] is 7. Try: an object"),
        (lambda case: case["steps"].append({}), "says nothing"),
        (lambda case: case["steps"].append(do("dance")), "'dance'"),
        (lambda case: case["steps"].append(expect("rain")), "'rain'"),
        (lambda case: case["steps"].append(expect("disposed")), "steps[14].value is missing. Try: true or false"),
        (lambda case: case["steps"].append(expect("stop_messages", to=[1])), "steps[14].to[0] is 1"),
        (lambda case: case["steps"].append(do("fire_timer", timer="Egg")), "no such timer"),
        (lambda case: case["steps"].append(do("discard_output", what="socks")), "'socks'"),
        (lambda case: case["steps"].append(do("shard_status_event", event="PARTY", shard="N0")), "no such event"),
        (lambda case: case["steps"].append(do("gap", **{"from": "N0"}, lo="e2n1", hi="e2n2", reason="?")), "'?'"),
        (lambda case: case["steps"].append(do("record", lsn="e2n1")), "steps[14].from is missing"),
    ],
)
def test_damaged_scripts_are_refused(tmp_path: Path, damage: Damage, told: str) -> None:
    """Each with the case, the step, and what to try."""
    case = deepcopy(ORDER)
    damage(case)
    assert told in refusal(tmp_path, case)


@given(data=st.data())
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Whatever stands in place of any value, the script is judged or refused by name."""
    shake(tmp_path_factory.getbasetemp(), data, *CASES)
