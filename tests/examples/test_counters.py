"""A family that is declared in one folder is judged, explained and documented with no line changed elsewhere.

Issue 18: the layers below a family know none. ``examples/counters`` is the smallest there is; here every reading and
every form of its traces is asked about the same random events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from conformance.check.checking import check, verdict_in_memory
from conformance.cli import main
from conformance.trace.arrow import to_batches
from conformance.trace.errors import TraceError, UnknownFamily
from conformance.trace.header import Header, Recorder, System
from conformance.trace.jsonl import write_events
from conformance.trace.open import open_trace
from conformance.trace.sort import sort
from examples.counters import COUNTERS, Raised, Told
from spec.language.outcomes import Judgement, Outcome
from spec.language.reference import ReferenceEvaluator
from spec.language.refusals import AuthorMistake
from spec.language.sql.dialects import DUCKDB
from spec.language.sql.plan import statement
from spec.language.sql.verdicts import decode
from spec.pages import chapter
from spec.registry import FAMILIES, NoSuchFamily, family_named, register
from spec.verdicts import ExitCode
from tests.support.installed import COUNTERS as OFFERED
from tests.support.installed import installed
from tests.support.sql_engines import quiet_duckdb

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HEADER = Header(
    family=COUNTERS,
    system=System("an abacus"),
    recorders={
        "keeper": Recorder("keeper", {"raised": "complete"}),
        "reader": Recorder("reader", {"told": "complete"}),
    },
    clock_bound_ns=0,
)
SEEDS = 12
UNKNOWN = 0.1
"""How often nobody knows what a counter stands at."""


@pytest.fixture(autouse=True)
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A package offers the family, and nothing has asked for it yet."""
    family = {"quorate.families": OFFERED["quorate.families"]}
    with installed(tmp_path_factory.mktemp("installed"), family):
        yield


def random_events(seed: int) -> list[dict[str, Any]]:
    """What a keeper and a reader recorded of two counters, some of it wrong and some of it unknown."""
    rng, seen = Random(seed), {"keeper": 0, "reader": 0}
    events = []
    for _ in range(30):
        kind, recorder = rng.choice([(Raised.kind, "keeper"), (Told.kind, "reader")])
        seen[recorder] += 1
        place = {"counter": rng.randint(1, 2), "term": rng.randint(1, 2), "step": rng.randint(1, 9)}
        told = {"time_ns": None, "total": None if rng.random() < UNKNOWN else rng.randint(1, 9)}
        events.append({"kind": kind, "recorder": recorder, "seq": seen[recorder], **place, **told})
    return events


def meant(seed: int) -> Judgement:
    """What the reference evaluator says, which defines what rules mean."""
    return ReferenceEvaluator(random_events(seed), HEADER.parameters()).judge(COUNTERS.rules)


def written(folder: Path, seed: int, name: str = "run.jsonl") -> Path:
    """A trace of these events."""
    write_events(folder / name, HEADER, random_events(seed))
    return folder / name


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("form", ["run.jsonl", "run.jsonl.zst", "sorted.parquet"])
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_engines_agree_on_every_form(seed: int, form: str, engine: str, tmp_path: Path) -> None:
    path = written(tmp_path, seed, form if form != "sorted.parquet" else "run.jsonl")
    if form == "sorted.parquet":
        sort(path, path := tmp_path / form)
    found, counts = check(open_trace(path), engine=engine).verdict, meant(seed).counts
    for said in found.rules:
        assert said.violated == counts[said.rule.id, Outcome.VIOLATED], said.rule.id
        assert said.unknown == counts[said.rule.id, Outcome.UNKNOWN], said.rule.id
    assert verdict_in_memory(open_trace(path)).verdict is found.verdict


def test_the_seeds_show_something() -> None:
    """A check that cannot fail is a defect: each rule holds of some moments, and is violated at others."""
    seen = {outcome for seed in range(SEEDS) for outcome in meant(seed).counts}
    wanted = (Outcome.HOLDS, Outcome.VIOLATED)
    assert {(rule.id, outcome) for rule in COUNTERS.rules for outcome in wanted} <= seen


