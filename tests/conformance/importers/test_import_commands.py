"""What ``quorate import`` writes: any form of trace, by the output's name, whole and sorted.

Source: the design of traces, JSON lines for people and Parquet for machines, one content.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.importers import commands
from conformance.importers.errors import Contradiction
from conformance.trace.errors import NotReadable
from conformance.trace.files import PARQUET_MAGIC, ZSTD_MAGIC, first_bytes
from conformance.trace.open import open_trace
from tests.support.recorded_ledgers import sound
from tests.support.recordings import History, copies, on_all, write
from tests.support.restatectl import call, chain, described, digest, digested

ONE, TWO = (0, 0, "p0:0"), (1, 1, "p0:1")


@pytest.fixture
def kafka_files(tmp_path: Path) -> dict[str, Path]:
    history = History().append("p0", {0: 0, 1: 1}).ack("p0", {2: 1}).deliver("reader", ONE, TWO)
    return {
        "history": write(tmp_path / "history.jsonl", history.rows),
        "replicas": write(tmp_path / "replicas.jsonl", copies(on_all(ONE, TWO))),
        "before_restart": write(tmp_path / "before_restart.jsonl", copies({0: (ONE, (0, 1, "p0:2")), 1: (ONE, TWO)})),
    }


@pytest.fixture
def restate_folder(tmp_path: Path) -> Path:
    write(tmp_path / "client.jsonl", [call(1, "invoke", 1), call(2, "ok", 1, value="1")])
    write(tmp_path / "controller.jsonl", [described(1, chain(0, (1,))), digested(2, digest({1: "XX-"}, tail=2))])
    return tmp_path


@pytest.mark.parametrize(
    ("name", "magic"), [("t.jsonl", b'{"qu'), ("t.jsonl.zst", ZSTD_MAGIC), ("t.parquet", PARQUET_MAGIC)]
)
def test_the_name_decides_the_form(tmp_path: Path, kafka_files: dict[str, Path], name: str, magic: bytes) -> None:
    output = tmp_path / name
    count = commands.kafka(
        kafka_files["history"],
        output,
        replicas=kafka_files["replicas"],
        before_restart=kafka_files["before_restart"],
        acks="all",
        min_insync=2,
    )
    trace = open_trace(output)
    assert (first_bytes(output), trace.sorted, len(list(trace.events()))) == (magic, True, count)
    assert trace.header.promises == {"copies": 2}
    assert trace.statistics.events["erase"] == 1


def test_what_is_inferred_is_marked_in_every_form(tmp_path: Path, kafka_files: dict[str, Path]) -> None:
    """An acknowledgement's epoch, and gaps: of what a reader passed over in silence."""
    said = []
    for name in ("t.jsonl", "t.parquet"):
        commands.kafka(kafka_files["history"], tmp_path / name, replicas=kafka_files["replicas"])
        events = open_trace(tmp_path / name).events()
        said.append({event["kind"]: (event["extra"], event.get("payload")) for event in events if "extra" in event})
        assert not open_trace(tmp_path / name).unknown_fields()
    assert said[0] == said[1] == {8: ({"epoch_inferred": True}, "p0:2"), 17: ({"inferred": True}, None)}


def test_a_folder_has_both_files_of_restate(tmp_path: Path, restate_folder: Path) -> None:
    by_folder = commands.restate(tmp_path / "a.parquet", folder=restate_folder)
    files = {name: restate_folder / f"{name}.jsonl" for name in ("client", "controller")}
    assert by_folder == commands.restate(tmp_path / "b.jsonl", **files) > 0


def test_a_folder_of_bookkeeper_may_have_lists(tmp_path: Path) -> None:
    recording = sound(tmp_path)
    with_lists = commands.bookkeeper(recording, tmp_path / "a.parquet")
    assert open_trace(tmp_path / "a.parquet").header.family.name == "ledger"
    (recording / "lists.jsonl").unlink()
    assert 0 < commands.bookkeeper(recording, tmp_path / "b.jsonl") < with_lists


def test_histories_of_nats_and_of_plain_clients_are_written(tmp_path: Path) -> None:
    nats = [
        {"client": "p0", "seq": 0, "time_ns": 1, "kind": "invoke_append", "log": "S", "value": "a"},
        {"client": "p0", "seq": 0, "time_ns": 2, "kind": "ack", "log": "S", "value": "a", "offset": 1},
    ]
    plain = [{"op": "append", "client": "w", "value": "a", "outcome": "ok", "offset": 1}]
    copies_of = write(tmp_path / "replicas.jsonl", [{"node": 0, "log": "S", "offset": 1, "value": "a"}])
    assert commands.nats(write(tmp_path / "n.jsonl", nats), tmp_path / "n.parquet", replicas=copies_of) == 3
    assert commands.history(write(tmp_path / "p.jsonl", plain), tmp_path / "p.parquet", promises=["append_once"]) == 2
    assert open_trace(tmp_path / "n.parquet").header.system.name == "nats"
    assert open_trace(tmp_path / "p.parquet").header.promises == {"append_once": True}


def test_a_folder_that_lacks_a_file_is_named(tmp_path: Path, restate_folder: Path) -> None:
    (restate_folder / "controller.jsonl").unlink()
    with pytest.raises(NotReadable, match=r"controller\.jsonl or controller\.jsonl\.zst"):
        commands.restate(tmp_path / "t.parquet", folder=restate_folder)
    with pytest.raises(Contradiction, match="controller"):
        commands.restate(tmp_path / "t.parquet", client=restate_folder / "client.jsonl")
