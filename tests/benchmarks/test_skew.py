"""The benchmark of skew runs from end to end, and both traces are judged as their truth says. Nothing is timed.

Justified by ``benchmarks/skew.py``: a figure for a wrong answer is worth nothing.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import skew
from benchmarks.throughput import Result, WrongAnswer

pytestmark = pytest.mark.slow

WORDS = ["--only", "columns", "--repeat", "0", "--events", "30000"]


@pytest.mark.thorough
@pytest.mark.costly("simulates the runs of both traces")
def test_both_traces_are_judged_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS, "--folder", str(tmp_path)]
    assert skew.main([*words, "--format", "json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)
    for one in (pair["even"], pair["skewed"]):
        assert (one["missed"], one["false"], one["counts_agree"]) == (0, 0, True)
        assert one["found"] > 0
    ratio = pair["skewed"]["cpu_s"] / pair["skewed"]["events"] / (pair["even"]["cpu_s"] / pair["even"]["events"])
    assert pair["cost"] == pytest.approx(ratio)
    assert skew.main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[:2] == ["columns,", "sorted"]


def test_a_wrong_answer_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Result("columns", "columns", 1, 1.0, 1.0, 1.0, 1.0, found=0, missed=1, false=0, counts_agree=True)
    monkeypatch.setattr(skew, "judged", lambda *_: [wrong])
    monkeypatch.setattr(skew, "big_trace", lambda *_, **__: None)
    with pytest.raises(WrongAnswer, match="not the truth: columns, columns"):
        skew.main([*WORDS, "--folder", str(tmp_path)])
