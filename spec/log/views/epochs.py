"""What became of one epoch, and what recoveries decided of it."""

from __future__ import annotations

from spec.events import WIPE, Append, Clean, Described, Draining, Mutate, NewEpoch, Planned, Positioned, Release
from spec.language.declare import View, along, any_of, common_of, max_of, min_of, union_of
from spec.log.views.tables import Faults, Metadata, MetadataLogs, Statuses


class Epoch(View, one_per=(Positioned.log, Positioned.epoch)):
    """What became of one epoch of one log."""

    log, number = Positioned.log, Positioned.epoch
    in_log = along(Positioned.log)

    started = any_of(NewEpoch)
    started_at = min_of(NewEpoch.time)
    sequencer_least, sequencer_most = min_of(NewEpoch.sequencer), max_of(NewEpoch.sequencer)
    nodes_ever, nodes_always = union_of(NewEpoch.nodeset), common_of(NewEpoch.nodeset)
    appended = any_of(Append)
    appended_last = max_of(Append.esn)
    writer_least, writer_most = min_of(Append.sequencer), max_of(Append.sequencer)
    drains = any_of(Draining)
    drained_last = min_of(Draining.esn)
    drainer_least, drainer_most = min_of(Draining.sequencer), max_of(Draining.sequencer)
    cleaned = any_of(Clean)
    cleaned_at = min_of(Clean.time)
    ended_least, ended_most = min_of(Clean.esn), max_of(Clean.esn)
    recovered_by = min_of(Clean.recovery, Mutate.recovery, Planned.recovery)
    released = any_of(Release)
    released_at = min_of(Release.time)

    described = any_of(Described)
    described_at = min_of(Described.time)
    first_described = MetadataLogs.at(MetadataLogs.first_epoch, Positioned.log)

    described_in_time = described & (~released | described_at.not_after(released_at))
    described_last = in_log.latest(number.when(described_in_time))
    described_last_at = in_log.latest(described_at.when(described_in_time))
    nodeset = Metadata.at(Metadata.nodeset, Positioned.log, Positioned.epoch)
    replication = Metadata.at(Metadata.replication, Positioned.log, Positioned.epoch)
    nodeset_described = Metadata.at(Metadata.nodeset, Positioned.log, described_last)
    replication_described = Metadata.at(Metadata.replication, Positioned.log, described_last)

    before = in_log.previous(number.when(started))
    started_before = in_log.previous(started_at)
    is_clean_before, cleaned_before = in_log.previous(cleaned), in_log.previous(cleaned_at)


class Description(View, each=(Described.log, Described.lsn, Described.seq)):
    """One time that the metadata of an epoch could be read in the metadata log, in the order of epochs."""

    number, since, holders = Described.epoch, Described.since, Described.holders
    nodeset, replication = Described.nodeset, Described.replication
    given = Metadata.at(Metadata.nodeset, Described.log, Described.epoch)
    given_replication = Metadata.at(Metadata.replication, Described.log, Described.epoch)
    given_first = Metadata.at(Metadata.nodeset, Described.log, Described.since)
    given_first_replication = Metadata.at(Metadata.replication, Described.log, Described.since)
    in_log = along(Described.log)

    since_before = in_log.previous(since)
    number_before = in_log.previous(number)


class Plan(View, each=(Planned.log, Planned.lsn, Planned.seq)):
    """One time that a recovery decided what becomes of an epoch."""

    recovery = Planned.recovery
    heard, written = Planned.heard, Planned.written
    nodeset = Metadata.at(Metadata.nodeset, Planned.log, Planned.epoch)
    replication = Metadata.at(Metadata.replication, Planned.log, Planned.epoch)
    underreplicated = Statuses.at(Statuses.underreplicated, Planned.statuses)
    empty = Statuses.at(Statuses.empty, Planned.statuses)
    wiped = Faults.at(Faults.nodes, WIPE)
