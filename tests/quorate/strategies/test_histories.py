"""What Hypothesis makes is what a seed makes: the same histories, with rare things in them, and whole.

Justified by docs/reference/strategies.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.strategies import Focus, Plan, faults, histories, hold, plan_of, schedules, text_of
from quorate.suite.planning import LAST_READER
from quorate.suite.steps import FAULTS, Drain, Fault, Seek
from quorate.suite.telling import GuaranteeBroken
from tests.support.mylog_mutants import MUTANTS, Adapter

PAGE = (Path(__file__).parents[3] / "docs/reference/strategies.md").read_text()
NODES = ("n1", "n2")


def is_undone(plan: Plan) -> bool:
    """Say whether each fault is undone, before its node has another one."""
    hurt = dict[str, str]()
    for step in plan:
        if isinstance(step, Fault) and step.what in FAULTS:
            assert hurt.setdefault(step.node, step.what) == step.what
        elif isinstance(step, Fault):
            assert step.what == FAULTS[hurt.pop(step.node)]
    return not hurt


@settings(max_examples=30)
@given(histories(Focus({"fault": 10}, faults=tuple(FAULTS)), NODES))
def test_a_history_is_whole_and_can_be_pasted(plan: Plan) -> None:
    assert is_undone(plan)
    assert plan[-3:-1] == (Seek(LAST_READER, "beginning"), Drain(LAST_READER))
    assert plan_of(text_of(plan)) == plan


@settings(max_examples=30)
@given(faults(NODES, most=2))
def test_faults_are_few_and_undone(plan: Plan) -> None:
    assert is_undone(plan)
    assert sum(isinstance(step, Fault) and step.what in FAULTS for step in plan) <= 2


@settings(max_examples=30)
@given(st.data(), histories(steps_max=5), faults(NODES))
def test_a_schedule_keeps_the_order_of_each(data: st.DataObject, one: Plan, other: Plan) -> None:
    steps = list(data.draw(schedules(one, st.just(other))))
    assert sorted(map(str, steps)) == sorted(map(str, one + other))
    for plan in (one, other):
        left = iter(steps)
        assert all(step in left for step in plan)


def test_what_no_guarantee_is_called_is_refused() -> None:
    with pytest.raises(ValueError, match="no guarantee is called 'no_los'; there are no_loss"):
        histories("no_los")


def test_holding_gives_the_run_or_tells_the_story(tmp_path: Path) -> None:
    steps = "w1 append a; w1 append b; w1 append c; r1 drain"
    assert len(hold(Adapter, steps, traces=tmp_path).events) == 11
    with pytest.raises(GuaranteeBroken, match=r"--quorate-steps 'w1 append a; w1 append b; w1 append c; r1 drain'"):
        hold(MUTANTS["LosesEverySecond"].adapter, steps, traces=tmp_path)


def test_the_examples_on_the_page_are_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    machine, own = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    known: dict[str, type] = {}
    exec(compile(machine, "strategies.md", "exec"), known)  # noqa: S102 - the page is ours
    assert known["TestMyLog"].__name__ == "MachineOfAdapter.TestCase"
    exec(compile(own, "strategies.md", "exec"), known)  # noqa: S102 - the page is ours
    settings(max_examples=10, database=None)(known["test_retries_survive_crashes"])()
