"""The benchmark of segments compares with the truth: planted violations are found, all of them and nothing else.

Justified by CONTRIBUTING, Goals: a check that cannot fail is a defect, and figures come from ``make bench``.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks import segments
from benchmarks.segments import CHANNELS, DEFECTS, SEGMENTS, SHIFTED, Result, measured, on_duckdb, placed, run_of, write
from conformance.segment.configurations import PLANTED
from conformance.trace.blocks import numbers
from spec.language.outcomes import Judgement
from spec.language.reference import ReferenceEvaluator
from spec.segment.family import SEGMENT
from spec.verdicts import in_force

SAMPLES = 8


@pytest.fixture(scope="module", name="runs")
def made() -> list[tuple[segments.Run, dict[str, int]]]:
    """A few runs side by side, the sound one among them."""
    wrong = [run_of(SAMPLES, PLANTED[name]) for name in DEFECTS]
    return list(placed(run_of(SAMPLES), wrong, 4 * SEGMENTS * len(CHANNELS)))


def test_no_two_runs_share_a_number(runs: list[tuple[segments.Run, dict[str, int]]]) -> None:
    """Sessions, keys, sequence numbers and clocks of one are above those of the run before."""
    tables = [one.shifted(by) for one, by in runs]
    for name in (name for name in SHIFTED if name != "channel"):
        seen = [{value for value in numbers(table[name]).value.tolist() if value} for table in tables]
        assert all(max(before) < min(after) for before, after in pairwise(seen))
    keys = Counter(key for table in tables for key in set(numbers(table["channel"]).value.tolist()) if key)
    assert set(keys.values()) == {1}
    assert len(keys) == len(runs) * len(CHANNELS)


def test_engines_find_the_planted_violations_and_no_other(
    runs: list[tuple[segments.Run, dict[str, int]]], tmp_path: Path
) -> None:
    """DuckDB, and the meaning of the rules for all runs at once; Spark is asked by the benchmark itself."""
    truth = frozenset(one for run, by in runs for one in run.broken(by))
    path = tmp_path / "trace.parquet"
    events = write(path, runs)
    trace = segments.parquet(path)
    assert len({one.rule for one in truth}) > 1
    with ExitStack() as stack:
        found = measured("DuckDB", on_duckdb(path, 1, stack), truth, 0)
    assert (found.found, found.missed, found.false) == (len(truth), 0, 0)
    rules = in_force(SEGMENT.rules, trace.header)
    assert ReferenceEvaluator(trace.events(), trace.parameters()).judge(rules).violations == truth
    assert events == sum(len(one.table) for one, _ in runs)


def test_a_wrong_answer_is_counted() -> None:
    """What an engine misses, and what it makes up."""
    truth = frozenset(run_of(SAMPLES, PLANTED[DEFECTS[0]]).violations)
    one = min(truth)
    found = measured("none", Judgement, truth, 0)
    assert (found.found, found.missed, found.false) == (0, len(truth), 0)
    other = replace(one, key=tuple(part + 1 for part in one.key))
    found = measured("other", lambda: Judgement(violations={other}), frozenset({one}), 0)
    assert (found.found, found.missed, found.false) == (1, 1, 1)


def test_figures_are_told_as_ratios() -> None:
    results = [Result("DuckDB", 1.0, 2.0, 3, 0, 0), Result("Spark SQL", 9.0, 8.0, 3, 0, 0)]
    lines = list(segments.lines_of({"samples": 4_000_000, "load": 0.5}, results, "text"))
    assert lines[0] == "samples 4,000,000, load 0.5"
    assert "4.0 x DuckDB's CPU time" in lines[2]
