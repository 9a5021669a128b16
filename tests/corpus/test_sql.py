"""DuckDB says of all runs of the corpus what the columns say, violation by violation.

Justified by the meaning of rules, ``spec.language.reference``, with which the columns agree on each run of the corpus.
"""

from __future__ import annotations

from collections import Counter

import pytest

from spec.registry import RULES
from tests.suite.caught import Catches
from tests.support.corpus import events_of_run
from tests.support.cuts import differences
from tests.support.side_by_side import broken_by_run, clusters, judged_together, made_for, mutants_noticed, trace_of
from tests.support.simulated import judged_columns, raw_of
from tests.support.sql_engines import judged_by_duckdb, quiet_duckdb, stored_columns

pytestmark = pytest.mark.slow


EVERY = 8
"""One in so many runs is judged alone, too."""


@pytest.mark.costly("DuckDB plans a statement of all rules for each of these runs")
def test_runs_side_by_side_are_judged_as_each_alone() -> None:
    """Rule by rule, as often and in its own logs, so one statement or job for all runs says what one for each would."""
    for parameters, every in clusters().items():
        names = every[::EVERY]
        alone = [judged_columns(raw_of(events_of_run(name), parameters), parameters) for name in names]
        together = judged_together(names)
        each = Counter((one.rule, run) for run, said in enumerate(alone) for one in said.violations)
        assert broken_by_run(together) == each
        assert together.counts == sum((said.counts for said in alone), Counter())


@pytest.mark.costly("judges every run of the corpus in one statement for each cluster")
@pytest.mark.parametrize("asked", ["of what mutants break", pytest.param("of all rules", marks=pytest.mark.thorough)])
def test_duckdb_agrees_on_all_runs(asked: str, catches: Catches) -> None:
    """One statement for each cluster, run as it stands: to plan one takes longer than to judge by it.

    That all rules agree in DuckDB's SQL, planned, too, random traces show.
    """
    with quiet_duckdb() as connection:
        connection.execute("PRAGMA disable_optimizer")
        for parameters, names in clusters().items():
            want = judged_together(names)
            wanted = made_for(names)
            rules = [rule for rule in RULES if rule.id in wanted or asked == "of all rules"]
            if not rules:
                continue
            got = judged_by_duckdb(connection, rules, stored_columns(trace_of(names)), parameters)
            assert differences(rules, want, got) == []
            for mutant in mutants_noticed(names, got):
                catches("mutant", mutant, "DuckDB")
