"""Clients of Apache BookKeeper in a JVM of their own, steered from here through py4j.

BookKeeper documentation, "The Ledger API". Whatever Java throws arrives as `BookKeeperSaid`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JJavaError

from conformance.record.errors import BookKeeperSaid

PASSWORD: Final = b"quorate"
_ADD_SECONDS: Final = 10
"""How long a writer waits for a bookie before it replaces it: on a busy machine only one that is hurt is so late."""

_READ_SECONDS: Final = 3
_SESSION_MS: Final = 10_000
_SELDOM_SECONDS: Final = 1000
_LONG_AGO_MS: Final = 1
_KNOWS_NONE: Final = "NoSuchLedgerExists"

_GAUGES: Final = {
    "NUM_LEDGERS_HAVING_NO_REPLICA_OF_AN_ENTRY": "getNumLedgersHavingNoReplicaOfAnEntryGuageValue",
    "NUM_LEDGERS_HAVING_LESS_THAN_AQ_REPLICAS_OF_AN_ENTRY": "getNumLedgersHavingLessThanAQReplicasOfAnEntryGuageValue",
    "NUM_LEDGERS_HAVING_LESS_THAN_WQ_REPLICAS_OF_AN_ENTRY": "getNumLedgersHavingLessThanWQReplicasOfAnEntryGuageValue",
}
"""The gauges of BookKeeper's checker of replicas, and who gives what they show: replication/AuditorStats.java."""


class Stored(NamedTuple):
    """An entry as a reader is given it."""

    entry: int
    payload: bytes


class Handle:
    """A ledger that a client has open; only whoever created it can append."""

    def __init__(self, java: Any) -> None:
        self._java = java
        self.ledger: int = java.getId()

    @property
    def confirmed(self) -> int:
        """The last entry confirmed that this client knows of, -1 if there is none."""
        confirmed: int = self._java.getLastAddConfirmed()
        return confirmed

    @property
    def ensemble(self) -> tuple[str, ...]:
        """The bookies that it is written to now, by member."""
        ensembles = self._java.getLedgerMetadata().getAllEnsembles()
        return tuple(str(bookie) for bookie in ensembles.lastEntry().getValue())

    def append(self, payload: bytes) -> int:
        """Add an entry, and wait until an ack quorum has it; gives its number."""
        with java_errors_named():
            entry: int = self._java.addEntry(payload)
            return entry

    def read(self, first: int, last: int) -> list[Stored]:
        """The entries from one to another, both included."""
        with java_errors_named():
            found = self._java.readEntries(first, last)
            entries = []
            while found.hasMoreElements():
                entry = found.nextElement()
                entries.append(Stored(entry.getEntryId(), bytes(entry.getEntry())))
            return entries

    def close(self) -> None:
        """End the ledger where it is, if this client writes to it."""
        with java_errors_named():
            self._java.close()


class Client:
    """One client, with a session at ZooKeeper and connections of its own."""

    def __init__(self, jvm: Any, uri: str) -> None:
        self._packages = jvm.org.apache.bookkeeper
        self._listing = jvm.com.google.common.collect.Lists.newArrayList
        settings = self._packages.conf.ClientConfiguration()
        settings.setMetadataServiceUri(uri)
        settings.setZkTimeout(_SESSION_MS)
        settings.setAddEntryTimeout(_ADD_SECONDS)
        settings.setReadEntryTimeout(_READ_SECONDS)
        settings.setNumWorkerThreads(1)
        settings.setNumIOThreads(1)
        with java_errors_named():
            self._java = self._packages.client.BookKeeper(settings)
            self._admin = self._packages.client.BookKeeperAdmin(self._java, settings)
        self._digest = self._packages.client.BookKeeper.DigestType.CRC32C

    def create(self, ensemble: int, write: int, ack: int) -> Handle:
        """A new ledger, to append to."""
        with java_errors_named():
            return Handle(self._java.createLedger(ensemble, write, ack, self._digest, PASSWORD))

    def recover(self, ledger: int) -> Handle:
        """Open a ledger to read; if it has no end yet, fence its writer, find its end, and close it there."""
        with java_errors_named():
            return Handle(self._java.openLedger(ledger, self._digest, PASSWORD))

    def look_into(self, ledger: int) -> Handle:
        """Open a ledger to read up to the last entry that its writer is known to have confirmed, and let it be."""
        with java_errors_named():
            return Handle(self._java.openLedgerNoRecovery(ledger, self._digest, PASSWORD))

    def delete(self, ledger: int) -> None:
        """Delete a ledger, whoever writes to it."""
        with java_errors_named():
            self._java.deleteLedger(ledger)

    def mark(self, ledger: int, bookie: str) -> None:
        """Mark a ledger as under-replicated, for what a bookie has of it."""
        with java_errors_named():
            marks = self._java.getLedgerManagerFactory().newLedgerUnderreplicationManager()
            marks.markLedgerUnderreplicated(ledger, bookie)
            marks.close()

    def registered(self) -> frozenset[str]:
        """The bookies that are registered to be written to."""
        with java_errors_named():
            return frozenset(str(bookie) for bookie in self._listing(self._admin.getAvailableBookies()))

    def listed(self, ledger: int, bookie: str) -> bytes | None:
        """What a bookie says that it has of a ledger, as it is sent; None if it knows no such ledger."""
        address = self._packages.net.BookieId.parse(bookie)
        try:
            with java_errors_named():
                listed = self._admin.asyncGetListOfEntriesOfLedger(address, ledger).get()
                return bytes(listed.serializeStateOfEntriesOfLedger())
        except BookKeeperSaid as said:
            if _KNOWS_NONE in str(said):
                return None
            raise

    def close(self) -> None:
        """End the session; what is open stays so, as it does when a client dies."""
        with java_errors_named():
            self._admin.close()
            self._java.close()


