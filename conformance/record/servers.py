"""Server processes on loopback: start, kill -9, pause and resume each one, and wait for conditions with a deadline."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from conformance.record.errors import ClusterFailed

_LEASH = Path(__file__).with_name("leash.py")
_LOG_TAIL_BYTES = 4000
_POLL_SECONDS = 0.05
_GIVING = threading.Lock()
_GIVEN: set[int] = set()
_T = TypeVar("_T")


class Server:
    """One node: a command, its log file, and the process that runs it, if any."""

    def __init__(self, name: str, command: list[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        self.name, self.command, self.log = name, command, log
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._is_paused = False

    def start(self) -> None:
        """Start the command, its output appended to the log. It ends with the thread that calls this."""
        leashed = [sys.executable, "-I", "-S", str(_LEASH), str(os.getpid()), *self.command]
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                leashed,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self._environment,
                start_new_session=True,  # so `kill` reaches its children, and Ctrl-C reaches only the recorder
            )

    def kill(self) -> None:
        """Kill -9 with all its children, also while paused, and wait until the process is gone."""
        if self._process is not None:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)  # its session is its own: see `start`
            self._process.wait()
            self._process, self._is_paused = None, False

    def pause(self) -> None:
        """Stop the process from running, its sockets and memory kept (SIGSTOP); returns once it stands still.

        SIGSTOP takes hold when a thread of the process next runs; on a busy machine the others go on meanwhile.
        """
        process = self._signal(signal.SIGSTOP)
        if not self._is_paused and process.returncode is None:
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            self._is_paused = os.WIFSTOPPED(status)
            if not self._is_paused:  # it ended by itself before the signal came
                process.returncode = os.waitstatus_to_exitcode(status)

    def resume(self) -> None:
        """Let a paused process run on (SIGCONT)."""
        self._signal(signal.SIGCONT)
        self._is_paused = False

    def exit_code(self) -> int | None:
        """The exit code of a process that ended by itself; None while it runs, and after `kill`."""
        return None if self._process is None else self._process.poll()

    def log_tail(self) -> str:
        """The end of the log, for error messages."""
        return self.log.read_bytes()[-_LOG_TAIL_BYTES:].decode(errors="replace") if self.log.exists() else ""

    def _signal(self, number: signal.Signals) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ClusterFailed(f"{self.name} is not running: {number.name} has no receiver", {})
        self._process.send_signal(number)
        return self._process


class Servers:
    """The processes of one recording; leaving the `with` block kills whatever still runs."""

    def __init__(self, servers: Iterable[Server]) -> None:
        self.servers = tuple(servers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self.servers:
            server.kill()

    def wait(self, condition: Callable[[], _T | None], what: str, *, seconds: float) -> _T:
        """Poll until the condition is true and return its value.

        Raises `ClusterFailed` at the deadline, or when a node has ended by itself.
        """
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            if ended := [f"{s.name} with exit code {s.exit_code()}" for s in self.servers if s.exit_code() is not None]:
                raise self.failure(f"While waiting for {what}, a node ended by itself: {', '.join(ended)}.")
            if time.monotonic() > deadline:
                raise self.failure(f"Waited {seconds:g} s in vain for {what}.")
            time.sleep(_POLL_SECONDS)
        return value

    def failure(self, what: str) -> ClusterFailed:
        """A `ClusterFailed` with the log tails of all nodes."""
        return ClusterFailed(what, {server.name: server.log_tail() for server in self.servers})


def free_ports(count: int) -> list[int]:
    """So many TCP ports that nobody listens on, below the range from which the kernel takes ports for connections.

    None is given twice, so that clusters can start side by side before they listen.
    """
    found: set[int] = set()
    with _GIVING:
        while len(found) < count:
            port = random.randrange(15000, 32000)
            if port not in _GIVEN and not is_listening(port) and _can_bind(port):
                found.add(port)
                _GIVEN.add(port)
    return sorted(found)


def is_listening(port: int) -> bool:
    """Whether something accepts connections on this port of loopback."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _can_bind(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
