"""A condition that fails is shown: a small state, a step, and what it breaks, which the run reading plays again.

Justified by ``spec.language.protocol.meaning``; the wrong texts are the variants in ``spec/protocols`` and every text
without one of its guards.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from spec.language.protocol.mutants import without_one_guard
from spec.language.protocol.running import PackedWorld
from spec.language.protocol.text import Protocol
from spec.proof.inductive import CounterModel, prove
from spec.proof.inductive.mutation import variants, without_guards
from spec.protocols.recovery_variants import OneCopyIsEnough, SealStopsOnlyTheSequencer
from spec.protocols.registry import TEXTS
from tests.suite.caught import Catches

pytestmark = pytest.mark.z3

WRONG = [(name, variant) for name, text in TEXTS.items() for variant in text.variants]

UNNOTICED = {
    "recovery": {
        "assign without guard 3": "slots are filled in order so that there are fewer states; a gap is no danger",
        "assign without guard 4": "the last slot is kept for the bridge so that small worlds can end their epoch",
        "seal without guard 0": "the sequencer never plans, so its seals bind nobody",
        "seal without guard 1": "a seal below a later one changes nothing: what it forbids is forbidden already",
    },
    "streams": {
        "assign without guard 4": "as in recovery, whose text it is; a gap is a danger here, for it breaks streams",
        "assign_in_stream without guard 4": "as assign",
        "seal without guard 0": "as in recovery",
        "seal without guard 1": "as in recovery",
    },
    "mutation": {
        "assign without guard 3": "as in recovery, whose text it is",
        "assign without guard 4": "as in recovery",
        "store without guard 2": "a copy on a read-only node is a copy; that it takes none is its own business",
        "seal without guard 0": "as in recovery",
        "seal without guard 1": "as in recovery",
        "plan without guard 3": "a recovery that cannot write enough copies does not finish, which harms nobody",
    },
    "appending": {
        "begin_wave without guard 1": "who is down when a wave is sent stores it later, or another wave follows",
        "store without guard 0": "a copy on a node that is down is a copy",
    },
    "epoch": {
        "assign without guard 4": "as in recovery, whose text it is",
        "assign_in_stream without guard 4": "as assign",
        "seal without guard 0": "as in recovery",
        "seal without guard 1": "as in recovery",
    },
    "two_phase": {
        "prepare without guard 0": "a manager that prepares again withdraws nothing: what it sent was sent",
        "hear without guard 0": "what the coordinator hears after its decision changes nothing",
    },
}
"""Dropped guards that no proof notices: they bound or pace the text, or other guards say as much."""


def guarded(text: type[Protocol]) -> list[str]:
    """The actions that have guards."""
    return [action for action, clauses in text.clauses.items() if clauses.requires]


GUARDED = [(name, action) for name, text in TEXTS.items() for action in guarded(text.protocol)]
"""Every action that has guards, of every text."""


def test_every_exception_is_of_an_action_with_guards() -> None:
    """No exception is named for nothing."""
    named = {(name, one.split()[0]) for name, exceptions in UNNOTICED.items() for one in exceptions}
    assert named <= set(GUARDED)


def replayed(counter: CounterModel) -> bool:
    """Say whether the compiled run reading makes the same step, and lands in the same state."""
    if counter.step is None:
        return True
    machine = PackedWorld(counter.world)
    found = {str(move.step): after for move, after in machine.successors(machine.pack(counter.before))}
    return machine.unpack(found[str(counter.step)]) == counter.after


@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), WRONG)
def test_a_wrong_text_is_refuted(name: str, variant: str, catches: Catches) -> None:
    """Each variant breaks a condition, with a counter-model, not merely for want of time."""
    text = TEXTS[name]
    (killed,) = variants(text.protocol, {variant: text.variants[variant]}, whole=False)
    assert killed.fate == "refuted", killed
    assert killed.counter is not None
    assert killed.counter.replays()
    assert replayed(killed.counter)
    catches("form", f"{name}/{variant}", "proof")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "action"), GUARDED)
def test_every_guard_is_missed(name: str, action: str, catches: Catches) -> None:
    """Without a guard some condition is refuted; the exceptions are named, each with its reason."""
    wrong = without_guards(TEXTS[name].protocol, only=action.__eq__, whole=False)
    table = {killed.name: killed for killed in wrong}
    assert table
    unnoticed = {one for one in UNNOTICED.get(name, {}) if one.split()[0] == action}
    assert {one for one, killed in table.items() if killed.fate == "survives"} == unnoticed
    assert [one for one, killed in table.items() if killed.fate == "not proved"] == []
    for killed in table.values():
        if killed.counter is not None:
            assert replayed(killed.counter)
            catches("guard", f"{name}: {killed.name}", "proof")


FOR_PROGRESS = [
    ("leaseholder", "send without guard 0", "every_close_ends", "is left to do after send"),
    ("leaseholder", "acquire without guard 3", "every_close_ends", "is left to do after acquire"),
    ("segment_iterator", "open without guard 0", "every_call_returns", "is left to do after open"),
    ("segment_iterator", "send without guard 1", "every_close_ends", "is left to do after send"),
]
"""Guards without which work comes back that was done, of what end, and what is said of it."""


@pytest.mark.parametrize(("name", "guard", "clause", "why"), FOR_PROGRESS)
def test_what_comes_in_the_end_needs_guards_too(name: str, guard: str, clause: str, why: str) -> None:
    """Without one a step leaves more to do than there was, in a state that the run reading reaches by the same step."""
    (mutant,) = (one for one in without_one_guard(TEXTS[name].protocol) if str(one) == guard)
    condition = f"{mutant.action}/{clause}"
    report = prove(mutant.protocol, hints={}, only=lambda one: one.name == condition)
    (failed,) = report.unproved
    assert failed.counter is not None
    assert failed.counter.replays()
    assert replayed(failed.counter)
    assert why in str(failed.counter)


def test_work_that_cannot_be_done_is_shown_without_a_step() -> None:
    """The caller takes nothing any more, so that what was sent stays on its way."""
    wrong = TEXTS["segment_iterator"].variants["caller_stops_taking"]
    report = prove(wrong, hints={}, only=lambda one: one.name == "progress/every_close_ends")
    (failed,) = report.unproved
    assert failed.counter is not None
    assert failed.counter.step is None
    assert "is left to do, and needs not (The iterator was asked to close)" in str(failed.counter)
    right = replace(failed.counter, world=replace(failed.counter.world, protocol=TEXTS["segment_iterator"].protocol))
    assert not right.replays()


def test_a_broken_invariant_reads_as_a_story() -> None:
    """Sets, what held before, the step and what it changed, and the elements for which the claim is false."""
    report = prove(SealStopsOnlyTheSequencer, only=lambda condition: condition.name == "plan/choice_is_safe")
    (failed,) = report.unproved
    assert failed.counter is not None
    lines = str(failed.counter).splitlines()
    assert [line for line in lines if line.startswith("with copyset0 = {")]
    assert "before:" in lines
    assert [line for line in lines if line.startswith("step: plan(writer")]
    assert [line for line in lines if line.startswith("  now writer")]
    assert lines[-1].startswith("broken: choice_is_safe(old=")
    assert f"step: {failed.to_json()['counter_model']['step']}" in lines


def test_a_goal_is_broken_in_a_state_without_a_step() -> None:
    """The invariants hold and the goal does not."""
    report = prove(OneCopyIsEnough, only=lambda condition: condition.name == "goal/acked_is_never_beyond")
    (failed,) = report.unproved
    assert failed.status == "violated"
    assert failed.counter is not None
    assert failed.counter.step is None
    assert "step" not in str(failed.counter)


def test_a_counter_model_that_was_tampered_with_does_not_replay() -> None:
    """Replaying is a check that can fail: another step, another state, or a text in which the step is right."""
    wrong = TEXTS["two_phase"].protocol
    killed = next(one for one in without_guards(wrong) if one.name == "obey without guard 0")
    counter = killed.counter
    assert counter is not None
    assert counter.replays()
    assert not replace(counter, before=counter.after).replays()
    assert not replace(counter, world=replace(counter.world, protocol=wrong)).replays()
