"""The benchmark of JSON lines measures right answers: a small run of it ends well, and a wrong answer ends it.

Justified by the rule that performance claims come from benchmarks, which must refuse contenders that are wrong.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import json_lines
from benchmarks.json_lines import WrongAnswer, check, main
from tests.support.traces import write_small


def test_a_small_run_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--events", "2000", "--copies", "2", "--repeat", "1", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [one["events"] for one in said["results"]] == [4000, 4000, 4000]


def test_a_reading_that_says_something_else_is_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_small(tmp_path / "t.jsonl")
    monkeypatch.setattr(json_lines, "line_by_line", lambda _: [])
    with pytest.raises(WrongAnswer):
        check(path, path)
