"""Known bugs by command: listed, found and told; exit codes say what came of it.

That each bug is found, and that its guard closes it, is the test of the search itself.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli import main
from spec.protocols.known_bugs import KNOWN_BUGS, STEPS_MAX
from tests.suite.caught import Catches

Output = pytest.CaptureFixture[str]


def test_without_a_name_they_are_listed(capsys: Output) -> None:
    assert main(["bugs"]) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == list(KNOWN_BUGS)
    assert main(["bugs", "--format", "json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == list(KNOWN_BUGS)


def test_a_bug_is_told_step_by_step(capsys: Output) -> None:
    """With the guard that is missing, what breaks, where the right text parts, and a line that does it again."""
    assert main(["bugs", "extras-stall", "--quiet"]) == 1
    out = capsys.readouterr().out
    assert "the guard that is missing: A record is released only when the first recipient" in out
    assert "  5. release(slot0)" in out
    assert "broken: first_recipient_has_it" in out
    assert "At step 5 the right text parts from it" in out
    again = out.partition("again: quorate ")[2].partition("\n")[0]
    assert main([*again.split(), "--quiet"]) == 1
    assert "broken: first_recipient_has_it" in capsys.readouterr().out


def test_bugs_for_machines(capsys: Output) -> None:
    assert main(["bugs", "extras-stall", "leader-stall", "--quiet", "--format", "json"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["verdict"], first["parts_at"], len(first["trace"])) == ("violated", 5, 5)
    assert second["broken"].startswith("nothing_waits_for_the_dead")


def test_a_budget_that_ends_first_is_unknown(capsys: Output) -> None:
    assert main(["bugs", "filtered-before-bridges", "--budget", "0", "--quiet"]) == 2
    assert "were not enough" in capsys.readouterr().out
    assert main(["bugs", "filtered-before-bridges", "--budget", "0", "--quiet", "--format", "json"]) == 2
    assert json.loads(capsys.readouterr().out)[0]["verdict"] == "unknown"


def test_what_cannot_be_meant_is_refused(capsys: Output) -> None:
    assert main(["bugs", "extra-stall", "--quiet"]) == 4
    assert "did you mean extras-stall" in capsys.readouterr().err
    assert main(["bugs", "extras-stall", "--all", "--quiet"]) == 4
    assert main(["bugs", "--machine", "--quiet"]) == 4
    assert main(["bugs", "leader-stall", "--machine", "--quiet"]) == 4
    assert main(["bugs", "extras-stall", "--output", "run.jsonl", "--quiet"]) == 4
    assert "nothing is recorded of a text" in capsys.readouterr().err
    assert main(["explore", "reads", "--goal", "no_copy_is_passed", "--quiet"]) == 4
    assert "did you mean no_copy_is_passed_over" in capsys.readouterr().err


def test_a_bug_is_told_from_a_run_of_the_machine(capsys: Output, tmp_path: Path) -> None:
    """The smallest run that was found is recorded, explained, and judged again by its line."""
    path = tmp_path / "run.jsonl"
    assert main(["bugs", "seal-not-durable", "--machine", "--quiet", "--output", str(path)]) == 1
    out = capsys.readouterr().out
    assert "acts, none of which can be left out:" in out
    assert "log.seal.fences: violated" in out
    again = out.partition("Replay:   quorate ")[2].partition("\n")[0]
    assert main([*again.split(), "--quiet"]) == 1


@pytest.mark.costly("looks at many runs, and at many parts of one")
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, bug in KNOWN_BUGS.items() if bug.mutant])
def test_what_is_told_of_a_run_is_short(name: str, capsys: Output, tmp_path: Path, catches: Catches) -> None:
    """Twelve steps at most tell the story, in which what nodes do alike is one step; few runs are looked at.

    So many runs and parts of them take less than a minute of a usual machine.
    """
    path = tmp_path / "run.jsonl"
    assert main(["bugs", name, "--machine", "--quiet", "--format", "json", "--output", str(path)]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["steps_told"] <= STEPS_MAX
    assert said["runs"] <= 500
    assert said["replays"] <= 4000
    assert said["story"][0] == f"{KNOWN_BUGS[name].rule}: violated"
    assert main(["check", str(path), "--rule", KNOWN_BUGS[name].rule, "--quiet"]) == 1
    for judge in ("reference", "story", "rules"):
        catches("bug", name, judge)
