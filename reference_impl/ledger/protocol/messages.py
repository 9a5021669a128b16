"""What the entities of a ledger say to each other, and to themselves by timers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.kernel.step import Address
from spec.ledger.metadata import Metadata

# ------------------------------------------------------------------------------------------------ bookies


class Add(NamedTuple):
    """Store an entry, for a purpose; with it goes the last entry that its sender knows to be confirmed."""

    sender: Address
    entry: int
    member: int
    digest: int
    confirmed: int
    purpose: int


class Added(NamedTuple):
    """A bookie has stored an entry, or refused it since it has fenced the ledger."""

    entry: int
    member: int
    bookie: int
    is_stored: bool


class ReadConfirmed(NamedTuple):
    """What is the last entry confirmed that you know of? Who recovers a ledger fences it by that."""

    sender: Address
    member: int
    fences: bool


class ConfirmedIs(NamedTuple):
    """The last entry confirmed that a bookie knows of."""

    member: int
    bookie: int
    confirmed: int


class ReadEntry(NamedTuple):
    """Have you this entry? Who recovers a ledger fences it by that, too, and says by which version of the metadata."""

    sender: Address
    entry: int
    member: int
    fences: bool
    version: int = 0


class EntryIs(NamedTuple):
    """The hash of an entry's payload; None where a bookie has no such entry. The version is that of the question."""

    entry: int
    member: int
    bookie: int
    digest: int | None
    version: int = 0


# ---------------------------------------------------------------------------------------- metadata server


class ReadMetadata(NamedTuple):
    """What is the ledger's metadata?"""

    sender: Address


class MetadataIs(NamedTuple):
    """The metadata, and its version; ``is_set`` says whether that is what was asked to be set."""

    metadata: Metadata
    version: int
    is_set: bool | None = None


class ChangeEnsemble(NamedTuple):
    """Put other bookies in the place of some members, behind the last entry confirmed."""

    sender: Address
    expected: int
    confirmed: int
    replaced: Mapping[int, int]


class Recover(NamedTuple):
    """Put the ledger in recovery."""

    sender: Address
    expected: int


class Close(NamedTuple):
    """Close the ledger behind its last entry."""

    sender: Address
    expected: int
    last: int
    recovers: bool


class Restore(NamedTuple):
    """Put a bookie in the place of a member of a segment's ensemble, whose copies are lost."""

    sender: Address
    expected: int
    segment: int
    member: int
    bookie: int


class SetMark(NamedTuple):
    """Mark the ledger, since bookies have lost their copies."""

    bookies: tuple[int, ...]


class ReadMark(NamedTuple):
    """Which bookies does the ledger's mark name?"""

    sender: Address


class MarkIs(NamedTuple):
    """The bookies that the ledger's mark names."""

    bookies: tuple[int, ...]


class ClearMark(NamedTuple):
    """Take away the mark, if it names no more than these bookies."""

    bookies: tuple[int, ...]


# ------------------------------------------------------------------------------------------------- timers


class Begin(NamedTuple):
    """Begin what you are there for; again, if you have begun."""


class NextEntry(NamedTuple):
    """Make the next entry."""


class TimeIsUp(NamedTuple):
    """So long was waited for answers; ``round`` says to what question."""

    round: int
