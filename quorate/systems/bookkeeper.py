"""Apache BookKeeper behind the adapter protocol: three bookies for all logs, and a sequence of ledgers for each.

A ledger has one writer. Whoever else wants to append recovers it, which fences its writer and gives it an end, and goes
on in a new one; so does whoever wants to know where a log ends that somebody else writes. An LSN is the place of the
ledger in its log, from 1, and the entry's number, from 1. Which ledgers make a log is kept here: users of BookKeeper
keep that in a metadata store of their own.

Sources: BookKeeper documentation, "The BookKeeper protocol" and "The Ledger API".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from conformance.record.bookkeeper import VERSION
from conformance.record.bookkeeper_journal import read_journal
from conformance.record.errors import BookKeeperSaid
from conformance.record.jars import BOOKKEEPER_LOCK, fetch
from conformance.record.java import find_java
from quorate.adapters.protocol import BEGINNING, AtEnd, Gap, Indefinite, Record, Refused
from quorate.systems.nodes import Faults, Nodes, folder_until_exit

if TYPE_CHECKING:
    from conformance.record.bookkeeper_client import Handle

BOOKIES: Final = 3
ENSEMBLE: Final = 2
"""How many bookies have each entry; the third takes the place of one that is dead."""

TRIES: Final = 8
"""In how many ledgers an append is tried, one after the other, while others take over each of them."""

BATCH: Final = 50
"""How many entries a reader asks for at once."""

Position = tuple[int, int]


@cache
def bookies() -> Bookies:
    """The cluster of this process, started when the first log is made; it ends with the process.

    Raises:
        PackagesUnavailable: BookKeeper or Java cannot be had.
        ClusterFailed: the cluster does not start.
    """
    from conformance.record.bookkeeper_cluster import BookKeeperCluster  # noqa: PLC0415 - imports py4j

    jars, java = fetch(BOOKKEEPER_LOCK), find_java()
    folder, ending = folder_until_exit("bookkeeper")
    cluster = ending.enter_context(BookKeeperCluster(folder, jars, java, BOOKIES))
    cluster.start()
    return Bookies(cluster)


class Bookies(Nodes):
    """The cluster, and what happened to its bookies: each is well again only once it is registered."""

    def restart(self, node: int) -> None:
        """Start a bookie that was killed, once it is missed, and wait until it serves."""
        if node in self.dead:
            self.cluster.wait_missed([node])
            super().restart(node)
            self.cluster.wait_registered([node])

    def resume(self, node: int) -> None:
        """Let a paused bookie go on, and wait until it serves."""
        if node in self.paused:
            super().resume(node)
            self.cluster.wait_registered([node])


@dataclass
class Piece:
    """One ledger of a log, and where it ended, if it was trimmed."""

    ledger: int
    trimmed_to: int | None = None


@dataclass
class Ledgers:
    """The ledgers of a log, in order, and the lock that whoever adds one holds."""

    pieces: list[Piece] = field(default_factory=list)
    lock: Any = field(default_factory=RLock)


class Client:
    """One client of a log, with a session and connections of its own.

    Args:
        every: the cluster.
        log: the ledgers, which all clients of a log share.
        ack_quorum: how many of the two copies an append waits for.
        recovers: whether it recovers a ledger that it reads and somebody else writes.
    """

    def __init__(self, every: Bookies, log: Ledgers, ack_quorum: int, *, recovers: bool = True) -> None:
        self._bookies, self._log, self._ack_quorum, self._recovers = every, log, ack_quorum, recovers
        self._java = every.cluster.client()
        self._own: Handle | None = None
        self._next = 0

    def append(self, payload: bytes) -> Position:
        """Append a record, and wait until an ack quorum has it.

        Where that fails, the ledger is recovered: then its end is known for ever, and so whether the record is there.

        Raises:
            Refused: it is in none of the ledgers in which it was tried, or in none at all.
            Indefinite: nobody knows the end of the ledger.
        """
        for _ in range(TRIES):
            try:
                place, handle = self._writable()
            except BookKeeperSaid as said:
                raise Refused(said.name) from said
            expected, self._next = self._next, self._next + 1
            try:
                return place, handle.append(payload) + 1
            except BookKeeperSaid as said:
                self._own = None
                if self._ended(handle.ledger, said) >= expected:
                    return place, expected + 1
        raise Refused("others took over each time")

    def read(self, start: int | Position) -> Iterator[Record | Gap | AtEnd]:
        """Read from an LSN on; a ledger that was deleted is a trim.

        Raises:
            TimeoutError: too few bookies answer.
        """
        place, number = (1, 1) if start == BEGINNING or isinstance(start, int) else start
        place, number = max(place, 1), max(number, 1)
        while True:
            pieces = list(self._log.pieces)
            piece = pieces[place - 1] if place <= len(pieces) else None
            last = self._last(piece) if piece else 0
            if piece and piece.trimmed_to is not None and number <= last:
                yield Gap((place, number), (place, last), "trim")
                number = last + 1
            elif piece and number <= last:
                upto = min(last, number + BATCH - 1)
                for entry, payload in self._entries(piece, number, upto):
                    yield Record((place, entry + 1), payload)
                number = upto + 1
            elif place < len(pieces):
                place, number = place + 1, 1
            else:
                yield AtEnd((place, number))

    def tail(self) -> Position:
        """The LSN after the last.

        Raises:
            TimeoutError: too few bookies answer.
        """
        pieces = list(self._log.pieces)
        return (len(pieces), self._last(pieces[-1]) + 1) if pieces else (1, 1)

    def close(self) -> None:
        """No answer is awaited any more."""
        with suppress(BookKeeperSaid):
            self._java.close()

    def _writable(self) -> tuple[int, Handle]:
        """The last ledger of the log, if this client writes to it; else a new one, the last before it at its end."""
        with self._log.lock:
            own, pieces = self._own, self._log.pieces
            if own is None or pieces[-1] != Piece(own.ledger):
                if pieces and pieces[-1].trimmed_to is None:
                    self._java.recover(pieces[-1].ledger)
                own = self._java.create(ENSEMBLE, ENSEMBLE, self._ack_quorum)
                self._own, self._next = own, 0
                pieces.append(Piece(own.ledger))
            return len(pieces), own

    def _ended(self, ledger: int, because: Exception) -> int:
        """The last entry of a ledger, for ever; -1 if it has none."""
        try:
            return int(self._java.recover(ledger).confirmed)
        except BookKeeperSaid as said:
            raise Indefinite(f"{because}; {said.name}") from said

    def _last(self, piece: Piece) -> int:
        """The number of the last record of a ledger, 0 if there is none; if another client writes to it, it ends."""
        if piece.trimmed_to is not None:
            return piece.trimmed_to
        own = self._own
        if own is not None and own.ledger == piece.ledger:
            return own.confirmed + 1
        return self._readable(piece).confirmed + 1

    def _entries(self, piece: Piece, first: int, last: int) -> Sequence[tuple[int, bytes]]:
        own = self._own
        handle = own if own is not None and own.ledger == piece.ledger else self._readable(piece)
        with _in_time():
            return handle.read(first - 1, last - 1)

    def _readable(self, piece: Piece) -> Handle:
        """A ledger at its end, or as far as its writer is known to have come.

        Raises:
            TimeoutError: too few bookies answer.
        """
        with _in_time():
            opened = self._java.recover if self._recovers else self._java.look_into
            handle: Handle = opened(piece.ledger)
            return handle


class BookKeeper(Faults, Client):
    """A sequence of ledgers as a log: one client of its own, more on demand, and the bookies as its nodes."""

    system = f"bookkeeper {VERSION}"
    promises: Sequence[str] = ("real_time_order",)
    nodes = tuple(map(str, range(BOOKIES)))

    def __init__(self, ack_quorum: int, *, recovers: bool = True) -> None:
        self.servers = every = bookies()
        every.heal()
        super().__init__(every, Ledgers(), ack_quorum, recovers=recovers)
        self._others = list[Client]()

    def client(self, name: str) -> Client:  # noqa: ARG002 - BookKeeper's clients have no names
        """Another client of the same log."""
        self._others.append(Client(self._bookies, self._log, self._ack_quorum, recovers=self._recovers))
        return self._others[-1]

    def seal(self) -> None:
        """Give the last ledger its end: what is appended from now on lies in a new one.

        Raises:
            TimeoutError: too few bookies answer.
        """
        with self._log.lock:
            if self._log.pieces and self._log.pieces[-1].trimmed_to is None:
                self._readable(self._log.pieces[-1])
            self._own = None

    def trim(self, upto: Position) -> None:
        """Delete the ledgers that end at an LSN or before; one that goes on behind it stays until it is asked for.

        Raises:
            TimeoutError: too few bookies answer.
        """
        with self._log.lock, _in_time():
            for place, piece in enumerate(self._log.pieces[: upto[0]], start=1):
                if piece.trimmed_to is None and (place, self._last(piece)) <= upto:
                    last = self._readable(piece).confirmed + 1
                    self._java.delete(piece.ledger)
                    piece.trimmed_to = last

    def holds(self, node: str) -> list[Record]:
        """What a bookie's journals have of the ledgers that are left, each entry once, whether it is up or not."""
        places = {piece.ledger: place for place, piece in enumerate(self._log.pieces, 1) if piece.trimmed_to is None}
        found: dict[Record, None] = {}
        for journal in self._bookies.cluster.journals(int(node)):
            for one in read_journal(journal.read_bytes()):
                if one.entry is not None and one.ledger in places:
                    found[Record((places[one.ledger], one.entry + 1), one.payload)] = None
        return list(found)

    def close(self) -> None:
        """Nobody asks any more; the ledgers stay, since their cluster ends with the process."""
        for client in self._others:
            client.close()
        super().close()
        self.servers.heal()


@contextmanager
def _in_time() -> Iterator[None]:
    """What BookKeeper cannot tell now it may tell later."""
    try:
        yield
    except BookKeeperSaid as said:
        raise TimeoutError(said.name) from said


acks_two = partial(BookKeeper, 2)
"""Ledgers of which an entry is acknowledged when both of its bookies have it: any one of them may be lost."""

acks_one = partial(BookKeeper, 1)
"""Ledgers of which an entry is acknowledged when one of its two bookies has it, and may be lost with that one."""

unrecovered = partial(BookKeeper, 2, recovers=False)
"""As `acks_two`, but that readers let a ledger be: they see no more than its writer is known to have confirmed."""
