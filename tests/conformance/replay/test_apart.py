"""Following the ledgers of a trace apart says what following them in one process does.

Justified by the texts: what they say of one ledger depends on no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.cli import main
from conformance.replay.apart import NotApart, Run, follow_apart, in_processes, shares_of
from conformance.replay.following import follow
from conformance.replay.telling_followed import as_json
from conformance.trace import jsonl
from conformance.trace.commands import sort
from conformance.trace.open import Parquet, open_trace
from reference_impl.ledger.plan import LedgerPlan
from spark_checks.tasks import in_tasks
from spec.ledger.events import Sent, Stored
from spec.verdicts import ExitCode
from tests.support.ledger_runs import events_of, header_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def one_by_one(work: Callable[[Any], Any], shares: Sequence[Any]) -> Iterable[Any]:
    """Who works on shares in this process."""
    return map(work, shares)


def recorded(folder: Path, monkeypatch: pytest.MonkeyPatch, mutant: str = "", missing: int | None = None) -> Parquet:
    """A simulated run of twelve ledgers, sorted, in small row groups; the last event of a kind may be missing."""
    plan = LedgerPlan(mutant=mutant, ledgers=12)
    events = events_of(plan)
    if missing is not None:
        events.remove([event for event in events if event["kind"] == missing][-1])
    monkeypatch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": 100})
    jsonl.write_events(folder / "run.jsonl", header_of(plan, {event["recorder"] for event in events}), events)
    sort(folder / "run.jsonl", folder / "run.parquet")
    trace = open_trace(folder / "run.parquet")
    assert isinstance(trace, Parquet)
    return trace


CASES: dict[str, dict[str, Any]] = {
    "correct": {},
    "acknowledged out of order": {"mutant": "acknowledged_out_of_order"},
    "sent to the neighbour": {"mutant": "sent_to_the_neighbour"},
    "a lost event": {"missing": Stored.kind},
    "nobody sent it": {"missing": Sent.kind},
}


@pytest.mark.parametrize("case", CASES)
def test_ledgers_apart_are_told_as_those_together(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recorded(tmp_path, monkeypatch, **CASES[case])
    assert len(shares_of(trace.parts[0], 8)) > 3
    assert as_json(follow_apart(trace, one_by_one, 2)) == as_json(follow(trace))


def test_shares_have_every_event_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recorded(tmp_path, monkeypatch)
    there = [(event["recorder"], event["seq"]) for event in trace.events()]
    for most in (1, 3, 1000):
        shares = shares_of(trace.parts[0], most)
        assert [(event["recorder"], event["seq"]) for share in shares for event in share.events()] == there
        read = max(sum(share.part.groups) for share in shares)
        assert most == 1 or read < sum(trace.parts[0].groups)


def test_the_command_follows_in_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, monkeypatch)
    assert main(["replay", str(trace.path), "--workers", "2"]) == ExitCode.HOLDS
    assert main(["replay", str(trace.path)]) == ExitCode.HOLDS
    parallel, _, together = capsys.readouterr().out.partition("verdict: holds\n")
    assert parallel + "verdict: holds\n" == together


def test_spark_follows_as_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> None:
    trace = recorded(tmp_path, monkeypatch, **CASES["a lost event"])
    on_spark: Run = lambda work, shares: in_tasks(spark, work, shares)  # noqa: E731 - a name for its type
    assert as_json(follow_apart(trace, on_spark, 2)) == as_json(follow(trace))


def test_what_cannot_be_apart_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, monkeypatch)
    with pytest.raises(NotApart, match="trace sort"):
        follow_apart(open_trace(tmp_path / "run.jsonl"), in_processes(2), 2)
    assert main(["replay", str(trace.path), "--workers", "2", "--order", "written"]) == ExitCode.USAGE
    assert "--order" in capsys.readouterr().err
    assert main(["replay", str(trace.path), "--remote", "sc://127.0.0.1:1"]) == ExitCode.USAGE
    assert "--remote" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--workers", "2"], ["--engine", "spark"], ["--workers", "0"]])
def test_guards_replay_all_logs_together(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "run.parquet"
    assert main(["simulate", "--events", "100", "--output", str(trace), "--quiet"]) == ExitCode.HOLDS
    assert main(["replay", str(trace), *words]) == ExitCode.USAGE
    assert f"where: {words[0]}" in capsys.readouterr().err
