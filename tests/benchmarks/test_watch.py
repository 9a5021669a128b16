"""The benchmark of a watch runs from end to end, and what was told comes to the truth. Nothing is timed.

Justified by ``benchmarks/watch.py``, which says so: a figure for a wrong answer is worth nothing.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import watch
from conformance.generate.ordering import LEAST
from tests.support.small_traces import sound, write_sorted

pytestmark = [pytest.mark.slow]


@pytest.mark.thorough
@pytest.mark.costly("generates a trace, and starts a watch, which has a Java, twice")
def test_a_watch_is_fed_and_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert watch.main(["--events", str(LEAST), "--rate", str(LEAST), "--every", "1", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)["result"]
    assert said["events"] >= LEAST
    assert said["cpu_s"] > 0
    assert len(said["behind_s"]) == 3


def test_files_come_when_their_last_event_is_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first at once; then at the rate, from when the clock began."""
    now, (source, target) = 100.0, (tmp_path / name for name in ("source", "target"))
    monkeypatch.setattr("time.monotonic", lambda: now)
    source.mkdir()
    target.mkdir()
    files = [write_sorted(source / f"{number}.parquet", sound()) for number in range(3)]
    feed = watch.Feed(files, target, rate=1)
    feed.begin()
    count = feed.events
    for later, there in ((count - 1, 1), (count, 2), (2 * count - 1, 2), (2 * count, 3)):
        now = 100.0 + later
        feed.go_on()
        assert len(list(target.iterdir())) == there
    assert not feed.waiting
    assert [feed.when(events) for events in (1, count, count + 1, 3 * count)] == [
        100.0,
        100.0,
        100.0 + count,
        100.0 + 2 * count,
    ]
