"""Changed rules by every reading: on random traces, and on runs of the mutants that were made for them.

Only ``make quick`` runs this file, with ``--about`` their ids, so pytest does not find it by its name. The meaning of
rules is ``spec.language.reference``; of all rules and over longer other files of this folder ask the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from spec.columns.column import Raw
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from spec.proof.values import Values
from spec.registry import RULES
from tests.support.corpus import PLANS, events_of_run
from tests.support.cuts import differences, drawn
from tests.support.random_traces import raw_of
from tests.support.simulated import NOTICED_BY, judged_columns
from tests.support.simulated import raw_of as complete_raw_of
from tests.support.sql_engines import judged_by_duckdb, quiet_duckdb, shuffled, table_of

ROWS = 20
"""So many rows z3 is asked about, besides one of each outcome."""


@pytest.fixture(scope="module")
def changed(request: pytest.FixtureRequest) -> list[Rule]:
    """Give the rules that are asked for."""
    return [rule for rule in RULES if rule.id in request.config.getoption("--about")]


@pytest.mark.parametrize("seed", range(12))
def test_readings_agree_on_a_random_trace(seed: int, changed: list[Rule]) -> None:
    events, parameters, rng = drawn(seed)
    assert disagreements(changed, events, raw_of(events, parameters), parameters, rng) == []


def test_readings_agree_on_runs_that_break_them(changed: list[Rule], rng: Random) -> None:
    """Each run by the rules that its mutant was made for."""
    for name, broken in NOTICED_BY.items():
        rules = [rule for rule in changed if rule.id == broken]
        if rules:
            events, parameters = events_of_run(name), PLANS[name].parameters()
            assert disagreements(rules, events, complete_raw_of(events, parameters), parameters, rng) == [], name


def disagreements(
    rules: Sequence[Rule], events: Sequence[Mapping[str, Any]], raw: Raw, parameters: Parameters, rng: Random
) -> list[str]:
    """What the columns, DuckDB's SQL and z3 say otherwise than the reference evaluator."""
    reference = ReferenceEvaluator(events, parameters)
    meant = reference.judge(rules)
    found = differences(rules, meant, judged_columns(raw, parameters, rules))
    with quiet_duckdb() as connection:
        connection.execute("PRAGMA disable_optimizer")
        table = table_of(shuffled(events, rng), parameters)
        found += differences(rules, meant, judged_by_duckdb(connection, rules, table, parameters))
    for rule in rules:
        rows = reference.rows(rule.view)
        some = [*{reference.outcome(rule, row): row for row in rows}.values(), *rng.sample(rows, min(ROWS, len(rows)))]
        different = [
            row
            for row in some
            if Values(row, parameters, reference.tables).outcome(rule) != reference.outcome(rule, row)
        ]
        found += [f"{rule.id} by z3: {row}" for row in different]
    return found
