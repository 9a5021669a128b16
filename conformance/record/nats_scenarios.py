"""What happens to a NATS cluster in each scenario, and what its clients and disks show of it."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.record.background import in_background
from conformance.record.history import History
from conformance.record.nats_cluster import NODES, NatsCluster
from conformance.record.nats_link import Link

_APPENDS_PER_SECOND: Final = 150
_AFTER_SILENCE_S: Final = 0.1
_APPEND_S: Final = 30
_SETTLE_S: Final = 30


class Writer:
    """A client that appends `NAME:0`, `NAME:1`, ... one after another at a seeded, uneven pace."""

    def __init__(self, name: str, history: History, link: Link, seed: int) -> None:
        self.name, self.acknowledged = name, 0
        self._history, self._link = history, link
        self._pace = random.Random(f"{seed}:{name}")

    def writing(self) -> AbstractContextManager[None]:
        """Append while the block runs; leaving it waits for the last answer."""
        return in_background(self.name, self._write)

    def _write(self, stop: threading.Event) -> None:
        seq, pause = 0, 0.0
        while not stop.wait(pause):
            is_answered = self._append(seq)
            pause = self._pace.uniform(0.5, 1.5) / _APPENDS_PER_SECOND if is_answered else _AFTER_SILENCE_S
            seq += 1

    def _append(self, seq: int) -> bool:
        """Append once, and say whether it was acknowledged: where nobody leads, the library says so at once."""
        value = f"{self.name}:{seq}"
        self._history.add(self.name, seq, "invoke_append", value)
        try:
            said = self._link.publish(self._history.log, value.encode())
        except TimeoutError as error:
            self._history.add(self.name, seq, "indefinite", value, error=str(error))
            return False
        self._history.add(self.name, seq, "ack", value, offset=said.seq, duplicate=bool(said.duplicate))
        self.acknowledged += 1
        return True


@dataclass
class RunningScenario:
    """A running cluster with one stream, and what has been recorded so far."""

    cluster: NatsCluster
    link: Link
    writers: Sequence[Writer]
    history: History
    appends_before_fault: int
    killed_node: int = -1

    def wait_appends(self, count: int) -> None:
        """Wait until each writer has so many more acknowledgements."""
        goals = [(writer, writer.acknowledged + count) for writer in self.writers]
        self.cluster.wait(
            lambda: all(writer.acknowledged >= goal for writer, goal in goals),
            f"{count} more acknowledgements to each writer",
            seconds=_APPEND_S,
        )

    def kill(self) -> None:
        """Kill -9 the node that leads the stream."""
        self.killed_node = self.cluster.wait_leader(self.link, self.history.log)
        self.history.fault("kill -9", self.killed_node)
        self.cluster.servers[self.killed_node].kill()

    def restart(self) -> None:
        """Start the killed node, and wait until its streams have caught up."""
        self.history.fault("restart", self.killed_node)
        self.cluster.servers[self.killed_node].start()
        self.cluster.wait_ready()

    def read(self) -> None:
        """Deliver the stream to a consumer, from its first message to its end."""
        reader, seq = "reader", 0
        for seq, one in enumerate(self.link.deliver(self.history.log)):
            self.history.add(reader, seq, "deliver", one.payload.decode(), offset=one.sequence)
        self.history.look(reader, seq + 1, "reader_info", num_pending=0)

    def stored_rows(self) -> list[dict[str, object]]:
        """One row for each message and node, once all disks hold the same."""

        def equal() -> bool:
            first, *others = (self.cluster.stored(node, self.history.log) for node in NODES)
            return all(other == first for other in others)

        self.cluster.wait(equal, "equal disks", seconds=_SETTLE_S)
        return [
            {"node": node, "log": self.history.log, "offset": one.sequence, "value": one.payload.decode()}
            for node in NODES
            for one in self.cluster.stored(node, self.history.log)
        ]


def clean(scene: RunningScenario) -> None:
    """Kill -9 the leader of three replicas while clients write, restart it while they write on."""
    scene.wait_appends(scene.appends_before_fault)
    others = set(NODES) - {scene.cluster.wait_leader(scene.link, scene.history.log)}
    scene.kill()
    scene.cluster.wait_leader(scene.link, scene.history.log, others)
    scene.wait_appends(100)
    scene.restart()
    scene.wait_appends(100)


def memory_killed(scene: RunningScenario) -> None:
    """Kill -9 the node that alone has the stream, in memory; after its restart the stream begins again."""
    scene.wait_appends(scene.appends_before_fault)
    scene.kill()
    scene.restart()
    scene.wait_appends(100)


@dataclass(frozen=True)
class Scenario:
    """How the stream is kept, and what happens."""

    act: Callable[[RunningScenario], None]
    replicas: int
    in_memory: bool


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "clean": Scenario(clean, replicas=3, in_memory=False),
    "memory-killed": Scenario(memory_killed, replicas=1, in_memory=True),
}


def play(name: str, disks: Path, program: Path, *, seed: int) -> tuple[RunningScenario, list[dict[str, object]]]:
    """Start a cluster, play a scenario, read the stream to its end, and every disk that holds it.

    Raises:
        ClusterFailed: the cluster does not do its part.
        TimeoutError: nobody answers a client.
    """
    scenario, history = SCENARIOS[name], History(name)
    with NatsCluster(disks, program) as cluster:
        cluster.start()
        with (
            closing(cluster.link("operator")) as link,
            closing(cluster.link("p0")) as p0,
            closing(cluster.link("p1")) as p1,
        ):
            cluster.create(link, name, replicas=scenario.replicas, in_memory=scenario.in_memory)
            writers = [Writer("p0", history, p0, seed), Writer("p1", history, p1, seed)]
            scene = RunningScenario(cluster, link, writers, history, random.Random(seed).randrange(150, 300))
            with writers[0].writing(), writers[1].writing():
                scenario.act(scene)
            scene.read()
            return scene, [] if scenario.in_memory else scene.stored_rows()
