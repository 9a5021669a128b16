"""ZooKeeper and some bookies of Apache BookKeeper on loopback, one JVM each, and their clients in one JVM more.

Settings: BookKeeper documentation, "Configuration". Time-outs are short, so that a dead bookie is noticed in seconds.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from conformance.record.bookkeeper_client import Client, Clients
from conformance.record.errors import ClusterFailed
from conformance.record.java import with_logging
from conformance.record.servers import Server, Servers, free_ports, is_listening

LEDGERS: Final = "/ledgers"
"""Under which path of ZooKeeper all is kept."""

_JVM: Final = (
    *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:CICompilerCount=1", "-XX:-UsePerfData", "-Xshare:auto"),
    *("-Xss512k", "-Xms32m", "-Xmx96m", "-XX:MaxDirectMemorySize=96m", "-Djava.net.preferIPv4Stack=true"),
    *("-Dio.netty.allocator.numDirectArenas=1", "-Dio.netty.eventLoopThreads=1"),
    "--add-opens=java.base/java.io=ALL-UNNAMED",
)
AUDITOR: Final = "org.apache.bookkeeper.replication.AuditorReplicasCheckTask"
"""The class that notes what BookKeeper's own checker finds, and when it is done."""

TALKATIVE: Final = (
    *(f"org.apache.bookkeeper.{name}" for name in ("bookie.BookieImpl", "client.LedgerHandle", "client.PendingAddOp")),
    AUDITOR,
)
"""The classes that note each entry that a bookie takes, each acknowledgement, each change of an ensemble, and what
BookKeeper's own checker finds."""

_AUDITED: Final = re.compile(r"Completed ReplicasCheck \{durationMs=(\d+)")
"""How it says that it is done, and in how many milliseconds: replication/AuditorReplicasCheckTask.java."""

_LOG_TAIL: Final = 4000
_COOKIE: Final = "VERSION"
_READY_SECONDS: Final = 90


class Audited(NamedTuple):
    """What came of a run of BookKeeper's own checker of replicas.

    Attributes:
        log: what was noted meanwhile.
        gauges: what its gauges show in the end.
        took_ms: how long it looked, as it says itself.
    """

    log: str
    gauges: Mapping[str, int]
    took_ms: int


