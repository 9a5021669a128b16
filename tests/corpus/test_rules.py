"""The correct machine breaks no rule in any run of the corpus, and every mutant breaks the rule that it was made for.

The design asks for seeded defects as named switches; a check that cannot fail is a defect. The page of the kill matrix
says of every rule which mutants it notices.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from reference_impl.mutants import MUTANTS
from reference_impl.mutants.matrix import Matrix, as_text, violations_of
from spec.language.outcomes import Judgement
from spec.registry import RULES
from tests.suite.caught import Catches
from tests.support.corpus import PLANS, RIGHT, SHIPPED, run_of
from tests.support.simulated import NOTICED_BY, OF_ENDS, judged_run, unknown, violated, without_instances

pytestmark = pytest.mark.together("rules_of_the_corpus")

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "kill-matrix.md"


NO_MUTANT = {
    **dict.fromkeys(OF_ENDS, "readers of the machine do not ask where a log ends"),
    "client.read.after_its_append": "nothing in the machine knows a record before its client does",
    "client.read.acked_is_asked_for": "it counts, and cannot be violated",
}
"""Rules that no deviation of the machine can break, and why; what breaks them is in ``tests/spec``."""


@cache
def judged(name: str) -> Judgement:
    """What the columns say of a run."""
    return judged_run(PLANS[name], run_of(name).events)


@pytest.mark.parametrize("name", [*RIGHT, *SHIPPED])
def test_the_correct_machine_breaks_no_rule(name: str) -> None:
    """Nor leaves one undecided, but for what its readers have not come to."""
    print(f"made(PLANS[{name!r}])")
    assert (set(violated(judged(name))), unknown(judged(name))) == (set(), {})


def test_every_rule_has_instances_in_runs_of_the_correct_machine() -> None:
    """A rule that had nothing to judge has passed nothing."""
    never = {rule.id for rule in RULES}.intersection(*(without_instances(judged(name)) for name in RIGHT))
    assert never == OF_ENDS


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_noticed_by_its_rule(name: str, catches: Catches) -> None:
    print(f"made(PLANS[{name!r}])")
    assert NOTICED_BY[name] in violated(judged(name))
    catches("mutant", name, "rules")


def test_every_rule_notices_a_mutant() -> None:
    """A rule that no mutant breaks may not be able to fail."""
    noticing = {rule for name in MUTANTS for rule in violated(judged(name))}
    assert {rule.id for rule in RULES if rule.id not in noticing} == set(NO_MUTANT)


def test_the_page_is_what_the_rules_say(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew the page."""
    matrix: Matrix = {name: violations_of(judged(name)) for name in MUTANTS}
    if request.config.getoption("--rewrite"):
        PAGE.write_text(as_text(matrix), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == as_text(matrix)
