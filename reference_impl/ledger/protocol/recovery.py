"""A client that takes over a ledger: it fences it, reads what may have been acknowledged, and closes it.

BookKeeper, client/ReadOnlyLedgerHandle.java, client/LedgerRecoveryOp.java and client/ReadOpBase.java. Entries are read
one after the other, and each is added again before the next is read.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.noting import note
from reference_impl.kernel.step import Address, After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.ledger.protocol.context import LedgerContext, bookie_of, client_of, metadata_of, number_of
from reference_impl.ledger.protocol.messages import (
    Add,
    Added,
    Begin,
    Close,
    ConfirmedIs,
    EntryIs,
    MetadataIs,
    ReadConfirmed,
    ReadEntry,
    ReadMetadata,
    Recover,
    TimeIsUp,
)
from reference_impl.ledger.protocol.writer import write_set
from spec.ledger import changes, schedule
from spec.ledger.events import ReadBack, RecoveryBegan, Sent
from spec.ledger.events.values import RECOVERY
from spec.ledger.metadata import NO_ENTRY, Metadata
from spec.ledger.schedule import Quorums

TRIES_MAX: Final = 30
"""After so many questions in a row that nobody answered in time, a recovery is given up."""


class Stage(Enum):
    """What a recovery waits for."""

    METADATA = "the metadata"
    STATE = "the ledger to be in recovery"
    FENCE = "enough bookies to have fenced"
    READ = "whether there is an entry"
    ADD = "an entry to be stored again"
    CLOSE = "the ledger to be closed"
    DONE = "nothing"


class Recoverer(NamedTuple):
    """A client that recovers a ledger.

    Attributes:
        client: its number.
        stage: what it waits for.
        round: how many questions it asked; answers to older ones still count, unless it began anew.
        tries: how many of the last of them nobody answered in time.
        metadata: the metadata as it was when the recovery began, and its version.
        confirmed: the last entry confirmed that it was told, by member.
        entry: the entry that it reads or adds.
        answers: what members of the write set said of it: a hash, or None.
        stored: the members that stored it again.
    """

    ledger: int
    client: int
    stage: Stage = Stage.DONE
    round: int = 0
    tries: int = 0
    metadata: Metadata | None = None
    version: int = 0
    confirmed: Mapping[int, int] = {}
    entry: int = NO_ENTRY
    answers: Mapping[int, int | None] = {}
    stored: frozenset[int] = frozenset()

    @property
    def address(self) -> Address:
        """Where it is answered."""
        return client_of(self.ledger, self.client)

    @property
    def known(self) -> Metadata:
        """The metadata, once it was read."""
        if self.metadata is None:
            raise ValueError(f"client {self.client} recovers ledger {self.ledger} before it has read its metadata")
        return self.metadata

    @property
    def ensemble(self) -> tuple[int, ...]:
        """The last ensemble."""
        return tuple(map(number_of, self.known.last_segment.ensemble))


# --------------------------------------------------------------------------------------------- decisions


@decision
def is_fenced(answered: frozenset[int], quorums: Quorums) -> bool:
    """Of every write set fewer than an ack quorum are silent: QuorumCoverageSet.checkCovered."""
    return schedule.is_covered(answered, quorums)


@decision
def begins_at(metadata: Metadata, confirmed: int) -> int:
    """Behind what is confirmed, and not before the last segment: LedgerRecoveryOp, issue 2615."""
    return changes.recovery_begins_at(metadata, confirmed)


@decision
def reads_fence() -> bool:
    """Reads of a recovery fence, as its question for the LAC does: issue 2614."""
    return True


@decision
def first_question_fences() -> bool:
    """The question for the LAC fences: LedgerRecoveryOp.initiate."""
    return True


@decision
def is_there(answers: Mapping[int, int | None], quorums: Quorums) -> bool:
    """An entry is there as soon as one bookie has it: ReadOpBase."""
    return any(digest is not None for digest in answers.values())


@decision
def is_absent(answers: Mapping[int, int | None], quorums: Quorums) -> bool:
    """There is no such entry once W - A + 1 bookies say so: ReadOpBase."""
    return sum(digest is None for digest in answers.values()) >= quorums.write - quorums.ack + 1


@decision
def is_added(stored: frozenset[int], quorums: Quorums) -> bool:
    """An entry that was read is stored again by an ack quorum before the next is read: LedgerRecoveryOp."""
    return len(stored) >= quorums.ack


@decision
def asks_to_recover() -> bool:
    """The ledger is put in recovery before anything is read: ReadOnlyLedgerHandle.recover."""
    return True


@decision
def last_entry(recoverer: Recoverer) -> int:
    """The ledger ends behind the last entry that was read: closeRecovered."""
    return recoverer.entry - 1


# ------------------------------------------------------------------------------------------------- steps


def begin(here: Recoverer, message: Begin, moment: Moment, context: LedgerContext) -> Stepped[Recoverer]:
    """Read the metadata."""
    if here.round:
        return None
    return _asking(here._replace(stage=Stage.METADATA), context)


def learn(here: Recoverer, message: MetadataIs, moment: Moment, context: LedgerContext) -> Stepped[Recoverer]:
    """What is closed needs no recovery; else put it in recovery, and then fence its bookies."""
    if here.stage is Stage.DONE or message.version < here.version:
        return None
    if message.metadata.is_closed:
        return here._replace(stage=Stage.DONE), ()
    known = here._replace(metadata=message.metadata, version=message.version)
    if here.stage is Stage.METADATA:
        asks = context.decides(asks_to_recover)()
        return _asking(known._replace(stage=Stage.STATE if asks else Stage.FENCE), context)
    if here.stage is Stage.STATE and message.is_set:
        return _asking(known._replace(stage=Stage.FENCE), context)
    if message.is_set is False:
        return _asking(known._replace(stage=Stage.METADATA, confirmed={}), context)
    return None


def hear_confirmed(here: Recoverer, message: ConfirmedIs, moment: Moment, context: LedgerContext) -> Stepped[Recoverer]:
    """Once enough bookies have fenced, read from behind what is confirmed on."""
    if here.stage is not Stage.FENCE:
        return None
    here = here._replace(confirmed={**here.confirmed, message.member: message.confirmed})
    answered = frozenset(here.confirmed)
    if not context.decides(is_fenced)(answered, context.quorums):
        return here, ()
    confirmed = max(here.confirmed.values(), default=NO_ENTRY)
    entry = context.decides(begins_at)(here.known, confirmed)
    began = note(
        RecoveryBegan,
        ledger=here.ledger,
        entry=entry,
        client=here.client,
        segment=here.known.last_segment.first_entry,
        confirmed=confirmed,
        answered=answered,
    )
    stepped = _asking(here._replace(stage=Stage.READ, entry=entry, answers={}, tries=0), context)
    return stepped[0], (began, *stepped[1])


def hear_entry(here: Recoverer, message: EntryIs, moment: Moment, context: LedgerContext) -> Stepped[Recoverer]:
    """An entry that is there is added again; before one that is not, the ledger ends."""
    if here.stage is not Stage.READ or message.entry != here.entry or message.member in here.answers:
        return None
    if message.version != here.version:  # it answers what was asked before the recovery began anew
        return None
    said = note(
        ReadBack,
        ledger=here.ledger,
        entry=message.entry,
        member=message.member,
        bookie=message.bookie,
        client=here.client,
        found=int(message.digest is not None),
        digest=message.digest,
    )
    here = here._replace(answers={**here.answers, message.member: message.digest})
    if context.decides(is_there)(here.answers, context.quorums):
        stepped = _asking(here._replace(stage=Stage.ADD, stored=frozenset(), tries=0), context)
    elif context.decides(is_absent)(here.answers, context.quorums):
        stepped = _asking(here._replace(stage=Stage.CLOSE), context)
    else:
        stepped = here, ()
    return stepped[0], (said, *stepped[1])


def hear_stored(here: Recoverer, message: Added, moment: Moment, context: LedgerContext) -> Stepped[Recoverer]:
    """Once an entry is stored again, read the next."""
    if here.stage is not Stage.ADD or message.entry != here.entry or not message.is_stored:
        return None
    here = here._replace(stored=here.stored | {message.member})
    if not context.decides(is_added)(here.stored, context.quorums):
        return here, ()
    return _asking(here._replace(stage=Stage.READ, entry=here.entry + 1, answers={}, tries=0), context)


def ask_again(here: Recoverer, message: TimeIsUp, moment: Moment, context: LedgerContext) -> Stepped[Recoverer]:
    """Ask once more what was not answered."""
    if here.stage is Stage.DONE or message.round != here.round:
        return None
    if here.tries >= TRIES_MAX:
        return here._replace(stage=Stage.DONE), ()
    return _asking(here._replace(tries=here.tries + 1), context)


def _asking(here: Recoverer, context: LedgerContext) -> tuple[Recoverer, tuple[Effect, ...]]:
    here = here._replace(round=here.round + 1)
    return here, (*_questions(here, context), After(context.timing.retry_ns, TimeIsUp(here.round)))


def _questions(here: Recoverer, context: LedgerContext) -> list[Effect]:
    """What a recovery asks at its stage, of whoever has not answered."""
    me, server = here.address, metadata_of(here.ledger)
    match here.stage:
        case Stage.METADATA:
            return [Send(server, ReadMetadata(me))]
        case Stage.STATE:
            return [Send(server, Recover(me, here.version))]
        case Stage.FENCE:
            asks = context.decides(first_question_fences)()
            return [
                Send(bookie_of(here.ledger, bookie), ReadConfirmed(me, member, asks))
                for member, bookie in enumerate(here.ensemble)
                if member not in here.confirmed
            ]
        case Stage.CLOSE:
            return [Send(server, Close(me, here.version, context.decides(last_entry)(here), recovers=True))]
        case _:
            return _of_entry(here, context)


def _of_entry(here: Recoverer, context: LedgerContext) -> list[Effect]:
    me, asked = here.address, list[Effect]()
    for member in context.decides(write_set)(here.entry, context.quorums):
        bookie = here.ensemble[member]
        if here.stage is Stage.READ and member not in here.answers:
            fences = context.decides(reads_fence)()
            asked.append(Send(bookie_of(here.ledger, bookie), ReadEntry(me, here.entry, member, fences, here.version)))
        elif here.stage is Stage.ADD and member not in here.stored:
            asked += _added_again(here, member, bookie)
    return asked


def _added_again(here: Recoverer, member: int, bookie: int) -> list[Effect]:
    digest = next((digest for digest in here.answers.values() if digest is not None), 0)
    confirmed = here.entry - 1 if here.entry > here.known.segments[0].first_entry else NO_ENTRY
    sent = note(
        Sent,
        ledger=here.ledger,
        entry=here.entry,
        member=member,
        bookie=bookie,
        client=here.client,
        version=here.version,
        segment=here.known.last_segment.first_entry,
        confirmed=confirmed,
        purpose=RECOVERY,
        digest=digest,
    )
    add = Add(here.address, here.entry, member, digest, confirmed, RECOVERY)
    return [sent, Send(bookie_of(here.ledger, bookie), add)]


HANDLERS: Final[Handlers] = {
    Begin: begin,
    MetadataIs: learn,
    ConfirmedIs: hear_confirmed,
    EntryIs: hear_entry,
    Added: hear_stored,
    TimeIsUp: ask_again,
}
