"""Protocol texts by command: explored, walked and proved; exit codes say what came of it.

The counts are those of the text's own tests; here they pass through the command, as people and scripts see them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from spec.proof import prove
from spec.proof.inductive import finding, hint_files
from spec.proof.proofs import Proof, Status
from spec.protocols.registry import TEXTS

Output = pytest.CaptureFixture[str]


def said(capsys: Output, *words: str) -> tuple[int, str]:
    """The exit code and what was printed."""
    code = main([*words, "--quiet"])
    return code, capsys.readouterr().out


def said_json(capsys: Output, *words: str) -> tuple[int, Any]:
    """The exit code and the JSON that was printed."""
    code, text = said(capsys, *words, "--format", "json")
    return code, json.loads(text)


def test_without_a_text_they_are_listed_with_their_bounds(capsys: Output) -> None:
    assert main(["explore"]) == 0
    out = capsys.readouterr().out
    assert all(f"{name}: " in out for name in TEXTS)
    assert "--nodes 3 --replication 2" in out


def test_a_small_world_is_explored_whole(capsys: Output) -> None:
    code, found = said_json(capsys, "explore", "recovery", "--nodes", "3", "--replication=2", "--slots", "1")
    assert code == 0
    assert (found["distinct"], found["verdict"], found["complete"]) == (2_840, "holds", True)


def test_symmetry_counts_interchangeable_nodes_once(capsys: Output) -> None:
    code, found = said_json(capsys, "explore", "recovery", "--symmetry")
    assert (code, found["distinct"]) == (0, 578)


def test_a_wrong_form_is_shown_as_a_run_that_can_be_repeated(capsys: Output) -> None:
    code, text = said(capsys, "explore", "recovery", "--variant", "one_copy_is_enough")
    assert code == 1
    assert "  1. assign(slot0, value2)" in text
    assert "broken: kept_is_chosen" in text
    assert "again: quorate explore recovery --variant one_copy_is_enough" in text


def test_what_waits_for_ever_is_shown_as_a_run(capsys: Output) -> None:
    words = ["explore", "segment_iterator", "--nodes", "1", "--check", "progress"]
    code, found = said_json(capsys, *words)
    assert (code, found["verdict"], found["broken"]) == (0, "holds", None)
    assert set(found["awaited"]) == {"every_call_returns", "every_close_ends"}
    code, text = said(capsys, *words, "--variant", "caller_stops_taking")
    assert code == 1
    assert "then for ever: nothing\nbroken: every_close_ends(close=call0) waits for ever: Every Close returns." in text
    assert "again: quorate explore segment_iterator --variant caller_stops_taking --nodes 1 --check progress" in text


def test_a_text_that_says_nothing_of_the_end_is_unknown(capsys: Output) -> None:
    code, text = said(capsys, "explore", "two_phase", "--check", "progress")
    assert (code, text.splitlines()) == (2, ["the text says of nothing that it comes in the end", "unknown"])


def test_a_budget_that_ends_first_is_unknown(capsys: Output) -> None:
    code, found = said_json(capsys, "explore", "two_phase", "--managers", "8", "--budget", "0")
    assert (code, found["verdict"], found["complete"]) == (2, "unknown", False)


def test_a_checkpoint_is_resumed(capsys: Output, tmp_path: Path) -> None:
    where = str(tmp_path / "kept")
    code, _ = said_json(capsys, "explore", "recovery", "--recoveries", "2", "--budget", "0", "--checkpoint", where)
    assert code == 2
    code, found = said_json(capsys, "explore", "recovery", "--recoveries", "2", "--checkpoint", where, "--resume")
    assert (code, found["distinct"]) == (0, 727_616)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["explore", "recovery", "--nods", "3"], "--nodes"),
        (["explore", "recovery", "--nodes", "many"], "--nodes 3"),
        (["explore", "recovry"], "recovery"),
        (["explore", "recovery", "--variant", "highest_wins"], "lowest_wins"),
        (["explore", "leaseholder", "--check", "progress", "--symmetry"], "leave it out"),
        (["explore", "recovery", "--nodes", "0"], "other bounds"),
        (["explore", "recovery", "--resume"], "--checkpoint"),
        (["prove", "quorum.f_majority.sond"], "quorum.f_majority.sound"),
        (["prove", "recovry"], "recovery"),
    ],
)
def test_mistakes_are_answered_with_advice(words: list[str], advice: str, capsys: Output) -> None:
    assert main(words) == 4
    assert advice in capsys.readouterr().err


def test_a_walk_finds_a_broken_goal_and_shows_a_short_run(capsys: Output) -> None:
    words = ("walk", "recovery", "--variant", "one_copy_is_enough", "--steps", "20000", "--seed", "1")
    code, found = said_json(capsys, *words)
    assert (code, found["verdict"]) == (1, "violated")
    assert 5 <= len(found["trace"]) <= 12
    assert said_json(capsys, *words)[1] == found, "one seed, one walk"


def test_a_walk_that_breaks_nothing_proves_nothing(capsys: Output) -> None:
    code, found = said_json(capsys, "walk", "recovery", "--steps", "2000")
    assert (code, found["verdict"], found["trace"]) == (2, "unknown", [])


def test_a_simulated_run_takes_only_steps_of_the_proved_text(capsys: Output) -> None:
    code, found = said_json(capsys, "simulate", "--refine", "--events", "3000", "--seed", "3")
    assert (code, found["verdict"]) == (0, "holds")
    assert found["by_action"]["plan"] > 0
    assert (found["delivery"]["by_action"]["deliver"] > 0, found["delivery"]["broken"]) == (True, None)


def test_a_step_that_the_text_does_not_have_is_shown_with_both_states(capsys: Output) -> None:
    code, text = said(capsys, "simulate", "--refine", "--mutant", "digest_of_too_few_nodes", "--events", "5000")
    assert code == 1
    assert "The machine: the recovery of log" in text
    assert "no f-majority of the nodeset" in text


def test_a_text_is_proved_from_its_hints(capsys: Output) -> None:
    code, found = said_json(capsys, "prove", "two_phase")
    assert (code, found["verdict"]) == (0, "holds")
    assert all(one["hinted"] for text in found["texts"] for one in text["conditions"])


def test_hints_without_a_proof_are_not_kept(capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The condition is named, the exit code says that nothing was decided, and no file is written."""
    monkeypatch.setattr(hint_files, "HINTS", tmp_path)
    assert main(["prove", "two_phase", "--find-hints", "--quiet"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["two_phase.json"]
    (tmp_path / "two_phase.json").unlink()
    monkeypatch.setattr(finding, "find", lambda _: None)
    assert main(["prove", "two_phase", "--find-hints", "--quiet"]) == 2
    assert "no proof was found of start/" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_one_condition_is_proved_by_its_name(capsys: Output) -> None:
    code, found = said_json(capsys, "prove", "recovery/plan/choice_is_safe")
    assert code == 0
    assert [one["name"] for one in found["texts"][0]["conditions"]] == ["plan/choice_is_safe"]


def test_a_wrong_form_is_refuted_by_a_state_and_a_step(capsys: Output) -> None:
    code, text = said(capsys, "prove", "recovery/plan/choice_is_safe", "--variant", "lowest_wins")
    assert code == 1
    assert "step: plan(" in text
    assert "broken: choice_is_safe" in text


def test_a_theorem_and_a_family_of_theorems_are_proved_by_name(capsys: Output) -> None:
    code, found = said_json(capsys, "prove", "quorum.f_majority")
    assert code == 0
    assert {one["id"].rpartition(".")[0] for one in found["theorems"]} == {"quorum.f_majority"}
    assert found["texts"] == []


def test_what_does_not_follow_is_shown_by_its_smallest_world(capsys: Output) -> None:
    code, text = said(capsys, "prove", "quorum.f_majority.need_not_meet")
    assert code == 0
    assert text.startswith("refuted")


@pytest.mark.parametrize(("status", "code"), [(Status.PROVED, 0), (Status.REFUTED, 1), (Status.UNDECIDED, 2)])
def test_a_theorem_that_is_refuted_is_told_from_one_that_is_not_decided(
    capsys: Output, monkeypatch: pytest.MonkeyPatch, status: Status, code: int
) -> None:
    """``spec.verdicts.ExitCode``: 1 is violated, 2 unknown."""
    monkeypatch.setattr(prove, "proofs_of", lambda theorem: iter([Proof(theorem, "any number", status, 0.0)]))
    assert said(capsys, "prove", "quorum.f_majority.sound")[0] == code


def test_everything_that_can_be_proved_is_listed(capsys: Output) -> None:
    assert main(["prove", "--list"]) == 0
    out = capsys.readouterr().out
    assert "quorum.f_majority.sound: " in out
    assert "recovery: " in out
