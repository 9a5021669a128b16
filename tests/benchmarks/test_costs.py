"""The table of costs runs from end to end, and whatever it judges comes to what the truth says. Nothing is timed.

Justified by ``benchmarks/costs.py``, which says so: a figure for a wrong answer is worth nothing.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import costs
from benchmarks.big_trace import BigTrace, big_trace
from benchmarks.throughput import WrongAnswer

pytestmark = [pytest.mark.slow]

EVENTS = 15_000


@pytest.mark.costly("judges a trace once for each rule, and once without it")
def test_every_rule_that_judges_has_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each rule of which the truth counts something, below its view; and a wrong truth is no table but an error."""
    big = big_trace(EVENTS, tmp_path)
    assert costs.main(["--format", "json", "--repeat", "1", "--events", str(EVENTS), "--folder", str(tmp_path)]) == 0
    said = [costs.Cost(**one) for one in json.loads(capsys.readouterr().out)["costs"]]
    rules = {cost.name: cost for cost in said if cost.saved_s is not None}
    assert {rule for rule, _ in big.truth.counts} <= rules.keys()
    for view in {cost.view for cost in rules.values()}:
        (whole,) = (cost for cost in said if cost.view == view and not cost.name)
        mine = [cost for cost in rules.values() if cost.view == view]
        assert (whole.rules, whole.judged) == (len(mine), sum(cost.judged for cost in mine))

    def without_violations(_events: int, _home: Path) -> BigTrace:
        return replace(big, truth=replace(big.truth, violations=set()))

    monkeypatch.setattr(costs, "big_trace", without_violations)
    with pytest.raises(WrongAnswer):
        costs.main(["--repeat", "1", "--events", str(EVENTS), "--folder", str(tmp_path)])


def test_the_table_tells_what_is_no_rule_from_what_saves_nothing() -> None:
    """A view saves nothing, and no figure is made up for it."""
    view, rule = costs.Cost("Slot", "", 1, 7, 0.25), costs.Cost("Slot", "log.a.b", 1, 7, 0.25, 0.0)
    _, first, second = costs.table([view, rule])
    assert first.split() == ["Slot", "1", "7", "250.0"]
    assert second.split() == ["Slot", "log.a.b", "1", "7", "250.0", "0.0"]
