"""Messages to and from the nodes of a metadata log: what is written there, and what is read."""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.kernel.step import Address
from reference_impl.log.stream.surroundings import Metadata


class Describe(NamedTuple):
    """A sequencer has metadata for its epoch, which are to be in the metadata log.

    Attributes:
        is_written: an earlier sequencer has written them.
    """

    epoch: int
    metadata: Metadata
    is_written: bool


class KeepMetadata(NamedTuple):
    """Whoever describes epochs on a node asks for a copy of a record of the metadata log."""

    metadata: Metadata
    node: int


class MetadataKept(NamedTuple):
    """A node holds the record that begins with an epoch."""

    since: int
    node: int


class ReadMetadata(NamedTuple):
    """Somebody asks for all that a node holds of the metadata log; the ticket tells their questions apart."""

    back: Address
    ticket: int


class MetadataRead(NamedTuple):
    """All that a node holds of the metadata log."""

    ticket: int
    node: int
    records: tuple[Metadata, ...]


class SetWritten(NamedTuple):
    """The metadata that begin with an epoch are written."""

    since: int
    node: int


class WrittenSet(NamedTuple):
    """The epoch store knows that the metadata that begin with an epoch are written."""

    since: int


class WriteAgain(NamedTuple):
    """Timer: whoever has not confirmed the metadata of an epoch is asked again."""

    epoch: int


class ReadAgain(NamedTuple):
    """Timer: whoever has not shown the metadata of an epoch is asked again."""

    epoch: int
