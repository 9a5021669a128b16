"""The writer: it sends entries to their write sets, acknowledges them in order, and replaces bookies that fail.

BookKeeper, client/LedgerHandle.java, client/PendingAddOp.java and client/LedgerCreateOp.java.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.noting import note
from reference_impl.kernel.step import Address, After, Effect, Handlers, Moment, Note, Send, Stepped
from reference_impl.ledger.protocol.context import (
    WRITER,
    LedgerContext,
    bookie_of,
    client_of,
    digest_of,
    metadata_of,
    number_of,
)
from reference_impl.ledger.protocol.messages import Add, Added, ChangeEnsemble, Close, MetadataIs, NextEntry, TimeIsUp
from spec.ledger import coverage
from spec.ledger.ack_set import AckSet, complete, remove
from spec.ledger.events import Acknowledged, Sent
from spec.ledger.events.values import ADD
from spec.ledger.metadata import NO_ENTRY, State
from spec.ledger.schedule import Quorums

UNDER_WAY: Final = 3
"""How many entries are under way at most."""


class Writer(NamedTuple):
    """A ledger's writer.

    Attributes:
        ensemble: the bookies of its last segment, by member.
        total: how many entries it writes before it closes the ledger.
        next: the entry that it makes next.
        segment: the entry with which the last segment begins.
        version: the version of the metadata that it knows, which names that ensemble.
        pending: who answered of the entries that are not acknowledged.
        confirmed: the last entry that was acknowledged.
        avoided: bookies that failed.
        changing: the ensemble change that is under way.
        has_stopped: somebody else has taken over, or the ledger is closed.
    """

    ledger: int
    ensemble: tuple[int, ...]
    total: int
    next: int = 0
    segment: int = 0
    version: int = 0
    pending: Mapping[int, AckSet] = {}
    confirmed: int = -1
    avoided: frozenset[int] = frozenset()
    changing: ChangeEnsemble | None = None
    has_stopped: bool = False

    @property
    def address(self) -> Address:
        """Where it is answered."""
        return client_of(self.ledger, WRITER)


# --------------------------------------------------------------------------------------------- decisions


@decision
def write_set(entry: int, quorums: Quorums) -> tuple[int, ...]:
    """Entry e goes to the members e, e + 1, ... of the ensemble: RoundRobinDistributionSchedule.getWriteSet."""
    return coverage.write_set(entry, quorums.ensemble, quorums.write)


@decision
def sent_to(writer: Writer, members: tuple[int, ...]) -> tuple[int, ...]:
    """Every member of the write set is sent the entry: PendingAddOp.initiate."""
    return members


@decision
def is_acknowledged(acks: AckSet, quorums: Quorums) -> bool:
    """An ack quorum has stored the entry: RRAckSet."""
    return acks.is_acknowledged(quorums)


@decision
def may_acknowledge(writer: Writer, entry: int) -> bool:
    """Entries are acknowledged in order, and none while the ensemble changes: sendAddSuccessCallbacks."""
    return entry == writer.confirmed + 1 and writer.changing is None


@decision
def counts(writer: Writer, answer: Added) -> bool:
    """Only the bookie that is that member now counts: PendingAddOp.writeComplete."""
    return writer.ensemble[answer.member] == answer.bookie


@decision
def forgotten(acks: AckSet, member: int) -> AckSet:
    """What a member answered that is replaced is forgotten: unsetSuccessAndSendWriteRequest."""
    return remove(acks, member)


@decision
def confirmed_with(writer: Writer, entry: int) -> int:
    """Each add carries the last entry confirmed: LedgerHandle.getLastAddConfirmed."""
    return writer.confirmed


@decision
def new_segment_behind(writer: Writer) -> int:
    """A new segment begins behind the last entry confirmed: ensembleChangeLoop."""
    return writer.confirmed


@decision
def closes_behind(writer: Writer) -> int:
    """A ledger ends with the last entry confirmed: doAsyncCloseInternal."""
    return writer.confirmed


@decision
def bookie_for(writer: Writer, member: int) -> int:
    """An entry for a member goes to the bookie that is that member: PendingAddOp.sendWriteRequest."""
    return writer.ensemble[member]


@decision
def content_of(writer: Writer, entry: int, member: int) -> int:
    """Every bookie is sent the same content."""
    return digest_of(writer.ledger, entry)


@decision
def replacements(writer: Writer, failed: tuple[int, ...], bookies: tuple[int, ...]) -> dict[int, int]:
    """Bookies outside the ensemble take over from members that failed: EnsemblePlacementPolicy.replaceBookie."""
    others = [bookie for bookie in bookies if bookie not in writer.ensemble and bookie not in writer.avoided]
    return dict(zip(failed, others, strict=False))


@decision
def is_fenced_off(writer: Writer, metadata_state: State) -> bool:
    """A writer whose ledger somebody recovers or has closed stops: handleUnrecoverableErrorDuringAdd."""
    return metadata_state is not State.OPEN


# ------------------------------------------------------------------------------------------------- steps


def next_entry(writer: Writer, message: NextEntry, moment: Moment, context: LedgerContext) -> Stepped[Writer]:
    """Make an entry and send it to its write set; after the last one is acknowledged, close the ledger."""
    if writer.has_stopped:
        return None
    timing = context.timing
    if writer.next - context.first_entry >= writer.total:
        return (writer, (After(timing.think_ns, NextEntry()),)) if writer.pending else _close(writer, context)
    if writer.changing or len(writer.pending) >= UNDER_WAY:
        return writer, (After(timing.think_ns, NextEntry()),)
    entry = writer.next
    members = context.decides(sent_to)(writer, context.decides(write_set)(entry, context.quorums))
    after = writer._replace(next=entry + 1, pending={**writer.pending, entry: AckSet()})
    timers = (After(timing.think_ns, NextEntry()), After(timing.add_ns, TimeIsUp(entry)))
    return after, (*_sent(after, entry, members, context), *timers)


def hear(writer: Writer, message: Added, moment: Moment, context: LedgerContext) -> Stepped[Writer]:
    """A bookie has stored an entry, or refuses it because the ledger is fenced."""
    if writer.has_stopped or message.entry not in writer.pending or not context.decides(counts)(writer, message):
        return None
    if not message.is_stored:
        return writer._replace(has_stopped=True), ()
    acks = complete(writer.pending[message.entry], message.member)
    return _acknowledged(writer._replace(pending={**writer.pending, message.entry: acks}), context)


def give_up_on(writer: Writer, message: TimeIsUp, moment: Moment, context: LedgerContext) -> Stepped[Writer]:
    """Bookies that did not store an entry in time are replaced, if there are others; else they are asked again."""
    entry, timer = message.round, After(context.timing.add_ns, message)
    if writer.has_stopped or entry not in writer.pending:
        return None
    if writer.changing:
        return writer, (Send(metadata_of(writer.ledger), writer.changing), timer)
    members = context.decides(write_set)(entry, context.quorums)
    failed = tuple(member for member in members if member not in writer.pending[entry].stored)
    replaced = context.decides(replacements)(writer, failed, context.bookies)
    if not replaced:
        writer = writer._replace(avoided=frozenset())
        return writer, (*_sent(writer, entry, failed, context), timer)
    avoided = writer.avoided | {writer.ensemble[member] for member in replaced}
    behind = context.decides(new_segment_behind)(writer)
    change = ChangeEnsemble(writer.address, writer.version, behind, replaced)
    return writer._replace(changing=change, avoided=avoided), (Send(metadata_of(writer.ledger), change), timer)


def learn(writer: Writer, message: MetadataIs, moment: Moment, context: LedgerContext) -> Stepped[Writer]:
    """The ensemble was changed, and who is new is sent what is not acknowledged; or somebody else takes over."""
    if writer.has_stopped or message.version <= writer.version:
        return None
    if context.decides(is_fenced_off)(writer, message.metadata.state):
        return writer._replace(has_stopped=True), ()
    last = message.metadata.last_segment
    ensemble = tuple(map(number_of, last.ensemble))
    new = {member for member, bookie in enumerate(ensemble) if bookie != writer.ensemble[member]}
    pending = {entry: _without(acks, new, context) for entry, acks in writer.pending.items()}
    after = writer._replace(
        ensemble=ensemble, segment=last.first_entry, version=message.version, pending=pending, changing=None
    )
    again: list[Effect] = []
    for entry in sorted(pending):
        members = context.decides(write_set)(entry, context.quorums)
        again += _sent(after, entry, [member for member in members if member in new], context)
    acknowledged = _acknowledged(after, context)
    return acknowledged and (acknowledged[0], (*again, *acknowledged[1]))


def _without(acks: AckSet, members: Iterable[int], context: LedgerContext) -> AckSet:
    for member in members:
        acks = context.decides(forgotten)(acks, member)
    return acks


def _acknowledged(writer: Writer, context: LedgerContext) -> Stepped[Writer]:
    """Acknowledge all that may be, in order."""
    said: list[Note] = []
    for entry in sorted(writer.pending):
        acks = writer.pending[entry]
        if context.decides(is_acknowledged)(acks, context.quorums) and context.decides(may_acknowledge)(writer, entry):
            said.append(
                note(
                    Acknowledged,
                    ledger=writer.ledger,
                    entry=entry,
                    client=WRITER,
                    segment=writer.segment,
                    counted=acks.stored,
                )
            )
            pending = {other: one for other, one in writer.pending.items() if other != entry}
            writer = writer._replace(pending=pending, confirmed=max(writer.confirmed, entry))
    return writer, tuple(said)


def _close(writer: Writer, context: LedgerContext) -> Stepped[Writer]:
    close = Close(writer.address, writer.version, context.decides(closes_behind)(writer), recovers=False)
    return writer._replace(has_stopped=True), (Send(metadata_of(writer.ledger), close),)


def _sent(writer: Writer, entry: int, members: Iterable[int], context: LedgerContext) -> Iterator[Effect]:
    confirmed = context.decides(confirmed_with)(writer, entry)
    confirmed = confirmed if confirmed >= context.first_entry else NO_ENTRY
    for member in members:
        bookie = context.decides(bookie_for)(writer, member)
        digest = context.decides(content_of)(writer, entry, member)
        yield note(
            Sent,
            ledger=writer.ledger,
            entry=entry,
            member=member,
            bookie=bookie,
            client=WRITER,
            version=writer.version,
            segment=writer.segment,
            confirmed=confirmed,
            purpose=ADD,
            digest=digest,
        )
        yield Send(bookie_of(writer.ledger, bookie), Add(writer.address, entry, member, digest, confirmed, ADD))


HANDLERS: Final[Handlers] = {NextEntry: next_entry, Added: hear, TimeIsUp: give_up_on, MetadataIs: learn}
