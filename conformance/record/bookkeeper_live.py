"""A running cluster of BookKeeper, asked as the checker asks one: read-only, at a measured pace, never for ever.

BookKeeper, BP-34, High Level Logic and Public Interfaces. Its own client asks, in a JVM beside this process; nothing is
changed, no ledger is opened, and nobody is fenced.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from conformance.record.bookkeeper_batches import Batches, Pair
from conformance.record.bookkeeper_client import Clients, told
from conformance.record.jars import BOOKKEEPER_LOCK, fetch
from conformance.record.java import find_java, with_logging
from conformance.record.java_functions import Later
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
from spec.ledger.durability import is_judged
from spec.ledger.errors import LedgerError
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata
from spec.ledger.said import Said

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
        with told():
            java = packages.client.BookKeeper(settings)
            self._admin = packages.client.BookKeeperAdmin(java, settings)
            marks = java.getLedgerManagerFactory().newLedgerUnderreplicationManager()
            self._batches = Batches(jvm, self._admin, java.getLedgerManager(), marks, pace.answer_ms, folder)
            self._join = jvm.com.google.common.base.Joiner.on(" ").join
        self.pace, self._next_s = pace, 0.0
        self.marks, self.metadata = self._batches.marks, self._batches.metadata

    def ledgers(self) -> list[int]:
        """The numbers of all ledgers, in ascending order; they are kept in memory."""
        with told():
            return sorted(map(int, self._join(self._admin.listLedgers()).split()))

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
        with told():
            both = self._admin.getAvailableBookies(), self._admin.getReadOnlyBookies()
            return frozenset(bookie for some in both for bookie in self._join(some).split())

    def known_down(self) -> frozenset[str]:
        """The bookies of which the cluster has cookies, and that are not registered."""
        with told():
            known = frozenset(self._join(self._admin.getAllBookies()).split())
        return known - self.registered()

    def _in_turn(self, pairs: Sequence[Pair]) -> Later[Mapping[Pair, bytes | None]]:
        """The same as ``lists`` of a group."""
        now_s = time.monotonic()
        time.sleep(max(0.0, self._next_s - now_s))
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


def said(cluster: LiveCluster, ledgers: Sequence[int], later_ms: int) -> Iterator[Said]:
    """What a cluster says of each ledger, as far as a checker has to know it.

    Nobody is asked about a ledger that is not closed, or has a mark. Bookies that give no answer are asked once more:
    after the delay for the first of them, later ones at once.
    """
    due_s: float | None = None
    for marks, found in _one_ahead(cluster.marked(some) for some in groups_of(ledgers, TOGETHER)):
        pairs = [
            (ledger, bookie)
            for ledger, one in found.items()
            if isinstance(one, Versioned) and not marks[ledger]
            for bookie in _holders(one.metadata)
        ]
        answers = dict(cluster.lists(pairs)())
        if silent := [pair for pair, answer in answers.items() if answer is None]:
            due_s = due_s or time.monotonic() + later_ms / MILLISECONDS
            time.sleep(max(0.0, due_s - time.monotonic()))
            answers |= cluster.lists(silent)()
        told = {ledger: dict[str, bytes | None]() for ledger in found}
        for (ledger, bookie), answer in answers.items():
            told[ledger][bookie] = answer
        for ledger, one in found.items():
            if one is not None:
                metadata = one.metadata if isinstance(one, Versioned) else None
                yield Said(ledger, metadata, told[ledger], marks[ledger])


def _one_ahead(asked: Iterable[Later[T]]) -> Iterator[T]:
    """What was asked for, each while the next one is asked for already."""
    waiting: Later[T] | None = None
    for following in asked:
        if waiting:
            yield waiting()
        waiting = following
    if waiting:
        yield waiting()


def _holders(metadata: Metadata) -> tuple[str, ...]:
    """The bookies that may have something of a closed ledger; none of one that is not closed, or is empty."""
    if not is_judged(metadata):
        return ()
    return tuple(dict.fromkeys(bookie for segment in metadata.segments for bookie in segment.ensemble))
