"""Probe views: rows of every shape, with every aggregate and every neighbour, for the probe rules to speak of.

One row for each slot, epoch, reader, copy or event, in trace order and out of it. They say nothing about logs.
"""

from __future__ import annotations

from spec.events import (
    Ack,
    Append,
    Clean,
    Deliver,
    Erase,
    Gap,
    Mutate,
    Named,
    NewEpoch,
    Outcome,
    Positioned,
    Release,
    Seal,
    StatusTable,
    Store,
    Written,
)
from spec.events.positions import epoch
from spec.language.declare import (
    Dimension,
    View,
    all_same,
    along,
    any_of,
    common_of,
    count_of,
    max_of,
    min_of,
    only_of,
    set_of,
    union_of,
)
from spec.language.handles import known


class Statuses(Dimension, by=(StatusTable.version,)):
    """Statuses of all nodes, by version."""

    unavailable = only_of(StatusTable.unavailable)
    lost = union_of(StatusTable.underreplicated)
    gone = common_of(StatusTable.empty)
    tables = count_of(StatusTable)
    sound = ~unavailable.is_empty() & (lost <= gone)


class Metadata(Dimension, by=(NewEpoch.log, NewEpoch.epoch)):
    """What the epoch store said of one epoch."""

    nodeset = only_of(NewEpoch.nodeset)
    replication = only_of(NewEpoch.replication)
    sequencer = max_of(NewEpoch.sequencer)


class Recorded(Dimension, by=(Store.log, Store.node)):
    """What one node stored of one log: a key of which one part follows the order of a trace, and one does not."""

    lsn = max_of(Store.lsn)
    copysets = union_of(Store.copyset)


class Slot(View, one_per=(Positioned.log, Positioned.lsn)):
    """Everything said about one LSN."""

    lsn = Positioned.lsn
    in_log, in_epoch = along(Positioned.log), along(Positioned.log, epoch(Positioned.lsn))
    sealed, cleaned = any_of(Seal), any_of(Clean, where=Clean.recovery > 1)
    said, acks = count_of(Positioned), count_of(Ack, where=Ack.required == 2)
    first_time, last_time = min_of(Positioned.time), max_of(Positioned.time)
    early = min_of(Ack.time, Release.time)
    mixed = max_of(Written.digest, -Gap.reason)
    picked = max_of(Written.digest, where=(Written.digest > 0) | (Written.time < 3))
    least_digest = min_of(Written.digest, where=known(Written.digest) & Written.digest.is_(1))
    sequencer = only_of(Append.sequencer)
    agreed = all_same(Written.digest)
    copies, lost = set_of(Store.node), set_of(Erase.node, where=Erase.time > 2)
    claimed, shared = union_of(Ack.copyset), common_of(Ack.copyset, where=Ack.digest >= 0)
    everyone = union_of(Ack.copyset, Store.copyset, Gap.responders)
    chosen = only_of(Store.copyset)
    decided = only_of(Mutate.becomes)
    wave = max_of(Store.wave.when(Store.becomes < 2))
    statuses = max_of(Gap.statuses)
    unavailable = Statuses.at(Statuses.unavailable, statuses)
    sound = Statuses.at(Statuses.sound, statuses)
    status_tables = Statuses.at(Statuses.tables, decided)
    nodeset = Metadata.at(Metadata.nodeset, Positioned.log, epoch(lsn))
    replication = Metadata.at(Metadata.replication, Positioned.log, epoch(lsn))
    own_replication = only_of(NewEpoch.replication)
    before, before_in_epoch = in_log.previous(last_time), in_epoch.previous(claimed)
    recent, recent_in_epoch = in_log.latest(picked), in_epoch.latest(shared)
    ahead, ahead_in_epoch = in_log.next(shared), in_epoch.next(lsn.when(acks > 0))
    highest, highest_in_epoch = in_log.highest(mixed), in_epoch.highest(lsn.when(sealed))
    lowest, lowest_in_epoch = in_log.lowest(mixed), in_epoch.lowest(lsn.when(sealed))
    replication_so_far = in_log.latest(own_replication)
    was_sealed = in_log.previous(sealed)
    later_nodeset = in_log.next(union_of(NewEpoch.nodeset))


