"""Processes under a recorder: waiting has a deadline; no server outlives its recorder (prctl(2), PR_SET_PDEATHSIG)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from functools import partial
from itertools import chain
from pathlib import Path
from random import randrange

import pytest

from conformance.record.errors import ClusterFailed
from conformance.record.servers import Server, Servers, free_ports, is_listening

IDLE = [sys.executable, "-c", "print('ready', flush=True); import signal; signal.pause()"]
PARENT = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import signal; print('ready', flush=True); signal.pause()"])
"""
TALKER = """
import threading
def talk():
    while True:
        print("word", flush=True)
for _ in range(8):
    threading.Thread(target=talk).start()
"""
RECORDER = """
import signal, sys
from pathlib import Path
from conformance.record.servers import Server
child = "import signal; print('child', flush=True); signal.pause()"
Server("idle", [sys.executable, "-c", child], Path("/dev/stdout")).start()
signal.pause()
"""


def says_ready(server: Server) -> bool:
    return "ready" in server.log_tail()


def test_waiting_returns_the_conditions_value(tmp_path: Path) -> None:
    with Servers([Server("idle", IDLE, tmp_path / "log")]) as servers:
        servers.servers[0].start()
        assert servers.wait(servers.servers[0].log_tail, "its first words", seconds=20) == "ready\n"


def test_a_deadline_that_passes_shows_the_logs(tmp_path: Path) -> None:
    with Servers([Server("idle", IDLE, tmp_path / "log")]) as servers:
        servers.servers[0].start()
        servers.wait(lambda: says_ready(servers.servers[0]), "its first words", seconds=20)
        with pytest.raises(
            ClusterFailed, match=r"Waited 0 s in vain for a miracle.\n--- last lines of idle ---\nready"
        ):
            servers.wait(lambda: False, "a miracle", seconds=0)


def test_a_node_that_ends_by_itself_is_reported_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no disk')"]
    with Servers([Server("node 1", command, tmp_path / "log")]) as servers:
        servers.servers[0].start()
        with pytest.raises(ClusterFailed, match=r"node 1 with exit code 1\.\n--- last lines of node 1 ---\nno disk"):
            servers.wait(lambda: False, "a leader", seconds=60)


def test_a_killed_node_is_no_failure_and_can_be_started_again(tmp_path: Path) -> None:
    server = Server("idle", IDLE, tmp_path / "log")
    with Servers([server]) as servers:
        for life in (1, 2):
            server.start()
            servers.wait(lambda: server.log_tail().count("ready") == life, "its first words", seconds=20)  # noqa: B023
            server.pause()
            server.resume()
            server.pause()
            server.kill()
            assert server.exit_code() is None


def test_a_paused_node_does_nothing_more(tmp_path: Path) -> None:
    """Wherever a thread of it was when it was paused: no line is written after `pause` has returned."""
    server = Server("talker", [sys.executable, "-c", TALKER], tmp_path / "log")
    with Servers([server]) as servers:
        server.start()
        servers.wait(lambda: len(server.log_tail()) > 100, "its first words", seconds=20)
        for _ in range(20):
            server.pause()
            written = server.log.stat().st_size
            os.sched_yield()
            server.pause()
            assert server.log.stat().st_size == written
            server.resume()
            servers.wait(lambda: server.log.stat().st_size > written, "more of its words", seconds=20)  # noqa: B023


def test_pausing_a_node_that_ended_by_itself_waits_for_nothing(tmp_path: Path) -> None:
    server = Server("ended", [sys.executable, "-c", "raise SystemExit(3)"], tmp_path / "log")
    with Servers([server]) as servers:
        server.start()
        server.pause()
        server.resume()
        with pytest.raises(ClusterFailed, match="ended with exit code 3"):
            servers.wait(lambda: False, "nothing", seconds=20)


def test_a_node_is_killed_with_its_children(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with Servers([Server("parent", [sys.executable, "-c", PARENT], pipe)]) as servers:
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(reader, True)
        servers.servers[0].start()
        with os.fdopen(reader) as said:
            assert said.readline() == "ready\n"
            servers.servers[0].kill()
            assert said.read() == "", "nobody holds the pipe any more"


def test_a_node_that_does_not_run_cannot_be_paused(tmp_path: Path) -> None:
    with pytest.raises(ClusterFailed, match="idle is not running"):
        Server("idle", IDLE, tmp_path / "log").pause()


@pytest.mark.skipif(sys.platform != "linux", reason="the leash is a facility of Linux")
def test_a_server_dies_with_its_recorder() -> None:
    with subprocess.Popen([sys.executable, "-c", RECORDER], stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout is not None
        assert recorder.stdout.readline() == "child\n"
        recorder.send_signal(signal.SIGKILL)
        # Both hold the pipe, so its end means that both are gone.
        said_after, _ = recorder.communicate(timeout=20)
        assert said_after == ""


def test_free_ports_are_free_and_distinct() -> None:
    ports = free_ports(7)
    assert len(set(ports)) == 7
    assert not any(is_listening(port) for port in ports)


def test_no_port_is_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters that start side by side choose before they listen."""
    given = free_ports(2)
    drawn = chain(given, iter(partial(randrange, 15000, 32000), None))
    monkeypatch.setattr("random.randrange", lambda *_: next(drawn))
    assert set(given).isdisjoint(free_ports(2))


def test_a_port_in_use_is_seen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert is_listening(server.getsockname()[1])
