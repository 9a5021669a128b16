"""The committed recordings of real systems hold what their README files say of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.record.lines import read_lines

EXAMPLES = Path(__file__).parents[3] / "examples"


def rows(name: str) -> list[dict[str, object]]:
    return list(read_lines(EXAMPLES / f"{name}.jsonl.zst"))


def kinds(history: list[dict[str, object]]) -> Counter[object]:
    return Counter(event["kind"] for event in history)


def values(history: list[dict[str, object]], kind: str) -> list[object]:
    return [event["value"] for event in history if event["kind"] == kind]


def per_node(stored: list[dict[str, object]]) -> Counter[object]:
    return Counter(row["node"] for row in stored)


def test_kafka_clean_loses_nothing() -> None:
    history = rows("kafka-clean/history")
    assert kinds(history) == {"invoke_append": 3219, "ack": 3219, "deliver": 3219}
    assert sorted(map(str, values(history, "ack"))) == sorted(map(str, values(history, "deliver")))
    assert per_node(rows("kafka-clean/before_restart")) == {0: 1796, 1: 375, 2: 1800}
    assert Counter((r["node"], r["epoch"]) for r in rows("kafka-clean/replicas")) == {
        (node, epoch): count for node in (0, 1, 2) for epoch, count in ((0, 374), (1, 2845))
    }


def test_kafka_acks1_loses_what_only_the_killed_leader_had() -> None:
    history, before = rows("kafka-acks1/history"), rows("kafka-acks1/before_restart")
    assert kinds(history) == {"invoke_append": 542, "ack": 542, "deliver": 388, "fault": 6}
    lost = set(values(history, "ack")) - set(values(history, "deliver"))
    assert len(lost) == 154
    assert {row["node"] for row in before if row["value"] in lost} == {0}
    at = Counter(event["offset"] for event in history if event["kind"] == "ack")
    assert sum(count == 2 for count in at.values()) == 154
    assert per_node(before) == {0: 335, 1: 388, 2: 388}
    assert per_node(rows("kafka-acks1/replicas")) == {0: 388, 1: 388, 2: 388}


def test_restate_answers_most_calls_and_its_log_has_three_segments() -> None:
    assert kinds(rows("restate/client")) == {"invoke": 1800, "ok": 1580, "fail": 219, "info": 1}
    controller = rows("restate/controller")
    assert [row["node"] for row in controller if "fault" in row] == ["N2", "N2", "N1", "N1"]
    answers = [row for row in controller if "command" in row]
    assert len(answers) == 36
    chain = [str(row["stdout"]) for row in answers if row["command"] == "logs describe 0"][-1]
    assert all(f" {start} " in chain for start in (1, 6181, 8566))


@pytest.mark.parametrize("name", ["kafka-clean", "kafka-acks1", "restate"])
def test_a_recording_is_small(name: str) -> None:
    assert sum(file.stat().st_size for file in (EXAMPLES / name).iterdir()) < 200_000
