"""Every protocol text is proved for any number of elements, by two solvers, quickly and whatever the seed.

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
from spec.proof.inductive.stability import stability
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


@second_solver
@pytest.mark.parametrize("name", TEXTS)
def test_a_second_solver_proves_it_too(name: str) -> None:
    """cvc5 shares nothing with z3 but the question."""
    report = prove(TEXTS[name].protocol, solver="cvc5")
    assert (report.status, report.searched) == ("holds", [])
    assert all(one.solver == "cvc5" for one in report.conditions)


FROM_HINTS_ONLY = {
    "epoch": {
        "declare_clean/majority_has_the_outcome",
        "declare_clean/outcome_is_counted_on",
        "declare_clean/released_has_a_copyset",
        "declare_clean/some_copyset_is_waited_for",
        "declare_clean/stored_is_waited_for",
        "drop/majority_has_the_outcome",
        "drop/reported_is_lost",
        "goal/acked_survives",
        "goal/finished_is_final",
        "goal/reads_repeat",
        "learn/some_copyset_is_waited_for",
        "learn/stored_is_waited_for",
        "lemma/acked_is_shown",
        "lemma/end_is_doomed",
        "lemma/missing_is_stopped",
        "lemma/only_the_outcome_is_counted",
        "lemma/outcome_is_counted",
        "lemma/outcome_ends_there",
        "lemma/outcome_is_shown",
        "lemma/unseen_is_safe",
        "lemma/untold_is_stopped",
        "lemma/winner_is_safe",
        "plan/choice_is_safe",
        "plan/nothing_beyond_a_bridge",
        "report/reported_is_lost",
        "report_by_majority/reported_is_lost",
    },
    "streams": {
        "assign/choice_is_safe",
        "assign_in_stream/choice_is_safe",
        "goal/finished_bridge_is_final",
        "goal/finished_is_final",
        "lemma/broken_is_undone",
        "lemma/missing_is_stopped",
        "lemma/settled_is_chosen",
        "plan/choice_is_safe",
        "plan/nothing_beyond_a_bridge",
        "plan/proposed is a function",
        "plan/streams_are_whole",
    },
}
"""What is found late, by luck, or from a hint of an earlier form of the text: too much is near the claim."""


ONE_OF = {"epoch": 4}
"""Of the largest text one condition in so many is searched: all of them take eight minutes."""


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.slow] * (one in FROM_HINTS_ONLY)) for one in TEXTS]
)
def test_hints_are_a_convenience(name: str) -> None:
    """Without any hint, z3 finds all proofs itself; the exceptions are named."""
    far, step = FROM_HINTS_ONLY.get(name, set()), ONE_OF.get(name, 1)
    wanted = [one.name for one in conditions(Logic(TEXTS[name].protocol)) if one.name not in far][::step]
    report = prove(TEXTS[name].protocol, hints={}, only=lambda condition: condition.name in wanted)
    assert [one.name for one in report.conditions if one.status != "holds"] == []
    assert len(report.searched) == len(report.conditions) == len(wanted)


@pytest.mark.parametrize("name", TEXTS)
def test_three_seeds_change_nothing(name: str) -> None:
    """A proof that needs luck is none to rely on."""
    assert stability(TEXTS[name].protocol, range(1, 4), "z3").failed == {}


@second_solver
@pytest.mark.slow
@pytest.mark.parametrize("five", range(4))
@pytest.mark.parametrize("name", [name for name in TEXTS if name not in ("mutation", "appending")])
def test_twenty_seeds_change_nothing(name: str, five: int) -> None:
    """Both solvers, each condition from its hint alone; ``mutation`` has those of recovery, ``appending`` easy ones."""
    found = stability(TEXTS[name].protocol, range(5 * five, 5 * five + 5), "both")
    assert (found.failed, found.share) == ({}, 1.0)


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
