"""Record Apache Kafka under a fault: what its clients saw, and what each replica's disk held.

`clean`: acknowledgements by all in-sync replicas, idempotent producers; the leader is killed and restarted.
`acks1-leader-killed`: acknowledgement by the leader alone; it is killed while no follower could copy, so acknowledged
records are lost: documented behaviour of this weak setting ("acks" in Kafka's producer configuration).
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from conformance.record.jars import KAFKA_LOCK, fetch
from conformance.record.java import find_java
from conformance.record.lines import write_lines
from conformance.record.live import require_live

VERSION = "4.1.0"
ACKS = {"clean": "all", "acks1-leader-killed": "1"}
_MIN_INSYNC = 2


@dataclass(frozen=True)
class KafkaRecording:
    """The files of one recording and the settings that say what an acknowledgement promises."""

    history: Path
    replicas: Path
    before_restart: Path
    scenario: str
    seed: int
    version: str
    acks: str
    min_insync: int
    killed_node: int


def record_kafka(
    folder: Path, scenario: str, *, seed: int = 0, java: str | None = None, compress: bool = True
) -> KafkaRecording:
    """Run a scenario named in `ACKS`; leave history, replicas and before_restart (.jsonl or .jsonl.zst) in the folder.

    The history has a row per append, outcome, delivery and fault; replicas and before_restart have a row per record and
    node, at the end and just before the killed node came back. The seed sets the writers' pace and the moment of the
    fault.

    Raises ValueError for an unknown scenario, `PackagesUnavailable` when Kafka or Java cannot be had, `LockMismatch`
    when Kafka is not the locked one, `ClusterFailed` when the cluster does not do its part.
    """
    if scenario not in ACKS:
        raise ValueError(f"unknown Kafka scenario {scenario!r}: choose one of {', '.join(ACKS)}")
    require_live("confluent_kafka")
    from conformance.record.kafka_scenarios import play  # noqa: PLC0415 - needs the optional group `live`

    jars, java = fetch(KAFKA_LOCK), java or find_java()
    with tempfile.TemporaryDirectory(prefix="quorate-kafka-") as disks:
        scene = play(scenario, Path(disks), jars, java, min_insync=_MIN_INSYNC, seed=seed)
    ending = ".jsonl.zst" if compress else ".jsonl"
    history, replicas, before_restart = (
        folder / f"{name}{ending}" for name in ("history", "replicas", "before_restart")
    )
    write_lines(history, scene.history.rows)
    write_lines(replicas, scene.replicas)
    write_lines(before_restart, scene.before_restart)
    killed = scene.killed_node
    return KafkaRecording(
        history, replicas, before_restart, scenario, seed, VERSION, ACKS[scenario], _MIN_INSYNC, killed
    )
