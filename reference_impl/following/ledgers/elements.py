"""The elements of the text that the events of one ledger have spoken of: fragments, entries, clients, sets of bookies.

Entries are counted from the ledger's first one. A fragment is a version of the metadata that names a new ensemble.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

from spec.language.protocol.sorts import Family, Sort
from spec.language.protocol.states import Domains
from spec.ledger.coverage import write_set
from spec.ledger.schedule import Quorums
from spec.protocols.ensemble_change import EnsembleChange
from spec.protocols.ledger_fragments import Ensemble, Fragment
from spec.protocols.ledger_parts import AckQuorum, Bookie, Client, Entry, WriteSet


class Ensembled(NamedTuple):
    """An ensemble from a version of the metadata on.

    Attributes:
        version: that version.
        first: the entry with which it begins.
        bookies: its bookies, by member.
    """

    version: int
    first: int
    bookies: tuple[int, ...]


class Elements:
    """Elements by what events call them, and a world that has them all.

    Attributes:
        quorums: the sizes of the ledger.
        first: its first entry.
        fragments: its fragments, in the order of their versions.
    """

    def __init__(self) -> None:
        self.quorums = Quorums(1, 1, 1)
        self.first = 0
        self.fragments: list[Ensembled] = []
        self._attempts: dict[tuple[int, int], int] = {}
        self._entries = self._bookies = 1
        self._sets: dict[type[Family[Any]], dict[frozenset[int], int]] = {
            Ensemble: {},
            WriteSet: {},
            AckQuorum: {},
        }
        self._world: Domains | None = None

    @property
    def world(self) -> Domains:
        """The text with room for all elements, and for an end behind the last entry."""
        if self._world is None:
            sizes: dict[type[Sort], int] = {
                Fragment: max(1, len(self.fragments)),
                Bookie: self._bookies,
                Entry: self._entries + 1,
                Client: max(1, len(self._attempts)),
            }
            families = {family: tuple(sets) for family, sets in self._sets.items()}
            self._world = Domains(EnsembleChange, sizes, families)
        return self._world

    def begin(self, version: int, first: int, bookies: tuple[int, ...]) -> int:
        """A fragment; gives its number, which it keeps if it is spoken of again.

        Ack quorums are those of the last fragment: in others nobody acknowledges, nor recovers.
        """
        if not self.fragments:
            self.first = first
        known = [number for number, one in enumerate(self.fragments) if one.version == version]
        if known:
            return known[0]
        self.fragments.append(Ensembled(version, first, bookies))
        self._bookies = max(self._bookies, *(bookie + 1 for bookie in bookies))
        self._sets[AckQuorum] = {}
        for turn in range(len(bookies)):
            quorum = self.write_set_of(bookies, turn)
            for acks in combinations(sorted(quorum), min(self.quorums.ack, len(quorum))):
                self.set_of(AckQuorum, frozenset(acks))
        self._world = None
        return len(self.fragments) - 1

    def write_set_of(self, bookies: tuple[int, ...], entry: int) -> frozenset[int]:
        """The bookies of an ensemble to which an entry goes."""
        members = write_set(entry, len(bookies), min(self.quorums.write, len(bookies)))
        return frozenset(bookies[member] for member in members)

    def set_of(self, family: type[Family[Any]], members: frozenset[int]) -> int:
        """The number of a set of bookies in its family, which has it from now on."""
        sets = self._sets[family]
        if members not in sets:
            sets[members] = len(sets)
            self._world = None
        return sets[members]

    def ack_quorums_within(self, members: frozenset[int]) -> list[int]:
        """The ack quorums of the last fragment, all of which are among these bookies."""
        return [number for acks, number in self._sets[AckQuorum].items() if acks <= members]

    def entry(self, entry: int) -> int:
        """An entry's place in the ledger; entries before the first have none and are below 0."""
        place = entry - self.first
        if place >= self._entries:
            self._entries, self._world = place + 1, None
        return place

    def bookie(self, bookie: int) -> int:
        """A bookie."""
        if bookie >= self._bookies:
            self._bookies, self._world = bookie + 1, None
        return bookie

    def attempt(self, client: int, version: int) -> int:
        """A client that puts the ledger in recovery by a version; when it begins anew, it is another for the text."""
        if (client, version) not in self._attempts:
            self._attempts[client, version] = len(self._attempts)
            self._world = None
        return self._attempts[client, version]

    @property
    def attempts(self) -> range:
        """All that was spoken of."""
        return range(len(self._attempts))

    def fragment_at(self, first: int, version: int | None = None) -> int | None:
        """The last fragment that begins with an entry, in metadata up to a version; none: there is no such."""
        found = (
            number
            for number, one in reversed(list(enumerate(self.fragments)))
            if one.first == first and (version is None or one.version <= version)
        )
        return next(found, None)

    def called(self, sort: type[Sort], element: int) -> str:
        """What people call an element."""
        if sort is Bookie:
            return f"bookie {element}"
        if sort is Entry:
            return f"entry {element + self.first}"
        if sort is Client and self._attempts:
            return f"client {list(self._attempts)[element][0]}"
        if sort is Fragment and self.fragments:
            one = self.fragments[element]
            return f"the fragment from entry {one.first} of version {one.version}"
        for family, sets in self._sets.items():
            if sort is family:
                return "bookies " + ", ".join(map(str, sorted(list(sets)[element])))
        return f"{sort.__name__.lower()} {element}"
