"""Adaptive values: they grow by a factor with bad news, and shrink steadily while the news is good.

LogDevice, Read path, SCD greylisting: increasingly longer or shorter time periods;
common/ExponentialBackoffAdaptiveVariable.cpp.
"""

from __future__ import annotations

from typing import NamedTuple


class Adaptive(NamedTuple):
    """A value between two bounds.

    Attributes:
        value: the value, in units of the user's choice.
        least: its lower bound, where it begins.
        most: its upper bound.
        factor: what bad news multiply it by.
        decay_per_s: what each second of good news takes away.
        good_since_ms: when good news last came, None where bad news came later.
    """

    value: float
    least: float
    most: float
    factor: float
    decay_per_s: float
    good_since_ms: int | None = None


def grown(adaptive: Adaptive, spread: float = 0.0) -> Adaptive:
    """Bad news multiply the value; a spread from -0.1 to 0.1, drawn by the caller, keeps readers out of step.

    LogDevice, common/ExponentialBackoffAdaptiveVariable.cpp, negativeFeedback.
    """
    value = adaptive.value * adaptive.factor * (1 + spread)
    return adaptive._replace(value=_within(adaptive, value), good_since_ms=None)


def shrunk(adaptive: Adaptive, now_ms: int, spread: float = 0.0) -> Adaptive:
    """Good news take away from the value what the time since the last good news is worth.

    LogDevice, common/ExponentialBackoffAdaptiveVariable.cpp, positiveFeedback.
    """
    good_ms = 0 if adaptive.good_since_ms is None else now_ms - adaptive.good_since_ms
    value = adaptive.value - adaptive.decay_per_s * good_ms / 1000 * (1 + spread)
    return adaptive._replace(value=_within(adaptive, value), good_since_ms=now_ms)


def _within(adaptive: Adaptive, value: float) -> float:
    return min(max(value, adaptive.least), adaptive.most)
