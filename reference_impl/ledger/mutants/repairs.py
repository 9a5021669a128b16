"""Mutants of marks and of replication."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from reference_impl.ledger.protocol.context import number_of
from reference_impl.ledger.protocol.metadata_server import Server, added_to, is_marked, named_by
from reference_impl.ledger.protocol.replicator import (
    Task,
    copied_content,
    may_replicate,
    new_bookie,
    still_to_copy,
    to_restore,
)
from reference_impl.mutants.registry import mutant
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment


@mutant(added_to)
def mark_begins_anew(mark: Mark, bookies: tuple[str, ...], now_ms: int) -> Mark:
    """The time of a mark is that of the last bookie that was added to it.

    BookKeeper, meta/ZkLedgerUnderreplicationManager.java, handleLedgerUnderreplicatedAlreadyMarked.
    """
    return mark.added(bookies, now_ms)


@mutant(is_marked)
def empty_ledgers_are_marked(server: Server, bookies: tuple[str, ...]) -> bool:
    """Every ledger of a lost bookie is marked, also one without entries, which no check looks at then.

    BookKeeper, replication/AuditorBookieCheckTask.java.
    """
    return True


@mutant(named_by)
def marks_name_whole_ensembles(metadata: Metadata, bookies: tuple[str, ...]) -> tuple[str, ...]:
    """A mark names all bookies of the ledger, when one of them is lost.

    BookKeeper, replication/AuditorBookieCheckTask.java: the bookie that is lost.
    """
    return tuple(dict.fromkeys(bookie for segment in metadata.segments for bookie in segment.ensemble))


@mutant(to_restore)
def marks_are_cleared_at_once(metadata: Metadata, lost: tuple[int, ...]) -> tuple[Task, ...]:
    """A mark is taken away though nothing was restored.

    BookKeeper, replication/ReplicationWorker.java: once no fragment lacks copies.
    """
    return ()


@mutant(still_to_copy)
def named_before_copied(task: Task, copied: frozenset[int]) -> frozenset[int]:
    """The metadata names a bookie that has no copies yet.

    BookKeeper, issues 4097 and 4651: metadata names bookies that never got the entries.
    """
    return frozenset()


@mutant(new_bookie)
def restored_at_a_member(segment: Segment, lost: tuple[int, ...], bookies: tuple[int, ...]) -> int | None:
    """A bookie that is in the ensemble takes over from a lost one, too.

    BookKeeper, client/LedgerMetadataBuilder.java: as many bookies as the ensemble size.
    """
    return next((number_of(name) for name in segment.ensemble if number_of(name) not in lost), None)


def without_entries(metadata: Metadata, lost: tuple[int, ...]) -> tuple[Task, ...]:
    """Members are replaced, and nothing is copied."""
    return tuple(
        Task(segment, member, frozenset())
        for segment in metadata.segments
        for member, bookie in enumerate(segment.ensemble)
        if number_of(bookie) in lost
    )


@mutant(may_replicate, to_restore.otherwise(without_entries))
def open_ledgers_are_replicated(metadata: Metadata) -> bool:
    """A bookie is replaced in the segment that a writer still writes to.

    BookKeeper, replication/ReplicationWorker.java: fragments of open ledgers are left.
    """
    return True


@mutant(copied_content)
def copies_are_damaged(digest: int) -> int:
    """A replicator stores another content than it read.

    BookKeeper, client/LedgerFragmentReplicator.java: copied as read.
    """
    return digest + 1
