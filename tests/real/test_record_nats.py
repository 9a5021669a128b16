"""A real NATS JetStream cluster under fault, judged twice: by raw content, and by the rules after the import.

NATS documentation, JetStream Clustering: a stream of three replicas survives one dead server. Streams, storage type: a
stream in memory is gone when its server ends, so that its sequences begin again.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.importers import commands
from conformance.record.lines import read_lines
from conformance.record.nats import NatsRecording
from spec.language.outcomes import Verdict
from spec.verdicts import TraceVerdict
from tests.support.recordings import by_id, checked_trace, violated

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]


def verdict_of(recording: NatsRecording, folder: Path) -> TraceVerdict:
    trace = folder / "trace.parquet"
    commands.nats(recording.history, trace, replicas=recording.replicas)
    return checked_trace(trace)


def places(rows: list[dict[str, object]], kind: str) -> list[tuple[object, object]]:
    return [(row["offset"], row["value"]) for row in rows if row["kind"] == kind]


def check_shape(recording: NatsRecording) -> list[dict[str, object]]:
    """Every append has one outcome; one node was killed, and came back."""
    history = list(read_lines(recording.history))
    outcomes = Counter(row["value"] for row in history if row["kind"] in ("ack", "indefinite"))
    assert outcomes == Counter(row["value"] for row in history if row["kind"] == "invoke_append")
    faults = [(row["fault"], row["node"]) for row in history if row["kind"] == "fault"]
    assert faults == [("kill -9", recording.killed_node), ("restart", recording.killed_node)]
    return history


@pytest.mark.costly("starts all real systems, if it is the first to ask")
def test_three_replicas_deliver_what_was_acknowledged_once(nats_clean: NatsRecording, tmp_path: Path) -> None:
    history = check_shape(nats_clean)
    acked, delivered = places(history, "ack"), places(history, "deliver")
    assert len(acked) >= 600
    assert set(acked) <= set(delivered)
    assert len(set(delivered)) == len(delivered)
    assert nats_clean.replicas is not None
    held = list(read_lines(nats_clean.replicas))
    for node in (0, 1, 2):
        assert [(row["offset"], row["value"]) for row in held if row["node"] == node] == delivered
    verdict = verdict_of(nats_clean, tmp_path)
    assert verdict.verdict is Verdict.HOLDS
    assert by_id(verdict)["client.read.acked_is_delivered"].judged == len(acked)


@pytest.mark.costly("starts all real systems, if it is the first to ask")
def test_what_one_node_held_in_memory_is_lost_with_it(nats_memory: NatsRecording, tmp_path: Path) -> None:
    history = check_shape(nats_memory)
    acked = places(history, "ack")
    twice = [sequence for sequence, times in Counter(sequence for sequence, _ in acked).items() if times > 1]
    assert len(twice) >= 1, "sequences begin again"
    assert len(set(acked) - set(places(history, "deliver"))) >= 300
    assert violated(verdict_of(nats_memory, tmp_path))["client.append.one_per_lsn"] == len(twice)
