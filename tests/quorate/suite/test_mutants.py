"""The tutorial's log keeps every guarantee; each mutant of it breaks the one that its defect is about, in few events.

Justified by docs/reference/guarantees.md, and the rule that a check which cannot fail is a defect.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from shlex import split

import pytest

from quorate.suite.guarantees import BY_NAME, GUARANTEES
from quorate.suite.judging import PROFILES, Conditions, find, judged
from quorate.suite.steps import plan_of
from quorate.suite.telling import broken_guarantee
from spec.registry import BY_ID
from tests.support.mylog_mutants import MUTANTS, MYLOG, Adapter

CAN = {"crash", "restart", "tail", "trim"}
EVENTS_MAX, LINES_MAX = 12, 60
SEED = "1"
NEVER = {"gaps_honest", "refused_is_absent"}
"""What depends on something that the log never does."""


def conditions(factory: object) -> Conditions:
    """Return the conditions of a quick run."""
    assert callable(factory)
    return Conditions(factory, SEED, PROFILES["quick"], timeout_s=20.0)


@pytest.mark.parametrize("name", [one.name for one in GUARANTEES if CAN.issuperset(one.needs)])
def test_the_tutorials_log_keeps_the_guarantee(name: str) -> None:
    findings = find(BY_NAME[name], conditions(Adapter), ("log",))
    assert findings.broken is None
    assert bool(findings.instances) != (name in NEVER)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [one.name for one in GUARANTEES if CAN.issuperset(one.needs)])
def test_it_keeps_the_guarantee_in_many_more_histories(name: str, rng: Random) -> None:
    many = replace(conditions(Adapter), seed=str(rng.random()), profile=PROFILES["thorough"])
    assert find(BY_NAME[name], many, ("log",)).broken is None, many.seed


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_breaks_its_guarantee_by_its_rule_in_few_events(name: str, tmp_path: Path) -> None:
    mutant, trace = MUTANTS[name], tmp_path / "t.jsonl"
    guarantee, about = BY_NAME[mutant.guarantee], conditions(mutant.adapter)
    findings = find(guarantee, about, ("log",))
    assert findings.broken is not None
    ran, rules = findings.broken.ran, findings.broken.rules
    assert mutant.rule in rules
    assert len(ran.lines) <= EVENTS_MAX
    text = str(
        broken_guarantee(guarantee, findings.broken, trace=trace, command="pytest --quorate-adapter m:F", seed=SEED)
    )
    assert f"  {mutant.rule} is violated. {BY_ID[mutant.rule].sentence}" in text
    assert f"quorate explain {trace} --rule {rules[0]}" in text
    (again,) = (line for line in text.splitlines() if line.startswith("Again:"))
    pasted = about.run(plan_of(split(again)[-1]))
    assert judged(pasted, guarantee.rules)[0] == rules


def test_there_are_mutants_enough_and_the_log_is_short() -> None:
    assert len(MUTANTS) >= 20
    assert len((MYLOG / "mylog.py").read_text().splitlines()) <= LINES_MAX


def test_every_rule_on_clients_judges_some_guarantee() -> None:
    asked = {rule for one in GUARANTEES for rule in one.rules}
    assert asked >= {name for name in BY_ID if name.startswith("client.")}
