"""A log of Apache Kafka behind the adapter protocol: a cluster of three brokers for all logs, and a topic for each.

Sources: Kafka's producer configuration, ``acks`` and ``min.insync.replicas``; KIP-207 on what a new leader says of the
end of a log; the Admin API on deleting records. A log is one partition, and its LSNs are offsets counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from time import monotonic, sleep
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from conformance.record.jars import KAFKA_LOCK, fetch
from conformance.record.java import find_java
from conformance.record.kafka import VERSION
from conformance.record.kafka_client import outcome
from conformance.record.kafka_cluster import KafkaCluster
from quorate.adapters.protocol import AtEnd, Gap, Indefinite, Record, Refused
from quorate.systems.nodes import Faults, Nodes, folder_until_exit

MAJORITY: Final = 2
"""Brokers without which nobody is elected."""

MIN_INSYNC: Final = 2
"""Replicas without which ``acks=all`` refuses appends."""

ANSWER_S: Final = 20.0
"""How long a client waits for an answer: longer than a failover takes, on a busy machine, too."""

FETCH_MS: Final = 20
"""How long a fetch waits for a record: what is asked meanwhile, such as where the log ends, waits behind it."""

_AGAIN_S: Final = 0.1
"""How long a client waits before it asks once more."""

_TOPICS = count()


@cache
def brokers() -> Brokers:
    """The cluster of this process, started when the first log is made; it ends with the process.

    Raises:
        PackagesUnavailable: Kafka or Java cannot be had.
        ClusterFailed: the cluster does not start.
    """
    jars, java = fetch(KAFKA_LOCK), find_java()
    folder, ending = folder_until_exit("kafka")
    cluster = ending.enter_context(KafkaCluster(folder, jars, java))
    cluster.start()
    return Brokers(cluster)


class Brokers(Nodes):
    """The cluster, and what happened to its nodes."""

    def wait_for(self, topic: str) -> None:
        """Wait until a broker that runs leads a topic, and all that run have caught up; without a majority none can.

        Raises:
            ClusterFailed: they do not make it in time.
        """
        running = {place for place, _ in enumerate(self.cluster.servers)} - self.dead - self.paused
        if len(running) >= MAJORITY:
            self.cluster.wait_leader(topic, running)
            self.cluster.wait_in_sync(topic, running)

    def new_topic(self) -> str:
        """A topic that nobody has, with all replicas in sync.

        Raises:
            ClusterFailed: the brokers do not make it in time.
        """
        self.heal()
        topic = f"log{next(_TOPICS)}"
        self.cluster.create_topic(topic, min_insync=MIN_INSYNC)
        return topic


class Client:
    """One client of a topic, with a producer and consumers of its own.

    Args:
        brokers: the cluster.
        topic: the log.
        acks: which replicas must have stored an append: ``all`` that are in sync, or ``1``, the leader alone.
        name: what the client is called.
    """

    def __init__(self, brokers: Brokers, topic: str, acks: str, name: str) -> None:
        self._brokers, self._topic = brokers, topic
        self._bootstrap = {"bootstrap.servers": brokers.cluster.bootstrap(), "client.id": name, "log_level": 0}
        settings = {"acks": acks, "enable.idempotence": acks == "all", "linger.ms": 0, "retry.backoff.ms": 50}
        patience = {"delivery.timeout.ms": int(1000 * ANSWER_S), "request.timeout.ms": 5000, "socket.timeout.ms": 6000}
        quick = {"topic.metadata.refresh.interval.ms": 1000, "reconnect.backoff.max.ms": 300}
        self._producer = Producer(self._bootstrap | settings | patience | quick)
        self._readers: list[Any] = []

    def append(self, payload: bytes) -> int:
        """Append a record, and wait until Kafka says that it is safe.

        Raises:
            Refused: no try can have reached the log.
            Indefinite: one may have.
        """
        told: list[tuple[Any, Any]] = []
        self._producer.produce(self._topic, payload, partition=0, on_delivery=lambda *said: told.append(said))
        self._producer.flush(ANSWER_S + 1)
        if not told:
            raise Indefinite("Kafka did not answer in time")
        error, message = told[0]
        if error is None:
            return int(message.offset()) + 1
        refused = outcome(error.code(), single_try=False) == "fail"
        raise (Refused if refused else Indefinite)(error.name())

    def read(self, start: int) -> Iterator[Record | Gap | AtEnd]:
        """Read from an LSN on; what was deleted before it was read is a trim.

        Raises:
            TimeoutError: no leader answers.
        """
        consumer, position, following = self._consumer(), max(start, 1), 0
        while True:
            first, end = self._reach(consumer)
            if position < first:
                yield Gap(position, first - 1, "trim")
                position = first
            elif position >= end:
                yield AtEnd(position)
            else:
                if following != position:
                    consumer.assign([TopicPartition(self._topic, 0, position - 1)])
                message = consumer.poll(ANSWER_S)
                if message is None or message.error() is not None:
                    raise TimeoutError("Kafka gave nothing in time")
                position = following = message.offset() + 2
                yield Record(position - 1, message.value())

    def tail(self) -> int:
        """The LSN after the last that consumers may see.

        Raises:
            TimeoutError: no leader answers.
        """
        return self._reach(self._consumer())[1]

    def close(self) -> None:
        """No answer is awaited any more."""
        self._producer.purge()
        for reader in self._readers:
            reader.close()

    def _consumer(self) -> Any:
        alone = {"group.id": self._topic, "enable.auto.commit": False, "auto.offset.reset": "error"}
        brief = {"fetch.wait.max.ms": FETCH_MS}
        self._readers.append(Consumer(self._bootstrap | alone | brief))
        return self._readers[-1]

    def _reach(self, consumer: Any) -> tuple[int, int]:
        """The first LSN that is left, and the one after the last that consumers may see, as the leader says.

        While a leader moves, brokers refuse: they are asked again, as long as an answer is waited for.
        """
        until = monotonic() + ANSWER_S
        refused: KafkaException | None = None
        while (left := until - monotonic()) > 0:
            try:
                marks = consumer.get_watermark_offsets(TopicPartition(self._topic, 0), timeout=left)
            except KafkaException as error:
                refused = error
                sleep(_AGAIN_S)
                continue
            if marks is not None:
                first, end = marks
                return first + 1, end + 1
        raise TimeoutError(f"no leader told the ends of the log in time: {refused or 'none answered'}") from refused


class Kafka(Faults, Client):
    """A topic as a log: one client of its own, more on demand, and the brokers as its nodes."""

    system = f"kafka {VERSION}"
    promises: Sequence[str] = ("real_time_order",)
    nodes = ("0", "1", "2")

    def __init__(self, acks: str) -> None:
        self._acks, self._others = acks, list[Client]()
        self.servers = every = brokers()
        super().__init__(every, every.new_topic(), acks, "client")

    def client(self, name: str) -> Client:
        """Another client of the same topic."""
        self._others.append(Client(self._brokers, self._topic, self._acks, name))
        return self._others[-1]

    def trim(self, upto: int) -> None:
        """Delete all records up to an LSN.

        Raises:
            TimeoutError: no leader answers.
        """
        upto = min(upto, self.tail() - 1)
        admin = AdminClient(self._bootstrap)  # nobody would answer if it were gone
        try:
            for answer in admin.delete_records([TopicPartition(self._topic, 0, upto)]).values():
                answer.result(ANSWER_S)
        except KafkaException as error:
            raise TimeoutError(str(error)) from error

    def restart(self, node: str) -> None:
        """Start a broker that was killed, and wait until its replica has caught up."""
        super().restart(node)
        self._brokers.wait_for(self._topic)

    def resume(self, node: str) -> None:
        """Let a broker go on, and wait until its replica has caught up."""
        super().resume(node)
        self._brokers.wait_for(self._topic)

    def close(self) -> None:
        """Nobody asks any more; the topic stays, since its cluster ends with the process."""
        for client in self._others:
            client.close()
        super().close()
        self._brokers.heal()
