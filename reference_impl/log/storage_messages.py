"""Messages to and from storage nodes: what sequencers and recoveries ask of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.log.copies import Cleaned, Copy, Nodes, Outcome


class Store(NamedTuple):
    """The sequencer on a node asks for a copy of a record."""

    lsn: int
    digest: int
    wave: int
    copyset: Nodes
    known_good: int
    node: int


class Stored(NamedTuple):
    """A node holds the copy that it was asked for."""

    lsn: int
    wave: int
    node: int


class Preempted(NamedTuple):
    """A node refused, because it promised a later sequencer to: its seal says up to which epoch."""

    seal: int


class Seal(NamedTuple):
    """A recovery asks for a promise to take no appends of epochs before its own, and for a digest of one epoch."""

    epoch: int
    recovery: int
    node: int


class Digested(NamedTuple):
    """A node promised, and tells what it holds above its last known good ESN of the epoch.

    Attributes:
        since: the version of the status table at which copies were last moved.
    """

    epoch: int
    recovery: int
    node: int
    since: int
    known_good: int
    copies: tuple[tuple[int, Copy], ...]


class Mutation(NamedTuple):
    """A recovery asks a node to hold what it decided for an epoch.

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
    """A node holds what a recovery decided and stored in this wave."""

    epoch: int
    recovery: int
    wave: int
    node: int


class Release(NamedTuple):
    """Everything up to this LSN may be read, once the node has repaired its copies of the epochs before."""

    lsn: int
    cleaned: Mapping[int, Cleaned]
