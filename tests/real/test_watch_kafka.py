"""A topic of a real Kafka cluster is watched: each planted violation is told exactly once, whatever is killed.

Spark, Structured Streaming + Kafka Integration Guide: offsets stand in the checkpoint, so a batch that was interrupted
comes again with the same records. What a record may be is said by docs/how-to/watch-a-live-log.md.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from conformance.record.errors import PackagesUnavailable
from conformance.record.jars import KAFKA_LOCK, SPARK_KAFKA_LOCK, fetch
from conformance.record.java import find_java
from conformance.record.live import require_live
from conformance.store.state import read_state
from conformance.trace.header_json import header_to_json
from conformance.trace.json_text import encode
from conformance.trace.rows import Rows
from tests.support.kills import Watching
from tests.support.planted import HEADER, events, slices, truth, violations_in

if TYPE_CHECKING:
    from conformance.record.kafka_cluster import KafkaCluster

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

PARTITIONS = 3
PATIENCE_S = 300


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """Three brokers."""
    try:
        require_live("confluent_kafka")
        fetch(SPARK_KAFKA_LOCK)
        jars, java = fetch(KAFKA_LOCK), find_java()
    except PackagesUnavailable as missing:
        pytest.skip(str(missing))
    from conformance.record.kafka_cluster import KafkaCluster

    with KafkaCluster(tmp_path_factory.mktemp("kafka"), jars, java) as started:
        started.start()
        yield started


class Topic:
    """A topic of three partitions, and the options by which it is watched."""

    def __init__(self, cluster: KafkaCluster, name: str, folder: Path) -> None:
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient
        from confluent_kafka.cimpl import NewTopic

        brokers: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap()}
        self.admin, self.new = AdminClient(brokers), NewTopic(name, PARTITIONS, 1)
        self.admin.create_topics([self.new])[name].result()
        self.producer, self.name = Producer(brokers), name
        self.address, self.store = f"kafka://{cluster.bootstrap()}/{name}", folder / "store"
        header = folder / "header.json"
        header.write_bytes(encode(header_to_json(HEADER)))
        self.options = ("--header", str(header))

    def send(self, some: Sequence[dict[str, Any]]) -> None:
        """Send events, those of a log to one partition; some producers send an end of line, too."""
        rows = Rows(HEADER)
        for number, event in enumerate(some):
            line = encode(rows.to_json(rows.checked(event))) + b"\n" * (number % 2)
            self.producer.produce(self.name, line, partition=event["log"] % PARTITIONS)
        self.producer.flush()

    def once(self) -> tuple[int, str]:
        """Watch it once in a process of its own: its exit code, and what it says."""
        command = [sys.executable, "-m", "conformance.cli", "watch", self.address, "--store", str(self.store), "--once"]
        done = subprocess.run(
            [*command, *self.options], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        return done.returncode, done.stdout + done.stderr


@pytest.mark.costly("starts three brokers, and a process with Java for the kill and for the end")
def test_each_violation_is_told_once(cluster: KafkaCluster, tmp_path: Path, rng: Random) -> None:
    topic = Topic(cluster, "planted", tmp_path)
    first, *rest = slices(rng, 3)
    topic.send(first)
    more_than_any_comes_late = str(len(events()))
    watching = Watching(topic.address, topic.store, *topic.options, "--settle", more_than_any_comes_late)
    point = rng.randrange(1, 25)
    assert watching.until(watching.after_files(point))
    watching.kill()
    print(f"killed after {point} files")
    for some in rest:
        topic.send(some)
    code, said = topic.once()
    assert code == 1, said
    state = read_state(topic.store)
    assert state is not None
    assert (state.events, state.doubled, len(state.late), len(state.pending)) == (len(events()), 0, 0, 0)
    assert violations_in(topic.store) == sorted(truth())


@pytest.mark.thorough
@pytest.mark.costly("a process with Java for each")
@pytest.mark.parametrize("value", [b"[]", b'{"kind": "no such"}', b"\xff", b'{"kind":\n"store"}'])
def test_a_record_that_is_no_event_ends_it(cluster: KafkaCluster, tmp_path: Path, value: bytes) -> None:
    topic = Topic(cluster, f"odd-{tmp_path.name}", tmp_path)
    topic.send(events()[:1])
    topic.producer.produce(topic.name, value, partition=0)
    topic.producer.flush()
    code, said = topic.once()
    assert code == 2, said
    assert "partition-0-" in said
    assert "Traceback" not in said


@pytest.mark.thorough
@pytest.mark.costly("a process with Java")
def test_a_record_without_a_value_is_none(cluster: KafkaCluster, tmp_path: Path) -> None:
    topic = Topic(cluster, "empty", tmp_path)
    topic.send(events()[:1])
    for value in (None, b""):
        topic.producer.produce(topic.name, value, partition=0)
    topic.producer.flush()
    code, said = topic.once()
    assert code == 5, said  # no rule has anything to judge
    state = read_state(topic.store)
    assert state is not None
    assert state.events == 1


@pytest.mark.thorough
@pytest.mark.costly("two processes with Java")
def test_a_topic_that_was_made_anew_ends_it(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Kafka begins to count again, so nobody can say what there was between."""
    topic = Topic(cluster, "anew", tmp_path)
    topic.send(events()[:9])
    topic.once()
    topic.admin.delete_topics([topic.name])[topic.name].result()
    cluster.wait(lambda: topic.name not in topic.admin.list_topics().topics, "the topic to go", seconds=PATIENCE_S)
    topic.admin.create_topics([topic.new])[topic.name].result()
    code, said = topic.once()
    assert code == 2, said
    assert "quorate: Spark cannot read what is watched" in said
    assert "Traceback" not in said


@pytest.mark.thorough
@pytest.mark.costly("a process with Java")
def test_a_topic_that_is_not_there_is_named(cluster: KafkaCluster, tmp_path: Path) -> None:
    topic = Topic(cluster, "there", tmp_path)
    topic.address = topic.address.replace("/there", "/elsewhere")
    code, said = topic.once()
    assert code == 2, said
    assert "quorate: " in said
    assert "elsewhere" in said
    assert "Traceback" not in said
