"""Every protocol text is proved for any number of elements, by two solvers, quickly and with several seeds.

Justified by the texts in ``spec/protocols``, which cite their sources. Hint files are found again by
``pytest tests/spec/proof/inductive/test_texts_are_proved.py --rewrite``.
"""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from spec.proof.inductive import Report, find_hints, prove, read_hints, write_hints
from spec.proof.inductive.conditions import conditions
from spec.proof.inductive.logic import Logic
from spec.proof.inductive.questions import proofs_of
from spec.proof.inductive.settling import Asker
from spec.proof.inductive.solvers import REPLAY_MS, SolverName
from spec.protocols.registry import TEXTS

pytestmark = pytest.mark.z3

second_solver = pytest.mark.skipif(find_spec("cvc5") is None, reason="cvc5 is not installed (extra second-solver)")


@pytest.mark.parametrize("name", TEXTS)
def test_hints_are_of_this_text_and_this_solver(name: str, request: pytest.FixtureRequest) -> None:
    """A hint file that no longer fits its text is noticed; run with --rewrite to find the hints again."""
    text = TEXTS[name].protocol
    if request.config.getoption("--rewrite", default=False):
        pytest.importorskip("cvc5", reason="hints are found for both solvers")
        before = read_hints(text)
        write_hints(text, find_hints(text, ("z3", "cvc5"), known=before.hints if before else None))
    kept = read_hints(text)
    assert kept is not None, f"{name} has no hints yet: run this test with --rewrite"
    assert kept.stale(text) == ""
    assert list(kept.hints) == [condition.name for condition in conditions(Logic(text))]
    assert all({"z3", "cvc5"} <= set(hint.engines) for hint in kept.hints.values())


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_proved_from_its_hints(name: str) -> None:
    """Invariants hold at the start and after every action, goals follow; no proof had to be searched."""
    report = prove(TEXTS[name].protocol)
    assert (report.status, report.searched, report.stale) == ("holds", [], "")


SEEDS: dict[SolverName, tuple[int, ...]] = {"z3": (1, 2, 3), "cvc5": (0,)}
"""The seeds with which each solver proves everything here; twenty are asked where answers are recorded."""


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow] * (one == "epoch")) for one in TEXTS])
@pytest.mark.parametrize("solver", ["z3", pytest.param("cvc5", marks=[second_solver, pytest.mark.thorough])])
def test_other_seeds_and_a_second_solver_prove_it_too(solver: SolverName, name: str) -> None:
    """Each condition from its hint alone: a proof that needs luck is none to rely on. cvc5 shares nothing with z3."""
    proofs = proofs_of(TEXTS[name].protocol)
    askers = [Asker(solver, seed, REPLAY_MS) for seed in SEEDS[solver]]
    missed = [(one.name, by.seed) for by in askers for one in proofs.conditions if not proofs.replays(one, by)]
    assert proofs.conditions
    assert missed == []


@second_solver
def test_both_solvers_are_asked() -> None:
    """Each about every condition, and each is named where it answers."""
    report = prove(TEXTS["two_phase"].protocol, solver="both")
    assert (report.status, report.searched) == ("holds", [])
    assert [one.solver for one in report.conditions] == ["z3"] * 50 + ["cvc5"] * 50
    assert set(report.versions) == {"z3", "cvc5"}


def test_hints_are_a_convenience() -> None:
    """Without any hint, z3 finds all proofs itself; of every text that is asked where answers are recorded."""
    report = prove(TEXTS["two_phase"].protocol, hints={})
    assert report.status == "holds"
    assert len(report.searched) == len(report.conditions) == 50


def test_a_report_is_json() -> None:
    """What the command prints can be read by programs; progress says what is done and what came of it."""
    steps: list[tuple[int, int, str]] = []
    report = prove(TEXTS["two_phase"].protocol, progress=lambda done, of, one: steps.append((done, of, one.name)))
    read = json.loads(json.dumps(report.to_json()))
    assert (read["text"], read["status"]) == ("TwoPhase", "holds")
    assert [one["name"] for one in read["conditions"]] == [name for _, _, name in steps]
    assert steps[-1][:2] == (len(steps), len(steps))
    assert set(read["conditions"][0]) == {"name", "status", "solver", "engine", "hinted", "hypotheses", "cpu_s"}


def test_nothing_to_prove_is_no_pass() -> None:
    """A report without conditions is unknown, not a success."""
    assert prove(TEXTS["two_phase"].protocol, only=lambda _: False).status == "unknown"
    assert Report("nothing", {}, ()).status == "unknown"


def test_too_little_time_is_no_verdict() -> None:
    """A proof that is not found in time is unknown, for a true condition has no counter-model."""
    text, hard = TEXTS["recovery"].protocol, "plan/choice_is_safe"
    report = prove(text, hints={}, timeout_ms=1, only=lambda condition: condition.name == hard)
    assert (report.status, report.conditions[0].counter) == ("unknown", None)
