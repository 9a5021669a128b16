"""The benchmark of the recorder measures whole traces: a small run of it ends well, and a missing event ends it.

Justified by the rule that performance claims come from benchmarks, which must refuse contenders that are wrong.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.json_lines import WrongAnswer
from benchmarks.recorder import check, main, record


def test_a_small_run_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--events", "300", "--threads", "2", "--repeat", "1", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [one["events"] for one in said["results"]] == [300, 300, 300]


def test_a_trace_that_lacks_events_is_no_figure(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record(path, 30, 2)
    check(path, 30)
    with pytest.raises(WrongAnswer):
        check(path, 31)
