"""Apache Kafka behind the adapter protocol: topics on three brokers, under each setting of the producer's ``acks``.

Source: Kafka's producer configuration, ``acks``. The adapter is `kafka_log.Kafka`, which needs the client library.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.record.live import require_live

if TYPE_CHECKING:
    from quorate.systems.kafka_log import Kafka


def _new_log(acks: str) -> Kafka:
    """A new topic.

    Raises:
        PackagesUnavailable: Kafka, Java or the client library cannot be had.
        ClusterFailed: the cluster does not start, or does not make the topic.
    """
    require_live("confluent_kafka")
    from quorate.systems.kafka_log import Kafka  # noqa: PLC0415 - needs the optional group `live`

    return Kafka(acks)


acks_all = partial(_new_log, "all")
"""A topic of which an append is acknowledged when all replicas in sync have it, and two of three are."""

acks_leader = partial(_new_log, "1")
"""A topic of which the leader acknowledges alone: what it loses it loses, and says so in its documentation."""
