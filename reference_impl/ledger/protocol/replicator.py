"""A replicator: it copies what a lost bookie should have to another one, and names that one in its place.

BookKeeper, replication/ReplicationWorker.java and client/LedgerFragmentReplicator.java. Ledgers that are not closed are
left until they are.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.noting import note
from reference_impl.kernel.step import Address, After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.ledger.protocol.context import LedgerContext, bookie_of, client_of, metadata_of, name_of, number_of
from reference_impl.ledger.protocol.messages import (
    Add,
    Added,
    Begin,
    ClearMark,
    EntryIs,
    MarkIs,
    MetadataIs,
    ReadEntry,
    ReadMark,
    ReadMetadata,
    Restore,
    TimeIsUp,
)
from reference_impl.ledger.protocol.writer import write_set
from spec.ledger.durability import Share, shares
from spec.ledger.events import Sent
from spec.ledger.events.values import REPLICATION
from spec.ledger.metadata import NO_ENTRY, Metadata, Segment

TRIES_MAX: Final = 30
"""After so many questions in a row that nobody answered in time, a replicator leaves the ledger, whose mark stays."""


class Replicator(NamedTuple):
    """What replicates one ledger.

    Attributes:
        client: its number.
        lost: the bookies that the mark names.
        metadata: the metadata, once it was read, and its version.
        takes_over: who takes the place of the lost bookie of the share in hand.
        copied: the entries of that share that were stored there.
        digest: the entry in hand, once it was read.
        round: how many questions it asked.
        tries: how many of the last of them nobody answered in time.
        is_busy: it has begun and not ended.
    """

    ledger: int
    client: int
    lost: tuple[int, ...] = ()
    metadata: Metadata | None = None
    version: int = 0
    takes_over: int | None = None
    copied: frozenset[int] = frozenset()
    digest: int | None = None
    round: int = 0
    tries: int = 0
    is_busy: bool = False

    @property
    def address(self) -> Address:
        """Where it is answered."""
        return client_of(self.ledger, self.client)


class Task(NamedTuple):
    """A member of a segment's ensemble that is lost, and the entries that it should have."""

    segment: Segment
    member: int
    entries: frozenset[int]


# --------------------------------------------------------------------------------------------- decisions


@decision
def to_restore(metadata: Metadata, lost: tuple[int, ...]) -> tuple[Task, ...]:
    """Every member of every segment whose bookie is lost, with entries or without: ReplicationWorker.rereplicate."""
    due: dict[tuple[int, int], Share] = {(share.segment, share.member): share for share in shares(metadata)}
    names = set(map(name_of, lost))
    return tuple(
        Task(segment, member, due[at].entries if (at := (segment.first_entry, member)) in due else frozenset())
        for segment in metadata.segments
        for member, bookie in enumerate(segment.ensemble)
        if bookie in names
    )


@decision
def still_to_copy(task: Task, copied: frozenset[int]) -> frozenset[int]:
    """Every entry is copied before the metadata names who has it: LedgerFragmentReplicator."""
    return task.entries - copied


@decision
def new_bookie(segment: Segment, lost: tuple[int, ...], bookies: tuple[int, ...]) -> int | None:
    """Somebody who is not in the ensemble, nor lost: EnsemblePlacementPolicy.replaceBookie."""
    ensemble = set(map(number_of, segment.ensemble))
    return next((bookie for bookie in bookies if bookie not in ensemble and bookie not in lost), None)


@decision
def may_replicate(metadata: Metadata) -> bool:
    """A ledger that is not closed is left until it is."""
    return metadata.is_closed


@decision
def copied_content(digest: int) -> int:
    """Entries are stored as they were read."""
    return digest


# ------------------------------------------------------------------------------------------------- steps


def begin(here: Replicator, message: Begin, moment: Moment, context: LedgerContext) -> Stepped[Replicator]:
    """See what the mark says."""
    if here.is_busy:
        return None
    return _asking(Replicator(here.ledger, here.client, round=here.round, is_busy=True), context)


def see_mark(here: Replicator, message: MarkIs, moment: Moment, context: LedgerContext) -> Stepped[Replicator]:
    """Without a mark there is nothing to do."""
    if not here.is_busy or here.lost:
        return None
    if not message.bookies:
        return here._replace(is_busy=False), ()
    return _asking(here._replace(lost=message.bookies), context)


