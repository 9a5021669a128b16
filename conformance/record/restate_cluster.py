"""Three Restate nodes on loopback, each with every role, logs replicated to two, and the service that they call."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from conformance.record.npm import program
from conformance.record.servers import Server, Servers, free_ports, is_listening

NODES = (1, 2, 3)
_READY_SECONDS = 40
_CALL_SECONDS = 10
_CONTROL_SECONDS = 30
_SUCCESS = range(200, 300)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_CONFIGURATION = """\
roles = ["http-ingress", "admin", "worker", "log-server", "metadata-server"]
cluster-name = "quorate"
node-name = "n{node}"
force-node-id = {node}
auto-provision = {is_first}
base-dir = "{folder}/data-{node}"
listen-mode = "tcp"
bind-address = "127.0.0.1:{fabric}"
advertised-address = "http://127.0.0.1:{fabric}/"
default-num-partitions = 2
default-replication = 2
disable-telemetry = true
log-disable-ansi-codes = true
rocksdb-total-memory-size = "128 MiB"
[metadata-client]
addresses = {fabrics}
[ingress]
bind-address = "127.0.0.1:{ingress}"
[admin]
bind-address = "127.0.0.1:{admin}"
disable-web-ui = true
"""


@dataclass(frozen=True)
class Service:
    """What Restate calls.

    Attributes:
        app: where its application is, as ``module:name``.
        probe: the path of a handler that takes a number, asked whether an ingress serves.
    """

    app: str
    probe: str


COUNTER = Service("conformance.record.restate_counter:app", "/Counter/readiness/add")


@dataclass(frozen=True)
class Answer:
    """What restatectl answered: exit code, output without colours, complaints."""

    rc: int
    stdout: str
    stderr: str


class RestateCluster(Servers):
    """The nodes 1, 2, 3 (`node(2)` starts and kills one) and the service; `ingresses[i]` belongs to node i + 1."""

    def __init__(self, folder: Path, modules: Path, service: Service = COUNTER) -> None:
        count = len(NODES)
        ports = free_ports(3 * count + 1)
        self._fabrics, self.ingresses, self._admins = ports[:count], ports[count : 2 * count], ports[2 * count : -1]
        self._service, self._probe = ports[-1], service.probe
        self._control = program(modules, "@restatedev/restatectl", "restatectl")
        binary = program(modules, "@restatedev/restate-server", "restate-server")
        folder.mkdir(parents=True, exist_ok=True)
        for node in NODES:
            (folder / f"{node}.toml").write_text(self._configuration(folder, node))
        nodes = [
            Server(f"N{node}", [binary, "--no-logo", "-c", str(folder / f"{node}.toml")], folder / f"{node}.log")
            for node in NODES
        ]
        served = [sys.executable, "-m", "hypercorn", service.app]
        served += ["--bind", f"127.0.0.1:{self._service}", "--workers", "0"]  # no child that would outlive a kill
        project = {"PYTHONPATH": str(Path(__file__).parents[2])}
        super().__init__([*nodes, Server("service", served, folder / "service.log", project)])

    def node(self, number: int) -> Server:
        """The server process of node 1, 2 or 3."""
        return self.servers[number - 1]

    def start(self) -> None:
        """Start all, make the service known, and wait until every ingress serves it. Raises `ClusterFailed`."""
        for server in self.servers:
            server.start()
        self.wait(lambda: is_listening(self._service), "the service to listen", seconds=_READY_SECONDS)
        self.wait(lambda: self._members() == len(NODES), "three members", seconds=_READY_SECONDS)
        self.wait(self._register, "the cluster to accept the service", seconds=_READY_SECONDS)
        self.wait_serving()

    def wait_serving(self, nodes: Iterable[int] = NODES) -> None:
        """Wait until the ingresses of these nodes serve. Raises `ClusterFailed`."""
        for node in nodes:
            asked = partial(_post, self.ingresses[node - 1], self._probe, 1)
            self.wait(asked, f"the ingress of N{node} to serve", seconds=_READY_SECONDS)

    def control(self, command: str) -> Answer:
        """Run restatectl against all nodes, dead or alive. Raises `ClusterFailed` if it gives no answer in time."""
        addresses = ",".join(f"http://127.0.0.1:{port}/" for port in self._fabrics)
        try:
            done = subprocess.run(
                [self._control, "--address", addresses, *command.split()],
                capture_output=True,
                text=True,
                timeout=_CONTROL_SECONDS,
                env={**os.environ, "NO_COLOR": "1"},
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise self.failure(f"`restatectl {command}` gave no answer in {_CONTROL_SECONDS} s.") from error
        return Answer(done.returncode, _COLOURS.sub("", done.stdout), _COLOURS.sub("", done.stderr))

    def _members(self) -> int:
        return len(re.findall(r"^ N\d+ ", self.control("nodes list").stdout, re.MULTILINE))

    def _register(self) -> bool:
        return _post(self._admins[0], "/deployments", {"uri": f"http://127.0.0.1:{self._service}"})

    def _configuration(self, folder: Path, node: int) -> str:
        return _CONFIGURATION.format(
            node=node,
            folder=folder,
            is_first=str(node == NODES[0]).lower(),
            fabric=self._fabrics[node - 1],
            fabrics=json.dumps([f"http://127.0.0.1:{port}/" for port in self._fabrics]),
            ingress=self.ingresses[node - 1],
            admin=self._admins[node - 1],
        )


def _post(port: int, path: str, body: object) -> bool:
    """Whether the answer was a success."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_CALL_SECONDS)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        return connection.getresponse().status in _SUCCESS
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
