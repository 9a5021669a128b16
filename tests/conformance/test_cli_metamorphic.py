"""``quorate metamorphic``: scripts of files, random scripts, and defects that are planted.

Synnax, Segment distribution, Summary: callers read and write as on one machine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "segments" / "turning.txt"
Output = pytest.CaptureFixture[str]


def test_the_history_of_a_script(capsys: Output) -> None:
    """Told where all configurations agree."""
    assert main(["metamorphic", str(EXAMPLE)]) == 0
    assert capsys.readouterr().out == EXAMPLE.with_suffix(".history").read_text(encoding="utf-8")


def test_a_planted_defect_is_told(capsys: Output) -> None:
    """The smallest script, the line where two part, and the line that replays it, which finds the same."""
    assert main(["metamorphic", str(EXAMPLE), "--defect", "partial_after_turning"]) == 1
    assert "model: prev i 20 -> true a 12 22; #6" in capsys.readouterr().out
    assert main(["metamorphic", "--seeds", "9", "--defect", "last_acknowledgement_wins"]) == 1
    told = capsys.readouterr().out
    assert told.startswith("Two configurations differ on this script of ")
    replay = told.splitlines()[-1].removeprefix("Replay: quorate ")
    assert main(replay.split()) == 1
    assert capsys.readouterr().out == told


def test_random_scripts(capsys: Output) -> None:
    """Counted where none differs."""
    assert main(["metamorphic", "--seeds", "3", "--first", "5"]) == 0
    assert capsys.readouterr().out == "3 scripts, 8 configurations: each says what the model says\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.txt"], "the script cannot be read"),
        (["--defect", "dragons"], "no defect 'dragons'"),
        ([str(EXAMPLE), "--seeds", "3"], "scripts and --seeds"),
    ],
)
def test_what_is_not_understood(words: list[str], told: str, capsys: Output) -> None:
    """By name, with what to try."""
    assert main(["metamorphic", *words]) == 4
    assert told in capsys.readouterr().err


def test_a_script_with_a_bad_line(tmp_path: Path, capsys: Output) -> None:
    """The line is named."""
    path = tmp_path / "bad.txt"
    path.write_text("put a 1\nleap\n", encoding="utf-8")
    assert main(["metamorphic", str(path)]) == 4
    assert "line 2: no operation 'leap'" in capsys.readouterr().err
