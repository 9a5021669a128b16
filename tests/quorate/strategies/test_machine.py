"""The state machine keeps quiet about a log that is right, and tells a small history of one that is not.

Justified by docs/reference/strategies.md; Hypothesis, Stateful tests and The example database.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from quorate.strategies import hold, machine_of
from quorate.suite.steps import Step
from quorate.suite.telling import GuaranteeBroken
from tests.support.mylog_mutants import MUTANTS, Adapter

FEW = settings(max_examples=15, stateful_step_count=12, database=None, deadline=None)
STEPS_MAX = 9
"""Steps of a small history, with the three at its end."""


def test_a_log_that_is_right_keeps_every_rule(tmp_path: Path) -> None:
    run_state_machine_as_test(machine_of(Adapter, traces=tmp_path), settings=FEW)
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_is_wrong_is_told_in_few_named_steps_that_can_be_pasted(tmp_path: Path) -> None:
    lossy = MUTANTS["TrimsTooMuch"].adapter
    machine = machine_of(lossy, "trim_honest", traces=tmp_path)
    searching = settings(FEW, max_examples=100, stateful_step_count=8, phases=[Phase.generate, Phase.shrink])
    with pytest.raises(GuaranteeBroken) as broken:
        run_state_machine_as_test(machine, settings=searching)
    text, notes = str(broken.value), broken.value.__notes__
    assert "client.read.acked_is_delivered is violated" in text
    assert any(note.startswith("state.trim(step=Trim(known=0))") for note in notes)
    assert any(note.startswith("state.begin(made=Made(w1") for note in notes)
    (again,) = (line for line in text.splitlines() if line.startswith("Again:"))
    steps = shlex.split(again)[-1]
    assert len(steps.split(";")) <= STEPS_MAX
    with pytest.raises(GuaranteeBroken):
        hold(lossy, steps, traces=tmp_path)


def test_what_an_adapter_cannot_do_has_no_step(tmp_path: Path) -> None:
    class Mute(Adapter):
        trim = None  # type: ignore[assignment]
        tail = None  # type: ignore[assignment]

    taken: list[str] = []

    class Noting(machine_of(Mute, "trim_honest", traces=tmp_path)):  # type: ignore[misc]
        def do(self, step: Step) -> None:
            taken.append(type(step).__name__)
            super().do(step)

    run_state_machine_as_test(Noting, settings=FEW)
    assert {"Append", "Seek"} <= set(taken)
    assert "Trim" not in taken
