"""A bookie: what it has of one ledger, and whether it has fenced it.

BookKeeper, bookie/LedgerDescriptorImpl.java. Entries and fences are journalled before they are answered.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.noting import note
from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.ledger.protocol.context import LedgerContext
from reference_impl.ledger.protocol.messages import Add, Added, ConfirmedIs, EntryIs, ReadConfirmed, ReadEntry
from spec.ledger.events import Fenced, Stored
from spec.ledger.events.values import ADD
from spec.ledger.metadata import NO_ENTRY


class Bookie(NamedTuple):
    """What one bookie has of one ledger.

    Attributes:
        copies: the hash of each entry's payload.
        fenced: whether it takes no more adds of the ledger's writer.
        confirmed: the last entry confirmed that it was told of.
    """

    ledger: int
    bookie: int
    copies: Mapping[int, int] = {}
    fenced: bool = False
    confirmed: int = NO_ENTRY


# --------------------------------------------------------------------------------------------- decisions


@decision
def takes(here: Bookie, purpose: int) -> bool:
    """A fenced ledger takes no adds but those of recovery and replication: addEntry."""
    return not here.fenced or purpose != ADD


@decision
def stores_first(here: Bookie, entry: int) -> bool:
    """A bookie stores an entry before it says so: Journal.logAddEntry."""
    return True


@decision
def fences(here: Bookie, asked: bool) -> bool:  # noqa: FBT001 - a decision has no names
    """Whoever recovers a ledger asks to fence it; the fence stays: setFenced."""
    return here.fenced or asked


@decision
def answers_about(here: Bookie, entry: int) -> int | None:
    """A bookie says that it has an entry if it stored it: readEntry."""
    return here.copies.get(entry)


@decision
def after_crash(here: Bookie) -> Bookie:
    """Entries and fences are in the journal: bookie/Journal.java."""
    return here


# ------------------------------------------------------------------------------------------------- steps


def add(here: Bookie, message: Add, moment: Moment, context: LedgerContext) -> Stepped[Bookie]:
    """Store an entry, and say so; a fenced ledger's writer is told that it is fenced."""
    if not context.decides(takes)(here, message.purpose):
        return here, (Send(message.sender, Added(message.entry, message.member, here.bookie, is_stored=False)),)
    reply = Send(message.sender, Added(message.entry, message.member, here.bookie, is_stored=True))
    confirmed = max(here.confirmed, message.confirmed)
    if not context.decides(stores_first)(here, message.entry):
        return here._replace(confirmed=confirmed), (reply,)
    stored = note(
        Stored,
        ledger=here.ledger,
        entry=message.entry,
        member=message.member,
        bookie=here.bookie,
        purpose=message.purpose,
        digest=message.digest,
    )
    copies = {**here.copies, message.entry: message.digest}
    return here._replace(copies=copies, confirmed=confirmed), (stored, reply)


def read_confirmed(here: Bookie, message: ReadConfirmed, moment: Moment, context: LedgerContext) -> Stepped[Bookie]:
    """Tell the last entry confirmed, and fence the ledger if that is asked."""
    here, effects = _fenced(here, message.fences, context)
    return here, (*effects, Send(message.sender, ConfirmedIs(message.member, here.bookie, here.confirmed)))


def read_entry(here: Bookie, message: ReadEntry, moment: Moment, context: LedgerContext) -> Stepped[Bookie]:
    """Tell an entry, or that there is none, and fence the ledger if that is asked."""
    here, effects = _fenced(here, message.fences, context)
    digest = context.decides(answers_about)(here, message.entry)
    return here, (
        *effects,
        Send(message.sender, EntryIs(message.entry, message.member, here.bookie, digest, message.version)),
    )


def _fenced(here: Bookie, asked: bool, context: LedgerContext) -> tuple[Bookie, tuple[Effect, ...]]:  # noqa: FBT001
    fenced = context.decides(fences)(here, asked)
    if fenced == here.fenced:
        return here, ()
    return here._replace(fenced=fenced), (note(Fenced, ledger=here.ledger, bookie=here.bookie),)


HANDLERS: Final[Handlers] = {Add: add, ReadConfirmed: read_confirmed, ReadEntry: read_entry}
