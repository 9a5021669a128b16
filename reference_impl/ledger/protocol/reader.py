"""A reader: it learns what is confirmed, and reads up to there.

BookKeeper, client/LedgerHandle.java, asyncReadLastConfirmed and asyncReadEntries, and client/ReadOpBase.java.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.noting import note
from reference_impl.kernel.step import Address, After, Effect, Handlers, Moment, Note, Send, Stepped
from reference_impl.ledger.protocol.context import LedgerContext, bookie_of, client_of, metadata_of, number_of
from reference_impl.ledger.protocol.messages import (
    Begin,
    ConfirmedIs,
    EntryIs,
    MetadataIs,
    ReadConfirmed,
    ReadEntry,
    ReadMetadata,
    TimeIsUp,
)
from reference_impl.ledger.protocol.writer import write_set
from spec.ledger.events import Given, Missing
from spec.ledger.metadata import NO_ENTRY, Metadata, ensemble_of

ROUNDS_MAX: Final = 3
"""After so many times a reader gives up an entry whose bookies do not all answer."""


class Reader(NamedTuple):
    """A client that reads a ledger from its beginning.

    Attributes:
        client: its number.
        metadata: the metadata, once it was read, and its version.
        confirmed: the last entry that it knows to be confirmed, once it does.
        entry: the entry that it reads.
        answers: what members of the write set said of it: a hash, or None.
        round: how many questions it asked.
        tries: how often it asked for this entry.
        doubted: the version by which nobody has this entry: it may be out of date.
        is_reading: it has begun and not ended.
    """

    ledger: int
    client: int
    metadata: Metadata | None = None
    version: int = 0
    confirmed: int | None = None
    entry: int = 0
    answers: Mapping[int, int | None] = {}
    round: int = 0
    tries: int = 0
    doubted: int | None = None
    is_reading: bool = False

    @property
    def address(self) -> Address:
        """Where it is answered."""
        return client_of(self.ledger, self.client)


# --------------------------------------------------------------------------------------------- decisions


@decision
def reads_upto(reader: Reader, confirmed: int) -> int:
    """No reader reads behind the last entry confirmed: asyncReadEntries."""
    return confirmed


@decision
def confirmed_of(metadata: Metadata) -> int | None:
    """Of a closed ledger all is confirmed up to its end; of any other, bookies say it: asyncReadLastConfirmed."""
    return metadata.last_entry


@decision
def is_missing(answers: Mapping[int, int | None], asked: tuple[int, ...]) -> bool:
    """There is no such entry if nobody of its write set has it: ReadOpBase."""
    return set(asked) <= answers.keys()


@decision
def content(digest: int) -> int:
    """A reader is given what a bookie sent, whose digest it verifies: DigestManager.verifyDigestAndReturnData."""
    return digest


# ------------------------------------------------------------------------------------------------- steps


def begin(here: Reader, message: Begin, moment: Moment, context: LedgerContext) -> Stepped[Reader]:
    """Read the metadata, anew each time."""
    fresh = Reader(here.ledger, here.client, round=here.round, entry=context.first_entry, is_reading=True)
    return _asking(fresh, context)


def learn(here: Reader, message: MetadataIs, moment: Moment, context: LedgerContext) -> Stepped[Reader]:
    """Learn the ensembles, and what is confirmed of a closed ledger."""
    if not here.is_reading or here.metadata is not None:
        return None
    if here.doubted == message.version:
        missing = note(Missing, ledger=here.ledger, entry=here.entry, client=here.client, confirmed=here.confirmed)
        return _next(here._replace(metadata=message.metadata), missing, context)
    confirmed = here.confirmed
    if confirmed is None:
        confirmed = context.decides(confirmed_of)(message.metadata)
    known = here._replace(metadata=message.metadata, version=message.version, confirmed=confirmed, doubted=None)
    return _asking(known, context)


def hear_confirmed(here: Reader, message: ConfirmedIs, moment: Moment, context: LedgerContext) -> Stepped[Reader]:
    """The first answer will do: what one bookie knows to be confirmed is confirmed."""
    if not here.is_reading or here.metadata is None or here.confirmed is not None:
        return None
    return _asking(here._replace(confirmed=message.confirmed), context)


def hear_entry(here: Reader, message: EntryIs, moment: Moment, context: LedgerContext) -> Stepped[Reader]:
    """An entry that a bookie has is given; one that all its bookies lack is missing, if they still are its bookies."""
    if not here.is_reading or message.entry != here.entry or here.confirmed is None or here.metadata is None:
        return None
    here = here._replace(answers={**here.answers, message.member: message.digest})
    if message.digest is not None:
        said = {"ledger": here.ledger, "entry": here.entry, "client": here.client, "confirmed": here.confirmed}
        return _next(here, note(Given, **said, digest=context.decides(content)(message.digest)), context)
    if context.decides(is_missing)(here.answers, context.decides(write_set)(here.entry, context.quorums)):
        return _asking(here._replace(metadata=None, doubted=here.version, answers={}), context)
    return here, ()


def ask_again(here: Reader, message: TimeIsUp, moment: Moment, context: LedgerContext) -> Stepped[Reader]:
    """Ask once more, and go on to the next entry if that is in vain."""
    if not here.is_reading or message.round != here.round:
        return None
    if here.tries >= ROUNDS_MAX:
        if here.confirmed is None or here.metadata is None:
            return here._replace(is_reading=False), ()
        return _asking(here._replace(entry=here.entry + 1, answers={}, tries=0), context)
    return _asking(here._replace(tries=here.tries + 1), context)


def _next(here: Reader, told: Note, context: LedgerContext) -> Stepped[Reader]:
    """Say what became of an entry, and go on to the next."""
    after, effects = _asking(here._replace(entry=here.entry + 1, answers={}, tries=0, doubted=None), context)
    return after, (told, *effects)


def _asking(here: Reader, context: LedgerContext) -> tuple[Reader, tuple[Effect, ...]]:
    confirmed = NO_ENTRY if here.confirmed is None else here.confirmed
    if here.confirmed is not None and here.entry > context.decides(reads_upto)(here, confirmed):
        return here._replace(is_reading=False), ()
    here = here._replace(round=here.round + 1)
    return here, (*_questions(here, context), After(context.timing.retry_ns, TimeIsUp(here.round)))


def _questions(here: Reader, context: LedgerContext) -> list[Effect]:
    me = here.address
    if here.metadata is None:
        return [Send(metadata_of(here.ledger), ReadMetadata(me))]
    if here.confirmed is None:
        return [
            Send(bookie_of(here.ledger, number_of(bookie)), ReadConfirmed(me, member, fences=False))
            for member, bookie in enumerate(here.metadata.last_segment.ensemble)
        ]
    ensemble = ensemble_of(here.metadata, here.entry)
    return [
        Send(bookie_of(here.ledger, number_of(ensemble[member])), ReadEntry(me, here.entry, member, fences=False))
        for member in context.decides(write_set)(here.entry, context.quorums)
        if member not in here.answers
    ]


HANDLERS: Final[Handlers] = {
    Begin: begin,
    MetadataIs: learn,
    ConfirmedIs: hear_confirmed,
    EntryIs: hear_entry,
    TimeIsUp: ask_again,
}
