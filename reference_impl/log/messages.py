"""Messages between clients, sequencers and the epoch store, and the timers that they set themselves."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from reference_impl.log.copies import Cleaned, Nodes
from reference_impl.log.stream.surroundings import Metadata


class Refusal(Enum):
    """Why an append was refused for certain, before it was given an LSN."""

    NOT_ACTIVE = "the sequencer was preempted"
    NO_ROOM = "the sequencer's window is full"


# --------------------------------------------------------------------------------------------- epoch store


class NextEpoch(NamedTuple):
    """A node asks for an epoch in which it may be the sequencer; the time tells its requests apart."""

    node: int
    asked_ns: int


class EpochGiven(NamedTuple):
    """The epoch store gives the epoch that a node asked for, with everything it knows of the log's epochs.

    Attributes:
        metadata: those of this epoch, where there is a metadata log.
        is_written: they are in the metadata log.
    """

    asked_ns: int
    epoch: int
    nodesets: Mapping[int, Nodes]
    cleaned: Mapping[int, Cleaned]
    metadata: Metadata | None = None
    is_written: bool = True


class SetClean(NamedTuple):
    """A recovery finished an epoch."""

    cleaned: Cleaned
    node: int


class CleanSet(NamedTuple):
    """All epochs that are clean."""

    cleaned: Mapping[int, Cleaned]


class WhoSequences(NamedTuple):
    """A client asks who the sequencer is."""

    client: int


class Announce(NamedTuple):
    """The newest epoch, and the node to which it was given."""

    epoch: int
    node: int


class WhichNodes(NamedTuple):
    """A reader asks the metadata log for the nodeset of an epoch."""

    stream: int
    epoch: int


class WhereLies(NamedTuple):
    """A storage node asks the metadata log for the nodeset of an epoch, to purge it."""

    node: int
    epoch: int


class Nodeset(NamedTuple):
    """The nodes on which the records of an epoch may lie."""

    epoch: int
    nodes: Nodes


# ------------------------------------------------------------------------------------- clients and sequencer


class Invoke(NamedTuple):
    """Timer: it is time for the next append."""


class AppendThis(NamedTuple):
    """Somebody wants a payload of this hash to be appended."""

    digest: int


class Retry(NamedTuple):
    """Timer: an append has had no answer for a while."""

    number: int


class Stop(NamedTuple):
    """The client is to begin no more appends."""


class AppendRequest(NamedTuple):
    """A client asks the sequencer of an epoch for an append; its number tells repetitions apart.

    Attributes:
        oldest: the least number of its appends that have no answer yet.
        place: its place in the client's stream of appends, from 1; 0: it is in none.
        resumes: all before it in the stream was acknowledged, so that a new sequencer may begin with it.
    """

    client: int
    number: int
    epoch: int
    digest: int
    oldest: int = 1
    place: int = 0
    resumes: bool = False


class Refused(NamedTuple):
    """The append did not happen and never will."""

    number: int
    epoch: int
    reason: Refusal


class Acked(NamedTuple):
    """The append is safe at an LSN."""

    number: int
    lsn: int
    copyset: Nodes


class Activate(NamedTuple):
    """A node is to become the log's sequencer."""


class Tick(NamedTuple):
    """Timer of the sequencer or recovery of one epoch."""

    epoch: int


class Recover(NamedTuple):
    """A new sequencer starts the recovery of all epochs before its own that are not clean."""

    epoch: int
    nodesets: Mapping[int, Nodes]
    cleaned: Mapping[int, Cleaned]


class GraceOver(NamedTuple):
    """Timer: a recovery has given nodes that it could do without a little time to be heard."""

    recovery: int
    epoch: int


class Recovered(NamedTuple):
    """All epochs before this one are clean."""

    epoch: int
    cleaned: Mapping[int, Cleaned]
