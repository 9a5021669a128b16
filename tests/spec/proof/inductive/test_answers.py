"""Long questions about the proofs have recorded answers: a sample is asked again, and everything where that is needed.

Justified by the house rule that a check that cannot fail is a defect: hypotheses that are not needed, invariants that
nothing uses and proofs that need luck are found here. ``pytest tests/spec/proof/inductive/test_answers.py --rewrite``
asks everything and records the answers; ``-k`` with the name of a text does so for one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random

import pytest

from spec.proof.inductive import Hint, answers, find_hints
from spec.proof.inductive.answers import Answer, fingerprint, read_answers, write_answer
from spec.proof.inductive.questions import QUESTIONS, Asked, Proofs, idle, proofs_of, spared, unfound, unstable
from spec.protocols.registry import TEXTS
from tests.support.lamps import Gloom, Lamps

pytestmark = pytest.mark.z3

IDLE = {
    "appending": {
        "recipients_alone_have_it": "a promise in its own right: it pins the guards of store",
        "what_stays_was_sent": "a promise in its own right: it pins the guards of begin_wave",
    },
    "ledger": {
        "confirmed_lies_before": "a promise in its own right: it pins the guards of accept",
        "metadata_comes_first": "a promise in its own right: it pins the guard of tell",
        "reads_follow_the_fence": "a promise in its own right: it pins the guard of read",
        "reads_are_in_order": "a promise in its own right: it pins the order of reads",
    },
    "ensemble_change": {
        "confirmed_lies_before": "as in ledger",
        "ensembles_are_registered": "a promise in its own right: who is no fragment's member is sent nothing",
        "schedule_is_kept": "a promise in its own right: it pins the guards of accept and restore",
        "reads_are_in_the_last_fragment": "a promise in its own right: it pins the guards of read",
        "reads_are_in_order": "as in ledger",
        "restored_in_the_last_fragment": "a promise in its own right: it pins the guards of restore",
        "recovered_end_is_missing": "a promise in its own right: it pins the guards of finish",
    },
    "streams": {
        "sequencer_leaves_no_gap": "a promise in its own right: it pins the guards of assign and assign_in_stream",
    },
    "epoch": {
        "sequencer_leaves_no_gap": "as in streams",
        "majority_has_the_acked": "a promise in its own right: what copysets name shows that recoveries see the record",
    },
    "leaseholder": {
        "ends_once": "a promise in its own right: it pins the guards of close and cancel",
        "closed_was_asked": "a promise in its own right: it pins the guard of close",
    },
    "segment_iterator": {"denied_is_executed": "a promise in its own right: it pins the guards of agree and deny"},
}
"""Invariants that no other proof uses, and why they are there."""

SAMPLE = {"spared": 5, "idle": 2, "unfound": 2, "unstable": 3}
"""Of so many things each question is asked again."""

BY_SPEED = {"unfound": 0.01}
"""What share of the answers hangs on how fast the machine is: what is found soon on one is not on another."""

EVERY = [(name, question) for name in TEXTS for question in QUESTIONS]

proofs = cache(lambda name: proofs_of(TEXTS[name].protocol))
mark_of = cache(lambda name: fingerprint(proofs(name)))


def exceptions(asked: Asked, things: Collection[str]) -> tuple[str, ...]:
    """The things for which the answer is not the usual one."""
    return tuple(thing for thing in things if asked[thing]())


@pytest.mark.parametrize(("name", "question"), EVERY)
def test_every_exception_has_its_reason(name: str, question: str) -> None:
    """Nothing is spared or unstable, and what is idle is named above.

    Proofs that are found from a hint only are allowed: that they are stable shows that the hint is enough.
    """
    expected = IDLE.get(name, {}) if question == "idle" else {}
    assert question == "unfound" or set(read_answers()[name][question].exceptions) == set(expected)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "question"), EVERY)
def test_a_sample_is_as_recorded(name: str, question: str, rng: Random) -> None:
    """Everything, if the text, its hints, the way of asking or a solver is another one; then --rewrite records it."""
    asked, kept = QUESTIONS[question](proofs(name)), read_answers()[name][question]
    same = kept.fingerprint == mark_of(name)
    things = rng.sample([*asked], min(SAMPLE[question], len(asked))) if same else [*asked]
    assert len(asked) == kept.asked, "renew with --rewrite"
    assert exceptions(asked, things) == tuple(one for one in things if one in kept.exceptions), "renew with --rewrite"


@pytest.mark.thorough
@pytest.mark.costly("asks everything of which make test asks a sample")
@pytest.mark.parametrize(("name", "question"), EVERY)
def test_everything_is_as_recorded(name: str, question: str, request: pytest.FixtureRequest) -> None:
    asked = QUESTIONS[question](proofs(name))
    answer = Answer(mark_of(name), len(asked), exceptions(asked, asked))
    if request.config.getoption("--rewrite"):
        write_answer(name, question, answer)
    kept = read_answers()[name][question]
    assert replace(kept, exceptions=()) == replace(answer, exceptions=()), "renew with --rewrite"
    differing = set(kept.exceptions) ^ set(answer.exceptions)
    assert len(differing) <= BY_SPEED.get(question, 0) * kept.asked, f"renew with --rewrite: {sorted(differing)}"


def test_exceptions_are_noticed() -> None:
    """A hypothesis too many, an invariant that nobody uses, a claim without a proof, a hint that proves nothing."""
    hints = find_hints(Lamps)
    lamps, found = Proofs(Lamps, hints), partial(lambda asked: exceptions(asked, asked))
    assert found(spared(lamps)) == found(unfound(lamps)) == found(unstable(lamps, ["z3"], [1, 2])) == ()
    assert found(idle(lamps)) == ("light_is_light",)
    fat = Hint((*hints["goal/dark_is_lit"].hypotheses, "light_is_light"), {"z3": "matching"})
    assert found(spared(Proofs(Lamps, {"goal/dark_is_lit": fat}))) == ("goal/dark_is_lit without light_is_light",)
    gloom = Proofs(Gloom, hints | {"darken/none_is_dark": Hint(())})
    assert found(unfound(gloom)) == ("darken/none_is_dark",)
    assert "darken/none_is_dark by z3" in found(unstable(gloom, ["z3"], [7]))


def test_a_fingerprint_is_of_what_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of conditions, hints, the way of asking and the solvers; not of what is said to people only."""
    hints = find_hints(Lamps)
    usual = fingerprint(Proofs(Lamps, hints))
    assert fingerprint(Proofs(Gloom, hints)) != usual
    assert fingerprint(Proofs(Lamps, hints | {"goal/dark_is_lit": Hint(())})) != usual
    copies = [tmp_path / path.name for path in answers.ASKING]
    for copy, path in zip(copies, answers.ASKING, strict=True):
        copy.write_text(f'"""Other words for people."""\n# and more\n{path.read_text("utf-8")}', "utf-8")
    monkeypatch.setattr(answers, "ASKING", copies)
    assert fingerprint(Proofs(Lamps, hints)) == usual
    copies[0].write_text(f"{copies[0].read_text('utf-8')}\nAGAIN_MS = 1\n", "utf-8")
    assert fingerprint(Proofs(Lamps, hints)) != usual
    monkeypatch.undo()
    monkeypatch.setattr(answers, "version", lambda solver: f"{solver} 0")
    assert fingerprint(Proofs(Lamps, hints)) != usual


def test_answers_survive_their_file(tmp_path: Path) -> None:
    """One answer is entered and all others stay."""
    path, one, other = tmp_path / "answers.json", Answer("ab", 3, ("x",)), Answer("cd", 0, ())
    write_answer("lamps", "spared", one, path)
    write_answer("lamps", "idle", one, path)
    write_answer("gloom", "idle", one, path)
    write_answer("lamps", "idle", other, path)
    assert read_answers(path) == {"lamps": {"spared": one, "idle": other}, "gloom": {"idle": one}}
    assert list(tmp_path.iterdir()) == [path]
