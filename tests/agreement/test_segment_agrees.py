"""Every engine says of segment traces what the reference evaluator says, which defines what rules mean.

Their views stand in four orders, of which a trace is sorted by one: the columns reading has it sorted anew for each of
the others. Random recordings, wrong in many places, with times that are not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from conformance.check.checking import check
from conformance.trace.arrow import to_batches
from conformance.trace.blocks import Blocks
from conformance.trace.jsonl import write_events
from conformance.trace.open import Parquet, open_trace
from conformance.trace.sort import in_another_order, sort
from conformance.trace.watch import place_of
from spec.columns.column import Raw
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.plan import by_order, needed_columns, needed_of_kinds
from spec.language.events import kinds, layout
from spec.language.orders import Order
from spec.language.outcomes import Judgement, Outcome
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from spec.language.sql.dialects import DUCKDB
from spec.language.sql.plan import statement
from spec.language.sql.verdicts import decode
from spec.segment.events import Event
from spec.segment.family import SEGMENT
from spec.segment.orders import BY_TURN
from tests.support.cuts import differences, judged_in_pieces, random_cuts
from tests.support.segment_runs import HEADER, random_run
from tests.support.sql_engines import quiet_duckdb

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_checks.checking import Plan

SEEDS = range(5)
PARAMETERS = HEADER.parameters()
NULLABLE = frozenset(column.name for column in layout(Event).values() if column.optional)


def meant(events: Sequence[Any]) -> Judgement:
    """What the reference evaluator says."""
    return ReferenceEvaluator(events, PARAMETERS).judge(SEGMENT.rules)


def raw_in(order: Order, rules: Sequence[Rule], events: Sequence[Any]) -> Raw:
    """The events that have a place in an order, in that order, as one block."""
    told = {kind for rule in rules for kind in kinds(rule.view.events)}
    here = sorted((event for event in events if event["kind"] in told), key=lambda event: place_of(event, order))
    (whole,) = to_batches(events, HEADER)
    table = pa.Table.from_batches(to_batches(here, HEADER), whole.schema)
    return Blocks(HEADER, needed_columns(rules)).of(table)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_cut_and_any_merge_in_every_order(seed: int) -> None:
    events, rng = random_run(seed), Random(seed)
    dimensions = dimensions_of(SEGMENT.rules)
    columns = frozenset().union(*needed_of_kinds(dimensions).values())
    whole = Blocks(HEADER, columns).of(pa.Table.from_batches(to_batches(events, HEADER)))
    tables, want = gather(dimensions, [whole], PARAMETERS), meant(events)
    for order, rules in by_order(SEGMENT.rules).items():
        raw = raw_in(order, rules, events)
        cuts = random_cuts(rng, len(raw["kind"].value))
        assert differences(rules, want, judged_in_pieces(rules, raw, cuts, PARAMETERS, tables, rng)) == [], order


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_engines_in_this_process_agree(seed: int, engine: str, tmp_path: Path) -> None:
    events = random_run(seed)
    write_events(path := tmp_path / "run.jsonl", HEADER, events)
    want = meant(events).counts
    for said in check(open_trace(path), engine=engine, shown=0).verdict.rules:
        assert said.violated == want[said.rule.id, Outcome.VIOLATED], said.rule.id
        assert said.unknown == want[said.rule.id, Outcome.UNKNOWN], said.rule.id


def test_a_trace_that_memory_does_not_hold_is_sorted_for_another_order(tmp_path: Path) -> None:
    """Runs of seven events on disk, and none of the kinds that rules do not ask for."""
    events = [{**event, "seq": number} for number, event in enumerate(random_run(1, 200), 1)]
    write_events(tmp_path / "run.jsonl", HEADER, events)
    sort(tmp_path / "run.jsonl", path := tmp_path / "run.parquet")
    for order, rules in by_order(SEGMENT.rules).items():
        told = {kind for rule in rules for kind in kinds(rule.view.events)}
        (folder := tmp_path / order.place).mkdir(exist_ok=True)
        raws = list(in_another_order(Parquet(path), order, needed_columns(rules), told, folder, run=7))
        seen = [
            (*place, kind)
            for raw in raws
            for *place, kind in zip(*(raw[name].value.tolist() for name in (*order.stored, "kind")), strict=True)
        ]
        want = [(*place_of(event, order), event["kind"]) for event in events if event["kind"] in told]
        assert sorted(seen) == sorted(want)
        assert [place[:-2] for place in seen] == sorted(place[:-2] for place in seen)


@pytest.mark.parametrize("seed", range(3))
def test_duckdb_agrees(seed: int) -> None:
    events = random_run(seed)
    with quiet_duckdb() as connection:
        connection.register("trace", pa.Table.from_batches(to_batches(events, HEADER)))
        text = statement(SEGMENT.rules, "trace", DUCKDB, PARAMETERS, nullable=NULLABLE)
        said = decode(SEGMENT.rules, connection.execute(text).fetchall())
    assert differences(SEGMENT.rules, meant(events), said) == []


@pytest.mark.costly("Spark plans and compiles what rules ask for in another order than the trace")
@pytest.mark.parametrize("plan", [pytest.param("sql", marks=pytest.mark.thorough), "blocks"])
def test_spark_agrees(plan: Plan, spark: SparkSession, tmp_path: Path) -> None:
    """By SQL, and by blocks of a sorted trace, where the few rules that ask for another order are judged by SQL."""
    from spark_checks.checking import check as checked

    events = random_run(3)
    write_events(tmp_path / "run.jsonl", HEADER, events)
    sort(tmp_path / "run.jsonl", path := tmp_path / "run.parquet")
    want, own = meant(events).counts, by_order(SEGMENT.rules)[SEGMENT.events.sorted_by]
    rules = SEGMENT.rules if plan == "sql" else [*own, *by_order(SEGMENT.rules)[BY_TURN]]
    for said in checked(spark, path, rules, plan=plan).verdict.rules:
        assert said.violated == want[said.rule.id, Outcome.VIOLATED], said.rule.id


def test_the_seeds_show_something() -> None:
    """A check that cannot fail is a defect: every rule holds of something, and is violated by something."""
    seen = {key for seed in range(100) for key in meant(random_run(seed)).counts}
    wanted = {(rule.id, outcome) for rule in SEGMENT.rules for outcome in (Outcome.HOLDS, Outcome.VIOLATED)}
    assert wanted - seen == set()
