"""The benchmark of clients' histories: every planted anomaly is found, and a clean history is clean. Nothing is timed.

Justified by ``benchmarks/client_histories.py``, which says so; by the meaning of the rules, as plain Python reads them.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from benchmarks import client_anomalies
from benchmarks.client_anomalies import ANOMALIES, NoRoom, not_what_was_acked
from benchmarks.client_histories import in_memory, main
from benchmarks.client_history import Plan, client_history
from benchmarks.client_peer import operations, peer
from conformance.record.errors import PackagesUnavailable
from conformance.trace.arrow import to_rows, with_recorders
from conformance.trace.keeping import with_books
from spec.language.outcomes import Outcome
from spec.language.reference import ReferenceEvaluator
from spec.registry import select
from spec.verdicts import in_force


@pytest.fixture(autouse=True)
def _close_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anomalies stand close to each other, so that a short history holds them all."""
    monkeypatch.setattr(client_anomalies, "ROOM", 120)


@pytest.mark.parametrize("each", [0, 1])
def test_what_is_planted_is_found_and_rules_mean_it(each: int) -> None:
    history = client_history(Plan(5_000, each=each))
    judged, found = in_memory(history, 1)
    assert judged.said == ("violated" if each else "holds")
    events = to_rows(with_recorders(history.table, history.header), history.header)
    header, told = with_books(history.header, events)
    meant = ReferenceEvaluator(told, header.parameters()).judge(in_force(select(["client.*"]), history.header))
    assert found == meant
    assert Counter(rule for rule, outcome in meant.counts if outcome is Outcome.VIOLATED) == Counter(history.planted)
    assert set(history.planted) == (set(ANOMALIES) if each else set())


def test_a_short_history_has_no_room_for_many() -> None:
    with pytest.raises(NoRoom, match="130 anomalies need"):
        client_history(Plan(5_000, each=10))


def test_what_the_peer_is_given() -> None:
    """An append of unknown outcome that nobody was given is left out; all others, reads and looks are there."""
    history = client_history(Plan(2_000, unknown=0.05))
    told = operations(history.told)
    kinds = Counter(one["kind"] for one in told)
    assert kinds["read"] + kinds["append"] < history.operations < kinds["read"] + kinds["append"] + 100
    assert kinds["check_tail"] == 10
    assert all(one["call"] <= one["return"] for one in told)


def test_the_program_runs_from_end_to_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--operations", "500", "1000", "--repeat", "1", "--peer-most", "0", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["results"]
    assert [one["said"] for one in told] == ["holds"] * 4


@pytest.mark.real
def test_the_peer_tells_a_clean_history_from_a_broken_one() -> None:
    """Its answer counts only if its model finds fault where there is one."""
    try:
        program = peer()
    except PackagesUnavailable as missing:
        pytest.skip(str(missing))
    told = client_history(Plan(200)).told
    assert program.judge(told, 60).said == "Ok"
    assert program.judge(not_what_was_acked(told, 5, Plan(200).period_ns), 60).said == "Illegal"
