"""The guide of one ledger: which step of the text ``ensemble_change`` each of its events claims to be.

What replicators do, and what readers are told, is not of the text: rules ask it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from reference_impl.following.claims import Duty, EventRow, Fact, Gone, OneOf, TextStep, Unfounded
from reference_impl.following.ledgers.elements import Elements
from spec.language.events import column
from spec.language.protocol.sorts import Sort
from spec.language.protocol.states import Domains
from spec.ledger.events import (
    Acknowledged,
    Closed,
    Created,
    EnsembleChanged,
    Fenced,
    InRecovery,
    Lost,
    Named,
    ReadBack,
    RecoveryBegan,
    Sent,
    Stored,
)
from spec.ledger.events.values import ADD, REPLICATION
from spec.ledger.schedule import Quorums
from spec.protocols.ledger_fragments import Ensemble
from spec.protocols.ledger_parts import WriteSet

NEEDED: Final = (
    Created,
    EnsembleChanged,
    InRecovery,
    Closed,
    Named,
    Sent,
    Stored,
    Acknowledged,
    Fenced,
    RecoveryBegan,
    ReadBack,
)
"""The events of which all must be recorded."""

ENSEMBLE_SIZE: Final = column(Created.ensemble_size)
WRITE_QUORUM: Final = column(Created.write_quorum)
ACK_QUORUM: Final = column(Created.ack_quorum)
CLIENT: Final = column(InRecovery.client)
RECOVERS: Final = column(Closed.recovers)
CONFIRMED: Final = column(Sent.confirmed)
COUNTED: Final = column(Acknowledged.counted)
ANSWERED: Final = column(RecoveryBegan.answered)
FOUND: Final = column(ReadBack.found)


class Answer(NamedTuple):
    """A bookie told a recovery whether it has an entry, by its place."""

    place: int
    bookie: int
    found: bool


class LedgerGuide:
    """Reads the events of one ledger."""

    def __init__(self) -> None:
        self._elements = Elements()
        self._awaited: tuple[int, int] | None = None
        self._named: dict[int, int] = {}
        self._sent: dict[tuple[int, int, int], dict[tuple[int, int, int], None]] = defaultdict(dict)
        self._attempts: dict[int, int] = {}
        self._heard: defaultdict[int, int] = defaultdict(int)
        self._restored: defaultdict[int, list[Fact]] = defaultdict(list)
        self._denied: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        self._accepted: set[tuple[int, int]] = set()
        self._next: defaultdict[int, int] = defaultdict(int)
        self._ahead: defaultdict[int, list[Answer]] = defaultdict(list)

    @property
    def world(self) -> Domains:
        """The sorts, as far as events have spoken of their elements."""
        return self._elements.world

    def called(self, sort: type[Sort], element: int) -> str:
        """What people call an element of the text."""
        return self._elements.called(sort, element)

    def duties(self, event: EventRow) -> Iterator[Duty]:
        """What an event claims, in order."""
        missing = self._elements.quorums.ensemble - len(self._named)
        if self._awaited is not None and missing > 0 and event["kind"] != Named.kind:
            yield Unfounded(f"the version before it does not name {missing} members of its last ensemble")
        handler = HANDLERS.get(event["kind"])
        if handler is not None:
            yield from handler(self, event)

    # ------------------------------------------------------------------------------------------- metadata

    def created(self, event: EventRow) -> Iterator[Duty]:
        """Its first fragment comes with the members that the version names."""
        sizes = Quorums(event[ENSEMBLE_SIZE], event[WRITE_QUORUM], event[ACK_QUORUM])
        if not sizes.ensemble >= sizes.write >= sizes.ack >= 1:
            yield Unfounded("its ack quorum is not within its write quorum, or that not within its ensemble")
            return
        self._elements.quorums = sizes
        yield from self._awaits(event["version"], -1)

    def changed(self, event: EventRow) -> Iterator[Duty]:
        """The next fragment comes with the members that the version names."""
        yield from self._awaits(event["version"], event["entry"])

    def _awaits(self, version: int, first: int) -> Iterator[Duty]:
        self._awaited, self._named = (version, first), {}
        yield from ()

    def named(self, event: EventRow) -> Iterator[Duty]:
        """Once a new version names all members of its last ensemble, that is a fragment."""
        if self._awaited is None or event["version"] != self._awaited[0]:
            return
        version, first = self._awaited
        if first not in (-1, event["entry"]):
            return
        self._named[event["member"]] = event["bookie"]
        if len(self._named) < self._elements.quorums.ensemble:
            return
        bookies = tuple(self._named[member] for member in sorted(self._named))
        fragment = self._elements.begin(version, event["entry"], bookies)
        place = self._elements.entry(event["entry"])
        if place < 0:
            yield Unfounded(f"a fragment begins with entry {event['entry']}, before the ledger does")
            return
        if len(set(bookies)) < len(bookies):
            yield Unfounded("its ensemble names a bookie twice")
        yield TextStep("change", (fragment, place, self._elements.set_of(Ensemble, frozenset(bookies))))

    def put_in_recovery(self, event: EventRow) -> Iterator[Duty]:
        """A client begins to recover, or does so anew after somebody else changed the metadata."""
        attempt = self._elements.attempt(event[CLIENT], event["version"])
        yield TextStep("begin", (attempt,))
        self._attempts[event[CLIENT]] = attempt

    def closed(self, event: EventRow) -> Iterator[Duty]:
        """The writer closes, or a client finishes."""
        end = self._elements.entry(event["entry"])
        if not self._elements.fragments or end < 0:
            yield Unfounded("it ends before its first fragment begins")
            return
        if event[RECOVERS]:
            fragment = len(self._elements.fragments) - 1
            yield from self._scheduled(fragment, end)
            yield from self._recovers(event)
            yield TextStep("finish", (self._attempts[event[CLIENT]], fragment, end))
        else:
            yield TextStep("close", (end,))

    # -------------------------------------------------------------------------------------------- entries

    def sent(self, event: EventRow) -> Iterator[Duty]:
        """An add is no step before a bookie stores it; what it says is known from now on."""
        fragment = self._elements.fragment_at(event["segment"], event["version"])
        if fragment is None:
            yield Unfounded(f"no version up to {event['version']} has a fragment that begins at {event['segment']}")
            return
        confirmed = -1 if event[CONFIRMED] < 0 else self._elements.entry(event[CONFIRMED])
        key = event["entry"], event["bookie"], event["purpose"]
        self._sent[key][self._attempts.get(event[CLIENT], -1), fragment, confirmed + 1] = None

    def stored(self, event: EventRow) -> Iterator[Duty]:
        """A bookie takes an add of the writer, or of a client that recovers; replicators come when all is closed."""
        purpose, bookie, entry = event["purpose"], self._elements.bookie(event["bookie"]), event["entry"]
        sent = self._sent[entry, bookie, purpose]
        if purpose == REPLICATION:
            return
        if not sent:
            yield Unfounded(f"nobody has sent entry {entry} to bookie {bookie} for that")
            return
        place = self._elements.entry(entry)
        for fragment in {fragment for _, fragment, _ in sent}:
            yield from self._scheduled(fragment, place)
        if purpose == ADD:
            yield OneOf(tuple(TextStep("accept", (bookie, fragment, place, bound)) for _, fragment, bound in sent))
            self._heard[bookie] = max(self._heard[bookie], min(bound for _, _, bound in sent))
            self._accepted.add((bookie, place))
        else:
            clients = dict.fromkeys((client, fragment) for client, fragment, _ in sent if client >= 0)
            if not clients:
                yield Unfounded("who added it again has not put the ledger in recovery")
                return
            yield OneOf(tuple(TextStep("restore", (client, fragment, bookie, place)) for client, fragment in clients))
            fact = Fact("restored", (bookie, place))
            for later in self._restored.values():
                later.append(fact)

    def acknowledged(self, event: EventRow) -> Iterator[Duty]:
        """The writer counts on members of the ensemble that it has."""
        fragment, place = self._elements.fragment_at(event["segment"]), self._elements.entry(event["entry"])
        if fragment is None:
            yield Unfounded(f"no fragment begins at {event['segment']}")
            return
        bookies = self._elements.fragments[fragment].bookies
        counted = frozenset(bookies[member] for member in event[COUNTED] if member < len(bookies))
        is_last = fragment == len(self._elements.fragments) - 1
        quorums = self._elements.ack_quorums_within(counted) if is_last else [0]
        if not quorums:
            yield Unfounded(f"{len(counted)} bookies that it counts on are no ack quorum")
            return
        yield from self._scheduled(fragment, place)
        yield OneOf(tuple(TextStep("acknowledge", (fragment, place, acks)) for acks in quorums))

    def lost(self, event: EventRow) -> Iterator[Duty]:
        """A disk loses what it has, which no bookie of the text does."""
        row = self._elements.bookie(event["bookie"]), self._elements.entry(event["entry"])
        yield Gone((Fact("accepted", row), Fact("restored", row)))
        self._accepted.discard(row)

    # ------------------------------------------------------------------------------------------- recovery

    def fenced(self, event: EventRow) -> Iterator[Duty]:
        """A bookie fences when a client asks it, whoever that is; what it says is heard later."""
        bookie = self._elements.bookie(event["bookie"])
        if not self._elements.attempts:
            yield Unfounded("nobody has put the ledger in recovery")
            return
        attempts = self._elements.attempts
        yield OneOf(tuple(TextStep("tell", (client, bookie), seen=("fenced",)) for client in attempts))

    def recovery_began(self, event: EventRow) -> Iterator[Duty]:
        """A client has heard what bookies of the last ensemble know, all of which had fenced."""
        fragment = self._elements.fragment_at(event["segment"])
        yield from self._recovers(event)
        if fragment is None:
            yield Unfounded(f"no fragment begins at {event['segment']}")
            return
        client, bookies = self._attempts[event[CLIENT]], self._elements.fragments[fragment].bookies
        answered = [bookies[member] for member in sorted(event[ANSWERED])]
        for bookie in answered:
            yield TextStep("tell", (client, bookie), needs=(Fact("fenced", (bookie,)),))
        if event[CONFIRMED] >= 0:
            known = max((self._heard[bookie] for bookie in answered), default=0)
            yield from self._read_by_others(client, fragment, known, self._elements.entry(event[CONFIRMED]))
        self._restored[client] = []
        self._next[client] = self._elements.entry(event["entry"])

    def _read_by_others(self, client: int, fragment: int, first: int, last: int) -> Iterator[Duty]:
        """What no bookie was told by the writer, it was by another client that restored all up to there.

        BookKeeper, client/LedgerRecoveryOp.java: its adds say that all before them is confirmed. For the text, whoever
        hears of that might as well have read those entries.
        """
        one = self._elements.fragments[fragment]
        for place in range(max(first, one.first - self._elements.first), last + 1):
            yield from self._scheduled(fragment, place)
            quorum = self._elements.write_set_of(one.bookies, place + self._elements.first)
            found = (Fact("found", (client, place)),)
            yield OneOf(tuple(TextStep("read", (client, fragment, bookie, place), gives=found) for bookie in quorum))

    def read_back(self, event: EventRow) -> Iterator[Duty]:
        """A bookie has told a client whether it has an entry; others may have restored it there since."""
        bookie, place = self._elements.bookie(event["bookie"]), self._elements.entry(event["entry"])
        yield from self._recovers(event)
        if not self._elements.fragments:
            yield Unfounded("the ledger has no fragment")
            return
        client, answer = self._attempts[event[CLIENT]], Answer(place, bookie, bool(event[FOUND]))
        if place > self._next[client]:
            yield from self._fenced_and_told(client, bookie)
            self._ahead[client].append(answer)
        else:
            yield from self._read(client, answer)

    def _read(self, client: int, answer: Answer) -> Iterator[Duty]:
        """An answer about the next entry, and those that were given ahead of it: whose entries are next after it.

        BookKeeper, conf/ClientConfiguration.java, recoveryReadBatchSize: a recovery may ask of several entries at once.
        """
        yield from self._heard_of(client, answer)
        after = max(self._next[client], answer.place + answer.found)
        waiting = sorted(self._ahead[client])
        while waiting and waiting[0].place <= after:
            ahead = waiting.pop(0)
            yield from self._heard_of(client, ahead)
            after = max(after, ahead.place + ahead.found)
        self._next[client], self._ahead[client] = after, waiting

    def _heard_of(self, client: int, answer: Answer) -> Iterator[Duty]:
        """A client counts an answer."""
        (place, bookie, found), fragment = answer, len(self._elements.fragments) - 1
        yield from self._scheduled(fragment, place)
        if self._is_missing(client, fragment, place):
            yield from self._heard_late(client, answer)
            return
        told = Fact("found", (client, place)) if found else Fact("denied", (client, bookie, place))
        overtaken = tuple(fact for fact in self._restored[client] if fact.row == (bookie, place))
        now = TextStep("read", (client, fragment, bookie, place), needs=(Fact("fenced", (bookie,)),), gives=(told,))
        yield OneOf((now, now._replace(later=overtaken))) if overtaken else now
        if not found:
            self._denied[client, place].add(bookie)

    def _is_missing(self, client: int, fragment: int, place: int) -> bool:
        """A client was denied an entry by so many of its write set that no ack quorum is left."""
        quorum = self._elements.write_set_of(self._elements.fragments[fragment].bookies, place + self._elements.first)
        return len(self._denied[client, place] & quorum) > len(quorum) - self._elements.quorums.ack

    def _heard_late(self, client: int, answer: Answer) -> Iterator[Duty]:
        """All of a write set are asked at once, and an answer that comes after the decision changes nothing.

        BookKeeper, client/ReadOpBase.java. Yet it is an answer: who gives it has fenced, and says what is so.
        """
        row = answer.bookie, answer.place
        copies = (Fact("accepted", row), Fact("restored", row)) if answer.found else ()
        yield from self._fenced_and_told(client, answer.bookie, copies)
        if not answer.found and row in self._accepted:
            yield Unfounded(f"bookie {answer.bookie} has the entry that it denies")

    def _fenced_and_told(self, client: int, bookie: int, copies: tuple[Fact, ...] = ()) -> Iterator[Duty]:
        """A bookie that has fenced told a client something; where it has a copy, it is one of these."""
        heard = TextStep("tell", (client, bookie), seen=("fenced",), needs=(Fact("fenced", (bookie,)),))
        yield OneOf(tuple(heard._replace(needs=(*heard.needs, copy)) for copy in copies)) if copies else heard

    def _recovers(self, event: EventRow) -> Iterator[Duty]:
        """Whoever recovers has put the ledger in recovery."""
        if event[CLIENT] not in self._attempts:
            yield Unfounded(f"client {event[CLIENT]} has not put the ledger in recovery")

    def _scheduled(self, fragment: int, place: int) -> Iterator[Duty]:
        """The schedule gives an entry its write set in a fragment before anybody speaks of it there."""
        bookies = self._elements.fragments[fragment].bookies
        quorum = self._elements.write_set_of(bookies, place + self._elements.first)
        laid_out = Fact("scheduled", (fragment, min(quorum), place))
        yield TextStep("lay_out", (fragment, place, self._elements.set_of(WriteSet, quorum)), unless=laid_out)


HANDLERS: Final[dict[Any, Callable[[LedgerGuide, EventRow], Iterator[Duty]]]] = {
    Created.kind: LedgerGuide.created,
    EnsembleChanged.kind: LedgerGuide.changed,
    Named.kind: LedgerGuide.named,
    InRecovery.kind: LedgerGuide.put_in_recovery,
    Closed.kind: LedgerGuide.closed,
    Sent.kind: LedgerGuide.sent,
    Stored.kind: LedgerGuide.stored,
    Acknowledged.kind: LedgerGuide.acknowledged,
    Lost.kind: LedgerGuide.lost,
    Fenced.kind: LedgerGuide.fenced,
    RecoveryBegan.kind: LedgerGuide.recovery_began,
    ReadBack.kind: LedgerGuide.read_back,
}
"""What each kind of event claims."""
