"""Record Restate, a living descendant of LogDevice's replicated log, while two of its nodes are killed in turn.

Clients add to counters through all three ingresses; between the faults the operator's tool lists the logs, their
segments, and which node holds which offset of each segment (its digest).
"""

from __future__ import annotations

import re
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from conformance.record.lines import write_lines
from conformance.record.live import require_live
from conformance.record.npm import RESTATE_LOCK, install
from conformance.record.restate_client import Load
from conformance.record.restate_cluster import NODES, Answer, RestateCluster

VERSION = "1.7.12"
_REPLICATION = 2
_KILLED = (2, 1)
_PHASES = 1 + 2 * len(_KILLED)
_CALLS_PER_PHASE = 5
_PHASE_SECONDS = 30


@dataclass(frozen=True)
class RestateRecording:
    """The files of one recording and its settings: each record on `replication` of `nodes` nodes."""

    client: Path
    controller: Path
    seed: int
    version: str
    nodes: int
    replication: int


def record_restate(folder: Path, *, seconds: float = 25, seed: int = 0, compress: bool = True) -> RestateRecording:
    """Kill and restart node 2, then node 1, under load; leave client and controller (.jsonl, .jsonl.zst) in the folder.

    `seconds` is the least length of the load without the operator's looks, in five equal phases; a phase lasts longer
    if the clients wait for the cluster. The seed sets the clients' pace.

    Raises `PackagesUnavailable` when Restate cannot be had, `LockMismatch` when it is not the locked one,
    `ClusterFailed` when the cluster does not do its part.
    """
    ending = ".jsonl.zst" if compress else ".jsonl"
    client, controller = folder / f"client{ending}", folder / f"controller{ending}"
    require_live("hypercorn", "restate")
    modules = install(RESTATE_LOCK)
    with (
        tempfile.TemporaryDirectory(prefix="quorate-restate-") as disks,
        RestateCluster(Path(disks), modules) as cluster,
    ):
        cluster.start()
        load = Load(cluster.ingresses, seed)
        operator = _Operator(cluster)
        with load.running():
            _phase(cluster, load, seconds / _PHASES, NODES)
            operator.look()
            for node in _KILLED:
                operator.kill(node)
                _phase(cluster, load, seconds / _PHASES, tuple(other for other in NODES if other != node))
                operator.look()
                operator.restart(node)
                _phase(cluster, load, seconds / _PHASES, NODES)
                operator.look()
    write_lines(client, load.rows)
    write_lines(controller, operator.rows)
    return RestateRecording(client, controller, seed, VERSION, len(NODES), _REPLICATION)


def _phase(cluster: RestateCluster, load: Load, seconds: float, live: tuple[int, ...]) -> None:
    """Let the load run for some seconds, and until every client and every live ingress had successes in this phase."""
    before, least = load.served(), time.monotonic() + seconds
    ingresses = [cluster.ingresses[node - 1] for node in live]
    cluster.wait(
        lambda: time.monotonic() >= least and load.has_served(before, ingresses, _CALLS_PER_PHASE),
        f"{_CALLS_PER_PHASE} successes of every client and through each of nodes {live}",
        seconds=seconds + _PHASE_SECONDS,
    )


class _Operator:
    """Looks at the cluster and hurts it, and writes down both."""

    def __init__(self, cluster: RestateCluster) -> None:
        self._cluster = cluster
        self.rows: list[dict[str, object]] = []

    def look(self) -> None:
        """List the logs and nodes, describe every log, and take the digest of each of its segments."""
        logs = re.findall(r"^ (\d+) ", self._run("logs list").stdout, re.MULTILINE)
        self._run("nodes list")
        chains = [self._run(f"logs describe {log}").stdout for log in logs]
        for loglet in [loglet for chain in chains for loglet in re.findall(r"\b\d+_\d+\b", chain)]:
            self._run(f"replicated-loglet digest {loglet}")

    def kill(self, node: int) -> None:
        """Kill -9 a node."""
        self._note_fault("kill -9", node)
        self._cluster.node(node).kill()

    def restart(self, node: int) -> None:
        """Start a killed node on its old disk."""
        self._note_fault("restart", node)
        self._cluster.node(node).start()

    def _run(self, command: str) -> Answer:
        asked_ns = time.time_ns()
        answer = self._cluster.control(command)
        self.rows.append({"time_ns": asked_ns, "command": command, **asdict(answer)})
        return answer

    def _note_fault(self, fault: str, node: int) -> None:
        self.rows.append({"time_ns": time.time_ns(), "fault": fault, "node": f"N{node}"})
