"""The servers of a real system, as an adapter hurts them: what happened to each, and how all is well again."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


class Nodes:
    """Servers that run, and what happened to them.

    Args:
        cluster: one that has been started; its servers are numbered.

    Attributes:
        dead, paused: those that were killed, and that stand still.
    """

    def __init__(self, cluster: Any) -> None:
        self.cluster = cluster
        self.dead, self.paused = set[int](), set[int]()

    def crash(self, node: int) -> None:
        """Kill a server with signal 9."""
        self.cluster.servers[node].kill()
        self.dead.add(node)
        self.paused.discard(node)

    def pause(self, node: int) -> None:
        """Let a server stand still."""
        if node not in self.dead:
            self.cluster.servers[node].pause()
            self.paused.add(node)

    def resume(self, node: int) -> None:
        """Let a paused server go on."""
        if node in self.paused:
            self.cluster.servers[node].resume()
            self.paused.discard(node)

    def restart(self, node: int) -> None:
        """Start a server that was killed."""
        if node in self.dead:
            self.cluster.servers[node].start()
            self.dead.discard(node)

    def heal(self) -> None:
        """Whatever happened to servers is over."""
        for node in sorted(self.paused):
            self.resume(node)
        for node in sorted(self.dead):
            self.restart(node)


class Faults:
    """The faults of the adapter protocol, as they hit the servers of a real system; a server's name is its number.

    Attributes:
        servers: the servers.
    """

    servers: Nodes

    def crash(self, node: str) -> None:
        """Kill a server with signal 9."""
        self.servers.crash(int(node))

    def restart(self, node: str) -> None:
        """Start a server that was killed, and wait until it serves."""
        self.servers.restart(int(node))

    def pause(self, node: str) -> None:
        """Let a server stand still, alive."""
        self.servers.pause(int(node))

    def resume(self, node: str) -> None:
        """Let a server go on, and wait until it serves."""
        self.servers.resume(int(node))


def folder_until_exit(name: str) -> tuple[Path, ExitStack]:
    """A folder of this process for the disks of a cluster, and what ends with the process, the folder last."""
    ending = ExitStack()
    atexit.register(ending.close)
    return Path(ending.enter_context(TemporaryDirectory(prefix=f"quorate-{name}-"))), ending
