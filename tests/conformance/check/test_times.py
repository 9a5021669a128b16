"""Times: steps of a story are told from its earliest event, in one unit, and what they count from is said once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.check.times import beginning, duration, since_first
from conformance.trace.header import MAX_TIME
from tests.support.small_traces import header


def steps(*times: int | None) -> list[list[dict[str, Any]]]:
    """A step of one event for each time, each of a recorder of its own."""
    return [[{"time_ns": time, "recorder": f"r{number}"}] for number, time in enumerate(times)]


def test_times_count_from_the_earliest_event() -> None:
    """Also where a step without a time, or one of a later time, is told first."""
    told = since_first(steps(None, 17_500_000, 5_000_000, 1_205_000_000))
    assert [one.strip() for one in told] == ["", "+12.5 ms", "+0.0 ms", "+1,200.0 ms"]
    assert len(set(map(len, told))) == 1


def test_without_a_clock_nothing_is_said() -> None:
    assert since_first(steps(None, None)) == ["", ""]
    assert beginning([step[0] for step in steps(None)], header()) == ""


@pytest.mark.parametrize(
    ("longest", "told"),
    [
        (0, "0 ns"),
        (9_999, "9,999 ns"),
        (10_000, "10.0 µs"),
        (999_900, "999.9 µs"),
        (1_000_000, "1.000 ms"),
        (9_999_000, "9.999 ms"),
        (10_000_000, "10.0 ms"),
        (999_999_900_000, "999,999.9 ms"),
        (3_600_000_000_000, "3,600.000 s"),
    ],
)
def test_the_unit_suits_the_longest_time(longest: int, told: str) -> None:
    assert duration(longest) == told
    assert duration(0, longest).split()[1] == told.split()[1]


def test_the_beginning_is_said_once() -> None:
    events = [step[0] for step in steps(70, None, 50)]
    assert beginning(events, header()) == "+0 is time_ns 50"


def test_a_clock_that_counts_from_1970_is_a_date() -> None:
    """2026-11-21: whoever reads servers' logs beside the story looks for that."""
    events = [step[0] for step in steps(1_795_246_547_425_527_975)]
    assert beginning(events, header()) == "+0 is time_ns 1795246547425527975, 2026-11-21 07:35:47.425527 UTC"


def test_clocks_that_differ_are_told() -> None:
    """Times of one recorder can be compared whatever others say."""
    loose = replace(header(), clock_bound_ns=5_000_000)
    both, one = [step[0] for step in steps(1, 2)], [step[0] for step in steps(1)]
    assert beginning(both, loose) == "+0 is time_ns 1, clocks differ by up to 5.000 ms"
    assert beginning(both, replace(loose, clock_bound_ns=MAX_TIME)) == "+0 is time_ns 1, clocks are not comparable"
    assert beginning(one, loose) == "+0 is time_ns 1"
