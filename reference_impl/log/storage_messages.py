"""Messages to and from storage nodes: what sequencers and recoveries ask of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.log.copies import Cleaned, Copy, Nodes, Outcome


class Store(NamedTuple):
    """The sequencer on a node asks for a copy of a record, which may belong to a stream of appends.

    Attributes:
        is_draining: the sequencer has asked for another epoch, and lets what is under way in this one end.
    """

    lsn: int
    digest: int
    wave: int
    copyset: Nodes
    known_good: int
    node: int
    in_stream: bool = False
    is_draining: bool = False


class AmendStore(NamedTuple):
    """The sequencer on a node asks for a record that is there already to be taken for one of a later wave."""

    lsn: int
    wave: int
    copyset: Nodes
    known_good: int
    node: int
    is_draining: bool = False


class NotHeld(NamedTuple):
    """A node has nothing that it could take for one of this wave."""

    lsn: int
    wave: int
    node: int


class Delete(NamedTuple):
    """A copy is not needed, if it is of this wave: enough others have one."""

    lsn: int
    wave: int
    copyset: Nodes


class Stored(NamedTuple):
    """A node holds the copy that it was asked for."""

    lsn: int
    wave: int
    node: int


class Preempted(NamedTuple):
    """A node refused, because it promised a later sequencer to: its seal says up to which epoch.

    Attributes:
        softly: only a soft seal is in the way: it stored of a later epoch, and no recovery has sealed it.
    """

    seal: int
    softly: bool = False


class Seal(NamedTuple):
    """A recovery asks for a promise to take no appends of epochs before its own."""

    recovery: int
    node: int


class Sealed(NamedTuple):
    """A node promised.

    Attributes:
        known_good: the last known good ESN of each epoch, as far as the node was told.
    """

    recovery: int
    node: int
    known_good: tuple[tuple[int, int], ...]


class ReadDigest(NamedTuple):
    """A recovery asks a node that is sealed for all that it holds of an epoch above the last known good ESN.

    Attributes:
        round: how often the recovery will have decided; the node takes nothing more of earlier rounds.
    """

    epoch: int
    recovery: int
    round: int
    known_good: int
    node: int


class Digested(NamedTuple):
    """All that a node holds of an epoch above the last known good ESN that the recovery knew of.

    Attributes:
        since: the version of the status table at which copies were last moved.
        is_writable: the node takes what is decided; otherwise it only lends its copies.
    """

    epoch: int
    recovery: int
    round: int
    node: int
    since: int
    copies: tuple[tuple[int, Copy], ...]
    is_writable: bool = True


class Mutation(NamedTuple):
    """A recovery asks a node to hold some of what it decided for an epoch.

    Attributes:
        round: how often the recovery had decided; what a later round decided overrules the earlier ones.
    """

    epoch: int
    recovery: int
    round: int
    wave: int
    copyset: Nodes
    outcomes: tuple[Outcome, ...]
    node: int


class MutationStored(NamedTuple):
    """A node holds what a recovery decided for these ESNs in this round."""

    epoch: int
    recovery: int
    round: int
    esns: tuple[int, ...]
    node: int


class AlreadyClean(NamedTuple):
    """A node takes nothing more of an epoch from a recovery: it knows what another one made of it."""

    cleaned: Cleaned
    recovery: int

    @property
    def epoch(self) -> int:
        """The epoch."""
        return self.cleaned.epoch


class Clean(NamedTuple):
    """A recovery tells a node what became of an epoch; everything is replicated."""

    cleaned: Cleaned
    round: int
    node: int


class CleanedHere(NamedTuple):
    """A node knows what became of an epoch."""

    epoch: int
    recovery: int
    round: int
    node: int


class GetMetadata(NamedTuple):
    """A node that missed the recovery of an epoch asks another one what became of it."""

    epoch: int
    node: int


class Metadata(NamedTuple):
    """A node tells another one what became of an epoch."""

    cleaned: Cleaned


class Release(NamedTuple):
    """Everything up to this LSN may be read, once the node has repaired its copies of the epochs before."""

    lsn: int
    cleaned: Mapping[int, Cleaned]
