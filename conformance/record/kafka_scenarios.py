"""What happens to a Kafka cluster in each scenario, and what its clients and disks show of it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from conformance.record.history import History
from conformance.record.kafka_client import Writer, read_log
from conformance.record.kafka_cluster import NODES, KafkaCluster

_APPEND_SECONDS = 20
_SETTLE_SECONDS = 30
_STRONG = {"acks": "all", "enable.idempotence": True}
_WEAK = {"acks": 1, "enable.idempotence": False, "retries": 0}


class RunningScenario:
    """A running cluster with one log, and what has been recorded so far."""

    def __init__(self, cluster: KafkaCluster, log: str, seed: int) -> None:
        self.cluster, self.log, self.seed = cluster, log, seed
        self.history = History(log)
        self.before_restart: list[dict[str, object]] = []
        self.replicas: list[dict[str, object]] = []
        self.killed_node = -1
        self.appends_before_fault = random.Random(seed).randrange(150, 300)

    def writer(self, name: str, settings: Mapping[str, object], nodes: Sequence[int] = NODES) -> Writer:
        """A producer that knows these nodes."""
        return Writer(name, self.history, self.cluster.bootstrap(nodes), settings, self.seed)

    def wait_appends(self, writers: Sequence[Writer], count: int) -> None:
        """Wait until each writer has so many more acknowledgements."""
        goals = [(writer, writer.acknowledged + count) for writer in writers]
        self.cluster.wait(
            lambda: all(writer.acknowledged >= goal for writer, goal in goals),
            f"{count} more acknowledgements to each of {[writer.name for writer in writers]}",
            seconds=_APPEND_SECONDS,
        )

    def wait_equal(self, nodes: Sequence[int]) -> None:
        """Wait until the disks of these nodes hold the same records."""

        def equal() -> bool:
            first, *others = (self.cluster.stored(node, self.log) for node in nodes)
            return all(other == first for other in others)

        self.cluster.wait(equal, f"equal disks on nodes {list(nodes)}", seconds=_SETTLE_SECONDS)

    def kill(self, node: int) -> None:
        """Kill -9 the node that the scenario is about."""
        self.killed_node = node
        self.history.fault("kill -9", node)
        self.cluster.servers[node].kill()

    def pause(self, nodes: Sequence[int]) -> None:
        """Let these nodes stand still."""
        for node in nodes:
            self.cluster.servers[node].pause()
            self.history.fault("pause", node)

    def resume(self, nodes: Sequence[int]) -> None:
        """Let these nodes run on."""
        for node in nodes:
            self.history.fault("resume", node)
            self.cluster.servers[node].resume()

    def restart(self) -> None:
        """Look at every disk, then start the killed node and wait until it is in sync: it cuts off what diverges."""
        self.before_restart = self.stored_rows(producers=False)
        self.history.fault("restart", self.killed_node)
        self.cluster.servers[self.killed_node].start()
        self.cluster.wait_in_sync(self.log)

    def stored_rows(self, *, producers: bool) -> list[dict[str, object]]:
        """One row per record and node; with the producer's id and sequence if asked for."""
        rows: list[dict[str, object]] = []
        for node in NODES:
            for record in self.cluster.stored(node, self.log):
                row = {"node": node, "log": self.log, "offset": record.offset, "epoch": record.epoch}
                producer = {"pid": record.producer_id, "pseq": record.producer_sequence} if producers else {}
                rows.append({**row, **producer, "value": (record.value or b"").decode()})
        return rows


def play(scenario: str, disks: Path, jars: Sequence[Path], java: str, *, min_insync: int, seed: int) -> RunningScenario:
    """Start a cluster, play the scenario, read the log to its end and every disk. Raises `ClusterFailed`."""
    with KafkaCluster(disks, jars, java) as cluster:
        cluster.start()
        cluster.create_topic(scenario, min_insync=min_insync)
        scene = RunningScenario(cluster, scenario, seed)
        _ACTS[scenario](scene)
        scene.wait_equal(NODES)
        read_log(cluster, scene.history)
        scene.replicas = scene.stored_rows(producers=True)
    return scene


def clean(scene: RunningScenario) -> None:
    """Two idempotent writers, acks=all: kill -9 the leader while they write, restart it while they write on."""
    with ExitStack() as stack:
        writers = [scene.writer(name, _STRONG) for name in ("p0", "p1")]
        for writer in writers:
            stack.enter_context(writer.writing())
        scene.wait_appends(writers, scene.appends_before_fault)
        leader = scene.cluster.wait_leader(scene.log)
        scene.kill(leader)
        scene.cluster.wait_leader(scene.log, _others(leader))
        scene.wait_appends(writers, 100)
        scene.restart()
        scene.wait_appends(writers, 100)


def acks1_leader_killed(scene: RunningScenario) -> None:
    """One writer, acks=1: pause both followers, let the leader acknowledge alone, kill it, resume the followers."""
    leader = scene.cluster.wait_leader(scene.log)
    followers = _others(leader)
    first = scene.writer("p0", _WEAK)
    with first.writing():
        scene.wait_appends([first], scene.appends_before_fault)
        scene.pause(followers)
        scene.wait_appends([first], 150)
    scene.kill(leader)
    scene.resume(followers)
    scene.cluster.wait_leader(scene.log, followers)
    second = scene.writer("p1", _WEAK, followers)
    with second.writing():
        scene.wait_appends([second], 200)
    scene.wait_equal(followers)
    scene.restart()


_ACTS = {"clean": clean, "acks1-leader-killed": acks1_leader_killed}


def _others(node: int) -> tuple[int, ...]:
    return tuple(other for other in NODES if other != node)
