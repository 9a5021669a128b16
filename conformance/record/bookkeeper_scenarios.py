"""What happens to BookKeeper in each scenario, and what its clients, ZooKeeper and its bookies show of it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from conformance.record.background import in_background
from conformance.record.bookkeeper_client import Client, Handle
from conformance.record.bookkeeper_cluster import BookKeeperCluster
from conformance.record.bookkeeper_looks import audited_rows, change_rows, listed_rows, metadata_rows, stored_rows
from conformance.record.errors import BookKeeperSaid
from conformance.record.history import Seen

STRONG: Final = (3, 3, 2)
WEAK: Final = (3, 3, 1)
STRIPED: Final = (3, 1, 1)
"""Ensemble size, write quorum, ack quorum."""

_APPENDS_PER_SECOND: Final = 100
_APPEND_SECONDS: Final = 30


class History(Seen):
    """What clients did and were told, and what happened to bookies."""

    def add(self, client: str, kind: str, ledger: int, **more: object) -> None:
        """Write down one thing that a client did or was told."""
        self.note({"client": client, "kind": kind, "ledger": ledger, **more})

    def fault(self, what: str, bookie: int) -> None:
        """Write down what happened to a bookie."""
        self.note({"kind": "fault", "fault": what, "node": bookie})


class Writer:
    """Appends `NAME:0`, `NAME:1`, ... to a ledger of its own, one after the other, until it fails or is stopped."""

    def __init__(self, name: str, client: Client, history: History, quorums: tuple[int, int, int], seed: int) -> None:
        self.name, self._client, self._history = name, client, history
        self.acknowledged = 0
        self._next = 0
        self._pace = random.Random(f"{seed}:{name}")
        self._handle: Handle | None = client.create(*quorums)
        self.ledger = self._handle.ledger
        history.add(name, "create", self.ledger)

    @property
    def is_writing(self) -> bool:
        """Its ledger takes entries, as far as it knows."""
        return self._handle is not None

    @property
    def ensemble(self) -> tuple[str, ...]:
        """The bookies that its ledger is written to now; none once it takes no more."""
        return () if self._handle is None else self._handle.ensemble

    def append(self, count: int) -> None:
        """Append so many entries, unless one fails."""
        for _ in range(count):
            self._append()

    def writing(self) -> AbstractContextManager[None]:
        """Append while the block runs."""
        return in_background(self.name, self._write)

    def close(self) -> None:
        """End the ledger behind the last entry."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None

    def die(self) -> None:
        """End the client without a word to its ledger."""
        self._handle = None
        self._client.close()

    def _write(self, stop: threading.Event) -> None:
        while self._handle is not None and not stop.wait(self._pace.uniform(0.5, 1.5) / _APPENDS_PER_SECOND):
            self._append()

    def _append(self) -> None:
        """One append; after one that failed the ledger takes no more, and what became of that one is not known."""
        if self._handle is None:
            return
        value, self._next = f"{self.name}:{self._next}", self._next + 1
        self._history.add(self.name, "invoke_append", self.ledger, value=value)
        try:
            entry = self._handle.append(value.encode())
        except BookKeeperSaid as said:
            self._handle = None
            self._history.add(self.name, "indefinite", self.ledger, value=value, error=said.name)
            return
        self.acknowledged += 1
        self._history.add(self.name, "ack", self.ledger, value=value, entry=entry)


