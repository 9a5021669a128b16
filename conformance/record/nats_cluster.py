"""Three NATS servers on loopback, with JetStream, and the blocks of messages that their disks hold.

Source: NATS documentation, JetStream Clustering (a group of replicas elects a leader; ``/healthz`` says when a server
has caught up, ``/jsz`` who leads the servers).
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

from conformance.record.nats_blocks import StoredMessage, read_block
from conformance.record.nats_link import Link
from conformance.record.servers import Server, Servers, free_ports

NODES: Final = (0, 1, 2)
_READY_S: Final = 40.0
_ASK_S: Final = 1.0
_OK: Final = 200
_CONFIGURATION: Final = """\
server_name: n{node}
server_tags: ["n{node}"]
listen: 127.0.0.1:{port}
http: 127.0.0.1:{monitor}
jetstream {{ store_dir: "{folder}", max_mem: 64MB, max_file: 512MB }}
cluster {{ name: quorate, listen: 127.0.0.1:{route}, pool_size: -1, no_advertise: true, routes: {routes} }}
"""


class NatsCluster(Servers):
    """The three servers, by node number; `servers[node]` starts, kills, pauses and resumes one.

    Args:
        folder: takes configurations, logs and disks.
        program: the server.
    """

    def __init__(self, folder: Path, program: Path) -> None:
        count = len(NODES)
        ports = free_ports(3 * count)
        self.ports, self._monitors, self._routes = ports[:count], ports[count : 2 * count], ports[2 * count :]
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for node in NODES:
            self._file(node).write_text(self._configuration(node))
        super().__init__(
            Server(f"NATS node {node}", [str(program), "-c", str(self._file(node))], folder / f"{node}.log")
            for node in NODES
        )

    def start(self) -> None:
        """Start the servers and wait until all serve. Raises `ClusterFailed`."""
        for server in self.servers:
            server.start()
        self.wait_ready()

    def wait_ready(self, nodes: Iterable[int] = NODES) -> None:
        """Wait until these servers know who leads, and their streams have caught up. Raises `ClusterFailed`."""
        for node in nodes:
            self.wait(partial(self._is_ready, node), f"NATS node {node} to serve", seconds=_READY_S)

    def link(self, name: str) -> Link:
        """A new client. Raises TimeoutError when no server takes it."""
        return Link(self.ports, name)

    def create(self, link: Link, stream: str, *, replicas: int, in_memory: bool, node: str | None = None) -> None:
        """Make a stream and wait until it has a leader. Raises `ClusterFailed`."""

        def made() -> bool:
            try:
                link.create(stream, replicas=replicas, in_memory=in_memory, node=node)
            except TimeoutError:
                return False
            return True

        self.wait(made, f"stream {stream} to be made", seconds=_READY_S)
        self.wait_leader(link, stream)

    def wait_leader(self, link: Link, stream: str, nodes: Iterable[int] = NODES) -> int:
        """Wait until one of these nodes leads the stream and return it. Raises `ClusterFailed`."""
        allowed = {f"n{node}": node for node in nodes}

        def leaders() -> list[int]:
            try:
                group = link.info(stream).cluster
            except TimeoutError:
                return []
            return [allowed[group.leader]] if group is not None and group.leader in allowed else []

        return self.wait(leaders, f"a leader of {stream} among {sorted(allowed)}", seconds=_READY_S)[0]

    def stored(self, node: int, stream: str) -> list[StoredMessage]:
        """What a node's disk holds of a stream. Raises `DamagedBlock`."""
        folder = self._folder / f"data-{node}" / "jetstream" / "$G" / "streams" / stream / "msgs"
        blocks = sorted(folder.glob("*.blk"), key=lambda block: int(block.stem))
        return [message for block in blocks for message in read_block(block.read_bytes())]

    def _is_ready(self, node: int) -> bool:
        health, of_all = (self._monitored(node, path) for path in ("healthz", "jsz"))
        return health.get("status") == "ok" and bool(of_all.get("meta_cluster", {}).get("leader"))

    def _monitored(self, node: int, path: str) -> dict[str, Any]:
        """What a server tells of itself; nothing if it does not answer, or not well."""
        connection = http.client.HTTPConnection("127.0.0.1", self._monitors[node], timeout=_ASK_S)
        try:
            connection.request("GET", f"/{path}")
            answer = connection.getresponse()
            said: dict[str, Any] = json.loads(answer.read()) if answer.status == _OK else {}
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        finally:
            connection.close()
        return said

    def _file(self, node: int) -> Path:
        return self._folder / f"{node}.conf"

    def _configuration(self, node: int) -> str:
        return _CONFIGURATION.format(
            node=node,
            port=self.ports[node],
            monitor=self._monitors[node],
            route=self._routes[node],
            routes=json.dumps([f"nats-route://127.0.0.1:{route}" for route in self._routes]),
            folder=self._folder / f"data-{node}",
        )