def test_duckdb_agrees() -> None:
    with quiet_duckdb() as connection:
        for seed in range(SEEDS):
            connection.register("trace", pa.Table.from_batches(to_batches(random_events(seed), HEADER)))
            text = statement(COUNTERS.rules, "trace", DUCKDB, HEADER.parameters(), nullable=frozenset({"total"}))
            assert decode(COUNTERS.rules, connection.execute(text).fetchall()) == meant(seed)


def test_spark_agrees(spark: SparkSession, tmp_path: Path) -> None:
    """By SQL, JSON lines are read with the family's own schema; the workers of this session do not know the package."""
    from spark_checks.checking import check as checked

    found = checked(spark, written(tmp_path, 1), plan="sql").verdict
    assert {said.rule.id: said.violated for said in found.rules} == {
        rule.id: meant(1).counts[rule.id, Outcome.VIOLATED] for rule in COUNTERS.rules
    }


def test_a_violation_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The events that decide are told as the family says, and the line that is printed tells them again."""
    said = {"kind": Raised.kind, "recorder": "keeper", "time_ns": None, "counter": 1, "term": 1}
    path = tmp_path / "run.jsonl"
    write_events(path, HEADER, [said | {"seq": 1, "step": 1, "total": 5}, said | {"seq": 2, "step": 3, "total": 4}])
    assert main(["explain", str(path), "--quiet"]) == 1
    out = capsys.readouterr().out
    assert "Let the case be counter 1, term 1, step 3." in out
    assert "  2 Keeper raised counter 1 to 4." in out
    assert "Seen:     stood_at = 5, raised_to = 4" in out
    again = out.partition("Replay:   quorate ")[2].partition("\n")[0]
    assert again.endswith("--rule counter.rises --key=1,1:3")
    assert main([*again.split(), "--quiet"]) == 1


def test_its_rules_are_listed_and_its_chapter_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "show", "counter.rises", "--dialect", "spark"]) == 0
    assert "raised_to is known ⇒ stood_at ≤ raised_to" in capsys.readouterr().out
    assert main(["rules"]) == 0
    assert "Counters\n  counter.rises\n" in capsys.readouterr().out
    assert chapter("Counters", COUNTERS).startswith("# Counters\n")


def test_events_of_another_family_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 1)
    path.write_text(path.read_text().replace('"kind":"told"', '"kind":"deliver"'))
    with pytest.raises(TraceError, match="kind 'deliver'"):
        check(open_trace(path))


def test_a_family_that_nobody_declares_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, 1)
    path.write_text(path.read_text().replace('"counters"', '"abaci"'))
    with pytest.raises(UnknownFamily, match="abaci"):
        open_trace(path)
    with pytest.raises(NoSuchFamily, match="known are log"):
        family_named("abaci")


def test_traces_of_a_family_without_a_text_are_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(written(tmp_path, 1))]) == ExitCode.UNKNOWN
    assert "no text follows traces of the family 'counters'" in capsys.readouterr().err


def test_a_name_is_taken_once() -> None:
    assert register(COUNTERS) is COUNTERS
    other = type(COUNTERS)(name="counters", what="", events=COUNTERS.events, story=COUNTERS.story, chapters={})
    with pytest.raises(AuthorMistake, match="there is a family 'counters' already"):
        register(other)
    renamed = type(COUNTERS)(
        name="others", what="", events=COUNTERS.events, story=COUNTERS.story, chapters=COUNTERS.chapters
    )
    assert register(renamed) is renamed


def test_nothing_is_known_of_a_family_that_is_refused() -> None:
    """However often it is asked for."""
    assert register(COUNTERS) is COUNTERS
    chapters = {"Copies": tuple(replace(rule) for rule in COUNTERS.rules)}
    copied = replace(COUNTERS, name="copies", chapters=chapters)
    for _ in range(2):
        with pytest.raises(AuthorMistake, match=r"there is a rule 'counter\.rises' already"):
            register(copied)
    assert "copies" not in FAMILIES


@pytest.mark.parametrize("pattern", [[], ["--rule", "counter.*"], ["--rule", "*"]])
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_the_command_judges_it(
    engine: str, pattern: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rules are chosen before the trace is opened, whose header says that it is of this family."""
    seed = next(seed for seed in range(SEEDS) if meant(seed).counts["counter.rises", Outcome.VIOLATED])
    assert main(["check", str(written(tmp_path, seed)), "--engine", engine, *pattern, "--quiet"]) == ExitCode.VIOLATED
    assert "counter.rises" in capsys.readouterr().out
