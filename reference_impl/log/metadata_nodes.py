"""The nodes of a metadata log: each host keeps copies of its records, and tells them whoever asks.

LogDevice, Read path, Metadata log: metadata logs are kept on storage nodes, and replicated as others are. Their records
lie on a shard of their own, which is lost with no other one; they survive a crash.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from typing import Final, NamedTuple

from reference_impl.kernel.step import Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.context import LogContext
from reference_impl.log.metadata_messages import KeepMetadata, MetadataKept, MetadataRead, ReadMetadata
from reference_impl.log.stream.surroundings import Metadata


class MetadataNode(NamedTuple):
    """What a node holds of the metadata log of a log, in the order of epochs."""

    log: int
    node: int
    records: tuple[Metadata, ...] = ()


def keep(here: MetadataNode, message: KeepMetadata, moment: Moment, context: LogContext) -> Stepped[MetadataNode]:
    """Hold a record; one that is there already is not written twice."""
    records = {record.since: record for record in (message.metadata, *here.records)}
    here = here._replace(records=tuple(records[since] for since in sorted(records)))
    kept = MetadataKept(message.metadata.since, here.node)
    return here, (Send(addresses.describer(here.log, message.node), kept),)


def show(here: MetadataNode, message: ReadMetadata, moment: Moment, context: LogContext) -> Stepped[MetadataNode]:
    """Tell all that is here."""
    return here, (Send(message.back, MetadataRead(message.ticket, here.node, here.records)),)


HANDLERS: Final[Handlers] = {KeepMetadata: keep, ReadMetadata: show}
