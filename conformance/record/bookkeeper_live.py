"""A running cluster of BookKeeper, asked as the checker asks one: read-only, at a measured pace, never for ever.

BookKeeper, BP-34, High Level Logic and Public Interfaces. Its own client asks, in a JVM beside this process; nothing is
changed, no ledger is opened, and nobody is fenced.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from conformance.record.bookkeeper_client import Clients, told
from conformance.record.errors import BookKeeperSaid
from conformance.record.jars import BOOKKEEPER_LOCK, fetch
from conformance.record.java import find_java, with_logging
from reference_impl.ledger.checker.judging import bookies_of
from reference_impl.ledger.checker.state import Versioned
from spec.ledger.availability.encoding import encode
from spec.ledger.errors import LedgerError
from spec.ledger.forms.versions import read
from spec.ledger.marks import Mark
from spec.ledger.said import Said

JVM: Final = ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx512m", "--add-opens=java.base/java.io=ALL-UNNAMED")

UNKNOWN_LEDGER: Final = "NoSuchLedgerExists"
"""What BookKeeper's errors are called that say of a bookie, or of the metadata server, that it knows no such ledger."""

MILLISECONDS: Final = 1000


@dataclass(frozen=True)
class Pace:
    """How a cluster is asked.

    Attributes:
        answer_ms: how long an answer may take.
        questions_per_s: how many questions bookies are asked in a second, at most.
    """

    answer_ms: int = 5000
    questions_per_s: float = 200


