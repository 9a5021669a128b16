"""A real Kafka cluster under fault, judged twice: by raw content, and by the rules after the import.

Kafka's producer configuration, "acks": with all and min.insync.replicas 2 an acknowledged record survives one dead
node; with 1, should the leader fail before the followers have copied a record, "the record will be lost".
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from conformance.importers import commands
from conformance.record.errors import PackagesUnavailable
from conformance.record.kafka import KafkaRecording, record_kafka
from conformance.record.lines import read_lines
from spec.language.outcomes import Verdict
from spec.verdicts import TraceVerdict
from tests.support.recordings import by_id, checked_trace, undecided, violated

pytestmark = pytest.mark.real

EVENT = ["client", "seq", "time_ns", "kind", "log", "value", "hash"]
FAULT = ["time_ns", "kind", "fault", "node"]


def record(folder: Path, scenario: str) -> KafkaRecording:
    seed = random.SystemRandom().randrange(10**6)
    print(f"record_kafka(Path('recording'), {scenario!r}, seed={seed})")
    try:
        return record_kafka(folder, scenario, seed=seed)
    except PackagesUnavailable as missing:
        pytest.skip(str(missing))


def verdict_of(recording: KafkaRecording, folder: Path) -> TraceVerdict:
    trace = folder / "trace.parquet"
    commands.kafka(
        recording.history,
        trace,
        replicas=recording.replicas,
        before_restart=recording.before_restart,
        acks=recording.acks,
        min_insync=recording.min_insync,
    )
    return checked_trace(trace)


def values(history: list[dict[str, object]], kind: str) -> list[object]:
    return [event["value"] for event in history if event["kind"] == kind]


def on_node(rows: list[dict[str, object]], node: int) -> list[tuple[int, int, str]]:
    return [copy(row) for row in rows if row["node"] == node]


def copy(row: dict[str, object]) -> tuple[int, int, str]:
    return int(str(row["offset"])), int(str(row["epoch"])), str(row["value"])


def check_shape(history: list[dict[str, object]], replicas: list[dict[str, object]]) -> None:
    """Every append has one outcome; all replicas end equal; what was delivered is what they hold."""
    more = {"ack": ["offset"], "deliver": ["offset", "epoch"], "fail": ["error"], "indefinite": ["error"]}
    faults = [event for event in history if event["kind"] == "fault"]
    assert all(list(event) == FAULT for event in faults)
    assert all(list(event) == EVENT + more.get(str(event["kind"]), []) for event in history if event not in faults)
    outcomes = Counter(event["value"] for event in history if event["kind"] in ("ack", "fail", "indefinite"))
    assert outcomes == Counter(values(history, "invoke_append"))
    assert on_node(replicas, 0) == on_node(replicas, 1) == on_node(replicas, 2)
    assert [copy(event) for event in history if event["kind"] == "deliver"] == on_node(replicas, 0)


def test_with_acks_all_every_acknowledged_value_is_delivered_once(tmp_path: Path) -> None:
    recording = record(tmp_path, "clean")
    history, replicas = list(read_lines(recording.history)), list(read_lines(recording.replicas))
    check_shape(history, replicas)
    delivered = Counter(values(history, "deliver"))
    assert len(values(history, "ack")) >= 700
    assert {delivered[value] for value in values(history, "ack")} == {1}
    assert {row["epoch"] for row in replicas} > {0}, "the leader's death began a new epoch"
    before = list(read_lines(recording.before_restart))
    survivors = {0, 1, 2} - {recording.killed_node}
    last_of = {node: on_node(before, node)[-1] for node in (0, 1, 2)}
    assert all(last_of[node] > last_of[recording.killed_node] for node in survivors)
    assert all(row["pid"] != -1 and row["pseq"] != -1 for row in replicas)
    verdict = verdict_of(recording, tmp_path)
    assert verdict.verdict is Verdict.HOLDS
    assert by_id(verdict)["client.read.acked_is_delivered"].judged == len(values(history, "ack"))


def test_with_acks_1_acknowledged_values_are_lost_with_the_leader(tmp_path: Path) -> None:
    recording = record(tmp_path, "acks1-leader-killed")
    history, replicas = list(read_lines(recording.history)), list(read_lines(recording.replicas))
    check_shape(history, replicas)
    lost = set(values(history, "ack")) - set(values(history, "deliver"))
    assert len(lost) >= 1
    before = list(read_lines(recording.before_restart))
    assert list(before[0]) == ["node", "log", "offset", "epoch", "value"]
    assert lost <= {row["value"] for row in before if row["node"] == recording.killed_node}
    assert not lost & {row["value"] for row in before if row["node"] != recording.killed_node}
    assert not lost & {row["value"] for row in replicas}, "the restarted leader cut off what diverged"
    verdict = verdict_of(recording, tmp_path)
    assert violated(verdict) == {"client.read.acked_is_delivered": len(lost)}
    assert undecided(verdict) == set()
