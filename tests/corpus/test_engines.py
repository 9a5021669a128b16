"""The reference evaluator and the columns say the same of every run of the corpus, violation by violation.

Justified by the meaning of rules, ``spec.language.reference``: a run in which nothing is wrong compares only counts, so
each mutant brings violations of the rule that it was made for, with their keys.
"""

from __future__ import annotations

import pytest

from reference_impl.mutants import MUTANTS
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES
from tests.suite.caught import Catches
from tests.support.corpus import PLANS, RIGHT, dear, events_of_run
from tests.support.cuts import differences
from tests.support.simulated import NOTICED_BY, judged_columns, raw_of, violated

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", dear(RIGHT))
def test_the_columns_agree_with_the_fold(name: str) -> None:
    print(f"made(PLANS[{name!r}])")
    events, parameters = events_of_run(name), PLANS[name].parameters()
    meant = ReferenceEvaluator(events, parameters).judge(RULES)
    assert differences(RULES, meant, judged_columns(raw_of(events, parameters), parameters)) == []


@pytest.mark.parametrize("asked", ["of broken rules", pytest.param("of all rules", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", MUTANTS)
def test_the_columns_agree_with_the_fold_on_a_mutant(name: str, asked: str, catches: Catches) -> None:
    """Of the rules that the columns say are broken, and of that which the mutant was made for, or of all."""
    print(f"made(PLANS[{name!r}])")
    events, parameters = events_of_run(name), PLANS[name].parameters()
    said = judged_columns(raw_of(events, parameters), parameters)
    broken = {NOTICED_BY[name], *violated(said)}
    rules = RULES if asked == "of all rules" else [rule for rule in RULES if rule.id in broken]
    meant = ReferenceEvaluator(events, parameters).judge(rules)
    assert differences(rules, meant, said) == []
    assert NOTICED_BY[name] in violated(meant)
    for judge in ("reference", "columns"):
        catches("mutant", name, judge)
