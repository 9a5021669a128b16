"""Changes of a ledger's metadata: each takes effect by comparing versions and setting, or not at all.

BookKeeper, client/LedgerHandle.java, client/ReadOnlyLedgerHandle.java and client/MetadataUpdateLoop.java.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from spec.ledger.errors import CannotChange
from spec.ledger.metadata import NO_ENTRY, Metadata, Segment, State

WHERE = "metadata"


def last_add_confirmed(acknowledged: Collection[int], known: int = NO_ENTRY) -> int:
    """The last entry up to which all are acknowledged.

    BookKeeper, client/LedgerHandle.java, sendAddSuccessCallbacks: from the head of the queue, in order.
    """
    while known + 1 in acknowledged:
        known += 1
    return known


def change_ensemble(metadata: Metadata, confirmed: int, replaced: Mapping[int, str]) -> Metadata:
    """Other bookies take the place of some members, for entries behind the last that is confirmed.

    BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: a segment that would begin there is replaced.

    Raises:
        CannotChange: the ledger is not open, the entry is before its last segment, or there is no such member.
    """
    last = metadata.last_segment
    members = range(len(last.ensemble))
    if metadata.state is not State.OPEN:
        raise _refused(metadata, "an ensemble changes while the ledger is open")
    if confirmed + 1 < last.first_entry or not replaced or not replaced.keys() <= set(members):
        why = f"members {sorted(replaced)} behind entry {confirmed}"
        raise CannotChange("no such change", WHERE, why, f"members of {len(members)}, from {last.first_entry} on")
    ensemble = tuple(replaced.get(member, last.ensemble[member]) for member in members)
    kept = metadata.segments[:-1] if last.first_entry == confirmed + 1 else metadata.segments
    return replace(metadata, segments=(*kept, Segment(confirmed + 1, ensemble)))


def fence(metadata: Metadata) -> Metadata:
    """A ledger is put in recovery, from when on its writer changes nothing.

    BookKeeper, client/ReadOnlyLedgerHandle.java, recover: compare-and-set to IN_RECOVERY, also if it is.

    Raises:
        CannotChange: the ledger is closed.
    """
    if metadata.is_closed:
        raise _refused(metadata, "what is closed needs no recovery")
    return replace(metadata, state=State.IN_RECOVERY)


def recovery_begins_at(metadata: Metadata, confirmed: int) -> int:
    """The first entry that a recovery reads: behind what is confirmed, but never before the last segment.

    BookKeeper, client/LedgerRecoveryOp.java, issue 2615: a segment before the last is complete.
    """
    return max(confirmed + 1, metadata.last_segment.first_entry)


def close(metadata: Metadata, last_entry: int, length_bytes: int) -> Metadata:
    """A ledger ends behind an entry, and no segment before its last one is cut short.

    BookKeeper, client/LedgerHandle.java, doAsyncCloseInternal, and client/ReadOnlyLedgerHandle.java, closeRecovered.

    Raises:
        CannotChange: the ledger is closed with another end, or would end before its last segment.
    """
    if metadata.is_closed and (metadata.last_entry, metadata.length_bytes) != (last_entry, length_bytes):
        raise _refused(metadata, f"its end is {metadata.last_entry}, not {last_entry}")
    if last_entry + 1 < metadata.last_segment.first_entry:
        raise _refused(
            metadata, f"its last segment begins at {metadata.last_segment.first_entry}, not {last_entry + 1}"
        )
    return replace(metadata, state=State.CLOSED, last_entry=last_entry, length_bytes=length_bytes)


def _refused(metadata: Metadata, why: str) -> CannotChange:
    return CannotChange("the state does not allow it", WHERE, f"it is {metadata.state.name}", f"another ledger: {why}")