class EpochRow(View, one_per=(Positioned.log, Positioned.epoch)):
    """Everything said about one epoch: rows that may be as long as a block."""

    number, in_log = Positioned.epoch, along(Positioned.log)
    sealers, records = set_of(Seal.node), count_of(Append)
    first, last = min_of(Store.lsn), max_of(Store.lsn)
    before, ahead, highest = in_log.previous(last), in_log.next(first), in_log.highest(records)
    lowest = in_log.lowest(last.when(records > 0))


class ByReader(View, one_per=(Outcome.log, Outcome.reader, Outcome.lsn)):
    """What one reader was given at one LSN; the trace is not sorted by reader."""

    lsn, path = Outcome.lsn, along(Outcome.log, Outcome.reader)
    said, digest, upto = count_of(Outcome), max_of(Deliver.digest), max_of(Outcome.upto)
    before, recent, ahead = path.previous(said), path.latest(digest), path.next(digest)
    in_epoch = along(Outcome.reader, Outcome.log, epoch(lsn))
    covered, same_epoch = path.highest(upto), in_epoch.highest(digest)
    reached, lowest_in_epoch = path.lowest(upto), in_epoch.lowest(digest)


class Copy(View, one_per=(Store.node, Store.log, Store.lsn)):
    """One node's copy of one record; the key begins with a column that is not in trace order."""

    node, lsn, on_node = Store.node, Store.lsn, along(Store.node, Store.log)
    digest, becomes = only_of(Store.digest), max_of(Store.becomes)
    before, ahead = on_node.previous(digest), on_node.next(lsn.when(becomes > 1))


class ByUpto(View, one_per=(Outcome.log, Outcome.upto)):
    """What readers were told up to one LSN: rows in another order than the trace."""

    log, upto = Outcome.log, Outcome.upto
    said, first = count_of(Outcome), min_of(Outcome.lsn)
    digest = max_of(Deliver.digest)
    metadata = Metadata.at(Metadata.sequencer, log, epoch(upto))


class NodeRow(View, one_per=(Store.node,)):
    """Everything stored on one node, over all logs: no part of the key is in trace order."""

    node = Store.node
    stores, last, logs = count_of(Store), max_of(Store.lsn), max_of(Store.log)
    common = common_of(Store.copyset)


class Payload(View, one_per=(Named.log, Named.digest)):
    """Everything said about one payload; an event that does not know its digest makes no row."""

    digest, said, stored = Named.digest, count_of(Named), any_of(Store)
    first, last = min_of(Written.lsn), max_of(Deliver.lsn)


class ByReason(View, one_per=(Gap.log, Gap.reason)):
    """All gaps of a log that have one reason."""

    reason, gaps = Gap.reason, count_of(Gap)
    readers = min_of(Gap.reader)


class LogRow(View, one_per=(Positioned.log,)):
    """Everything said about one log."""

    log = Positioned.log
    readers, bad = max_of(Outcome.reader), any_of(Gap, where=Gap.reason == 3)
    last = max_of(Release.lsn)


class EachOutcome(View, each=(Outcome.log, Outcome.lsn, Outcome.seq)):
    """Every answer to a reader, in trace order; a delivery has no responders."""

    lsn, upto, time, seq = Outcome.lsn, Outcome.upto, Outcome.time, Outcome.seq
    digest, responders, reason, statuses = Deliver.digest, Gap.responders, Gap.reason, Gap.statuses
    is_gap = any_of(Gap)
    unavailable = Statuses.at(Statuses.unavailable, statuses)
    path = along(Outcome.log)
    before, recent, ahead, highest = path.previous(upto), path.latest(responders), path.next(digest), path.highest(time)
    lowest = path.lowest(time)


class EachRead(View, each=(Outcome.reader, Outcome.log, Outcome.lsn, Outcome.seq)):
    """Every answer, reader by reader."""

    lsn, upto, digest = Outcome.lsn, Outcome.upto, Deliver.digest
    path = along(Outcome.log, Outcome.reader)
    before, recent, ahead, highest = path.previous(upto), path.latest(digest), path.next(digest), path.highest(upto)
    lowest = path.lowest(digest)
