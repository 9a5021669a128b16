"""Metadata of a ledger: its sizes, its segments with their ensembles, and where it ends once it is closed.

BookKeeper, client/LedgerMetadataImpl.java and client/LedgerMetadataBuilder.java.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Final, NamedTuple

from spec.ledger.errors import BadLedger
from spec.ledger.schedule import Quorums

NO_ENTRY: Final = -1
"""The last entry of a closed ledger that has none, and what is confirmed before the first is."""

ENTRY_MAX: Final = (1 << 63) - 1


class State(IntEnum):
    """What may happen to a ledger. BookKeeper, DataFormats.proto, LedgerMetadataFormat.State."""

    OPEN = 1
    IN_RECOVERY = 2
    CLOSED = 3


class DigestType(IntEnum):
    """How entries are guarded against damage. BookKeeper, DataFormats.proto, LedgerMetadataFormat.DigestType."""

    CRC32 = 1
    HMAC = 2
    CRC32C = 3
    DUMMY = 4


class Segment(NamedTuple):
    """Entries from one on, and the ensemble that they are striped over.

    BookKeeper, DataFormats.proto, LedgerMetadataFormat.Segment.

    Attributes:
        first_entry: the first of them.
        ensemble: the bookies, by member.
    """

    first_entry: int
    ensemble: tuple[str, ...]


@dataclass(frozen=True)
class Metadata:
    """What a metadata server says of a ledger.

    BookKeeper, DataFormats.proto, LedgerMetadataFormat.

    Attributes:
        quorums: its sizes.
        segments: in ascending order.
        state: what may happen to it.
        last_entry: where it ends if it is closed, -1 if it is empty; None while it is not closed.
        length_bytes: how much its entries have together if it is closed; None while it is not.
        digest_type: how its entries are guarded, where that is told.
        password: what opens it, where that is told.
        created_ms: when it was created, where that is told.
        custom: what applications say of it.
        token: a number that whoever created it chose, where that is told.
    """

    quorums: Quorums
    segments: tuple[Segment, ...]
    state: State = State.OPEN
    last_entry: int | None = None
    length_bytes: int | None = None
    digest_type: DigestType | None = None
    password: bytes | None = None
    created_ms: int | None = None
    custom: tuple[tuple[str, bytes], ...] = ()
    token: int | None = None

    @property
    def is_closed(self) -> bool:
        """Nothing more is written to it."""
        return self.state is State.CLOSED

    @property
    def last_segment(self) -> Segment:
        """The segment that is written to."""
        return self.segments[-1]


def check(metadata: Metadata, where: str) -> Metadata:
    """The metadata, if a ledger can be so: sizes fit, segments ascend, and it has an end if and only if it is closed.

    BookKeeper, client/LedgerMetadataBuilder.java, build, and client/LedgerMetadataImpl.java.

    Raises:
        BadLedger: no ledger is so.
    """
    quorums, segments = metadata.quorums, metadata.segments
    if not 1 <= quorums.ack <= quorums.write <= quorums.ensemble:
        raise BadLedger("its sizes do not fit", where, f"{quorums}", "ensemble size >= write quorum >= ack quorum >= 1")
    if not segments or not 0 <= segments[0].first_entry <= segments[-1].first_entry <= ENTRY_MAX:
        raise BadLedger("no such segments", where, f"{len(segments)} of them", "one at least, from entry 0 on")
    for segment in segments:
        if len(segment.ensemble) != quorums.ensemble:
            why = f"{len(segment.ensemble)} bookies from entry {segment.first_entry} on"
            raise BadLedger("an ensemble is too small or too large", where, why, f"{quorums.ensemble} bookies in each")
    for before, after in pairwise(segments):
        if after.first_entry <= before.first_entry:
            raise BadLedger(
                "segments do not ascend", where, f"{after.first_entry} follows {before.first_entry}", "order"
            )
    _check_end(metadata, where)
    return metadata


def _check_end(metadata: Metadata, where: str) -> None:
    last, length = metadata.last_entry, metadata.length_bytes
    if metadata.is_closed != (last is not None) or metadata.is_closed != (length is not None):
        why = f"it is {metadata.state.name}, with last entry {last} and length {length}"
        raise BadLedger("an end and a state contradict each other", where, why, "an end if and only if it is closed")
    if last is not None and length is not None and not (NO_ENTRY <= last <= ENTRY_MAX and 0 <= length <= ENTRY_MAX):
        raise BadLedger("no such end", where, f"last entry {last}, length {length}", "-1 or more, and 0 or more")


def ranges(metadata: Metadata) -> tuple[range, ...]:
    """The entries of each segment: up to the next segment, and to the end of a closed ledger.

    BookKeeper, client/LedgerMetadataImpl.java, getEnsembleAt: the last segment that begins at or before an entry.
    """
    firsts = [segment.first_entry for segment in metadata.segments]
    end = ENTRY_MAX if metadata.last_entry is None else metadata.last_entry + 1
    return tuple(range(first, min(after, end)) for first, after in zip(firsts, [*firsts[1:], end], strict=True))


def ensemble_of(metadata: Metadata, entry: int) -> tuple[str, ...]:
    """The ensemble that an entry is striped over.

    BookKeeper, client/LedgerMetadataImpl.java, getEnsembleAt.

    Raises:
        BadLedger: the entry comes before the first segment.
    """
    found = [segment.ensemble for segment in metadata.segments if segment.first_entry <= entry]
    if not found:
        first = metadata.segments[0].first_entry
        raise BadLedger("no segment has this entry", "metadata", f"{entry} is before {first}", "a later entry")
    return found[-1]
