"""Mutants of metadata logs: of what is written there, of who waits for it, and of what readers make of it."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one, whether it looks at all of it or not

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from reference_impl.log import metadata_log
from reference_impl.log.context import METADATA_LOG, LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.epoch_store import EpochStore, may_provision
from reference_impl.log.metadata_log import Range, ranges, with_epoch
from reference_impl.log.metadata_log_writer import awaits_metadata, is_readable
from reference_impl.log.metadata_reading import is_known
from reference_impl.log.stream.inputs import EpochMetadata, Input
from reference_impl.log.stream.machine import Did, step
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import EPOCH_LAST, Metadata
from reference_impl.mutants.registry import mutant, setting

BESIDE: Final = setting("beside each log there is a metadata log", variants=(METADATA_LOG,))


@mutant(awaits_metadata, where=BESIDE)
def releases_before_metadata(epoch: int) -> bool:
    """A recovery is over although the metadata of the new epoch cannot be read yet.

    LogDevice, common/LogRecoveryRequest.cpp, readSequencerMetaData: readers rely on it that they can.
    """
    return False


@mutant(is_readable, where=BESIDE)
def one_copy_of_metadata_is_enough(context: LogContext, holders: Nodes) -> bool:
    """A recovery takes metadata for readable as soon as one node has them.

    LogDevice, Read path, Metadata log: metadata logs are replicated and otherwise treated as regular logs.
    """
    return bool(holders)


@mutant(with_epoch, where=BESIDE)
def forgets_new_nodeset(
    records: Sequence[Metadata], epoch: int, shards: Nodes, replication: Mapping[str, int]
) -> tuple[Metadata, ...]:
    """The metadata log keeps the metadata of the first epoch when later ones have another nodeset.

    LogDevice, Read path, Metadata log: it contains the history of all epochs and their metadata.
    """
    return tuple(records) or (Metadata(epoch, shards, replication),)


@mutant(with_epoch, where=BESIDE)
def metadata_begin_early(
    records: Sequence[Metadata], epoch: int, shards: Nodes, replication: Mapping[str, int]
) -> tuple[Metadata, ...]:
    """New metadata are written as if the epoch before had had them already.

    LogDevice, Read path, Metadata log: it contains ranges of epochs, and for each range the nodeset.
    """
    *before, last = metadata_log.with_epoch(records, epoch, shards, replication)
    early = before and last.since == epoch and epoch - 1 > before[-1].since
    return (*before, last._replace(since=epoch - 1) if early else last)


@mutant(may_provision, where=BESIDE)
def metadata_overtake_each_other(store: EpochStore) -> bool:
    """The epoch store gives out other metadata although those before are not in the metadata log yet.

    LogDevice, common/EpochMetaDataUpdater.cpp: a sequencer that failed before it wrote them leaves a gap for ever.
    """
    return True


@mutant(ranges, where=BESIDE)
def range_one_epoch_too_long(records: Sequence[Metadata]) -> tuple[Range, ...]:
    """Whoever reads the metadata log takes metadata for those of the first epoch of the next range, too.

    LogDevice, common/MetaDataLogReader.h: metadata hold until the epoch before the next record.
    """
    known = metadata_log.ranges(records)
    return tuple(one if one.until == EPOCH_LAST else one._replace(until=one.until + 1) for one in known)


@mutant(is_known, where=BESIDE)
def first_answer_is_enough(context: LogContext, heard: Nodes) -> bool:
    """Whoever reads the metadata log believes the first node that answers, which may have missed the last records.

    LogDevice, Read path, Gap detection algorithm: without an f-majority nobody knows that there is no more.
    """
    return bool(heard)


@mutant(step, where=BESIDE)
def keeps_metadata_one_epoch_longer(stream: Stream, message: Input) -> Did:
    """A reader uses the last metadata in one more epoch than it found them for, without asking.

    LogDevice, common/client_read_stream/ClientReadStream.cpp: it asks for each epoch of which it knows nothing.
    """
    before = stream.known.last_epoch
    stream, said = step(stream, message)
    if isinstance(message, EpochMetadata) and stream.known.last_epoch > before:
        stream = stream.knowing(last_epoch=stream.known.last_epoch + 1)
    return stream, said
