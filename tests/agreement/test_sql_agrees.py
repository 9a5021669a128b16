"""The SQL reading says in DuckDB exactly what the reference says: ``spec.language.reference`` defines the meaning.

Random traces over the whole vocabulary in any order, with NULLs in every column that may hold them, misleading values
in columns that a kind does not fill, sets of one word, of one full word and of two; and simulated runs. Each seed is
one test, so a failure names the line that replays it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from reference_impl.heading import recording_of
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.client.bookkeeping import kept
from spec.columns.blocks import check
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.plan import needed_of_kinds
from spec.language.orders import POSITIONS
from spec.language.reference import ReferenceEvaluator
from spec.language.sql import aggregates, bits, events, plan, windows
from spec.language.sql.events import kind_is
from spec.registry import RULES
from tests.support import simulated, sql_engines
from tests.support.cuts import differences
from tests.support.probe_rules import PROBE_RULES
from tests.support.random_traces import LAYOUT, parameters_for
from tests.support.sql_engines import drawn, judged_by_duckdb, quiet_duckdb, table_of

SEEDS = range(8)
FULL_OF_NULLS = (16, 12, *range(20, 40), 106)
"""Seeds of traces of which many values are not known; the first suffice to tell most mutants."""


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """One DuckDB for all traces."""
    with quiet_duckdb() as connection:
        yield connection


@pytest.fixture
def as_written(database: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same, but it runs the text as it stands, without looking for a better plan, which takes it longer."""
    database.execute("PRAGMA disable_optimizer")
    yield database
    database.execute("PRAGMA enable_optimizer")


@pytest.mark.parametrize("seed", SEEDS)
def test_every_construct_in_duckdb(seed: int, as_written: duckdb.DuckDBPyConnection) -> None:
    """Every word of the language, over views of every shape."""
    trace = drawn(seed)
    said = judged_by_duckdb(as_written, PROBE_RULES, trace.table, trace.parameters)
    assert differences(PROBE_RULES, ReferenceEvaluator(trace.events, trace.parameters).judge(PROBE_RULES), said) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_every_rule_in_duckdb(seed: int, as_written: duckdb.DuckDBPyConnection) -> None:
    """Every rule of the specification."""
    trace = drawn(seed)
    said = judged_by_duckdb(as_written, RULES, trace.table, trace.parameters)
    assert differences(RULES, ReferenceEvaluator(trace.events, trace.parameters).judge(RULES), said) == []


def test_a_planned_query_in_duckdb(database: duckdb.DuckDBPyConnection) -> None:
    """All of it in one text, and as DuckDB plans it."""
    rules, trace = (*PROBE_RULES, *RULES), drawn(33)
    said = judged_by_duckdb(database, rules, trace.table, trace.parameters)
    assert differences(rules, ReferenceEvaluator(trace.events, trace.parameters).judge(rules), said) == []


@pytest.mark.parametrize("seed", range(40, 42))
def test_text_for_the_kinds_that_occur(seed: int, as_written: duckdb.DuckDBPyConnection) -> None:
    """What other kinds could say is left out of the text, and tables are made of a few events beside the trace."""
    rules, trace, rng = (*PROBE_RULES, *RULES), drawn(seed), Random(seed)
    there = sorted({event["kind"] for event in trace.events})
    here = frozenset(rng.sample(there, rng.randint(1, len(there))))
    events = [event for event in trace.events if event["kind"] in here]
    facts = f"(SELECT * FROM trace WHERE {kind_is(sorted(needed_of_kinds(dimensions_of(rules))))})"
    table = trace.table.filter(pc.is_in(trace.table["kind"], pa.array(here, trace.table.schema.field("kind").type)))
    said = judged_by_duckdb(as_written, rules, table, trace.parameters, here=here, facts=facts)
    assert differences(rules, ReferenceEvaluator(events, trace.parameters).judge(rules), said) == []


@pytest.mark.costly("DuckDB plans a statement of all rules for each trace")
@pytest.mark.thorough
@pytest.mark.parametrize("hundred", range(2, 12))
def test_many_traces_in_duckdb(hundred: int, as_written: duckdb.DuckDBPyConnection) -> None:
    """The same over many more traces."""
    rules, found = (*PROBE_RULES, *RULES), []
    for seed in range(100 * hundred, 100 * hundred + 12):
        trace = drawn(seed)
        said = judged_by_duckdb(as_written, rules, trace.table, trace.parameters)
        found += differences(rules, ReferenceEvaluator(trace.events, trace.parameters).judge(rules), said)
    assert found == []


@pytest.mark.parametrize("nodes", [1, 31, 32, 63, *(pytest.param(n, marks=pytest.mark.thorough) for n in (12, 20, 62))])
def test_sets_share_numbers_where_they_fit(nodes: int, as_written: duckdb.DuckDBPyConnection) -> None:
    """Many small sets lie in one number, large ones in one each, and those that fit in none have columns."""
    rules, trace = (*PROBE_RULES, *RULES), drawn(36 + nodes, nodes=nodes)
    said = judged_by_duckdb(as_written, rules, trace.table, trace.parameters)
    assert differences(rules, ReferenceEvaluator(trace.events, trace.parameters).judge(rules), said) == []


@pytest.mark.parametrize("alone", range(3))
def test_rules_alone(alone: int, as_written: duckdb.DuckDBPyConnection) -> None:
    """A rule must not live on columns that another rule asks for."""
    trace = drawn(alone)
    want = ReferenceEvaluator(trace.events, trace.parameters).judge(PROBE_RULES)
    for rule in Random(alone).sample(PROBE_RULES, 12):
        said = judged_by_duckdb(as_written, [rule], trace.table, trace.parameters)
        assert differences([rule], want, said) == []


