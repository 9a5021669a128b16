"""BookKeeper's own checker and ours, on one running cluster in which what is wrong with each ledger was planted.

BookKeeper, BP-34, High Level Logic, and replication/AuditorReplicasCheckTask.java.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from conformance.record.bookkeeper_client import Client, Handle
from conformance.record.bookkeeper_cluster import BookKeeperCluster
from conformance.record.bookkeeper_live import GROUPS, LiveCluster, Pace, live
from conformance.record.bookkeeper_looks import found_as_shipped
from conformance.record.jars import BOOKKEEPER_LOCK, fetch
from conformance.record.java import find_java
from reference_impl.ledger.checker.running import run
from reference_impl.ledger.checker.state import Settings
from spec.ledger.durability import Durability
from spec.ledger.placement.adherence import anywhere
from spec.ledger.schedule import Quorums
from spec.ledger.violations import Category

T = TypeVar("T")

BOOKIES: Final = 5
SESSION_MS: Final = 10_000
"""How long a bookie that is silent stays registered: long enough to be asked twice."""

ENTRIES: Final = 20
LOST: Final = 1
"""The bookie that loses all that it has."""

SILENT: Final = 3
"""The bookie that stops answering, and stays registered."""

PACE: Final = Pace(answer_ms=1000)
LATER_MS: Final = 100

THREE: Final = Quorums(3, 3, 2)
WIDE: Final = Quorums(5, 3, 2)
ALL_THREE: Final = Quorums(3, 3, 3)
ALL_OF_FIVE: Final = Quorums(5, 3, 3)
"""Where every copy is acknowledged, none can be on its way still when the checkers look."""


class Planted(NamedTuple):
    """A ledger, and what is wrong with it.

    Attributes:
        what: what became of it.
        quorums: its sizes.
        truth: what is wrong with it, if anything is.
        entries: how many it has.
        is_closed: whether it is closed.
        needs: a bookie that its ensemble must have.
        is_marked: whether it has an under-replication mark, which may not stand at all.
    """

    what: str
    quorums: Quorums
    truth: Category | None = None
    entries: int = ENTRIES
    is_closed: bool = True
    needs: int | None = None
    is_marked: bool = False


BEFORE_THE_LOSS: Final = (
    Planted("one bookie lost its copies of three", THREE, Category.BELOW_WRITE_QUORUM, needs=LOST),
    Planted("one bookie lost its copies, striped", Quorums(3, 2, 1), Category.BELOW_WRITE_QUORUM, needs=LOST),
    Planted(
        "one bookie lost its copies of two, both promised", Quorums(2, 2, 2), Category.BELOW_ACK_QUORUM, needs=LOST
    ),
    Planted("the only bookie lost its copies", Quorums(1, 1, 1), Category.NO_REPLICA, needs=LOST),
    Planted("one of five bookies lost its copies", WIDE, Category.BELOW_WRITE_QUORUM, needs=LOST),
    Planted("empty, on the bookie that lost all", THREE, entries=0, needs=LOST),
)
"""Ledgers that are there when a bookie loses all that it has."""

AFTER_THE_LOSS: Final = (
    Planted("whole, E = W", ALL_THREE),
    Planted("whole, E - W = 1", Quorums(3, 2, 2)),
    Planted("whole, E - W = 2", Quorums(4, 2, 2)),
    Planted("whole, E - W = 2", ALL_OF_FIVE),
    Planted("whole, E - W = 4", Quorums(5, 1, 1)),
    Planted("whole, and written to", WIDE, is_closed=False),
    Planted("whole, and marked for longer than a mark may stand", ALL_THREE, Category.MARKED_TOO_LONG, is_marked=True),
)
"""Ledgers that are written when it is back, empty."""

WHILE_SILENT: Final = Planted("one bookie is registered and silent", ALL_THREE, Category.SILENT_BOOKIE, needs=SILENT)


class Compared(NamedTuple):
    """A ledger, and what was said of it.

    Attributes:
        planted: what it is.
        ours: the categories of all violations that our checker reports of it.
        shipped: how BookKeeper's own checker judges it in its log, each time that it does.
    """

    planted: Planted
    ours: tuple[Category, ...]
    shipped: tuple[Durability, ...]


class Comparison(NamedTuple):
    """What came of it.

    Attributes:
        ledgers: all of them.
        gauges: what the shipped gauges show while all bookies answer.
    """

    ledgers: tuple[Compared, ...]
    gauges: Mapping[str, int]


def compare(folder: Path) -> Comparison:
    """Start a cluster, plant what is to be found, and let both checkers look.

    Raises:
        PackagesUnavailable: BookKeeper or Java cannot be had.
        ClusterFailed: the cluster does not come up, or the shipped checker not to its end.
    """
    jars, java = fetch(BOOKKEEPER_LOCK), find_java()
    with BookKeeperCluster(folder, jars, java, BOOKIES, session_ms=SESSION_MS) as cluster:
        cluster.start()
        client = cluster.client()
        planted = _written(cluster, client, BEFORE_THE_LOSS)
        _lose(cluster)
        planted |= _written(cluster, client, AFTER_THE_LOSS)
        with live(cluster.uri, PACE) as asked:
            ours, audited = _ours(asked, planted), cluster.audit()
            found = _compared(planted, ours, audited.log)
            last = _written(cluster, client, [WHILE_SILENT])
            said = _while_silent(cluster, lambda: _ours(asked, last))
            log = _while_silent(cluster, lambda: cluster.audit().log)
            return Comparison((*found, *_compared(last, said, log)), audited.gauges)


def _ours(asked: LiveCluster, ledgers: Iterable[int]) -> list[tuple[int, Category]]:
    """The violations that our checker reports; no mark may stand at all."""
    settings = Settings(anywhere, 0, LATER_MS)
    return [(one.ledger, one.category) for one in run(asked, ledgers, settings, lambda _: None, GROUPS).violations]


def _compared(planted: Mapping[int, Planted], ours: Sequence[tuple[int, Category]], log: str) -> list[Compared]:
    shipped = list(found_as_shipped(log))
    return [
        Compared(
            one,
            tuple(category for whose, category in ours if whose == ledger),
            tuple(durability for whose, durability in shipped if whose == ledger),
        )
        for ledger, one in planted.items()
    ]


def _written(cluster: BookKeeperCluster, client: Client, wanted: Iterable[Planted]) -> dict[int, Planted]:
    """Write ledgers; gives what each is, by its number."""
    planted = {}
    for one in wanted:
        handle = _created(cluster, client, one)
        for number in range(one.entries):
            handle.append(b"%d" % number)
        if one.is_closed:
            handle.close()
        if one.is_marked:
            client.mark(handle.ledger, handle.ensemble[0])
        planted[handle.ledger] = one
    return planted


def _created(cluster: BookKeeperCluster, client: Client, planted: Planted) -> Handle:
    """A new ledger with the bookie that it needs: ensembles are drawn at random."""
    while True:
        handle = client.create(*planted.quorums)
        if planted.needs is None or cluster.names[planted.needs] in handle.ensemble:
            return handle
        client.delete(handle.ledger)


def _lose(cluster: BookKeeperCluster) -> None:
    """Let a bookie lose all that it has, and come back."""
    cluster.servers[LOST].kill()
    cluster.wipe(LOST)
    cluster.wait_missed([LOST])
    cluster.servers[LOST].start()
    cluster.wait_registered([LOST])


def _while_silent(cluster: BookKeeperCluster, look: Callable[[], T]) -> T:
    """Look while a bookie is silent and registered; afterwards it answers again."""
    cluster.servers[SILENT].pause()
    try:
        return look()
    finally:
        cluster.servers[SILENT].resume()
        cluster.wait_registered([SILENT])
