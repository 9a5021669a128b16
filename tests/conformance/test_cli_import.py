"""The command on recordings: imported by one line, judged by the next, with the numbers that were counted by hand.

Source of the numbers: the tables in the background material's data/README.md and in the READMEs of examples/.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conformance.cli import main

Output = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[2] / "examples"
LOST, TWICE = "client.read.acked_is_delivered", "client.append.once"
BEYOND = "client.read.nothing_beyond_the_end"

COUNTED = [
    ("acks_all_idem_kill9", "all", 2746, {}),
    ("acks1_kill9_leader_alone", "1", 908, {LOST: 275}),
    ("acks1_zombie_sigstop", "1", 1321, {LOST: 67}),
    ("acks_all_nonidem_dups", "all", 2105, {TWICE: 4}),
    ("acks_all_power_loss_all_one_tail_cut", "all", 789, {LOST: 164}),
]
"""Recording, setting of the producers, acknowledged appends, and what is wrong."""


def judged(trace: Path, capsys: Output) -> tuple[int, dict[str, dict[str, object]]]:
    """The exit code of a check, and what it says of the rules that judged something."""
    capsys.readouterr()
    code = main(["check", str(trace), "--format", "json"])
    rules = json.loads(capsys.readouterr().out)["rules"]
    return code, {rule["id"]: rule for rule in rules if rule["judged"]}


@pytest.mark.parametrize(("name", "acks", "acked", "wrong"), COUNTED, ids=[name for name, *_ in COUNTED])
def test_what_was_counted_by_hand_is_reported(
    name: str, acks: str, acked: int, wrong: dict[str, int], shared: Path, tmp_path: Path, capsys: Output
) -> None:
    files, trace = shared / "data" / "kafka", tmp_path / "kafka.parquet"
    words = ["import", "kafka", str(files / f"{name}.jsonl.zst")]
    words += ["--replicas", str(files / f"{name}.replicas.jsonl.zst")]
    if (before := files / f"{name}.before_restart.jsonl.zst").exists():
        words += ["--before-restart", str(before)]
    assert main([*words, "--acks", acks, "--min-insync", "2", "--output", str(trace)]) == 0
    code, rules = judged(trace, capsys)
    assert code == (1 if wrong else 0)
    assert {rule: said["violated"] for rule, said in rules.items() if said["violated"]} == wrong
    assert rules[LOST]["judged"] == acked


@pytest.mark.parametrize(("name", "acks", "acked", "wrong"), COUNTED, ids=[name for name, *_ in COUNTED])
def test_what_was_counted_by_hand_is_reported_from_clients_alone(
    name: str, acks: str, acked: int, wrong: dict[str, int], shared: Path, tmp_path: Path, capsys: Output
) -> None:
    trace = tmp_path / "kafka.parquet"
    history = str(shared / "data" / "kafka" / f"{name}.jsonl.zst")
    assert main(["import", "kafka", history, "--acks", acks, "--output", str(trace)]) == 0
    code, rules = judged(trace, capsys)
    assert code == (1 if wrong else 0)
    assert {rule: said["violated"] for rule, said in rules.items() if said["violated"]} == wrong
    assert rules[LOST]["judged"] == acked
    assert "log.append.acked_has_copies" not in rules


@pytest.mark.parametrize("looked", [False, True], ids=["clients alone", "with replicas"])
@pytest.mark.parametrize(
    ("name", "acked", "wrong"),
    [("v2121_kill9", 3997, {}), ("v2121_blk_snap_hdr_all", 700, {LOST: 400, BEYOND: 400})],
)
def test_nats_is_judged_as_it_was_counted(
    name: str, acked: int, wrong: dict[str, int], looked: bool, shared: Path, tmp_path: Path, capsys: Output
) -> None:
    files, trace = shared / "data" / "nats", tmp_path / "nats.parquet"
    replicas = ["--replicas", str(files / f"{name}.replicas.jsonl.zst")] if looked else []
    assert main(["import", "nats", str(files / f"{name}.jsonl.zst"), *replicas, "--output", str(trace)]) == 0
    code, rules = judged(trace, capsys)
    assert code == (1 if wrong else 0)
    assert {rule: said["violated"] for rule, said in rules.items() if said["violated"]} == wrong
    assert rules[LOST]["judged"] == acked


def test_restate_is_imported_file_by_file(shared: Path, tmp_path: Path, capsys: Output) -> None:
    files, trace = shared / "data" / "restate", tmp_path / "restate.jsonl.zst"
    words = ["--client", str(files / "client.jsonl"), "--controller", str(files / "controller.jsonl")]
    assert main(["import", "restate", *words, "--output", str(trace)]) == 0
    code, rules = judged(trace, capsys)
    assert code == 2, "nobody reads, so whether what is acknowledged is lost was not asked"
    assert rules["log.release.is_replicated"]["verdict"] == "holds"


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the recordings are not beside these tests")
def test_a_recorded_folder_is_enough(tmp_path: Path, capsys: Output) -> None:
    trace = tmp_path / "kafka.parquet"
    folder = str(EXAMPLES / "kafka-acks1")
    assert main(["import", "kafka", folder, "--acks", "1", "--min-insync", "2", "--output", str(trace)]) == 0
    code, rules = judged(trace, capsys)
    assert code == 1
    told = re.search(
        r"\*\*(\d+) acknowledged values are lost\*\*", (EXAMPLES / "kafka-acks1" / "README.md").read_text()
    )
    assert told is not None
    assert rules[LOST]["violated"] == int(told[1])


@pytest.mark.parametrize(
    ("words", "code", "advice"),
    [
        (["kafka", "history.jsonl"], 2, "history.jsonl"),
        (["kafka", "history.jsonl", "--before-restart", "before.jsonl"], 2, "both, or none"),
        (["nats", "."], 2, "history.jsonl"),
        (["history", "history.jsonl"], 2, "history.jsonl"),
        (["history", "history.jsonl", "--promise", "copies"], 2, "real_time_order"),
        (["kafka", "history.jsonl", "--replicas", "replicas.jsonl"], 2, "history.jsonl"),
        (["kafka", ".", "--acks", "0"], 4, "known: 1, all"),
        (["kafka", "."], 2, "history.jsonl"),
        (["restate"], 4, "--controller FILE"),
        (["restate", "--client", "client.jsonl"], 4, "the controller file"),
        (["restate", "."], 2, "client.jsonl"),
    ],
)
def test_what_is_missing_is_named(
    words: list[str], code: int, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["import", *words, "--output", "trace.parquet"]) == code
    said = capsys.readouterr().err
    assert advice in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []
