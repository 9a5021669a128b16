"""A recorder writes a valid trace, whoever shares it, and whatever becomes of its process.

Justified by docs/reference/python-api.md, Recording, and docs/reference/trace-format.md.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import quorate
from conformance.importers.journal import digest_of
from conformance.trace.errors import Mistyped, NotWritable, UnknownPromise
from conformance.trace.open import open_trace
from conformance.trace.validate import validate

ROOT = Path(__file__).parent.parent.parent
CLIENTS, APPENDS = 8, 50


def events(path: Path) -> list[dict[str, Any]]:
    """Return what the lines of a trace say, without the header and the last line."""
    return [said for said in map(json.loads, path.read_text().splitlines()) if "kind" in said]


def test_everything_that_clients_do_becomes_an_event(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with quorate.Recorder(path, system="mylog 1", promises=["append_once"], nodes=["a", "b"]) as recorder:
        writer, reader = recorder.writer("w", log="orders"), recorder.reader("r", log="orders")
        writer.append("x").acknowledged(0)
        writer.append(b"x").acknowledged((2, 0))
        writer.append(b"\xff").refused()
        writer.append("\ud800").unknown()
        recorder.trim((1, 0), log="orders")
        recorder.fault("crash", "b")
        recorder.holds("a", (2, 0), "x", log="orders")
        reader.begin((2, 0))
        reader.gap((2, 0), (2, 3), "trim")
        reader.at_end((2, 4), reader.ask())
    assert not validate(path).faults
    header = open_trace(path).header
    assert (header.system.name, dict(header.promises), header.note) == ("mylog 1", {"append_once": True}, "")
    assert (header.named["logs"], header.named["writers"], header.named["readers"]) == (
        {0: "orders"},
        {0: "w"},
        {1: "r"},
    )
    said = events(path)
    assert " ".join(one["kind"] for one in said) == (
        "invoke ack invoke ack invoke fail invoke indefinite trim fault store read gap at_end"
    )
    assert said[0]["digest"] == said[2]["digest"] == digest_of("x")
    assert (said[11]["upto_epoch"], said[11]["upto_esn"]) == (1, 2**32 - 1)


def test_threads_share_a_recorder(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with quorate.Recorder(path) as recorder, ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(appends(recorder), range(CLIENTS)))
    assert_whole(path)


def test_tasks_share_a_recorder(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"

    async def one(run: Callable[[int], None], client: int) -> None:
        await asyncio.sleep(0)
        run(client)

    async def every() -> None:
        with quorate.Recorder(path) as recorder:
            await asyncio.gather(*(one(appends(recorder), client) for client in range(CLIENTS)))

    asyncio.run(every())
    assert_whole(path)


def appends(recorder: quorate.Recorder) -> Callable[[int], None]:
    """Return what one client does: so many appends, each acknowledged."""

    def run(client: int) -> None:
        writer = recorder.writer(f"w{client}")
        for number in range(APPENDS):
            writer.append(f"{client}:{number}").acknowledged(number * CLIENTS + client)

    return run


def assert_whole(path: Path) -> None:
    """Every event has its number, in the order of the file, and each client's its own order."""
    said = events(path)
    assert [one["seq"] for one in said] == list(range(2 * CLIENTS * APPENDS))
    assert [one["time_ns"] for one in said] == sorted(one["time_ns"] for one in said)
    assert quorate.check(path, ["client.append.*"]).outcome == "holds"


KILLED = """
import os, signal, sys, quorate
recorder = quorate.Recorder(sys.argv[1])
for lsn, payload in enumerate("ab"):
    recorder.writer("w").append(payload).acknowledged(lsn)
reader = recorder.reader("r")
reader.begin(0)
reader.at_end(0, reader.ask())
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_recorded_is_judged_and_named_unfinished(tmp_path: Path) -> None:
    path, left = tmp_path / "t.jsonl", tmp_path / "t.jsonl.unfinished"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [one.name for one in tmp_path.iterdir()] == [left.name]
    verdict = quorate.check(left)
    assert (verdict.outcome, len(events(left))) == ("violated", 6)
    assert "never closed" in " ".join(verdict.notes)
    with pytest.raises(quorate.UnfinishedTrace, match="judge it"):
        quorate.Recorder(path)


def test_an_error_in_the_block_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with pytest.raises(ZeroDivisionError), quorate.Recorder(path) as recorder:
        recorder.writer("w").append("x").acknowledged(1 // 0)
    assert [one["kind"] for one in events(path)] == ["invoke"]
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_closed_recorder_takes_nothing_more(tmp_path: Path) -> None:
    with quorate.Recorder(tmp_path / "t.jsonl") as recorder:
        append = recorder.writer("w").append("x")
    recorder.close()
    with pytest.raises(quorate.RecorderClosed):
        append.unknown()


def test_a_disk_that_refuses_is_a_named_error_and_leaves_what_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = quorate.Recorder(tmp_path / "t.jsonl")
    writer = recorder.writer("w")
    writer.append("x")
    with monkeypatch.context() as patch:
        patch.setattr("quorate.recorder.os.write", lambda _file, line: len(line) - 1)
        with pytest.raises(quorate.RecorderFailed, match="a part of an event"):
            writer.append("y")
    writer.append("z")
    recorder.close()
    assert [(one["seq"], one["payload"]) for one in events(recorder.path)] == [(0, "x"), (1, "z")]


@pytest.mark.parametrize("lsn", [-1, "7", (1,), (1, -1), 1.5, None, True])
def test_what_is_no_position_is_refused(lsn: Any) -> None:
    recording = quorate.Recording(list[bytes]().append, quorate.Subject())
    with pytest.raises(quorate.BadLsn):
        recording.reader("r").begin(lsn)


def test_what_no_trace_may_say_is_refused(tmp_path: Path) -> None:
    recording = quorate.Recording(list[bytes]().append, quorate.Subject(nodes=("a",)))
    with pytest.raises(Mistyped, match="bytes or text"):
        recording.writer("w").append(7)  # type: ignore[arg-type]
    with pytest.raises(Mistyped, match="known are hole"):
        recording.reader("r").gap(0, 1, "nothing")
    with pytest.raises(Mistyped, match="nodes are a"):
        recording.fault("crash", "b")
    with pytest.raises(Mistyped, match="nodes are a"):
        recording.holds("b", 0, "x")
    with pytest.raises(UnknownPromise):
        quorate.Recorder(tmp_path / "t.jsonl", promises=["speed"])
    with pytest.raises(NotWritable):
        quorate.Recorder(tmp_path / "none" / "t.jsonl")
    assert list(tmp_path.iterdir()) == []
