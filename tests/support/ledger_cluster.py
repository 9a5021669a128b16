"""A small cluster for tests of the checker: what it has is set by hand, and may change before any question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from reference_impl.ledger.checker.asking import ask
from reference_impl.ledger.checker.messages import Action, Question
from reference_impl.ledger.checker.state import Versioned
from spec.ledger.availability.encoding import encode
from spec.ledger.durability import shares
from spec.ledger.errors import LedgerError
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums

THREE: Final = Quorums(3, 2, 2)


def closed(last: int = 5, *ensembles: tuple[str, ...], quorums: Quorums = THREE) -> Metadata:
    """A closed ledger with a segment for each ensemble, three entries long but for the last."""
    segments = (Segment(3 * number, ensemble) for number, ensemble in enumerate(ensembles or (("a", "b", "c"),)))
    return Metadata(quorums, tuple(segments), State.CLOSED, last, 0)


def whole(metadata: Metadata) -> dict[str, frozenset[int]]:
    """What bookies have that have all that they should."""
    held: dict[str, frozenset[int]] = {}
    for share in shares(metadata):
        held[share.bookie] = held.get(share.bookie, frozenset()) | share.entries
    return held


@dataclass
class SmallCluster:
    """A cluster, as the checker sees it.

    Attributes:
        metadatas: the metadata of each ledger, or why it cannot be read.
        held: what bookies have of each ledger, as they send it; whoever is not here is silent.
        marks: the marks of ledgers.
        present: registered bookies.
        down: bookies that the auditor knows to be down.
        time_ms: the present time.
        meanwhile: what happens before the question of this number, from 0.
        asked: the questions so far.
    """

    metadatas: dict[int, Versioned | LedgerError] = field(default_factory=dict)
    held: dict[int, dict[str, bytes]] = field(default_factory=dict)
    marks: dict[int, Mark] = field(default_factory=dict)
    present: set[str] = field(default_factory=lambda: set("abcd"))
    down: set[str] = field(default_factory=set)
    time_ms: int = 1_000_000
    meanwhile: dict[int, Callable[[SmallCluster], None]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def add(self, ledger: int, metadata: Metadata, *, lost: Iterable[tuple[str, int]] = ()) -> None:
        """A ledger, whole but for what some bookies lost."""
        version = 1 + (0 if ledger not in self.metadatas else 1)
        self.metadatas[ledger] = Versioned(metadata, version)
        held = {bookie: set(entries) for bookie, entries in whole(metadata).items()} if metadata.is_closed else {}
        for bookie, entry in lost:
            held[bookie].discard(entry)
        self.held[ledger] = {bookie: encode(entries) for bookie, entries in held.items()}

    def ask(self, questions: Sequence[Question]) -> Callable[[], list[Action]]:
        """Put questions to it; they are answered one after the other, when somebody waits for that."""
        return lambda: [ask(self, question) for question in questions]

    def now_ms(self) -> int:
        """The present time."""
        return self.time_ms

    def wait(self, delay_ms: int) -> None:
        """Let time pass."""
        self._is_asked(f"wait {delay_ms}")
        self.time_ms += delay_ms

    def mark(self, ledger: int) -> Mark | None:
        """The mark of a ledger."""
        self._is_asked(f"mark {ledger}")
        return self.marks.get(ledger)

    def metadata(self, ledger: int) -> Versioned | None:
        """The metadata of a ledger."""
        self._is_asked(f"metadata {ledger}")
        found = self.metadatas.get(ledger)
        if isinstance(found, LedgerError):
            raise found
        return found

    def entries(self, ledger: int, bookie: str) -> bytes | None:
        """What a bookie sends."""
        self._is_asked(f"entries {ledger} {bookie}")
        return self.held.get(ledger, {}).get(bookie)

    def registered(self) -> frozenset[str]:
        """Who is registered."""
        self._is_asked("registered")
        return frozenset(self.present)

    def known_down(self) -> frozenset[str]:
        """Who is known to be down."""
        return frozenset(self.down)

    def _is_asked(self, question: str) -> None:
        change = self.meanwhile.get(len(self.asked))
        self.asked.append(question)
        if change:
            change(self)
