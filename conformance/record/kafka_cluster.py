"""Three Kafka brokers on loopback, each also a KRaft controller, with a fast failover and one partition per topic."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from conformance.record.java import with_logging
from conformance.record.kafka_segments import StoredRecord, read_segment
from conformance.record.servers import Server, Servers, free_ports

NODES = (0, 1, 2)
_CLUSTER_ID = "quorate0recorder000000"  # 22 characters of URL-safe base64
_JVM = ("-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_FORMAT_SECONDS = 60
_READY_SECONDS = 60
_LEADER_SECONDS = 30
_ANSWER_SECONDS = 10
_METADATA_SECONDS = 2.0
_NO_CONTROLLER = {
    KafkaError._TIMED_OUT,  # noqa: SLF001 - the library's public name of a local error
    KafkaError._TRANSPORT,  # noqa: SLF001 - so is this
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.NOT_CONTROLLER,
}


class KafkaCluster(Servers):
    """The three brokers, by node number; `servers[node]` starts, kills, pauses and resumes one."""

    def __init__(self, folder: Path, jars: Sequence[Path], java: str) -> None:
        ports = free_ports(2 * len(NODES))
        self.ports, self._controller_ports = ports[: len(NODES)], ports[len(NODES) :]
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._java = [java, *_JVM, with_logging(folder), "-cp", ":".join(map(str, jars))]
        for node in NODES:
            settings = self._settings(node).items()
            self._properties(node).write_text("".join(f"{key}={value}\n" for key, value in settings))
        commands = ([*self._java, "kafka.Kafka", str(self._properties(node))] for node in NODES)
        super().__init__(
            Server(f"Kafka node {node}", command, folder / f"{node}.log")
            for node, command in zip(NODES, commands, strict=True)
        )
        self._admin = AdminClient({"bootstrap.servers": self.bootstrap(), "log_level": 0})

    def start(self) -> None:
        """Format the three disks, start the brokers and wait until all are members. Raises `ClusterFailed`."""
        with ThreadPoolExecutor(len(NODES)) as threads:
            list(threads.map(self._format, NODES))
        for server in self.servers:
            server.start()
        # An open port alone does not say that a broker serves.
        self.wait(lambda: set(NODES) <= self._members(), "three brokers to be members", seconds=_READY_SECONDS)

    def create_topic(self, topic: str, *, min_insync: int) -> None:
        """One partition on three brokers, led by the first; wait until all are in sync. Raises `ClusterFailed`."""
        settings = {"min.insync.replicas": str(min_insync)}
        new = NewTopic(topic, num_partitions=1, replica_assignment=[list(NODES)], config=settings)
        self.wait(lambda: self._is_created(new), f"topic {topic}", seconds=_READY_SECONDS)
        self.wait_in_sync(topic)

    def wait_leader(self, topic: str, nodes: Iterable[int] = NODES) -> int:
        """Wait until one of these nodes leads the partition and return it. Raises `ClusterFailed`."""
        allowed = set(nodes)

        def leaders() -> set[int]:
            leader, _ = self._leader_and_in_sync(topic)
            return {leader} & allowed

        return self.wait(leaders, f"a leader of {topic} among {sorted(allowed)}", seconds=_LEADER_SECONDS).pop()

    def wait_in_sync(self, topic: str, nodes: Iterable[int] = NODES) -> None:
        """Wait until these nodes are in the set of in-sync replicas. Raises `ClusterFailed`."""
        wanted = set(nodes)

        def in_sync() -> bool:
            _, replicas = self._leader_and_in_sync(topic)
            return wanted <= replicas

        self.wait(in_sync, f"replicas {sorted(wanted)} of {topic} in sync", seconds=_READY_SECONDS)

    def stored(self, node: int, topic: str) -> list[StoredRecord]:
        """What a node's disk holds of the topic, also of a dead or paused node. Raises `DamagedSegment`."""
        segments = sorted((self._data(node) / f"{topic}-0").glob("*.log"))
        return [record for segment in segments for record in read_segment(segment.read_bytes())]

    def bootstrap(self, nodes: Iterable[int] = NODES) -> str:
        """The addresses for a client that knows these nodes."""
        return ",".join(f"127.0.0.1:{self.ports[node]}" for node in nodes)

    def _is_created(self, new: NewTopic) -> bool:
        """Ask for a topic; not in time while no controller leads, and what did not answer may have made it."""
        asked = self._admin.create_topics([new], operation_timeout=_ANSWER_SECONDS, request_timeout=_ANSWER_SECONDS)
        try:
            asked[new.topic].result()
        except KafkaException as error:
            code = error.args[0].code()
            if code not in {*_NO_CONTROLLER, KafkaError.TOPIC_ALREADY_EXISTS}:
                raise self.failure(f"Kafka refused to create topic {new.topic}: {error}") from error
            return code not in _NO_CONTROLLER
        return True

    def _members(self) -> set[int]:
        try:
            return set(self._admin.list_topics(timeout=_METADATA_SECONDS).brokers)
        except KafkaException:
            return set()

    def _leader_and_in_sync(self, topic: str) -> tuple[int, set[int]]:
        """The partition's leader (-1: none known) and its in-sync replicas, as some broker sees them."""
        try:
            partition = self._admin.list_topics(topic, timeout=_METADATA_SECONDS).topics[topic].partitions[0]
        except (KafkaException, KeyError):  # no broker answered, or this one has not heard of the topic yet
            return -1, set()
        return partition.leader, set(partition.isrs)

    def _format(self, node: int) -> None:
        properties = str(self._properties(node))
        command = [*self._java, "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c", properties]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_FORMAT_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise self.failure(f"Kafka's StorageTool did not run to its end: {error}") from error
        if done.returncode != 0:
            raise self.failure(f"Kafka's StorageTool could not format a disk: {done.stdout}{done.stderr}")

    def _properties(self, node: int) -> Path:
        return self._folder / f"{node}.properties"

    def _data(self, node: int) -> Path:
        return self._folder / f"data-{node}"

    def _settings(self, node: int) -> dict[str, object]:
        """Kafka's names; the time-outs are short so that a failover takes seconds."""
        client, controller = f"127.0.0.1:{self.ports[node]}", f"127.0.0.1:{self._controller_ports[node]}"
        voters = ",".join(f"{voter}@127.0.0.1:{self._controller_ports[voter]}" for voter in NODES)
        return {
            "node.id": node,
            "process.roles": "broker,controller",
            "controller.quorum.voters": voters,
            "listeners": f"PLAINTEXT://{client},CONTROLLER://{controller}",
            "advertised.listeners": f"PLAINTEXT://{client}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": self._data(node),
            "auto.create.topics.enable": "false",
            "broker.session.timeout.ms": 3000,
            "broker.heartbeat.interval.ms": 500,
            "controller.quorum.election.timeout.ms": 1000,
            "controller.quorum.fetch.timeout.ms": 2000,
            "replica.lag.time.max.ms": 4000,
            "num.network.threads": 2,
            "num.io.threads": 2,
            "log.cleaner.enable": "false",
            "log.segment.bytes": 16 << 20,
        }
