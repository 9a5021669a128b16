"""Spark says of random traces exactly what the reference says: ``spec.language.reference`` defines the meaning.

Spark has another dialect, another planner and compiled code than DuckDB, which is asked more often
(``test_sql_agrees``). It takes Spark longer to plan a statement than to judge a trace, so these are larger, and chosen
among many for what they ask, with many values that are not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from spec.registry import RULES
from tests.support.cuts import differences
from tests.support.probe_rules import PROBE_RULES
from tests.support.sql_engines import NODES, drawn, judged_by_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.together("spark")

FULL_WORD, TWO_WORDS = 11, 22
"""Seeds of traces on 64 nodes and on 70, on which nearly all probes have something to judge."""

MANY_NULLS = 4
"""That of a trace of seven kinds on 70 nodes, which are enough for a quarter of the rules."""


class Compared(NamedTuple):
    """The share of the rules that had something to judge, and what Spark and the reference do not agree on."""

    judging: float
    differences: list[str]


def compared(spark: SparkSession, rules: Sequence[Rule], seed: int, events: int = 500) -> Compared:
    trace = drawn(seed, sizes=(events,))
    said = judged_by_spark(spark, rules, trace.table, trace.parameters)
    want = ReferenceEvaluator(trace.events, trace.parameters).judge(rules)
    return Compared(sum(want.judged(rule.id) > 0 for rule in rules) / len(rules), differences(rules, want, said))


@pytest.mark.costly("Spark plans and compiles one statement of all probes")
@pytest.mark.parametrize("seed", [FULL_WORD, pytest.param(TWO_WORDS, marks=pytest.mark.thorough)])
def test_every_construct(seed: int, spark: SparkSession) -> None:
    """Every word of the language, over views of every shape."""
    found = compared(spark, PROBE_RULES, seed)
    assert found.differences == []
    assert found.judging > 0.9


@pytest.mark.costly("Spark plans and compiles one statement of all rules")
def test_rules(spark: SparkSession) -> None:
    """Rules of the specification, on sets of two numbers; on those of one the corpus has all that are broken."""
    found = compared(spark, RULES, MANY_NULLS)
    assert found.differences == []
    assert found.judging > 0.15


@pytest.mark.thorough
@pytest.mark.parametrize("nodes", range(len(NODES)), ids=NODES)
def test_other_traces(nodes: int, spark: SparkSession, rng: Random) -> None:
    """Each number of nodes, with another seed each time."""
    seed = rng.randrange(10**6) * len(NODES) + nodes
    print(f"compared(spark, rules, {seed})")
    assert compared(spark, (*PROBE_RULES, *RULES), seed).differences == []
