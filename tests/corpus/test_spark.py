"""Spark's SQL and Spark's blocks say of runs of the corpus what the columns say, violation by violation.

Justified by the meaning of rules, ``spec.language.reference``, with which the columns agree on each run of the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from reference_impl.mutants import MUTANTS
from spec.language.outcomes import Judgement
from spec.registry import RULES
from tests.suite.caught import Catches
from tests.support.corpus import RIGHT
from tests.support.cuts import differences
from tests.support.side_by_side import clusters, judged_together, made_for, mutants_noticed, trace_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.together("spark")

EVERY = 1_000_000
"""Violations to name: more than there are."""


def some(names: Sequence[str]) -> tuple[str, ...]:
    """The runs of all mutants on a cluster, and one of the correct machine: what fits into the memory of a session."""
    right = [name for name in names if name in RIGHT]
    return (*(name for name in names if name in MUTANTS), *right[:1])


@pytest.mark.costly("judges the runs of all mutants, by one statement and one job for each cluster")
def test_spark_agrees_on_all_mutants(spark: SparkSession, catches: Catches) -> None:
    """One job and one statement for each cluster; to plan a statement of all rules takes Spark ten seconds or more.

    So statements are of the rules that mutants were made for; that all rules agree in Spark's SQL, random traces show.
    """
    from spark_checks import block_check, sql_check

    engines: Any = {"Spark SQL": sql_check, "Spark blocks": block_check}
    for names in map(some, clusters().values()):
        want = judged_together(names)
        wanted = made_for(names)
        for judge, engine in engines.items():
            rules = [rule for rule in RULES if rule.id in wanted or engine is block_check]
            got = engine.judge(spark, trace_of(names), rules, kept=EVERY) if rules else Judgement()
            assert differences(rules, want, got) == [], judge
            for mutant in mutants_noticed(names, got):
                catches("mutant", mutant, judge)
