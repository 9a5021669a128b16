"""The demonstration: one system held, one lost what it had acknowledged, and one record's story tells how.

Source: examples/*/README.md, which say what was done to each system and what was counted by hand.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance import cli_demo
from conformance.cli import main

Output = pytest.CaptureFixture[str]

STORY = (
    r"(?P<lone>n\d) alone stored '(?P<first>p0:\d+)' at e0n(?P<number>\d+): no other copy was recorded",
    r"was told that '(?P=first)' is safe at e0n(?P=number), with the promise of one copy",
    r"(?P=lone) died",
    r"n\d, n\d stored '(?P<second>p1:\d+)' at e1n(?P=number)\. That is the number of e0n(?P=number), in a later epoch",
    r"(?P=lone) was started again",
    r"passed over e0n(?P=number)",
    r"was given '(?P=second)' at e1n(?P=number)",
    r"(?P=lone) erased its copy of e0n(?P=number)",
)
"""What the record tells, whichever node led when it was recorded."""

ROOT = Path(cli_demo.__file__).parents[1]
here = pytest.mark.skipif(not (ROOT / "examples").is_dir(), reason="the recordings are not here")
pytestmark = [here, pytest.mark.together("spark")]


def is_told(text: str) -> None:
    """The demonstration's promise: one verdict that holds, one loss, told in order in a window of 80 columns."""
    flat = " ".join(text.split())
    assert [line.split()[0] for line in text.splitlines() if "instances judged" in line] == [
        "unknown",
        "holds",
        "violated",
    ]
    assert re.search(".*".join(STORY), flat)
    assert len(text.splitlines()) <= 73
    assert [line for line in text.splitlines() if len(line) > 78 and "quorate" not in line] == []


def test_the_readme_opens_with_it(capsys: Output) -> None:
    """What stands there is what people will see; in this process it is the same."""
    assert main(["demo", "--engine", "columns"]) == 0
    said = capsys.readouterr()
    is_told(said.out)
    assert "demo: judging restate" in said.err
    assert said.out.replace("in this process", "on Spark").strip() in (ROOT / "README.md").read_text()


@pytest.mark.usefixtures("spark")
def test_demo_on_spark(capsys: Output) -> None:
    assert main(["demo"]) == 0
    is_told(capsys.readouterr().out)


def test_without_the_recordings_it_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr("conformance.__file__", str(tmp_path / "conformance" / "__init__.py"))
    assert main(["demo"]) == 2
    assert "make demo" in capsys.readouterr().err