class RunningScenario:
    """A running cluster, and what has been recorded so far."""

    def __init__(self, cluster: BookKeeperCluster, seed: int) -> None:
        self.cluster, self.seed, self.random = cluster, seed, random.Random(seed)
        self.history = History()
        self.stored: list[dict[str, object]] = []
        self.metadata: list[dict[str, object]] = []
        self.lists: list[dict[str, object]] = []
        self.audited: list[dict[str, object]] = []

    def writer(self, name: str, quorums: tuple[int, int, int]) -> Writer:
        """A client with a new ledger to write to."""
        return Writer(name, self.cluster.client(), self.history, quorums, self.seed)

    def take_over(self, name: str, ledger: int) -> None:
        """Another client recovers a ledger."""
        self.history.add(name, "recover", ledger)
        self.cluster.client().recover(ledger)

    def wait_appends(self, writer: Writer, count: int) -> None:
        """Wait until a writer has so many more acknowledgements."""
        goal = writer.acknowledged + count
        waited = f"{count} more acknowledgements to {writer.name}"
        self.cluster.wait(lambda: writer.acknowledged >= goal, waited, seconds=_APPEND_SECONDS)

    def ensemble(self, writer: Writer) -> list[int]:
        """The bookies that a writer writes to now.

        Raises:
            ClusterFailed: an append failed, so it writes no more.
        """
        if not writer.is_writing:
            raise self.cluster.failure(f"An append of {writer.name} failed though no bookie was hurt.")
        return [self.cluster.names.index(name) for name in writer.ensemble]

    def wait_stored(self, bookies: Sequence[int], ledger: int, entry: int) -> None:
        """Wait until these bookies have an entry."""

        def stored() -> bool:
            return all(
                {"ledger": ledger, "entry": entry}.items() <= _last(self.cluster, bookie).items() for bookie in bookies
            )

        self.cluster.wait(stored, f"entry {entry} on bookies {list(bookies)}", seconds=_APPEND_SECONDS)

    def kill(self, bookie: int) -> None:
        """Kill -9 a bookie."""
        self.history.fault("kill -9", bookie)
        self.cluster.servers[bookie].kill()

    def pause(self, bookie: int) -> None:
        """Let a bookie stand still."""
        self.cluster.servers[bookie].pause()
        self.history.fault("pause", bookie)

    def resume(self, bookie: int) -> None:
        """Let a paused bookie run on."""
        self.history.fault("resume", bookie)
        self.cluster.servers[bookie].resume()

    def wipe(self, bookie: int) -> None:
        """A dead bookie loses all that it has; what that was is looked at before."""
        self.stored += [*stored_rows(self.cluster, bookie), {"node": bookie, "wiped_ns": time.monotonic_ns()}]
        self.cluster.wipe(bookie)

    def restart(self, bookies: Sequence[int]) -> None:
        """Start dead bookies, and wait until they serve."""
        self.cluster.wait_missed(bookies)
        for bookie in bookies:
            self.history.fault("restart", bookie)
            self.cluster.servers[bookie].start()
        self.cluster.wait_registered(bookies)

    def read(self, name: str, ledgers: Sequence[int]) -> None:
        """A reader reads closed ledgers from their beginnings to their ends."""
        client = self.cluster.client()
        for ledger in ledgers:
            handle = client.recover(ledger)
            for entry in range(handle.confirmed + 1):
                more: dict[str, object] = {"entry": entry, "confirmed": handle.confirmed}
                try:
                    (given,) = handle.read(entry, entry)
                    self.history.add(name, "deliver", ledger, value=given.payload.decode(), **more)
                except BookKeeperSaid as said:
                    if said.name != "NoSuchEntryException":
                        raise
                    self.history.add(name, "missing", ledger, **more)

    def look(self) -> None:
        """Look at all metadata and journals, and let each bookie, and BookKeeper's own checker, say what there is."""
        for bookie in self.cluster.bookies:
            self.stored += stored_rows(self.cluster, bookie)
        self.history.rows += change_rows(self.cluster)
        self.metadata = metadata_rows(self.cluster)
        self.lists = listed_rows(self.cluster, self.metadata)
        self.audited = audited_rows(self.cluster)


def play(scenario: str, disks: Path, jars: Sequence[Path], java: str, *, seed: int) -> RunningScenario:
    """Start a cluster, play the scenario, and look at all that is left.

    Raises:
        ClusterFailed: the cluster does not do its part.
    """
    bookies, act = _ACTS[scenario]
    with BookKeeperCluster(disks, jars, java, bookies) as cluster:
        cluster.start()
        scene = RunningScenario(cluster, seed)
        try:
            act(scene)
            scene.look()
        except BookKeeperSaid as said:
            raise cluster.failure(f"BookKeeper did not do what {scenario} waits for: {said}") from said
    return scene


def takeover(scene: RunningScenario) -> None:
    """Kill a bookie under a writer, bring it back, pause another one, and take the ledger over."""
    writer = scene.writer("w0", STRONG)
    writer.append(scene.random.randrange(40, 80))
    dead, slow = scene.random.sample(scene.ensemble(writer), 2)
    scene.kill(dead)
    writer.append(30)
    scene.restart([dead])
    with writer.writing():
        scene.pause(slow)
        scene.wait_appends(writer, 20)
        scene.resume(slow)
        scene.wait_appends(writer, 20)
        scene.take_over("r0", writer.ledger)
        scene.cluster.wait(lambda: not writer.is_writing, "the writer to be fenced", seconds=_APPEND_SECONDS)
    second = scene.writer("w1", STRONG)
    second.append(20)
    second.close()
    scene.read("reader", [writer.ledger, second.ledger])


def ack1_bookie_wiped(scene: RunningScenario) -> None:
    """One bookie alone acknowledges while the others stand still; it loses its disk, and the ledger is taken over."""
    writer = scene.writer("w0", WEAK)
    writer.append(scene.random.randrange(20, 40))
    alone, *others = scene.random.sample(scene.ensemble(writer), 3)
    scene.wait_stored(others, writer.ledger, writer.acknowledged - 1)
    for bookie in others:
        scene.pause(bookie)
    writer.append(10)
    writer.die()
    for bookie in (*others, alone):
        scene.kill(bookie)
    scene.wipe(alone)
    scene.restart((*others, alone))
    scene.take_over("r0", writer.ledger)
    scene.read("reader", [writer.ledger])


def striped(scene: RunningScenario) -> None:
    """Nothing happens to a ledger each bookie of which has every third entry."""
    writer = scene.writer("w0", STRIPED)
    writer.append(12)
    writer.close()
    scene.read("reader", [writer.ledger])


_ACTS = {"takeover": (4, takeover), "ack1-bookie-wiped": (3, ack1_bookie_wiped), "striped": (3, striped)}


def _last(cluster: BookKeeperCluster, bookie: int) -> dict[str, object]:
    rows = stored_rows(cluster, bookie)
    return rows[-1] if rows else {}