class BookKeeperCluster(Servers):
    """The bookies, by number, and ZooKeeper behind them; ``servers[bookie]`` starts, kills, pauses and resumes one.

    Args:
        folder: takes disks and logs.
        jars: the libraries of BookKeeper and ZooKeeper.
        java: the executable.
        bookies: how many.
        session_ms: after what time a bookie that is silent is registered no more; 10 seconds at most.
        talkative: the classes that note all that they do.
    """

    def __init__(
        self,
        folder: Path,
        jars: Sequence[Path],
        java: str,
        bookies: int,
        *,
        session_ms: int = 4000,
        talkative: Sequence[str] = TALKATIVE,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.bookies, self._folder, self._java = tuple(range(bookies)), folder, java
        self._session_ms = session_ms
        self._zookeeper, *self.ports = free_ports(bookies + 1)
        self._class_path = ":".join(map(str, jars))
        self._options = [*_JVM, with_logging(folder, pattern="%d{UNIX_MILLIS} %m %X", talkative=talkative)]
        command = [java, *self._options, "-cp", self._class_path]
        for bookie in self.bookies:
            _write(self._settings(bookie), self._file(bookie))
        _write(self._zookeeper_settings(), folder / "zoo.cfg")
        main = [*command, "org.apache.bookkeeper.server.Main", "--conf"]
        super().__init__(
            [
                *(
                    Server(f"bookie {one}", [*main, str(self._file(one))], folder / f"{one}.log")
                    for one in self.bookies
                ),
                Server(
                    "ZooKeeper",
                    [*command, "org.apache.zookeeper.server.ZooKeeperServerMain", str(folder / "zoo.cfg")],
                    folder / "zookeeper.log",
                ),
            ]
        )
        self._clients: Clients | None = None
        self._watcher: Client | None = None

    @property
    def uri(self) -> str:
        """Where clients find the metadata."""
        return f"zk+hierarchical://127.0.0.1:{self._zookeeper}{LEDGERS}"

    @property
    def names(self) -> tuple[str, ...]:
        """What metadata calls the bookies."""
        return tuple(f"127.0.0.1:{port}" for port in self.ports)

    def start(self) -> None:
        """Start all, and wait until every bookie is registered.

        Raises:
            ClusterFailed: they do not come up in time.
        """
        self.servers[-1].start()
        try:
            self._clients = Clients(self._class_path, self._java, self._options, self._folder / "clients.log")
        except (OSError, ValueError) as error:  # py4j reads the port that the JVM tells, if it does
            raise self.failure(f"The clients of BookKeeper did not start: {error!r}.") from error
        self.wait(lambda: is_listening(self._zookeeper), "ZooKeeper to listen", seconds=_READY_SECONDS)
        if not self._clients.prepare(self.uri):
            raise self.failure("BookKeeper could not prepare its metadata.")
        for bookie in self.bookies:
            self.servers[bookie].start()
        self._watcher = self.client()
        self.wait_registered(self.bookies)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._clients is not None:
            self._clients.close()
        super().__exit__(kind, error, trace)

    def failure(self, what: str) -> ClusterFailed:
        """As of all clusters, with the end of the clients' log, too."""
        failed = super().failure(what)
        return ClusterFailed(what, {**failed.logs, "the clients": self.clients_log()[-_LOG_TAIL:]})

    def client(self) -> Client:
        """A client with a session and connections of its own; all end with the cluster.

        Raises:
            ClusterFailed: the cluster was not started.
        """
        if self._clients is None:
            raise self.failure("BookKeeper was not started.")
        return self._clients.client(self.uri)

    def audit(self) -> Audited:
        """Let BookKeeper's own checker look at all replicas, once.

        Raises:
            ClusterFailed: it does not come to its end.
        """
        if self._clients is None:
            raise self.failure("BookKeeper was not started.")
        before = len(self.clients_log())
        with self._clients.auditing(self.uri) as gauges:
            took_ms = self.wait(
                lambda: _AUDITED.search(self.clients_log(), before), "BookKeeper's own checker", seconds=_READY_SECONDS
            )[1]
            return Audited(self.clients_log()[before:], gauges(), int(took_ms))

    def registered(self) -> frozenset[str]:
        """The bookies that are registered at ZooKeeper."""
        return frozenset() if self._watcher is None else self._watcher.registered()

    def wait_registered(self, bookies: Sequence[int]) -> None:
        """Wait until these bookies serve, and are registered.

        Raises:
            ClusterFailed: they are not in time.
        """
        names = {self.names[bookie] for bookie in bookies}

        def ready() -> bool:
            return all(is_listening(self.ports[bookie]) for bookie in bookies) and names <= self.registered()

        self.wait(ready, f"bookies {list(bookies)} to be registered", seconds=_READY_SECONDS)

    def wait_missed(self, bookies: Sequence[int]) -> None:
        """Wait until dead bookies are registered no more: only then do they register anew.

        Raises:
            ClusterFailed: their sessions do not end in time.
        """
        names = {self.names[bookie] for bookie in bookies}
        self.wait(lambda: not names & self.registered(), "dead bookies to be missed", seconds=_READY_SECONDS)

    def wipe(self, bookie: int) -> None:
        """Remove all that a dead bookie has on disk, but for the cookie by which the cluster knows it.

        What it noted is put aside: it is of what is gone.
        """
        log = self.servers[bookie].log
        log.replace(log.with_suffix(".wiped"))
        for disk in ("journal", "ledgers"):
            for found in (self._disk(bookie) / disk / "current").iterdir():
                if found.is_dir():
                    shutil.rmtree(found)
                elif found.name != _COOKIE:
                    found.unlink()

    def journals(self, bookie: int) -> list[Path]:
        """The journals of a bookie, also of one that is dead, in the order in which they were written."""
        return sorted((self._disk(bookie) / "journal" / "current").glob("*.txn"), key=lambda path: int(path.stem, 16))

    def clients_log(self) -> str:
        """What the clients themselves noted of the ledgers that they write."""
        log = self._folder / "clients.log"
        return log.read_text() if log.exists() else ""

    def bookie_log(self, bookie: int) -> str:
        """What a bookie noted since it was wiped, if it was."""
        log = self.servers[bookie].log
        return log.read_text() if log.exists() else ""

    def transactions(self) -> list[Path]:
        """The files with all changes that ZooKeeper made, in order."""
        found = (self._folder / "zookeeper" / "version-2").glob("log.*")
        return sorted(found, key=lambda path: int(path.suffix[1:], 16))

    def _disk(self, bookie: int) -> Path:
        return self._folder / f"bookie-{bookie}"

    def _file(self, bookie: int) -> Path:
        return self._folder / f"{bookie}.conf"

    def _settings(self, bookie: int) -> dict[str, object]:
        """BookKeeper's names."""
        disk = self._disk(bookie)
        threads = ("serverNumIOThreads", "numAddWorkerThreads", "numReadWorkerThreads", "numHighPriorityWorkerThreads")
        full = {"diskUsageThreshold": 0.999, "diskUsageWarnThreshold": 0.998, "diskUsageLwmThreshold": 0.99}
        return {
            "metadataServiceUri": self.uri,
            "zkTimeout": self._session_ms,
            "bookiePort": self.ports[bookie],
            "allowLoopback": "true",
            "listeningInterface": "lo",
            "journalDirectories": disk / "journal",
            "ledgerDirectories": disk / "ledgers",
            "journalSyncData": "false",
            "journalPreAllocSizeMB": 1,
            "journalMaxSizeMB": 16,
            "journalMaxBackups": 100,
            "skipListSizeLimit": 4 << 20,
            **dict.fromkeys(threads, 1),
            "numLongPollWorkerThreads": 0,
            **full,
        }

    def _zookeeper_settings(self) -> dict[str, object]:
        """ZooKeeper's names; sessions last two ticks or more."""
        return {
            "tickTime": 500,
            "dataDir": self._folder / "zookeeper",
            "clientPort": self._zookeeper,
            "clientPortAddress": "127.0.0.1",
            "admin.enableServer": "false",
            "maxClientCnxns": 0,
            "snapCount": 1_000_000,
        }


def _write(settings: dict[str, object], file: Path) -> None:
    file.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
