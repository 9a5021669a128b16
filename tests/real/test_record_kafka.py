"""A real Kafka cluster under fault, judged twice: by raw content, and by the rules after the import.

Kafka's producer configuration, "acks": with all and min.insync.replicas 2 an acknowledged record survives one dead
node; with 1, should the leader fail before the followers have copied a record, "the record will be lost".
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.importers import commands
from conformance.record.kafka import KafkaRecording
from conformance.record.lines import read_lines
from spec.language.outcomes import Verdict
from spec.verdicts import TraceVerdict
from tests.support.recordings import by_id, checked_trace, undecided, violated

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

EVENT = ["client", "seq", "time_ns", "kind", "log", "value", "hash"]
FAULT = ["time_ns", "kind", "fault", "node"]


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


@pytest.mark.costly("starts all real systems, side by side, and records them")
def test_with_acks_all_every_acknowledged_value_is_delivered_once(kafka_clean: KafkaRecording, tmp_path: Path) -> None:
    history, replicas = list(read_lines(kafka_clean.history)), list(read_lines(kafka_clean.replicas))
    check_shape(history, replicas)
    delivered = Counter(values(history, "deliver"))
    assert len(values(history, "ack")) >= 700
    assert {delivered[value] for value in values(history, "ack")} == {1}
    assert {row["epoch"] for row in replicas} > {0}, "the leader's death began a new epoch"
    before = list(read_lines(kafka_clean.before_restart))
    survivors = {0, 1, 2} - {kafka_clean.killed_node}
    last_of = {node: on_node(before, node)[-1] for node in (0, 1, 2)}
    assert all(last_of[node] > last_of[kafka_clean.killed_node] for node in survivors)
    assert all(row["pid"] != -1 and row["pseq"] != -1 for row in replicas)
    verdict = verdict_of(kafka_clean, tmp_path)
    assert verdict.verdict is Verdict.HOLDS
    assert by_id(verdict)["client.read.acked_is_delivered"].judged == len(values(history, "ack"))


@pytest.mark.costly("starts all real systems, if it is the first to ask")
def test_with_acks_1_acknowledged_values_are_lost_with_the_leader(kafka_acks1: KafkaRecording, tmp_path: Path) -> None:
    history, replicas = list(read_lines(kafka_acks1.history)), list(read_lines(kafka_acks1.replicas))
    check_shape(history, replicas)
    lost = set(values(history, "ack")) - set(values(history, "deliver"))
    assert len(lost) >= 1
    before = list(read_lines(kafka_acks1.before_restart))
    assert list(before[0]) == ["node", "log", "offset", "epoch", "value"]
    assert lost <= {row["value"] for row in before if row["node"] == kafka_acks1.killed_node}
    assert not lost & {row["value"] for row in before if row["node"] != kafka_acks1.killed_node}
    assert not lost & {row["value"] for row in replicas}, "the restarted leader cut off what diverged"
    verdict = verdict_of(kafka_acks1, tmp_path)
    assert violated(verdict) == {"client.read.acked_is_delivered": len(lost)}
    assert undecided(verdict) == set()
