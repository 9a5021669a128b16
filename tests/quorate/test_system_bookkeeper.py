"""BookKeeper's adapter over ledgers in memory: who takes over from whom, and what becomes of an append that failed.

BookKeeper documentation, "The BookKeeper protocol": a ledger that is recovered takes no more of its writer's entries,
and has one end for ever.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest

from conformance.record.errors import BookKeeperSaid
from quorate.adapters.protocol import BEGINNING, AtEnd, Gap, Indefinite, Record, Refused
from quorate.systems.bookkeeper import Bookies, BookKeeper, Client, Ledgers
from tests.support.bookkeeper_journals import entry, journal


class Store:
    """All ledgers; the next add may be lost, or stored and not answered, and bookies may be away."""

    def __init__(self) -> None:
        self.ledgers: dict[int, list[bytes]] = {}
        self.closed = set[int]()
        self.next_add = "stored"
        self.is_away = False
        self.kept: list[Path] = []

    def journals(self, _bookie: int) -> list[Path]:
        return self.kept

    def client(self) -> FakeClient:
        return FakeClient(self)


class FakeClient(NamedTuple):
    """What the adapter asks of a client of BookKeeper."""

    store: Store

    def create(self, *_: int) -> FakeHandle:
        self._ask()
        ledger = len(self.store.ledgers)
        self.store.ledgers[ledger] = []
        return FakeHandle(self.store, ledger)

    def recover(self, ledger: int) -> FakeHandle:
        self._ask()
        self.store.closed.add(ledger)
        return FakeHandle(self.store, ledger)

    def look_into(self, ledger: int) -> FakeHandle:
        self._ask()
        return FakeHandle(self.store, ledger)

    def delete(self, ledger: int) -> None:
        self._ask()
        self.store.ledgers[ledger].clear()

    def _ask(self) -> None:
        if self.store.is_away:
            raise BookKeeperSaid("NotEnoughBookiesException", "they are away")


class FakeHandle(NamedTuple):
    """What the adapter asks of a ledger that it has open."""

    store: Store
    ledger: int

    @property
    def confirmed(self) -> int:
        return len(self.store.ledgers[self.ledger]) - 1

    def append(self, payload: bytes) -> int:
        outcome, self.store.next_add = self.store.next_add, "stored"
        if self.ledger in self.store.closed:
            raise BookKeeperSaid("LedgerFencedException", "somebody took over")
        if outcome != "lost":
            self.store.ledgers[self.ledger].append(payload)
        if outcome != "stored":
            raise BookKeeperSaid("TimeoutException", "no answer")
        return self.confirmed

    def read(self, first: int, last: int) -> list[tuple[int, bytes]]:
        return list(enumerate(self.store.ledgers[self.ledger]))[first : last + 1]


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def clients(store: Store) -> tuple[Client, Client]:
    """Two clients of one log."""
    every, log = cast("Bookies", SimpleNamespace(cluster=store)), Ledgers()
    return Client(every, log, 2), Client(every, log, 2)


def test_a_client_goes_on_in_its_ledger_and_another_one_in_a_new_one(clients: tuple[Client, Client]) -> None:
    one, other = clients
    assert [one.append(b"a"), one.append(b"b"), other.append(b"c"), one.append(b"d")] == [
        (1, 1),
        (1, 2),
        (2, 1),
        (3, 1),
    ]


def test_an_add_that_is_lost_is_tried_in_the_next_ledger(store: Store, clients: tuple[Client, Client]) -> None:
    one, _ = clients
    one.append(b"a")
    store.next_add = "lost"
    assert one.append(b"b") == (2, 1)
    assert store.ledgers == {0: [b"a"], 1: [b"b"]}


def test_an_add_that_was_stored_without_an_answer_is_not_repeated(store: Store, clients: tuple[Client, Client]) -> None:
    one, _ = clients
    one.append(b"a")
    store.next_add = "unanswered"
    assert one.append(b"b") == (1, 2)
    assert store.ledgers == {0: [b"a", b"b"]}
    assert one.append(b"c") == (2, 1), "the ledger was given its end"


def test_nobody_knows_of_an_add_while_the_ledger_cannot_be_recovered(
    store: Store, clients: tuple[Client, Client]
) -> None:
    one, _ = clients
    one.append(b"a")
    store.next_add, store.is_away = "unanswered", True
    with pytest.raises(Indefinite, match=r"TimeoutException.*NotEnoughBookiesException"):
        one.append(b"b")
    with pytest.raises(Refused, match="NotEnoughBookiesException"):
        one.append(b"c")


def test_a_reader_goes_from_ledger_to_ledger_and_ends_what_others_write(clients: tuple[Client, Client]) -> None:
    one, other = clients
    for payload in (b"a", b"b"):
        one.append(payload)
    assert (one.tail(), other.tail()) == ((1, 3), (1, 3))
    assert one.append(b"c") == (2, 1), "the other one wanted to know the end"
    steps = other.read(BEGINNING)
    told = [next(steps) for _ in range(4)]
    assert told == [Record((1, 1), b"a"), Record((1, 2), b"b"), Record((2, 1), b"c"), AtEnd((2, 2))]
    assert one.append(b"d") == (3, 1)
    assert next(steps) == Record((3, 1), b"d"), "a reader may ask again"


def test_a_reader_that_does_not_recover_lets_the_writer_write_on(store: Store) -> None:
    every, log = cast("Bookies", SimpleNamespace(cluster=store)), Ledgers()
    one, other = (Client(every, log, 2, recovers=False) for _ in range(2))
    one.append(b"a")
    assert list(islice(other.read(BEGINNING), 2)) == [Record((1, 1), b"a"), AtEnd((1, 2))]
    assert one.append(b"b") == (1, 2)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, store: Store) -> BookKeeper:
    every: Any = SimpleNamespace(cluster=store, heal=lambda: None)
    monkeypatch.setattr("quorate.systems.bookkeeper.bookies", lambda: every)
    return BookKeeper(2)


def test_what_a_bookie_holds_is_read_off_its_journals(log: BookKeeper, store: Store, tmp_path: Path) -> None:
    log.append(b"a")
    records = [entry(0, 0, b"a"), entry(7, 0, b"of another log"), entry(0, 0, b"a")]
    (tmp_path / "1.txn").write_bytes(journal(*records))
    store.kept.append(tmp_path / "1.txn")
    assert log.holds("0") == [Record((1, 1), b"a")]
    log.trim((1, 1))
    assert log.holds("0") == []


def test_a_trim_deletes_whole_ledgers_only(log: BookKeeper) -> None:
    for payload in (b"a", b"b"):
        log.append(payload)
    log.seal()
    for payload in (b"c", b"d"):
        log.append(payload)
    log.trim((2, 1))
    told = [step for step, _ in zip(log.read(BEGINNING), range(4), strict=False)]
    gap = Gap((1, 1), (1, 2), "trim")
    assert told == [gap, Record((2, 1), b"c"), Record((2, 2), b"d"), AtEnd((2, 3))]
    log.trim((2, 2))
    assert log.tail() == (2, 3)
    assert log.append(b"e") == (3, 1)
