"""A real Restate cluster under fault, judged twice: by raw content, and by the rules after the import.

Restate documentation, "Cluster deployment": replication 2 of 3 nodes "can tolerate 1 node failure"; a call to a virtual
object takes effect once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from conformance.importers import commands
from conformance.record.lines import read_lines
from conformance.record.restate import RestateRecording
from spec.language.outcomes import Verdict
from tests.support.recordings import by_id, checked_trace

pytestmark = [pytest.mark.real, pytest.mark.together("programs")]

MORE = {"invoke": ["ingress"], "ok": ["value", "status"], "fail": ["value", "status"], "info": ["error"]}
COMMAND = ["time_ns", "command", "rc", "stdout", "stderr"]
BEGINNING = "1"
"""The tail of a node that has no record of a loglet."""


@pytest.mark.costly("starts all real systems, if it is the first to ask")
def test_a_counter_and_its_log_survive_two_deaths(restate: RestateRecording, tmp_path: Path) -> None:
    check_counters(list(read_lines(restate.client)))
    check_operator(list(read_lines(restate.controller)), restate.replication)
    trace = tmp_path / "trace.parquet"
    commands.restate(trace, client=restate.client, controller=restate.controller)
    verdict = checked_trace(trace)
    unsure = {said.rule.id for said in verdict.judged if said.verdict is not Verdict.HOLDS}
    assert unsure == {"client.read.acked_is_asked_for"}, "nobody but the counters themselves reads their logs"
    assert {"client.append.in_order", "client.append.one_per_lsn"} <= set(by_id(verdict))


def check_counters(rows: list[dict[str, object]]) -> None:
    """Per key the values grow: no less than the calls that were answered, no more than those that may have run."""
    assert all(list(row) == ["time_ns", "client", "op", "kind", "key", *MORE[str(row["kind"])]] for row in rows)
    by_key: dict[object, list[dict[str, object]]] = defaultdict(list)
    for row in rows:
        by_key[row["key"]].append(row)
    assert len(by_key) == 4
    for seen in by_key.values():
        kinds = [row["kind"] for row in seen]
        results = [int(str(row["value"])) for row in seen if row["kind"] == "ok"]
        assert kinds.count("invoke") == len(kinds) - kinds.count("invoke"), "every call has one outcome"
        assert results == sorted(set(results))
        assert len(results) <= results[-1] <= len(results) + kinds.count("info")


def check_operator(rows: list[dict[str, object]], replication: int) -> None:
    """The faults are there, the log got a new segment, and every record below a segment's tail has its copies."""
    faults = [(row["fault"], row["node"]) for row in rows if "fault" in row]
    assert faults == [("kill -9", "N2"), ("restart", "N2"), ("kill -9", "N1"), ("restart", "N1")]
    answers = [row for row in rows if "command" in row]
    assert all(list(row) == COMMAND for row in answers)
    failed = [(row["command"], row["rc"], row["stderr"]) for row in answers if row["rc"] != 0]
    assert failed == [], "restatectl had no answer to some commands"
    assert {str(row["command"]).rstrip("0123456789_") for row in answers} == {
        "logs list",
        "nodes list",
        "logs describe ",
        "replicated-loglet digest ",
    }
    last = {str(row["command"]): str(row["stdout"]) for row in answers}
    assert len(re.findall(r"\b\d+_\d+\b", "".join(last[f"logs describe {log}"] for log in (0, 1)))) > 2
    digests = [text for command, text in last.items() if "digest" in command]
    assert sum(check_digest(text, replication) for text in digests) > 100


def check_digest(text: str, replication: int) -> int:
    """How many records a digest shows below what all nodes with records knew to be the tail, each on enough nodes.

    Nodes are asked one after the other while clients append: one that was asked early may lack what came later.
    """
    tails = re.search(r"^ GLOBAL TAIL (.+)$", text, re.MULTILINE)
    assert tails is not None, text[-500:]
    tail = min((int(number) for number in re.findall(r"\d+", tails[1]) if number != BEGINNING), default=0)
    records = [(int(offset), marks) for offset, marks in re.findall(r"^ (\d+) +((?:[X?-] +)+)", text, re.MULTILINE)]
    below = [(offset, marks) for offset, marks in records if offset < tail]
    assert all(marks.count("X") >= replication for _, marks in below)
    return len(below)