class LiveCluster:
    """What a running cluster says: ``reference_impl.ledger.checker.running.Cluster``, and more than that asks.

    Args:
        jvm: the packages of a JVM that has BookKeeper's client.
        uri: where the metadata is, such as ``zk+hierarchical://host:2181/ledgers``.
        pace: how it is asked.

    Raises:
        BookKeeperSaid: the metadata cannot be reached.
    """

    def __init__(self, jvm: Any, uri: str, pace: Pace) -> None:
        self._packages, self._listing = jvm.org.apache.bookkeeper, jvm.com.google.common.collect.Lists.newArrayList
        self._unit = jvm.java.util.concurrent.TimeUnit.MILLISECONDS
        settings = self._packages.conf.ClientConfiguration()
        settings.setMetadataServiceUri(uri)
        settings.setReadEntryTimeout(max(1, pace.answer_ms // MILLISECONDS))
        with told():
            self._java = self._packages.client.BookKeeper(settings)
            self._admin = self._packages.client.BookKeeperAdmin(self._java, settings)
            self._ledgers = self._java.getLedgerManager()
            self._marks = self._java.getLedgerManagerFactory().newLedgerUnderreplicationManager()
            self._form = self._packages.meta.LedgerMetadataSerDe()
        self.pace, self._next_s = pace, 0.0

    def ledgers(self) -> list[int]:
        """The numbers of all ledgers, in ascending order; they are kept in memory."""
        with told():
            return sorted(int(one) for one in self._listing(self._admin.listLedgers()))

    def now_ms(self) -> int:
        """The present time."""
        return time.time_ns() // (MILLISECONDS * MILLISECONDS)

    def wait(self, delay_ms: int) -> None:
        """Let so much time pass."""
        time.sleep(delay_ms / MILLISECONDS)

    def metadata(self, ledger: int) -> Versioned | None:
        """The metadata of a ledger; none if there is no such ledger.

        Raises:
            LedgerError: it cannot be read.
            BookKeeperSaid: the metadata server gives no answer.
        """
        try:
            with told():
                found = self._ledgers.readLedgerMetadata(ledger).get(self.pace.answer_ms, self._unit)
                data = bytes(self._form.serialize(found.getValue()))
                version = int(found.getVersion().getLongVersion())
        except BookKeeperSaid as said:
            if UNKNOWN_LEDGER in str(said):
                return None
            raise
        return Versioned(read(data), version)

    def mark(self, ledger: int) -> Mark | None:
        """The under-replication mark of a ledger, if it has one."""
        with told():
            found = self._marks.getLedgerUnreplicationInfo(ledger)
            if found is None:
                return None
            since_ms = int(found.getCtime())
            return Mark(tuple(map(str, found.getReplicaList())), since_ms if since_ms > 0 else None)

    def entries(self, ledger: int, bookie: str) -> bytes | None:
        """A bookie's entries of a ledger, as they are sent; none if it gives no answer."""
        return self.answers(ledger, [bookie])[bookie]

    def answers(self, ledger: int, bookies: Iterable[str]) -> Mapping[str, bytes | None]:
        """The same of several bookies, which are asked side by side."""
        asked = {bookie: self._asked(ledger, bookie) for bookie in bookies}
        return {bookie: self._answer(future) for bookie, future in asked.items()}

    def registered(self) -> frozenset[str]:
        """The bookies that are registered at the metadata server, also those that take no more entries."""
        with told():
            both = self._admin.getAvailableBookies(), self._admin.getReadOnlyBookies()
            return frozenset(str(bookie) for some in both for bookie in self._listing(some))

    def known_down(self) -> frozenset[str]:
        """The bookies of which the cluster has cookies, and that are not registered."""
        with told():
            known = frozenset(str(bookie) for bookie in self._listing(self._admin.getAllBookies()))
        return known - self.registered()

    def _asked(self, ledger: int, bookie: str) -> Any:
        """Ask a bookie, not before its turn; None where it is not even known how to reach it."""
        self._next_s = max(self._next_s, time.monotonic()) + 1 / self.pace.questions_per_s
        time.sleep(max(0.0, self._next_s - time.monotonic()))
        try:
            with told():
                return self._admin.asyncGetListOfEntriesOfLedger(self._packages.net.BookieId.parse(bookie), ledger)
        except BookKeeperSaid:
            return None

    def _answer(self, future: Any) -> bytes | None:
        """What a bookie answers; a ledger that it does not know has no entries there."""
        if future is None:
            return None
        try:
            with told():
                return bytes(future.get(self.pace.answer_ms, self._unit).serializeStateOfEntriesOfLedger())
        except BookKeeperSaid as said:
            return encode(()) if UNKNOWN_LEDGER in str(said) else None


@contextmanager
def live(uri: str, pace: Pace) -> Iterator[LiveCluster]:
    """Ask a running cluster, for the length of a block.

    Raises:
        PackagesUnavailable: BookKeeper's client, or Java, cannot be had.
        BookKeeperSaid: the cluster cannot be reached.
    """
    jars, java = fetch(BOOKKEEPER_LOCK), find_java()
    with TemporaryDirectory(prefix="quorate-audit-") as folder:
        options = (*JVM, with_logging(Path(folder)))
        clients = Clients(":".join(map(str, jars)), java, options, Path(folder) / "client.log")
        try:
            yield LiveCluster(clients.jvm, uri, pace)
        finally:
            clients.close()


def said(cluster: LiveCluster, ledgers: Iterable[int], later_ms: int) -> Iterator[Said]:
    """What a cluster says of each ledger, as far as a checker has to know it.

    Nobody is asked about a ledger that is not closed, or has a mark. Bookies that give no answer are asked once more:
    after the delay for the first of them, later ones at once.
    """
    due_s: float | None = None
    for ledger in ledgers:
        mark, found, is_readable = cluster.mark(ledger), None, True
        try:
            found = cluster.metadata(ledger)
        except LedgerError:
            is_readable = False
        if found is None or mark is not None or not found.metadata.is_closed:
            if found is not None or not is_readable:
                yield Said(ledger, found and found.metadata, mark=mark)
            continue
        answers = dict(cluster.answers(ledger, bookies_of(found.metadata)))
        silent = [bookie for bookie, answer in answers.items() if answer is None]
        if silent:
            due_s = due_s or time.monotonic() + later_ms / MILLISECONDS
            time.sleep(max(0.0, due_s - time.monotonic()))
            answers |= cluster.answers(ledger, silent)
        yield Said(ledger, found.metadata, answers)
