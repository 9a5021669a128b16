"""Kafka clients that write down all they see: appends with their outcome, and deliveries."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import cast

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from conformance.record.background import in_background
from conformance.record.history import History
from conformance.record.kafka_cluster import KafkaCluster

APPENDS_PER_SECOND = 150
_PATIENCE_SECONDS = 20
_PRODUCER_SETTINGS = {
    "log_level": 0,
    "linger.ms": 2,
    "delivery.timeout.ms": 15000,
    "request.timeout.ms": 4000,
    "socket.timeout.ms": 5000,
    "topic.metadata.refresh.interval.ms": 1000,
    "retry.backoff.ms": 50,
    "reconnect.backoff.max.ms": 300,
    "compression.type": "none",
}
_REFUSED_AT_EVERY_TRY = {KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE, KafkaError.INVALID_RECORD}
_GIVEN_UP_UNSENT = KafkaError._PURGE_QUEUE  # noqa: SLF001 - the library's public name of a local error
_REFUSED_AT_THIS_TRY = {KafkaError.NOT_ENOUGH_REPLICAS, _GIVEN_UP_UNSENT}


class Writer:
    """A producer that appends `NAME:0`, `NAME:1`, ... at a seeded, uneven pace."""

    def __init__(self, name: str, history: History, bootstrap: str, settings: Mapping[str, object], seed: int) -> None:
        self.name, self._history = name, history
        self.acknowledged = 0
        self._next = 0
        self._single_try = settings.get("retries") == 0
        self._pace = random.Random(f"{seed}:{name}")
        self._producer = Producer({**_PRODUCER_SETTINGS, "bootstrap.servers": bootstrap, "client.id": name, **settings})

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Append while the block runs; leaving it stops, and waits until every append has an outcome."""
        with in_background(self.name, self._write):
            yield
        self._finish()

    def _write(self, stop: threading.Event) -> None:
        while not stop.wait(self._pace.uniform(0.5, 1.5) / APPENDS_PER_SECOND):
            self._append()
            self._producer.poll(0)

    def _append(self) -> None:
        seq, self._next = self._next, self._next + 1
        value = f"{self.name}:{seq}"

        def reported(error: KafkaError | None, message: Message) -> None:
            if error is None:
                self.acknowledged += 1
                self._history.add(self.name, seq, "ack", value, offset=message.offset())
            else:
                kind = outcome(error.code(), single_try=self._single_try)
                self._history.add(self.name, seq, kind, value, error=error.name())

        self._history.add(self.name, seq, "invoke_append", value)
        try:
            self._producer.produce(self._history.log, value.encode(), partition=0, on_delivery=reported)
        except (BufferError, KafkaException) as error:  # refused by the local library: never sent
            self._history.add(self.name, seq, "fail", value, error=type(error).__name__)

    def _finish(self) -> None:
        """Every append gets its outcome: what is still open after the patience is given up, and reported as such."""
        if self._producer.flush(_PATIENCE_SECONDS) > 0:
            self._producer.purge()
            self._producer.flush(_PATIENCE_SECONDS)


def outcome(code: int, *, single_try: bool) -> str:
    """A failed append is `fail` only if no try can have reached a log, else `indefinite`.

    An error speaks of the last try. With retries an earlier try may have been appended before its answer was lost, so
    only errors that every try would have met are certain. A leader that steps down may have appended before it says so.
    """
    certain = _REFUSED_AT_EVERY_TRY | _REFUSED_AT_THIS_TRY if single_try else _REFUSED_AT_EVERY_TRY
    return "fail" if code in certain else "indefinite"


def read_log(cluster: KafkaCluster, history: History, *, client: str = "reader") -> int:
    """Deliver the log from its start to its high watermark into the history; returns the watermark.

    Raises `ClusterFailed` when the cluster does not deliver in time.
    """
    consumer = Consumer(
        {"bootstrap.servers": cluster.bootstrap(), "group.id": client, "log_level": 0, "enable.auto.commit": False}
    )
    try:
        partition = TopicPartition(history.log, 0, 0)
        high = cluster.wait(lambda: _high_watermark(consumer, partition), "a high watermark", seconds=_PATIENCE_SECONDS)
        consumer.assign([partition])
        position, seq, deadline = 0, 0, time.monotonic() + _PATIENCE_SECONDS
        while position < high:
            if time.monotonic() > deadline:
                raise cluster.failure(f"Read {history.log} up to offset {position} of {high} in {_PATIENCE_SECONDS} s.")
            for message in consumer.consume(500, 0.5):
                value, offset = message.value(), message.offset()
                if message.error() is None and value is not None and offset is not None:
                    history.add(client, seq, "deliver", value.decode(), offset=offset, epoch=message.leader_epoch())
                    position, seq = offset + 1, seq + 1
        return high
    finally:
        consumer.close()


def _high_watermark(consumer: Consumer, partition: TopicPartition) -> int | None:
    try:
        # The library documents None at a time-out; its types forget it.
        watermarks = cast("tuple[int, int] | None", consumer.get_watermark_offsets(partition, timeout=2.0))
    except KafkaException:
        return None
    return None if watermarks is None else watermarks[1]