class Clients:
    """A JVM with clients; it ends with this process."""

    def __init__(self, class_path: str, java: str, options: Sequence[str], log: Path) -> None:
        self._log = log.open("a", buffering=1)  # whoever waits for a line of it must find it
        launched: Any = launch_gateway(
            classpath=class_path,
            javaopts=list(options),
            java_path=java,
            die_on_exit=True,
            redirect_stdout=self._log,
            redirect_stderr=self._log,
            create_new_process_group=True,
            enable_auth=True,
            return_proc=True,
        )
        port, token, self._process = launched
        parameters = GatewayParameters(port=port, auth_token=token, auto_convert=True)
        self._gateway = JavaGateway(gateway_parameters=parameters)
        self.jvm: Any = self._gateway.jvm

    def prepare(self, uri: str) -> bool:
        """Make the metadata of a new cluster; whether that went well."""
        packages = self.jvm.org.apache.bookkeeper
        settings = packages.conf.ServerConfiguration()
        settings.setMetadataServiceUri(uri)
        with java_errors_named():
            done: bool = packages.client.BookKeeperAdmin.initNewCluster(settings)
            return done

    @contextmanager
    def auditing(self, uri: str) -> Iterator[Callable[[], Mapping[str, int]]]:
        """Run BookKeeper's own checker of replicas once, from the beginning of the block on; it logs what it finds.

        It runs at once, even if another one ran lately. What is given tells what its gauges show.
        """
        packages = self.jvm.org.apache.bookkeeper
        settings = packages.conf.ServerConfiguration()
        settings.setMetadataServiceUri(uri)
        settings.setAuditorPeriodicReplicasCheckInterval(_SELDOM_SECONDS)
        settings.setAuditorPeriodicBookieCheckInterval(_SELDOM_SECONDS)
        settings.setAuditorPeriodicCheckInterval(0)
        with java_errors_named():
            auditor = packages.replication.Auditor("auditor", settings, packages.stats.NullStatsLogger.INSTANCE)
            _private(auditor, "ledgerUnderreplicationManager").setReplicasCheckCTime(_LONG_AGO_MS)
            auditor.start()
        try:
            yield lambda: _gauges(_private(auditor, "auditorStats"))
        finally:
            with java_errors_named():
                auditor.shutdown()

    def client(self, uri: str) -> Client:
        """A new client of a cluster."""
        return Client(self.jvm, uri)

    def close(self) -> None:
        """End the JVM."""
        self._gateway.shutdown(raise_exception=False)
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._log.close()


def _private(of: Any, name: str) -> Any:
    """What a field of a Java object has."""
    field = of.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(of)


def _gauges(stats: Any) -> Mapping[str, int]:
    with java_errors_named():
        return {gauge: int(getattr(stats, getter)()) for gauge, getter in _GAUGES.items()}


@contextmanager
def java_errors_named() -> Iterator[None]:
    """Turn what Java throws into words while the JVM can still be asked for them."""
    try:
        yield
    except Py4JJavaError as error:
        thrown = error.java_exception
        cause = thrown.getCause() if "ExecutionException" in thrown.getClass().getName() else None
        said = thrown if cause is None else cause
        raise BookKeeperSaid(said.getClass().getSimpleName().removeprefix("BK"), str(said.toString())) from None
