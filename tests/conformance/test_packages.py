"""What installed packages offer, as the command takes it: a broken one is named, and stands in the way of nothing else.

Justified by docs/how-to/declare-a-family.md, on entry points.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.cli import main
from spec.registry import FAMILIES, RULES
from spec.verdicts import ExitCode
from tests.support.installed import COUNTERS, installed
from tests.support.small_traces import sound, write_sorted

Output = pytest.CaptureFixture[str]

GROUPS = ("quorate.families", "quorate.texts", "quorate.abstractions", "quorate.simulations")
HEADER = '{"quorate_trace": "1.0", "family": "broken", "system": {"name": "x"}, "recorders": {}, "clock_bound_ns": 0}\n'


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[Path]:
    """A package offers one thing of each sort, and cannot be imported."""
    (tmp_path / "offering_broken.py").write_text('"""Broken."""\n\nFAMILY = undeclared\n')
    with installed(tmp_path, {group: {"broken": "offering_broken:FAMILY"} for group in GROUPS}):
        yield tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "--family", "ledger", "--quiet"],
        ["explore", "two_phase", "--quiet"],
        ["prove", "two_phase", "--quiet"],
        ["rules", "show", RULES[0].id],
    ],
    ids=lambda words: words[0],
)
def test_what_is_quorates_own_is_not_disturbed(words: list[str], broken: Path, capsys: Output) -> None:
    assert main(words) == ExitCode.HOLDS, capsys.readouterr().err


def test_a_trace_of_another_family_is_judged(broken: Path, tmp_path: Path) -> None:
    trace = write_sorted(tmp_path / "run.jsonl", sound())
    assert main(["check", str(trace), "--quiet"]) == ExitCode.HOLDS
    assert main(["check", str(trace), "--rule", "client.*", "--quiet"]) == ExitCode.HOLDS


@pytest.mark.parametrize(
    "words",
    [
        ["check", "TRACE"],
        ["replay", "TRACE"],
        ["simulate", "--family", "broken"],
        ["simulate", "--list-families"],
        ["explore", "broken"],
        ["explore"],
        ["rules"],
        ["rules", "show", "broken.rule"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_the_package_is_named_where_it_is_asked_for(words: list[str], broken: Path, capsys: Output) -> None:
    """With its module and entry point, the error, and where that was raised."""
    (broken / "trace.jsonl").write_text(HEADER)
    assert main([str(broken / "trace.jsonl") if word == "TRACE" else word for word in words]) == ExitCode.UNKNOWN
    said = " ".join(capsys.readouterr().err.split())
    assert "an installed package is broken" in said
    assert "offering_broken:FAMILY, the entry point broken of quorate." in said
    assert "NameError: name 'undeclared' is not defined" in said
    assert "offering_broken.py:3" in said.replace(" ", "")
    assert "mend the package, or uninstall it" in said


def test_an_entry_point_is_called_as_what_it_gives(tmp_path: Path, capsys: Output) -> None:
    with installed(tmp_path, {"quorate.families": {"abaci": COUNTERS["quorate.families"]["counters"]}}):
        (tmp_path / "trace.jsonl").write_text(HEADER.replace("broken", "abaci"))
        assert main(["check", str(tmp_path / "trace.jsonl")]) == ExitCode.UNKNOWN
    said = " ".join(capsys.readouterr().err.split())
    assert "its name is 'counters'" in said
    assert "give the entry point the same name" in said
    assert "abaci" not in FAMILIES
