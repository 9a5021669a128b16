"""Latencies: the moving average of how long a node takes to send what a window asks for.

LogDevice, Read path, SCD greylisting: samples are added to a bucketed time series and a moving average per node is
calculated; common/client_read_stream/ClientReadStreamFailureDetector.cpp: ten buckets.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

BUCKETS: Final = 10
SPAN_MS: Final = 30 * 60 * 1000
BUCKET_MS: Final = SPAN_MS // BUCKETS


class Bucket(NamedTuple):
    """The samples of one stretch of time.

    Attributes:
        number: which stretch, counted from time 0.
        total_ms: the sum of its samples.
        samples: how many there are.
    """

    number: int
    total_ms: int
    samples: int


Latencies: TypeAlias = tuple[Bucket, ...]
"""The buckets of one node that have samples, in the order of time."""


def with_sample(latencies: Latencies, now_ms: int, latency_ms: int) -> Latencies:
    """A sample goes into the bucket of its time, and buckets that are too old are dropped."""
    number = now_ms // BUCKET_MS
    recent = _recent(latencies, now_ms)
    last = recent[-1] if recent and recent[-1].number == number else Bucket(number, 0, 0)
    kept = tuple(bucket for bucket in recent if bucket.number < number)
    return (*kept, Bucket(number, last.total_ms + latency_ms, last.samples + 1))


def average_ms(latencies: Latencies, now_ms: int) -> float | None:
    """The mean of the recent samples; None where there is none."""
    recent = _recent(latencies, now_ms)
    samples = sum(bucket.samples for bucket in recent)
    return sum(bucket.total_ms for bucket in recent) / samples if samples else None


def _recent(latencies: Latencies, now_ms: int) -> Latencies:
    return tuple(bucket for bucket in latencies if bucket.number > now_ms // BUCKET_MS - BUCKETS)
