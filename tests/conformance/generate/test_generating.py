"""Generated traces are what was asked for, and their truth is what the rules mean.

Justified by ``conformance/generate``: the truth of copies is worked out and not judged, so here the reference judges
whole traces; and the same order gives the same events, however it is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conformance.generate import generating, truth
from conformance.generate.generating import generate
from conformance.generate.ordering import BadOrder, Order
from conformance.trace.errors import NotWritable
from conformance.trace.open import Parquet, open_trace
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES

pytestmark = [pytest.mark.slow, pytest.mark.together("generate")]

ORDER = Order(15_000, seed=3, files=3)
SKEWED = replace(ORDER, skew=0.4)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same few events in both layouts, and with a long log."""
    home = tmp_path_factory.mktemp("generated")
    orders = {"sorted": ORDER, "time": replace(ORDER, layout="time"), "skewed": SKEWED}
    for name, order in orders.items():
        generate(order, home / name)
    return {name: home / name for name in orders}


def events(folder: Path) -> list[dict[str, Any]]:
    """The events of a trace."""
    return list(map(dict, open_trace(folder).events()))


def each_once(folder: Path) -> Counter[str]:
    """The events of a trace, in no order."""
    return Counter(repr(sorted(event.items())) for event in events(folder))


@pytest.mark.costly("three traces are simulated and judged by the reference evaluator, twice")
@pytest.mark.parametrize("name", ["sorted", "skewed"])
def test_the_truth_is_what_the_rules_mean(made: dict[str, Path], name: str) -> None:
    trace, told = open_trace(made[name]), truth.read(made[name])
    judgement = ReferenceEvaluator(trace.events(), trace.parameters()).judge(RULES)
    assert judgement.violations == told.judgement.violations
    assert +judgement.counts == +told.judgement.counts
    assert told.judgement.violations
    assert told.events == sum(part.rows for part in parts(made[name]))


def parts(folder: Path) -> Iterator[Any]:
    """The files of a trace."""
    trace = open_trace(folder)
    assert isinstance(trace, Parquet)
    yield from trace.parts


def test_layouts_hold_the_same_events(made: dict[str, Path]) -> None:
    assert each_once(made["sorted"]) == each_once(made["time"])
    assert truth.read(made["sorted"]).judgement == truth.read(made["time"]).judgement


def test_each_layout_is_in_its_order(made: dict[str, Path]) -> None:
    assert open_trace(made["sorted"]).sorted
    assert len(list(open_trace(made["sorted"]).tables(in_order=True))) > 0
    times = [event["time_ns"] for event in events(made["time"])]
    assert times == sorted(times)
    assert not open_trace(made["time"]).sorted


def test_copies_overlap_in_time(made: dict[str, Path]) -> None:
    """Else a log would be through before the next one begins, and any order would be as good as sorted."""
    logs = [event["log"] for event in events(made["time"]) if "log" in event]
    runs = sum(one != other for one, other in pairwise(logs))
    assert runs > len(logs) / 4


def test_one_log_has_the_share_that_it_should(made: dict[str, Path]) -> None:
    logs = Counter(event["log"] for event in events(made["skewed"]) if "log" in event)
    (_, most), (_, second) = logs.most_common(2)
    assert most / truth.read(made["skewed"]).events == pytest.approx(SKEWED.skew, abs=0.05)
    assert second < most / 2


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(6))
def test_a_long_log_is_found_for_any_seed(seed: int, tmp_path: Path) -> None:
    """Of a size that plants every mutant, whose faults may not make copies of one log break rules."""
    order = Order(1_000_000, seed=seed, skew=0.5)
    generate(order, tmp_path / "trace")
    assert truth.read(tmp_path / "trace").judgement.violations


def test_files_are_as_many_as_asked_for(made: dict[str, Path]) -> None:
    for folder in made.values():
        assert ORDER.files <= len(list(parts(folder))) <= ORDER.files + 3


def test_the_seed_decides_everything(made: dict[str, Path], tmp_path: Path) -> None:
    """To the byte, in whatever order the work is done; and another seed gives other events."""

    def backwards(_what: str, count: int, work: generating.Work) -> None:
        for number in reversed(range(count)):
            work(number)

    generate(ORDER, tmp_path / "again", backwards)
    names = sorted(path.name for path in made["sorted"].iterdir())
    assert names == sorted(path.name for path in (tmp_path / "again").iterdir())
    for name in names:
        assert (made["sorted"] / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name
    generate(replace(ORDER, seed=4), tmp_path / "other")
    assert each_once(tmp_path / "other") != each_once(made["sorted"])


def test_nothing_half_written_is_seen(tmp_path: Path) -> None:
    def broken(what: str, count: int, work: generating.Work) -> None:
        if what == "writing":
            raise RuntimeError("the power is out")
        generating.here(what, count, work)

    with pytest.raises(RuntimeError):
        generate(ORDER, tmp_path / "trace", broken)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_overwritten(made: dict[str, Path]) -> None:
    with pytest.raises(NotWritable):
        generate(ORDER, made["sorted"])


@pytest.mark.parametrize(
    "wrong", [{"events": 14_999}, {"skew": 0.6}, {"skew": -0.1}, {"mutants": 2}, {"files": -1}, {"layout": "none"}]
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadOrder):
        replace(ORDER, **wrong)
