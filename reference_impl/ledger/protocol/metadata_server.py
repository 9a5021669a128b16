"""The metadata server: one ledger's metadata with its version, and its under-replication mark.

BookKeeper, client/MetadataUpdateLoop.java: every change names the version that it replaces, and else does nothing.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.noting import note
from reference_impl.kernel.step import Address, Effect, Handlers, Moment, Note, Send, Stepped
from reference_impl.ledger.protocol.context import (
    LENGTH_BYTES,
    REPLICATOR,
    LedgerContext,
    client_of,
    name_of,
    number_of,
)
from reference_impl.ledger.protocol.messages import (
    Begin,
    ChangeEnsemble,
    ClearMark,
    Close,
    MarkIs,
    MetadataIs,
    ReadMark,
    ReadMetadata,
    Recover,
    Restore,
    SetMark,
)
from spec.ledger import changes
from spec.ledger.errors import CannotChange
from spec.ledger.events import Closed, Created, EnsembleChanged, InRecovery, Marked, Named, Restored, Unmarked
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums

MILLISECOND_NS: Final = 1_000_000


class Server(NamedTuple):
    """What the metadata server has of one ledger.

    Attributes:
        metadata: its metadata.
        version: how often it was changed.
        mark: its under-replication mark, if it has one.
        marks: how often that has changed.
    """

    ledger: int
    metadata: Metadata
    version: int = 0
    mark: Mark | None = None
    marks: int = 0


# --------------------------------------------------------------------------------------------- decisions


@decision
def is_current(server: Server, expected: int) -> bool:
    """A change takes effect only on the version that its author read: MetadataUpdateLoop.writeLoop."""
    return server.version == expected


@decision
def next_version(server: Server) -> int:
    """Each change makes the next version."""
    return server.version + 1


@decision
def with_ensemble(metadata: Metadata, confirmed: int, replaced: dict[int, str]) -> Metadata:
    """An ensemble changes while the ledger is open, behind what is confirmed: ensembleChangeLoop."""
    return changes.change_ensemble(metadata, confirmed, replaced)


@decision
def in_recovery(metadata: Metadata) -> Metadata:
    """What is closed is not recovered: ReadOnlyLedgerHandle.recover."""
    return changes.fence(metadata)


@decision
def closed_at(metadata: Metadata, last: int) -> Metadata:
    """A ledger is closed once, and not before its last segment: doAsyncCloseInternal."""
    return changes.close(metadata, last, LENGTH_BYTES * (last + 1))


@decision
def sizes_of(quorums: Quorums) -> Quorums:
    """A ledger has sizes that fit: LedgerMetadataBuilder.build."""
    return quorums


@decision
def named_by(metadata: Metadata, bookies: tuple[str, ...]) -> tuple[str, ...]:
    """A mark names the bookies that are lost: AuditorBookieCheckTask."""
    return bookies


@decision
def added_to(mark: Mark, bookies: tuple[str, ...], now_ms: int) -> Mark:
    """A mark keeps the time of its beginning, whatever bookies are added: BP-34, for more than acceptable time."""
    return mark.added(bookies, now_ms)._replace(marked_ms=mark.marked_ms)


@decision
def is_marked(server: Server, bookies: tuple[str, ...]) -> bool:
    """A ledger is marked when bookies that may have entries of it are lost: BP-34, ledgers residing in lost bookies."""
    metadata = server.metadata
    named = {bookie for segment in metadata.segments for bookie in segment.ensemble}
    is_empty = metadata.last_entry is not None and metadata.last_entry < metadata.segments[0].first_entry
    return bool(named & set(bookies)) and not is_empty


# ------------------------------------------------------------------------------------------------- steps


def create(server: Server, message: Begin, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """The ledger is there, with its first ensemble."""
    sizes = context.decides(sizes_of)(context.quorums)
    created = note(
        Created,
        ledger=server.ledger,
        version=0,
        ensemble_size=sizes.ensemble,
        write_quorum=sizes.write,
        ack_quorum=sizes.ack,
    )
    return server, (created, *_named(server))


def tell(server: Server, message: ReadMetadata, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """The metadata, as it is."""
    return server, (Send(message.sender, MetadataIs(server.metadata, server.version)),)


def change_ensemble(server: Server, message: ChangeEnsemble, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """Other bookies take the place of some members."""
    replaced = {member: name_of(bookie) for member, bookie in message.replaced.items()}
    try:
        metadata = context.decides(with_ensemble)(server.metadata, message.confirmed, replaced)
    except CannotChange:
        return _refused(server, message.sender)
    said = {"confirmed": message.confirmed, "replaced": frozenset(replaced), "client": message.sender[2]}
    said |= {"entry": metadata.last_segment.first_entry}
    return _set(server, message, metadata, (EnsembleChanged, said), context)


def recover(server: Server, message: Recover, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """The ledger is in recovery, from when on its writer changes nothing."""
    try:
        metadata = context.decides(in_recovery)(server.metadata)
    except CannotChange:
        return _refused(server, message.sender)
    return _set(server, message, metadata, (InRecovery, {"client": message.sender[2]}), context)


def close(server: Server, message: Close, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """The ledger has an end."""
    try:
        metadata = context.decides(closed_at)(server.metadata, message.last)
    except CannotChange:
        return _refused(server, message.sender)
    said = {"entry": message.last + 1, "client": message.sender[2], "recovers": int(message.recovers)}
    return _set(server, message, metadata, (Closed, said | {"length": metadata.length_bytes}), context)


def restore(server: Server, message: Restore, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """A bookie takes the place of one whose copies are lost."""
    before = next(segment for segment in server.metadata.segments if segment.first_entry == message.segment)
    ensemble = list(before.ensemble)
    lost, ensemble[message.member] = ensemble[message.member], name_of(message.bookie)
    after = Segment(before.first_entry, tuple(ensemble))
    segments = tuple(after if segment == before else segment for segment in server.metadata.segments)
    said = {
        "entry": message.segment,
        "member": message.member,
        "bookie": message.bookie,
        "lost": number_of(lost),
    }
    return _set(server, message, replace(server.metadata, segments=segments), (Restored, said), context)


def set_mark(server: Server, message: SetMark, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """The ledger has a mark, which names these bookies, too."""
    names = tuple(map(name_of, message.bookies))
    if not context.decides(is_marked)(server, names):
        return None
    names = context.decides(named_by)(server.metadata, names)
    now_ms = moment.now_ns // MILLISECOND_NS
    old = server.mark
    mark = Mark(names, now_ms) if old is None else context.decides(added_to)(old, names, now_ms)
    if mark == old:
        return None
    replicas = frozenset(map(number_of, mark.replicas))
    since_ns = (mark.marked_ms or 0) * MILLISECOND_NS
    after = server._replace(mark=mark, marks=server.marks + 1)
    marked = note(Marked, ledger=server.ledger, change=after.marks, replicas=replicas, since=since_ns)
    return after, (marked, Send(client_of(server.ledger, REPLICATOR), Begin()))


def tell_mark(server: Server, message: ReadMark, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """The bookies that the mark names; nobody without one."""
    names = server.mark.replicas if server.mark else ()
    return server, (Send(message.sender, MarkIs(tuple(map(number_of, names)))),)


def clear_mark(server: Server, message: ClearMark, moment: Moment, context: LedgerContext) -> Stepped[Server]:
    """Take away the mark: a versioned delete, so that a mark that names others since then survives."""
    if server.mark is None or {number_of(name) for name in server.mark.replicas} - set(message.bookies):
        return None
    after = server._replace(mark=None, marks=server.marks + 1)
    return after, (note(Unmarked, ledger=server.ledger, change=after.marks),)


def _set(
    server: Server, message: Any, metadata: Metadata, recorded: tuple[type[Any], dict[str, Any]], context: LedgerContext
) -> Stepped[Server]:
    """Set the metadata, if it still is what the author of the change read."""
    if not context.decides(is_current)(server, message.expected):
        return _refused(server, message.sender)
    if metadata == server.metadata and metadata.state is State.CLOSED:
        return server, (Send(message.sender, MetadataIs(metadata, server.version, is_set=True)),)
    event, said = recorded
    after = server._replace(metadata=metadata, version=context.decides(next_version)(server))
    changed = note(event, ledger=server.ledger, version=after.version, **said)
    return after, (changed, *_named(after), Send(message.sender, MetadataIs(metadata, after.version, is_set=True)))


def _refused(server: Server, sender: Address) -> tuple[Server, tuple[Effect, ...]]:
    return server, (Send(sender, MetadataIs(server.metadata, server.version, is_set=False)),)


def _named(server: Server) -> tuple[Note, ...]:
    return tuple(
        note(
            Named,
            ledger=server.ledger,
            version=server.version,
            entry=segment.first_entry,
            member=member,
            bookie=number_of(bookie),
        )
        for segment in server.metadata.segments
        for member, bookie in enumerate(segment.ensemble)
    )


HANDLERS: Final[Handlers] = {
    Begin: create,
    ReadMetadata: tell,
    ChangeEnsemble: change_ensemble,
    Recover: recover,
    Close: close,
    Restore: restore,
    SetMark: set_mark,
    ReadMark: tell_mark,
    ClearMark: clear_mark,
}
