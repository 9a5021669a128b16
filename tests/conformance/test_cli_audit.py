"""What a running cluster cannot be asked is refused by name; a cluster that gives no answer is no verdict.

Justified by the house's rule that bad input gives a named error; that a real cluster is audited, ``tests/real`` shows.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Final

import pytest

from conformance.cli import main
from conformance.cli_problems import problem_of
from conformance.forms.blocks import render
from conformance.record.errors import BookKeeperSaid
from spec.verdicts import ExitCode

SNAPSHOT: Final = str(Path(__file__).parents[2] / "examples" / "audit" / "snapshot")

Output = pytest.CaptureFixture[str]


@pytest.mark.parametrize("option", ["--rate", "--answer"])
def test_a_cluster_that_is_never_asked_is_not_audited(option: str, capsys: Output) -> None:
    assert main(["audit", "bookkeeper", "zk+hierarchical://127.0.0.1:2181/ledgers", option, "0"]) == ExitCode.USAGE
    assert f"{option} 0" in capsys.readouterr().err


def test_a_cluster_that_gives_no_answer_is_unknown() -> None:
    problem = problem_of(BookKeeperSaid("IOException", "no ZooKeeper"))
    assert problem is not None
    assert (problem.code, problem.what) == (ExitCode.UNKNOWN, "BookKeeper gives no answer")


def test_a_page_says_what_the_text_says_and_needs_no_other(capsys: Output) -> None:
    """Each line of the text, marked up, and nothing that a browser would fetch."""
    command = ["audit", "snapshot", SNAPSHOT, "--as-shipped", "--quiet"]
    assert main(command) == ExitCode.VIOLATED
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line]
    assert main([*command, "--format", "html"]) == ExitCode.VIOLATED
    page = capsys.readouterr().out
    assert [line for line in lines if f">{escape(line)}" not in page] == []
    assert len(lines) > 10
    assert "class='verdict violated'" in page
    assert [fetched for fetched in ("src=", "href=", "@import", "url(") if fetched in page] == []


def test_what_is_no_markup_stands_as_it_is() -> None:
    page = render("<a>", "holds", [("<b>", ["<c>"]), ("<d>", ["<e>"])])
    assert [f"&lt;{name}&gt;" in page for name in "abcde"] == [True] * 5
    assert "<c>" not in page


def test_nothing_is_asked_of_what_is_no_snapshot(tmp_path: Path, capsys: Output) -> None:
    assert main(["audit", "snapshot", str(tmp_path), "--engine", "spark", "--quiet"]) == ExitCode.UNKNOWN
    assert "there is no audit.json in it" in capsys.readouterr().err
