"""The second solver is optional: where it is absent, that is said, and nothing is passed instead.

Justified by the house rule that bad input gives a named error, never a pass.
"""

from __future__ import annotations

import importlib

import pytest

from spec.proof.inductive import SecondSolverMissing, prove
from spec.proof.inductive.conditions import conditions
from spec.proof.inductive.logic import Logic
from spec.proof.inductive.solvers import ask, smt_lib
from spec.protocols.two_phase import TwoPhase

pytestmark = pytest.mark.z3


@pytest.mark.parametrize("solver", ["cvc5", "both"])
def test_an_absent_solver_is_a_named_error(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install or what to ask instead."""

    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(SecondSolverMissing, match=r"install quorate\[second-solver\], or ask for z3 alone"):
        prove(TwoPhase, solver=solver)  # type: ignore[arg-type]  # a parameter of the test


def test_questions_are_plain_smt_lib() -> None:
    """Any solver can read them: sorts, symbols, assertions, and one question."""
    condition = next(one for one in conditions(Logic(TwoPhase)) if one.name == "obey/committed_was_decided")
    question = smt_lib(condition, ["guard 0"])
    assert question.startswith("(set-logic ALL)\n")
    assert "(declare-sort Manager 0)" in question
    assert question.count("(check-sat)") == 1


def test_the_second_solver_proves_nothing_false() -> None:
    """Without the guard, the condition does not follow."""
    pytest.importorskip("cvc5", reason="the second solver is not installed (extra second-solver)")
    condition = next(one for one in conditions(Logic(TwoPhase)) if one.name == "obey/committed_was_decided")
    assert ask(condition, ["guard 0", "committed_was_decided"], "cvc5", "default", 3000)
    assert not ask(condition, ["committed_was_decided"], "cvc5", "default", 3000)
