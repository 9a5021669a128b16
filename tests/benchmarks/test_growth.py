"""What was measured becomes a page with two drawings, the same of the same figures; nothing is timed.

Justified by ``benchmarks/growth.py`` and ``benchmarks/growth_page.py``, which say so.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.growth import grown
from benchmarks.growth_page import Setting, write
from benchmarks.throughput import Result, WrongAnswer

SETTING = Setting("a processor", 2, 2, 24, {"Python": "3", "DuckDB": "2"})
SIZES = (100_000, 1_000_000)


def results() -> list[Result]:
    """What four ways to judge may have taken of two traces."""
    rates = {"scan": 5.0, "columns": 2.0, "duckdb": 0.5, "polars": 0.25}
    return [
        Result(f"{group}, sorted", group, events, 9.0, 9.0, events / rate, 2 * events / rate, 7, 0, 0, True)
        for events in SIZES
        for group, rate in rates.items()
    ]


def test_a_table_for_each_size_holds_each_way_against_its_peers(tmp_path: Path) -> None:
    page = write(results(), SETTING, tmp_path).read_text()
    assert [line for line in page.splitlines() if line.startswith("## ")] == [f"## {size:,} events" for size in SIZES]
    assert page.count("| columns, sorted | 2e-06 | 1e-06 | 0.4 | 4 | 8 | 7 |") == len(SIZES)
    assert "Measured on 2 processors (a processor), 24 GiB, 2 threads for each engine: Python 3, DuckDB 2." in page


def test_both_drawings_are_images_that_name_every_way(tmp_path: Path) -> None:
    page = write(results(), SETTING, tmp_path).read_text()
    for name in ("growth", "cost"):
        assert f"(measured/{name}.svg)" in page
        drawn = (tmp_path / "measured" / f"{name}.svg").read_text()
        assert {one.name for one in results()} <= set(re.findall(r">([^<>]+)</text>", drawn))


def test_the_same_figures_give_the_same_files(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        write(results(), SETTING, tmp_path / folder)
    made = [{path.name: path.read_bytes() for path in (tmp_path / one).rglob("*.*")} for one in ("one", "other")]
    assert made[0] == made[1] != {}


@pytest.fixture
def judging(monkeypatch: pytest.MonkeyPatch) -> list[Result]:
    """What each contender takes of a trace of 100,000 events, which is never made."""
    said = [one for one in results() if one.events == SIZES[0]]
    by_group = {one.group: one for one in said}
    monkeypatch.setattr("benchmarks.growth.big_trace", lambda events, _folder: SimpleNamespace(events=events))
    monkeypatch.setattr(
        "benchmarks.growth.contenders",
        lambda _trace, wanted, *_: [SimpleNamespace(name=group, group=group) for group in by_group if group in wanted],
    )
    monkeypatch.setattr("benchmarks.growth.measured", lambda contender, _repeat: by_group[contender.group])
    return said


def test_a_way_is_left_out_of_traces_that_are_too_large_for_it(
    judging: list[Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("benchmarks.growth.MOST", {"duckdb": SIZES[0] - 1})
    found = grown([SIZES[0]], frozenset(one.group for one in judging), tmp_path, cores=1, repeat=0)
    assert found == [one for one in judging if one.group != "duckdb"]


def test_a_wrong_answer_is_no_figure(judging: list[Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("benchmarks.growth.measured", lambda *_: replace(judging[0], missed=1))
    with pytest.raises(WrongAnswer, match="scan, sorted"):
        grown([SIZES[0]], frozenset({"scan"}), tmp_path, cores=1, repeat=0)
