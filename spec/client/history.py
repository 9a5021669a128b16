"""Histories: what the clients of one log did and were told, as plain data, for the definition of what they may see.

LSNs are numbers that grow; two LSNs are neighbours if nothing can lie between them. A payload is a small number and may
repeat: what an append is does not depend on it. Source: this is the project's own vocabulary, a part of that of
``spec.events``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from spec.events import SKIPPED


@dataclass(frozen=True, slots=True)
class Moment:
    """When something was seen.

    Attributes:
        recorder: who saw it.
        seq: its place in the recorder's own order; no recorder uses a number twice.
        time: the recorder's clock in nanoseconds; None if it has none.
    """

    recorder: str
    seq: int
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A client was told that its append lies at this LSN; in broken histories also at others, or that it is refused."""

    lsn: int
    also: tuple[int, ...] = ()
    refused: bool = False

    @property
    def lsns(self) -> tuple[int, ...]:
        """Every LSN that the client was told."""
        return (self.lsn, *self.also)


class Unacknowledged(Enum):
    """How an append ended that was not acknowledged, if it ended."""

    REFUSED = "the client was told that it did not happen"
    INDEFINITE = "the client gave up: it may have happened"
    PENDING = "it never ended"


REFUSED, INDEFINITE, PENDING = Unacknowledged
Outcome = Acknowledged | Unacknowledged


@dataclass(frozen=True, slots=True)
class Append:
    """A client asked for an append, and what it was told; ``ended`` is None just where it is PENDING."""

    writer: int
    payload: int
    began: Moment
    ended: Moment | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Given:
    """A reader was given the record of an LSN."""

    at: Moment
    lsn: int
    payload: int

    @property
    def upto(self) -> int:
        """The last LSN that this step answers for: its own."""
        return self.lsn


@dataclass(frozen=True, slots=True)
class Gap:
    """A reader was told that there is nothing for it to read from ``lsn`` to ``upto``; reasons are ``GAP_KINDS``."""

    at: Moment
    lsn: int
    upto: int
    reason: int


@dataclass(frozen=True, slots=True)
class AtEnd:
    """A reader was told that nothing is there from this LSN on; ``asked`` is when it asked, ``at`` when it was told."""

    at: Moment
    lsn: int
    asked: Moment


Step = Given | Gap | AtEnd


@dataclass(frozen=True, slots=True)
class Read:
    """A reader began to read at ``start``, and what it met, in its order. One that begins anew makes another Read."""

    reader: int
    start: int
    began: Moment
    steps: tuple[Step, ...]

    @property
    def given(self) -> Iterator[Given]:
        """What it was given."""
        return (step for step in self.steps if isinstance(step, Given))

    @property
    def at_ends(self) -> Iterator[AtEnd]:
        """Where it was told that it is at the end."""
        return (step for step in self.steps if isinstance(step, AtEnd))

    @property
    def answers(self) -> Iterator[Given | Gap]:
        """The steps that took it further."""
        return (step for step in self.steps if not isinstance(step, AtEnd))

    @property
    def gaps(self) -> Iterator[Gap]:
        """All that it passed over: the gaps that it was told of, and what it passed in silence, as SKIPPED gaps."""
        position = self.start
        for step in self.answers:
            if position < step.lsn:
                yield Gap(step.at, position, step.lsn - 1, SKIPPED)
            if isinstance(step, Gap):
                yield step
            position = step.upto + 1


@dataclass(frozen=True, slots=True)
class Trim:
    """Somebody asked that the log be trimmed up to this LSN, which goes as well."""

    upto: int
    asked: Moment


@dataclass(frozen=True, slots=True)
class History:
    """What the clients of one log did and were told.

    Attributes:
        appends: all appends, in any order.
        reads: all reads, in any order.
        trims: all that was asked to be trimmed; None if that is not recorded.
        clock_bound_ns: the most by which the clocks of two recorders differ at one instant.
        real_time_order: whether order across clients is promised.
    """

    appends: tuple[Append, ...]
    reads: tuple[Read, ...] = ()
    trims: tuple[Trim, ...] | None = None
    clock_bound_ns: int = 0
    real_time_order: bool = False

    @property
    def acknowledged_lsns(self) -> frozenset[int]:
        """The LSNs that clients were told."""
        acknowledged = (append.outcome for append in self.appends if isinstance(append.outcome, Acknowledged))
        return frozenset(lsn for outcome in acknowledged for lsn in outcome.lsns)

    @property
    def given_lsns(self) -> frozenset[int]:
        """The LSNs that readers were given."""
        return frozenset(step.lsn for read in self.reads for step in read.given)

    def own_pairs(self) -> Iterator[tuple[Moment, Moment]]:
        """What came before what for one client alone, whoever recorded it.

        An append begins before it ends; a reader begins before its steps, which come in their order; it asks before it
        is told.
        """
        for append in self.appends:
            if append.ended is not None:
                yield append.began, append.ended
        for read in self.reads:
            yield from pairwise([read.began, *(step.at for step in read.steps)])
            yield from ((step.asked, step.at) for step in read.at_ends if step.asked != step.at)

    def moments(self) -> dict[Moment, int]:
        """Every moment of the history, each with a number of its own."""
        trimmed = [(trim.asked, trim.asked) for trim in self.trims or ()]
        begun = [(append.began, append.began) for append in self.appends]
        alone = [(read.began, read.began) for read in self.reads]
        pairs = (*begun, *alone, *trimmed, *self.own_pairs())
        return {moment: number for number, moment in enumerate(dict.fromkeys(one for pair in pairs for one in pair))}
