"""How far the check of one ledger is, what it knows, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, ParamSpec, TypeVar

from reference_impl.kernel.decision import Decision
from reference_impl.ledger.checker.earlier import Earlier
from spec.ledger.metadata import Metadata
from spec.ledger.placement.adherence import Policy
from spec.ledger.violations import Violation

P = ParamSpec("P")
R = TypeVar("R")

Entries = frozenset[int]


class Stage(Enum):
    """What a check waits for. BookKeeper, BP-34, High Level Logic, in this order."""

    MARK = "whether it has a mark"
    METADATA = "its metadata"
    BOOKIES = "what bookies have of it"
    MARK_AGAIN = "whether it has a mark by now"
    METADATA_AGAIN = "whether its metadata is the same"
    ASIDE = "a delay, as bookies were out of reach"
    STANDING = "whether silent bookies are known to be down"
    DONE = "nothing"


class Ending(Enum):
    """What came of a check; only what was judged as a whole is sound."""

    SOUND = "sound"
    STANDING = "found sound earlier, and not changed since"
    REPORTED = "violations reported"
    MARKED = "skipped: it has a mark"
    NOT_CLOSED = "skipped: it is not closed"
    GONE = "skipped: it is deleted"
    BOOKIES_DOWN = "not judged: bookies are down, and known to be"
    UNREADABLE = "not judged: it cannot be read"


class Versioned(NamedTuple):
    """Metadata as it was read, and its version at the metadata server. BookKeeper, versioning/Versioned.java."""

    metadata: Metadata
    version: int


@dataclass(frozen=True)
class Settings:
    """What a run of the checker is asked to do.

    Attributes:
        policy: the placement policy that ensembles are held to.
        grace_ms: how long a mark may stand.
        delay_ms: after what time bookies that were out of reach are asked again.
        first_seen_ms: when earlier runs first saw the marks that they saw, by ledger.
        earlier: what an earlier run found sound, and need not be asked about again.
        changes: what it decides otherwise than BP-34 has it.
    """

    policy: Policy
    grace_ms: int
    delay_ms: int
    first_seen_ms: Mapping[int, int] = field(default_factory=dict)
    earlier: Earlier = field(default_factory=Earlier)
    changes: Mapping[Decision[..., Any], Callable[..., Any]] = field(default_factory=dict)

    def decides(self, decision: Decision[P, R]) -> Callable[P, R]:
        """How this checker decides."""
        return self.changes.get(decision, decision.right)


class Check(NamedTuple):
    """The check of one ledger.

    Attributes:
        ledger: its number.
        stage: what it waits for.
        read: the metadata that it uses, once that is read.
        asked: the bookies that should have something of it.
        heard: what each bookie that was asked said: its entries, or None where it gave no answer.
        is_delayed: bookies were out of reach once already.
        ending: what came of it, once it is done.
        reported: the violations that were found.
        why: why it cannot be read.
    """

    ledger: int
    stage: Stage = Stage.MARK
    read: Versioned | None = None
    asked: tuple[str, ...] = ()
    heard: tuple[tuple[str, Entries | None], ...] = ()
    is_delayed: bool = False
    ending: Ending | None = None
    reported: tuple[Violation, ...] = ()
    why: str = ""

    @property
    def answers(self) -> dict[str, Entries | None]:
        """What each bookie said."""
        return dict(self.heard)

    @property
    def unheard(self) -> tuple[str, ...]:
        """The bookies that have still to answer."""
        answers = self.answers
        return tuple(bookie for bookie in self.asked if bookie not in answers)

    @property
    def silent(self) -> tuple[str, ...]:
        """The bookies that gave no answer."""
        return tuple(bookie for bookie, entries in self.heard if entries is None)

    def waiting_for(self, stage: Stage) -> Check:
        """The check at another stage."""
        return self._replace(stage=stage)

    def ended(self, ending: Ending, *reported: Violation, why: str = "") -> Check:
        """The check, done."""
        return self._replace(stage=Stage.DONE, ending=ending, reported=reported, why=why)
