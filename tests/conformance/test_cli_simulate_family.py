"""``quorate simulate --family NAME``: other families than the log are simulated, recorded, judged and followed.

Issue 18: what a family offers is all that the command knows of it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli import main
from spec.verdicts import ExitCode

Output = pytest.CaptureFixture[str]
LEDGERS = ["simulate", "--family", "ledger", "--quiet"]
SEGMENTS = ["simulate", "--family", "segment", "--quiet"]


@pytest.mark.parametrize("command", [LEDGERS, SEGMENTS])
def test_a_correct_run_holds(command: list[str], capsys: Output) -> None:
    assert main(command) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"Record this run: quorate simulate --family {command[2]} --output run.jsonl"
    assert said[-1].startswith("verdict: holds")


def test_a_mutant_is_noticed_and_the_line_that_is_printed_records_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*LEDGERS, "--seed", "1", "--entries=9", "--mutant", "fenced_bookies_take_adds"]) == 1
    said = capsys.readouterr().out
    line = said.partition("Record this run: quorate ")[2].partition("\n")[0]
    assert line == (
        "simulate --family ledger --seed 1 --entries 9 --mutant fenced_bookies_take_adds --output run.jsonl"
    )
    assert main([*line.split(), "--quiet"]) == 0
    explained = said.partition("    quorate ")[2].partition("\n")[0]
    assert main([*explained.split(), "--quiet"]) == 1
    assert main(["replay", "run.jsonl"]) == 1


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.zst", "run.parquet"])
@pytest.mark.parametrize("command", [LEDGERS, SEGMENTS])
def test_a_run_is_recorded_judged_and_followed(command: list[str], name: str, tmp_path: Path, capsys: Output) -> None:
    path = str(tmp_path / name)
    assert main([*command, "--output", path]) == 0
    assert f"judge them: quorate check {path}" in capsys.readouterr().out
    assert main(["check", path, "--quiet"]) == 0
    assert main(["replay", path]) == 0


def test_a_report_for_machines_is_one_object(capsys: Output) -> None:
    assert main([*SEGMENTS, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "holds"


def test_families_and_mutants_are_listed(capsys: Output) -> None:
    assert main(["simulate", "--list-families"]) == 0
    said = capsys.readouterr().out
    assert "ledger: writers, bookies, recoveries, a replicator and the checker of BP-34" in said
    assert "--ensemble 4 --write 2 --ack 2" in said
    assert main([*SEGMENTS, "--list-mutants"]) == 0
    assert "gateways_store: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--family", "ledgers"], "nothing simulates the family 'ledgers'"),
        (["--family", "ledger", "--topology", "racks6"], "no option --topology of the family ledger"),
        (["--family", "ledger", "--events", "9"], "no option --events of the family ledger"),
        (["--family", "ledger", "--nodes", "9"], "no argument '--nodes'"),
        (["--family", "ledger", "--ack", "3"], "the run cannot be simulated"),
        (["--family", "ledger", "--bookies", "3"], "an ensemble has 4 members, and there are 3 bookies"),
        (["--family", "ledger", "--ledgers", "0"], "there are 0 ledgers"),
        (["--family", "ledger", "--refine"], "no option --refine of the family ledger"),
        (["--family", "segment", "--steps", "0"], "a run has one step at least"),
        (["--family", "segment", "--instants", "100000"], "100000 instants are too many"),
        (["--family", "segment", "--nodes", "0"], "too few elements of the sort Node"),
        (["--family", "ledger", "--mutant", "fenced_bookies"], "no mutant 'fenced_bookies'"),
        (["--ledgers", "3"], "no argument '--ledgers'"),
    ],
)
def test_what_cannot_be_simulated_is_refused_by_name(words: list[str], reason: str, capsys: Output) -> None:
    assert main(["simulate", *words, "--quiet"]) == ExitCode.USAGE
    assert reason in capsys.readouterr().err


def test_one_bookie_alone_is_simulated(tmp_path: Path) -> None:
    path = str(tmp_path / "run.jsonl")
    alone = [f"--{name}=1" for name in ("bookies", "ensemble", "write", "ack")]
    assert main([*LEDGERS, *alone, "--output", path]) == 0
    assert main(["check", path, "--quiet"]) == 0
    assert main(["replay", path]) == 0
