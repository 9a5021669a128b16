"""Outliers: samples that are significantly greater than the others.

LogDevice, Read path, SCD greylisting: nodes that are observed to be much slower than their peers;
common/OutlierDetection.h. Production takes the root mean square deviation, and five of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from ctypes import c_float
from enum import StrEnum
from math import fsum, inf, sqrt
from statistics import median
from typing import Final, Generic, NamedTuple, TypeVar

Key = TypeVar("Key")

STEP: Final = 2**-23
"""The distance from 1 to the next number in single precision, which LogDevice adds to each threshold."""


class Method(StrEnum):
    """What the middle of the samples is, and how far they usually are from it."""

    MAD = "MAD"
    """The median, and the median of the distances from it."""

    RMSD = "RMSD"
    """The mean, and the root of the mean of the squared distances from it."""


class Sample(NamedTuple, Generic[Key]):
    """What was measured of one node."""

    key: Key
    value: float


class Detection(NamedTuple, Generic[Key]):
    """What came of a search for outliers.

    Attributes:
        outliers: the outliers, the greatest first.
        threshold: what they reached, or would have had to; infinite where there was nothing to look at.
    """

    outliers: tuple[Sample[Key], ...]
    threshold: float


def find_outliers(
    samples: Collection[Sample[Key]],
    limit: int,
    *,
    method: Method = Method.RMSD,
    deviations: float = 5,
    margin: float = 0,
    may_be: Callable[[Key], bool] = lambda _: True,
) -> Detection[Key]:
    """The most samples, up to a limit, that all reach the threshold of the rest, which none of the rest reaches.

    LogDevice, common/OutlierDetection.h, findOutliers. At least one sample is no outlier, nor is one that may not be.
    """
    candidates = sorted((sample for sample in samples if may_be(sample.key)), key=lambda one: one.value, reverse=True)
    others = [sample.value for sample in samples if not may_be(sample.key)]
    lowest = inf
    for number in range(min(limit, len(samples) - 1, len(candidates)), 0, -1):
        rest = [*others, *(sample.value for sample in candidates[number:])]
        reached = threshold(rest, method, deviations, margin)
        lowest = min(lowest, reached)
        if candidates[number - 1].value >= reached > max(rest):
            return Detection(tuple(candidates[:number]), lowest)
    return Detection((), lowest)


def threshold(values: Sequence[float], method: Method, deviations: float, margin: float) -> float:
    """What a value must reach to stand out from these: their middle, some deviations, and a share of the middle.

    LogDevice, common/OutlierDetection.h, computeThreshold: in single precision, which decides where all are the same.
    """
    if method is Method.MAD:
        middle = float(median(values))
        deviation = float(median(abs(value - middle) for value in values))
    else:
        middle = fsum(values) / len(values)
        deviation = sqrt(fsum((value - middle) * (value - middle) for value in values) / len(values))
    return c_float(c_float(middle + deviations * deviation + middle * margin).value + STEP).value
