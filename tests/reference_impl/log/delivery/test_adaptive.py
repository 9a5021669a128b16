"""Values that grow and shrink: ExponentialBackoffAdaptiveVariable.cpp; Read path, SCD greylisting."""

from __future__ import annotations

from reference_impl.log.delivery.adaptive import Adaptive, grown, shrunk
from reference_impl.log.delivery.latency import BUCKET_MS, BUCKETS, average_ms, with_sample

TERM = Adaptive(8, least=4, most=20, factor=2, decay_per_s=0.5)


def test_bad_news_double_it() -> None:
    """Up to its upper bound, give or take a spread."""
    assert [grown(TERM).value, grown(grown(TERM)).value] == [16, 20]
    assert grown(TERM, spread=-0.1).value == 14.4


def test_good_news_take_away() -> None:
    """By the second, from the first good news on, down to the lower bound."""
    first = shrunk(TERM, 1_000)
    assert first.value == 8
    assert shrunk(first, 3_000).value == 7
    assert shrunk(first, 3_000, spread=0.1).value == 6.9
    assert shrunk(first, 60_000).value == 4


def test_bad_news_end_good_times() -> None:
    """What passed before bad news is not taken away afterwards."""
    again = shrunk(grown(shrunk(TERM, 0)), 60_000)
    assert again.value == 16
    assert shrunk(again, 62_000).value == 15


def test_a_moving_average() -> None:
    """Samples of the last half hour, in ten buckets; an older bucket is dropped whole."""
    assert (BUCKETS, BUCKETS * BUCKET_MS) == (10, 30 * 60 * 1000)
    latencies = with_sample(with_sample(with_sample((), 0, 10), 1, 20), BUCKET_MS, 60)
    assert [(bucket.number, bucket.samples) for bucket in latencies] == [(0, 2), (1, 1)]
    assert average_ms(latencies, BUCKET_MS) == 30
    assert average_ms(latencies, BUCKETS * BUCKET_MS - 1) == 30
    assert average_ms(latencies, BUCKETS * BUCKET_MS) == 60
    assert average_ms(latencies, 50 * BUCKET_MS) is None
    assert average_ms(with_sample(latencies, 50 * BUCKET_MS, 5), 50 * BUCKET_MS) == 5
