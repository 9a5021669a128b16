"""z3 says exactly what the meaning says: on every row of random traces, and of what rows there can be.

``spec.language.meaning`` and ``spec.language.reference`` define the language. The z3 reading is given the plain values
of a row and only simplifies; so each word of the vocabulary is compared, with NULLs, for every probe and every rule.
"""

from __future__ import annotations

from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest

from spec.language.declare import View
from spec.language.definition import Definition
from spec.language.outcomes import Outcome
from spec.language.reference import ReferenceEvaluator, Row
from spec.language.rule import Rule
from spec.log.quorum import is_complete, is_f_majority, is_f_majority_as_written
from spec.log.replication import can_replicate, is_exact_copyset
from spec.proof.laws import laws
from spec.proof.vacuity import possible
from spec.proof.values import Values
from spec.registry import RULES
from tests.support.probe_rules import PROBE_RULES
from tests.support.random_traces import parameters_for, random_events, replay

pytestmark = pytest.mark.z3

EVERY_RULE = [*RULES, *PROBE_RULES]
VIEWS = list(dict.fromkeys(rule.view for rule in EVERY_RULE))
NODES, EVENTS, LOGS = 6, 60, 2
ROWS = 1


LAWS = {view: laws(view) for view in VIEWS}


@cache
def reference_of(seed: int) -> ReferenceEvaluator:
    """A random trace with all dimensions gathered."""
    reference = ReferenceEvaluator(random_events(Random(seed), EVENTS, nodes=NODES, logs=LOGS), parameters_for(NODES))
    for dimension in dict.fromkeys(dimension for rule in EVERY_RULE for dimension in rule.dimensions):
        reference.table(dimension)
    return reference


def rows_of(reference: ReferenceEvaluator, seed: int) -> dict[type[View], list[Row]]:
    """The rows of every view, shuffled."""
    rows = {view: reference.rows(view) for view in VIEWS}
    return {view: Random(seed).sample(found, len(found)) for view, found in rows.items()}


def judged(rule: Rule, reference: ReferenceEvaluator, rows: list[Row]) -> list[Row]:
    """A few rows that differ in outcome first, so that every outcome is compared where there is one."""
    first_of = {reference.outcome(rule, row): row for row in rows}
    return [*first_of.values(), *islice(rows, ROWS)]


@pytest.mark.parametrize("seed", range(2))
def test_a_row_has_one_outcome(seed: int) -> None:
    """z3 on the values of a row agrees with Python, for every rule and every probe."""
    reference = reference_of(seed)
    rows = rows_of(reference, seed)
    different = [
        (rule.id, row)
        for rule in EVERY_RULE
        for row in judged(rule, reference, rows[rule.view])
        if Values(row, reference.parameters, reference.tables).outcome(rule) is not reference.outcome(rule, row)
    ]
    assert different == [], replay(seed, EVENTS, NODES, LOGS)


def test_every_outcome_was_compared() -> None:
    """The seeds above meet every outcome of the probes as a whole: an outcome that never occurs compares nothing."""
    reference = reference_of(0)
    rows = rows_of(reference, 0)
    seen = {reference.outcome(rule, row) for rule in PROBE_RULES for row in rows[rule.view]}
    assert seen == set(Outcome)


@pytest.mark.parametrize("seed", range(20))
def test_rows_obey_the_laws(seed: int) -> None:
    """What z3 takes for granted about rows is true of every row, never unknown."""
    reference = reference_of(seed)
    broken = [
        (view.__name__, law, row)
        for view in VIEWS
        for row in reference.rows(view)
        for law in LAWS[view]
        if reference.evaluator(row).value(law) is not True
    ]
    assert broken == [], replay(seed, EVENTS, NODES, LOGS)


def test_laws_are_not_empty() -> None:
    """Each law is decided by some row in which its condition is true."""
    for view, known in LAWS.items():
        missing = set(known)
        for seed in range(200):
            if not missing:
                break
            scenes = [reference_of(seed).evaluator(row) for row in reference_of(seed).rows(view)]
            missing = {law for law in missing if not any(scene.value(law.args[0]) is True for scene in scenes)}
        assert missing == set(), view.__name__


@pytest.mark.parametrize("rule", PROBE_RULES, ids=lambda rule: rule.id)
def test_what_happens_is_possible(rule: Rule) -> None:
    """No trace shows an outcome that z3 calls impossible: the laws do not say too much."""
    can_be = set(possible(rule, parameters_for(NODES)))
    for seed in range(6):
        reference = reference_of(seed)
        seen = {reference.outcome(rule, row) for row in reference.rows(rule.view)} - {Outcome.NO_INSTANCE}
        assert seen <= can_be, replay(seed, EVENTS, NODES, LOGS)


@pytest.mark.parametrize(
    "definition", [can_replicate, is_exact_copyset, is_f_majority, is_complete, is_f_majority_as_written]
)
def test_definitions_agree(definition: Definition[..., Any], rng: Random) -> None:
    """Definitions on their own, as proofs and vectors read them."""
    parameters = parameters_for(NODES)
    said = set()
    for _ in range(40):
        values = {name: drawn(rng, sort) for name, sort in definition.columns.items()}
        value = definition.value(parameters, values)
        assert Values(values, parameters, {}).value(definition.term) is value, values
        said.add(value)
    assert {True, False, None} <= said


def drawn(rng: Random, sort: str) -> object:
    """A random set or replication property; now and then NULL."""
    if rng.random() < 0.15:
        return None
    if sort == "factors":
        return {
            scope: rng.randint(1, 3) for scope in rng.sample(("shard", "node", "rack", "region"), rng.randint(1, 3))
        }
    return frozenset(node for node in range(NODES) if rng.random() < 0.6)