def learn(here: Replicator, message: MetadataIs, moment: Moment, context: LedgerContext) -> Stepped[Replicator]:
    """See what is to be restored, the first member first; with nothing left the mark is taken away."""
    if not here.is_busy or not here.lost:
        return None
    if not context.decides(may_replicate)(message.metadata):
        return here._replace(is_busy=False), (After(4 * context.timing.retry_ns, Begin()),)
    if message.version <= here.version and here.metadata is not None:
        return None
    known = here._replace(
        metadata=message.metadata, version=message.version, copied=frozenset(), digest=None, takes_over=None, tries=0
    )
    tasks = context.decides(to_restore)(message.metadata, here.lost)
    if not tasks:
        clear = Send(metadata_of(here.ledger), ClearMark(here.lost))
        return known._replace(is_busy=False), (clear, After(context.timing.retry_ns, Begin()))
    bookie = context.decides(new_bookie)(tasks[0].segment, here.lost, context.bookies)
    if bookie is None:
        return known._replace(is_busy=False), ()
    return _asking(known._replace(takes_over=bookie), context)


def hear_entry(here: Replicator, message: EntryIs, moment: Moment, context: LedgerContext) -> Stepped[Replicator]:
    """Store what was read at the bookie that takes over."""
    task = _task(here, context)
    if task is None or here.digest is not None or message.digest is None or message.entry != _next(here, task, context):
        return None
    return _asking(here._replace(digest=context.decides(copied_content)(message.digest), tries=0), context)


def hear_stored(here: Replicator, message: Added, moment: Moment, context: LedgerContext) -> Stepped[Replicator]:
    """Go on with the next entry."""
    task = _task(here, context)
    if task is None or not message.is_stored or message.bookie != here.takes_over:
        return None
    if message.entry != _next(here, task, context):
        return None
    return _asking(here._replace(copied=here.copied | {message.entry}, digest=None, tries=0), context)


def ask_again(here: Replicator, message: TimeIsUp, moment: Moment, context: LedgerContext) -> Stepped[Replicator]:
    """Ask once more what was not answered."""
    if not here.is_busy or message.round != here.round:
        return None
    if here.tries >= TRIES_MAX:
        return here._replace(is_busy=False), ()
    return _asking(here._replace(tries=here.tries + 1), context)


def _task(here: Replicator, context: LedgerContext) -> Task | None:
    if not here.is_busy or here.metadata is None or here.takes_over is None:
        return None
    return next(iter(context.decides(to_restore)(here.metadata, here.lost)), None)


def _next(here: Replicator, task: Task, context: LedgerContext) -> int | None:
    return min(context.decides(still_to_copy)(task, here.copied), default=None)


def _asking(here: Replicator, context: LedgerContext) -> tuple[Replicator, tuple[Effect, ...]]:
    here = here._replace(round=here.round + 1)
    return here, (*_questions(here, context), After(context.timing.retry_ns, TimeIsUp(here.round)))


def _questions(here: Replicator, context: LedgerContext) -> list[Effect]:
    me, server = here.address, metadata_of(here.ledger)
    if not here.lost:
        return [Send(server, ReadMark(me))]
    task = _task(here, context)
    if task is None or here.takes_over is None:
        return [Send(server, ReadMetadata(me))]
    entry = _next(here, task, context)
    if entry is None:
        first = task.segment.first_entry
        return [
            Send(server, Restore(me, here.version, first, task.member, here.takes_over)),
            Send(server, ReadMetadata(me)),
        ]
    if here.digest is not None:
        return _copied(here, task, entry, here.takes_over, here.digest)
    return [
        Send(
            bookie_of(here.ledger, number_of(task.segment.ensemble[member])), ReadEntry(me, entry, member, fences=False)
        )
        for member in context.decides(write_set)(entry, context.quorums)
        if member != task.member
    ]


def _copied(here: Replicator, task: Task, entry: int, bookie: int, digest: int) -> list[Effect]:
    sent = note(
        Sent,
        ledger=here.ledger,
        entry=entry,
        member=task.member,
        bookie=bookie,
        client=here.client,
        version=here.version,
        segment=task.segment.first_entry,
        confirmed=NO_ENTRY,
        purpose=REPLICATION,
        digest=digest,
    )
    add = Add(here.address, entry, task.member, digest, NO_ENTRY, REPLICATION)
    return [sent, Send(bookie_of(here.ledger, bookie), add)]


HANDLERS: Final[Handlers] = {
    Begin: begin,
    MarkIs: see_mark,
    MetadataIs: learn,
    EntryIs: hear_entry,
    Added: hear_stored,
    TimeIsUp: ask_again,
}
