"""A running cluster of BookKeeper, asked as the checker asks one: read-only, at a measured pace, never for ever.

BookKeeper, BP-34, High Level Logic and Public Interfaces. Its own client asks, in a JVM beside this process; nothing is
changed, no ledger is opened, and nobody is fenced.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from conformance.record.bookkeeper_batches import Batches, Pair
from conformance.record.bookkeeper_client import Clients, java_errors_named
from conformance.record.errors import BookKeeperSaid
from conformance.record.jars import BOOKKEEPER_LOCK, fetch
from conformance.record.java import find_java, with_logging
from conformance.record.java_functions import Functions, Later
from reference_impl.ledger.checker.asking import entries_in
from reference_impl.ledger.checker.messages import (
    Action,
    Answered,
    AskBookie,
    AskStanding,
    LookForMark,
    MarkSeen,
    MetadataDamaged,
    MetadataSeen,
    Question,
    ReadMetadata,
    StandingSeen,
)
from reference_impl.ledger.checker.running import Groups
from reference_impl.ledger.checker.state import Versioned
from spec.ledger.errors import LedgerError
from spec.ledger.marks import Mark

JVM: Final = (
    *("-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-Xmx512m"),
    "--add-opens=java.base/java.io=ALL-UNNAMED",
)

MILLISECONDS: Final = 1000

TOGETHER: Final = 100
"""How many ledgers are asked about together."""

ABREAST: Final = 2
"""How many such groups are asked about at once, each as far as it is."""

GROUPS: Final = Groups(TOGETHER, ABREAST)

T = TypeVar("T")
Marks = Mapping[int, Mark | None]
Found = Mapping[int, Versioned | LedgerError | None]


@dataclass(frozen=True)
class Pace:
    """How a cluster is asked.

    Attributes:
        answer_ms: how long an answer may take.
        questions_per_s: how many questions bookies are asked in a second, at most.
        in_flight: how many answers of bookies may be waited for at once. The shipped checker looks at 100 ledgers at
            once, and so waits for as many, of five bookies: BookKeeper, replication/AuditorReplicasCheckTask.java.
    """

    answer_ms: int = 5000
    questions_per_s: float = 200
    in_flight: int = 500

    @property
    def at_once(self) -> int:
        """How many questions each group asks at once: no more than a tenth of a second has."""
        return max(1, min(self.in_flight // ABREAST, int(self.questions_per_s / 10)))


class LiveCluster:
    """What a running cluster says: ``reference_impl.ledger.checker.running.Cluster``, and more than that asks.

    Args:
        jvm: the packages of a JVM that has BookKeeper's client.
        uri: where the metadata is, such as ``zk+hierarchical://host:2181/ledgers``.
        pace: how it is asked.
        folder: for what comes from the JVM.

    Raises:
        BookKeeperSaid: the metadata cannot be reached.
    """

    def __init__(self, jvm: Any, uri: str, pace: Pace, folder: Path) -> None:
        packages = jvm.org.apache.bookkeeper
        settings = packages.conf.ClientConfiguration()
        settings.setMetadataServiceUri(uri)
        settings.setReadEntryTimeout(max(1, pace.answer_ms // MILLISECONDS))
        with java_errors_named():
            java = packages.client.BookKeeper(settings)
            self._admin = packages.client.BookKeeperAdmin(java, settings)
            marks = java.getLedgerManagerFactory().newLedgerUnderreplicationManager()
            functions = Functions(jvm, folder)
            self._batches = Batches(functions, self._admin, java.getLedgerManager(), marks, pace.answer_ms)
            self._join = jvm.com.google.common.base.Joiner.on(" ").join
        self._identity = partial(_identity, functions, packages, uri)
        self._marked = partial(_marked, jvm, functions, marks)
        self.pace, self._next_s = pace, 0.0
        self.metadata = self._batches.metadata
        self._unmarked: set[int] = set()

    def ledgers(self) -> list[int]:
        """The numbers of all ledgers, in ascending order; they are kept in memory, and which of them have no mark."""
        with java_errors_named():
            found = sorted(map(int, self._join(self._admin.listLedgers()).split()))
            self._unmarked = set(found).difference(map(int, self._join(self._marked()).split()))
        return found

    def marks(self, ledgers: Sequence[int]) -> Later[Mapping[int, Mark | None]]:
        """The marks of ledgers; at the first look nobody is asked about one that had none when all were listed.

        Whoever has something to report looks again, and is told what is so then.
        """
        asked = self._batches.marks([one for one in ledgers if one not in self._unmarked])
        self._unmarked.difference_update(ledgers)
        return lambda: {**dict.fromkeys(ledgers), **asked()}

    def identity(self) -> str:
        """What no other cluster is called, as it is drawn when its metadata is made; empty if it cannot be had."""
        try:
            with java_errors_named():
                return self._identity()
        except BookKeeperSaid:
            return ""

    def now_ms(self) -> int:
        """The present time."""
        return time.time_ns() // (MILLISECONDS * MILLISECONDS)

    def wait(self, delay_ms: int) -> None:
        """Let so much time pass."""
        time.sleep(delay_ms / MILLISECONDS)

    def lists(self, pairs: Sequence[Pair]) -> Later[Mapping[Pair, bytes | None]]:
        """The entries of each ledger that each bookie has, as they are sent; none where it gives no answer.

        They are asked in groups, none of them before its turn.
        """
        first, *others = groups_of(pairs, self.pace.at_once) or [()]
        asked = self._in_turn(first)

        def answers() -> Mapping[Pair, bytes | None]:
            found = dict(asked())
            for some in others:
                found |= self._in_turn(some)()
            return found

        return answers

    def ask(self, questions: Sequence[Question]) -> Later[list[Action]]:
        """Put questions to the cluster, all of them together."""
        of_kind: dict[type, list[Any]] = {}
        for question in questions:
            of_kind.setdefault(type(question), []).append(question)
        asked = {kind: self._asked(kind, some) for kind, some in of_kind.items()}

        def answers() -> list[Action]:
            said = {kind: some() for kind, some in asked.items()}
            return [said[type(question)][question] for question in questions]

        return answers

    def marked(self, ledgers: Sequence[int]) -> Later[tuple[Marks, Found]]:
        """The marks of ledgers, and their metadata."""
        marks, metadata = self.marks(ledgers), self.metadata(ledgers)
        return lambda: (marks(), metadata())

    def registered(self) -> frozenset[str]:
        """The bookies that are registered at the metadata server, also those that take no more entries."""
        with java_errors_named():
            both = self._admin.getAvailableBookies(), self._admin.getReadOnlyBookies()
            return frozenset(bookie for some in both for bookie in self._join(some).split())

    def known_down(self) -> frozenset[str]:
        """The bookies of which the cluster has cookies, and that are not registered."""
        with java_errors_named():
            known = frozenset(self._join(self._admin.getAllBookies()).split())
        return known - self.registered()

    def _in_turn(self, pairs: Sequence[Pair]) -> Later[Mapping[Pair, bytes | None]]:
        """The same as ``lists`` of a group."""
        now_s = time.monotonic()
        if (early_s := self._next_s - now_s) > 0:
            time.sleep(early_s)
        self._next_s = max(self._next_s, now_s) + len(pairs) / self.pace.questions_per_s
        return self._batches.lists(pairs)

    def _asked(self, kind: type, questions: Sequence[Any]) -> Later[Mapping[Any, Action]]:
        """What is said to questions of one kind."""
        if kind is AskStanding:
            return lambda: self._standing(questions)
        if kind is AskBookie:
            lists = self.lists([(ledger, bookie) for ledger, bookie in questions])
            return lambda: {
                AskBookie(*pair): Answered(pair[1], entries_in(entries)) for pair, entries in lists().items()
            }
        ledgers = [one.ledger for one in questions]
        if kind is LookForMark:
            marks = self.marks(ledgers)
            return lambda: {LookForMark(one): MarkSeen(mark, self.now_ms()) for one, mark in marks().items()}
        metadata = self.metadata(ledgers)
        return lambda: {ReadMetadata(one): _read(found) for one, found in metadata().items()}

    def _standing(self, questions: Sequence[AskStanding]) -> Mapping[AskStanding, Action]:
        """Who of some bookies is registered, and who is known to be down."""
        registered, down = self.registered(), self.known_down()
        asked = {one: frozenset(one.bookies) for one in questions}
        return {one: StandingSeen(some & registered, some & down) for one, some in asked.items()}


def groups_of(values: Sequence[T], size: int) -> list[Sequence[T]]:
    """Values in groups of a size, in their order."""
    return [values[begin : begin + size] for begin in range(0, len(values), size)]


def _identity(functions: Functions, packages: Any, uri: str) -> str:
    settings = packages.conf.ServerConfiguration()
    settings.setMetadataServiceUri(uri)
    asked = functions.method("org.apache.bookkeeper.discover.RegistrationManager", "getClusterInstanceId")
    return str(packages.meta.MetadataDrivers.runFunctionWithRegistrationManager(settings, functions.instance(asked)))


def _marked(jvm: Any, functions: Functions, marks: Any) -> Any:
    """The numbers of all ledgers that have a mark, in Java."""
    number = functions.method("org.apache.bookkeeper.meta.UnderreplicatedLedger", "getLedgerId")
    ledger = functions.instance(number, "com.google.common.base.Function")
    return jvm.com.google.common.collect.Iterators.transform(marks.listLedgersToRereplicate(None), ledger)


def _read(found: Versioned | LedgerError | None) -> MetadataSeen | MetadataDamaged:
    return MetadataDamaged(str(found)) if isinstance(found, LedgerError) else MetadataSeen(found)


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
            yield LiveCluster(clients.jvm, uri, pace, Path(folder))
        finally:
            clients.close()