def test_an_empty_trace(database: duckdb.DuckDBPyConnection) -> None:
    """No events, no verdicts."""
    parameters = parameters_for(70)
    assert not judged_by_duckdb(database, PROBE_RULES, table_of([], parameters), parameters).counts


def test_every_column_that_may_be_null_is() -> None:
    """The traces of these tests leave no optional column known throughout."""
    optional = {column.name for column in LAYOUT.values() if column.optional}
    seeds = (*SEEDS, *FULL_OF_NULLS)
    seen = {name for seed in seeds for event in drawn(seed).events for name in optional if event[name] is None}
    assert seen == optional


@pytest.mark.parametrize("mutant", ["", "ack_one_copy_early", "store_below_seal", "unreleased_shown"])
def test_simulated_runs(mutant: str, as_written: duckdb.DuckDBPyConnection) -> None:
    """The reference evaluator, the columns and DuckDB agree on runs of the correct machine and of broken ones."""
    run = SimulationPlan(seed=5, events=500, logs=1, mutant=mutant)
    parameters, said = run.parameters(), kept(simulate(run), recording_of(run))
    raw = simulated.raw_of(said, parameters)
    by_columns = check(RULES, [raw], parameters, gather(dimensions_of(RULES), [raw], parameters))
    by_sql = judged_by_duckdb(as_written, RULES, table_of(said, parameters), parameters)
    want = ReferenceEvaluator([dict.fromkeys(LAYOUT, 0) | event for event in said], parameters).judge(RULES)
    assert differences(RULES, want, by_columns) == []
    assert differences(RULES, want, by_sql) == []


class Mutant(NamedTuple):
    """One thing that the generator gets wrong."""

    what: str
    make: Callable[[pytest.MonkeyPatch], None]


def wrong_text(what: str, right: str, wrong: str) -> Mutant:
    """A mutant that writes one phrase for another, in the texts that have it: one for few nodes has no second word."""

    def make(patch: pytest.MonkeyPatch) -> None:
        def write(*given: Any, **named: Any) -> str:
            return plan.statement(*given, **named).replace(right, wrong)

        patch.setattr(sql_engines, "statement", write)

    return Mutant(what, make)


def wrong_name(what: str, module: Any, name: str, wrong: Any) -> Mutant:
    """A mutant that has something else in place of a module's constant or function."""
    return Mutant(what, lambda patch: patch.setattr(module, name, wrong))


def wrong_fn(fn: str, wrong: str) -> Mutant:
    """A mutant that aggregates wrongly."""
    return Mutant(f"{fn} is {wrong}", lambda patch: patch.setitem(aggregates._OVER_EVENTS, fn, wrong))


def on_top_of_others(word: int, low: int, width: int) -> bits.BitRange:
    """A place for a set that others have already."""
    return PLACE(word, 0 if width > 1 else low, width)


PLACE = bits.BitRange
WITHOUT_HIGH_PART = {name: position._replace(high="0") for name, position in POSITIONS.items()}
UP_TO_BEFORE = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
MUTANTS = [
    wrong_name("an event that does not know its value is passed over", aggregates, "is_null", lambda *_: "FALSE"),
    wrong_name("a row does not see itself", windows, "_UP_TO_HERE", UP_TO_BEFORE),
    wrong_name("latest looks ahead", windows, "AHEAD", ("next", "lowest", "latest")),
    wrong_name("lowest looks back", windows, "AHEAD", ("next",)),
    wrong_name("lowest is highest", windows, "_EXTREMES", {"highest": "max", "lowest": "max"}),
    wrong_name("the kind of an event does not matter", aggregates, "kind_is", lambda _: "TRUE"),
    wrong_name("the high part of a position is lost", events, "POSITIONS", WITHOUT_HIGH_PART),
    wrong_name("sets lie upon each other", bits, "BitRange", on_top_of_others),
    wrong_name("a set that one event does not know hides all", aggregates, "Asked", lambda *of: bits.Asked(*of[:2])),
    wrong_text("what a table lacks is nobody", "CASE WHEN t_0 IS NOT NULL THEN", "CASE WHEN TRUE THEN"),
    wrong_fn("union", "CAST(coalesce(sum({0}), 0) AS BIGINT)"),
    wrong_fn("union", "bit_or({0})"),
    wrong_fn("common", "bit_or({0})"),
    wrong_fn("count", "count(DISTINCT {0})"),
    wrong_fn("min", "max({0})"),
    wrong_text("a row whose key is not in a table is dropped", "LEFT JOIN", "JOIN"),
    wrong_text("a false claim is unknown", "coalesce(3 - 2", "coalesce(2 - 1"),
    wrong_text("an unknown claim holds", ", 2)", ", 1)"),
    wrong_text("all words of a set are its first", "s1_", "s_"),
    wrong_text("an event whose key is not known makes a row", " AND digest IS NOT NULL", ""),
]
"""Mutants of the generator that must not live."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_a_broken_generator_is_noticed(
    mutant: Mutant, as_written: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that cannot fail is a defect: some trace tells the broken text from the reference evaluator."""
    mutant.make(monkeypatch)
    for seed in FULL_OF_NULLS:
        trace = drawn(seed)
        try:
            said = judged_by_duckdb(as_written, PROBE_RULES, trace.table, trace.parameters)
        except duckdb.Error:
            continue
        if differences(PROBE_RULES, ReferenceEvaluator(trace.events, trace.parameters).judge(PROBE_RULES), said):
            return
    pytest.fail(f"no trace tells that {mutant.what}")
