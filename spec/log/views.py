"""What the rules of the log family speak about: LSNs, epochs, nodes in epochs, readers, who sends, and two tables."""

from __future__ import annotations

from spec.events import (
    ACKNOWLEDGED,
    BRIDGE,
    DATALOSS,
    HOLE,
    RECORD,
    SKIPPED,
    Ack,
    Allow,
    Append,
    Ask,
    AtNode,
    Chosen,
    Clean,
    CopysetChanged,
    Deliver,
    Demand,
    Digest,
    Donated,
    Emptied,
    Erase,
    Gap,
    Given,
    Kept,
    Mutate,
    NewEpoch,
    Obeyed,
    Outcome,
    Planned,
    Positioned,
    Purged,
    Rebuilding,
    Rebuilt,
    Release,
    Seal,
    Served,
    Settled,
    Ship,
    SoftSealed,
    StatusTable,
    Store,
    Trim,
    Trimmed,
    Turn,
)
from spec.language.declare import (
    Dimension,
    View,
    along,
    any_of,
    max_of,
    min_of,
    only_of,
    set_of,
    union_of,
)
from spec.language.handles import epoch


class Metadata(Dimension, by=(NewEpoch.log, NewEpoch.epoch)):
    """The metadata of one epoch of one log: LogDevice, Read path, Metadata log."""

    nodeset = only_of(NewEpoch.nodeset)
    replication = only_of(NewEpoch.replication)


class Statuses(Dimension, by=(StatusTable.version,)):
    """The authoritative statuses of all nodes, by version: LogDevice, Read path, Authoritative Status."""

    unavailable = only_of(StatusTable.unavailable)
    underreplicated = only_of(StatusTable.underreplicated)
    empty = only_of(StatusTable.empty)
    first_at = min_of(StatusTable.time)


class Deltas(Dimension, by=(Rebuilding.version,)):
    """What the event log says of nodes that are rebuilt, by version."""

    returning = set_of(Rebuilding.node, where=Rebuilding.delta >= ACKNOWLEDGED)


class Donations(Dimension, by=(Donated.version,)):
    """Who has still to re-replicate what, by version."""

    donors_left = only_of(Donated.donors)
    relocating = only_of(Donated.relocating)


class Emptying(Dimension, by=(Emptied.log,)):
    """The nodes that are empty, and up to where of a log, at least."""

    nodes = set_of(Emptied.node)
    upto = min_of(Emptied.lsn)


class Trims(Dimension, by=(Trimmed.log,)):
    """How far nodes have trimmed each log: the greatest trim point."""

    upto = max_of(Trimmed.lsn)


_FOR_GOOD = (Gap.reason <= DATALOSS) | (Gap.reason == SKIPPED)
"""The reader will never be given what lies in such a gap: a hole, a bridge, a loss, or LSNs passed over in silence."""


class Slot(View, one_per=(Positioned.log, Positioned.lsn)):
    """What became of one LSN of one log."""

    log, lsn = Positioned.log, Positioned.lsn
    in_log, in_epoch = along(Positioned.log), along(Positioned.log, epoch(Positioned.lsn))
    nodeset = Metadata.at(Metadata.nodeset, Positioned.log, epoch(Positioned.lsn))
    replication = Metadata.at(Metadata.replication, Positioned.log, epoch(Positioned.lsn))

    appended = any_of(Append)
    appended_least, appended_most = min_of(Append.digest), max_of(Append.digest)

    stored = any_of(Store, where=Store.becomes == RECORD)
    stored_least = min_of(Store.digest, where=Store.becomes == RECORD)
    stored_most = max_of(Store.digest, where=Store.becomes == RECORD)
    stored_at = min_of(Store.time)
    placed = any_of(Store)
    placements = union_of(Store.copyset)
    copies = set_of(Store.node, where=Store.becomes == RECORD)
    holders = set_of(Store.node)
    erased = set_of(Erase.node)

    acked = any_of(Ack)
    acked_least, acked_most = min_of(Ack.digest), max_of(Ack.digest)
    acked_at = min_of(Ack.time)
    claimed = union_of(Ack.copyset)
    required = max_of(Ack.required)

    mutated = any_of(Mutate)
    plugged = any_of(Mutate, where=Mutate.becomes == HOLE)
    bridged = any_of(Mutate, where=Mutate.becomes == BRIDGE)
    kept_as_record = any_of(Mutate, where=Mutate.becomes == RECORD)
    mutated_least, mutated_most = min_of(Mutate.digest), max_of(Mutate.digest)
    hole_stored = any_of(Store, where=Store.becomes == HOLE)
    cleaned = any_of(Clean)

    released = any_of(Release)
    released_at = min_of(Release.time)

    delivered = any_of(Deliver)
    delivered_least, delivered_most = min_of(Deliver.digest), max_of(Deliver.digest)
    delivered_at = min_of(Deliver.time)

    gapped = any_of(Gap, where=_FOR_GOOD)
    gapped_upto = max_of(Gap.upto, where=_FOR_GOOD)
    benign = any_of(Gap, where=Gap.reason <= BRIDGE)
    benign_upto = max_of(Gap.upto, where=Gap.reason <= BRIDGE)
    hole_reported = any_of(Gap, where=Gap.reason == HOLE)

    shipped = any_of(Ship)
    shippers = set_of(Ship.node)
    shipped_at = min_of(Ship.time)
    sent = any_of(Ship, where=Ship.becomes == RECORD)
    sent_least = min_of(Ship.digest, where=Ship.becomes == RECORD)
    sent_most = max_of(Ship.digest, where=Ship.becomes == RECORD)

    rebuilt = any_of(Rebuilt)
    rebuilt_record = any_of(Rebuilt, where=Rebuilt.becomes == RECORD)
    rebuilt_least = min_of(Rebuilt.digest, where=Rebuilt.becomes == RECORD)
    rebuilt_most = max_of(Rebuilt.digest, where=Rebuilt.becomes == RECORD)
    rebuilt_on = set_of(Rebuilt.node)
    rebuilt_at = min_of(Rebuilt.time)
    copyset_changed = any_of(CopysetChanged)
    renamed = union_of(CopysetChanged.copyset)
    renamed_on = set_of(CopysetChanged.node)
    emptied = Emptying.at(Emptying.nodes, Positioned.log)
    emptied_upto = Emptying.at(Emptying.upto, Positioned.log)

    trim_asked_at = min_of(Trim.time)
    trimmed = any_of(Trimmed)
    trimmed_at = min_of(Trimmed.time)

    passed_upto = in_log.highest(gapped_upto)
    next_acked = in_log.next(lsn.when(acked))
    next_delivered = in_log.next(lsn.when(delivered))
    covering_release = in_log.next(released_at)
    covering_trim = in_log.next(trim_asked_at)
    next_kept = in_epoch.next(lsn.when(acked | delivered))
    bridge_before = in_epoch.latest(lsn.when(bridged))
    clean_after = in_epoch.next(lsn.when(cleaned))


class Choice(View, each=(Chosen.log, Chosen.lsn, Chosen.seq)):
    """One time that a sequencer chose where an append goes first, in the order of ESNs."""

    esn, block, room = Chosen.esn, Chosen.block, Chosen.room
    copyset, avoided = Chosen.copyset, Chosen.avoided
    nodeset = Metadata.at(Metadata.nodeset, Chosen.log, epoch(Chosen.lsn))
    replication = Metadata.at(Metadata.replication, Chosen.log, epoch(Chosen.lsn))
    in_epoch = along(Chosen.log, epoch(Chosen.lsn))

    block_before = in_epoch.previous(block)
    copyset_before = in_epoch.previous(copyset)


class Epoch(View, one_per=(Positioned.log, Positioned.epoch)):
    """What became of one epoch of one log."""

    log, number = Positioned.log, Positioned.epoch
    in_log = along(Positioned.log)

    started = any_of(NewEpoch)
    started_at = min_of(NewEpoch.time)
    sequencer_least, sequencer_most = min_of(NewEpoch.sequencer), max_of(NewEpoch.sequencer)
    appended = any_of(Append)
    writer_least, writer_most = min_of(Append.sequencer), max_of(Append.sequencer)
    cleaned = any_of(Clean)
    cleaned_at = min_of(Clean.time)
    released = any_of(Release)
    released_at = min_of(Release.time)
    trimmed = any_of(Trimmed)
    trimmed_at = min_of(Trimmed.time)

    before = in_log.previous(number.when(started))
    started_before = in_log.previous(started_at)
    cleaned_before = in_log.previous(cleaned_at)


class NodeEpoch(View, one_per=(AtNode.node, AtNode.log, AtNode.epoch)):
    """What one storage node did in one epoch of one log, in the node's own order."""

    at_node = along(AtNode.node, AtNode.log)

    appended = any_of(Store, where=Store.recovery == 0)
    appended_last = max_of(Store.seq, where=Store.recovery == 0)
    sealed_first = min_of(Seal.seq)
    seal = at_node.next(sealed_first)
    sealed_before = at_node.highest(sealed_first)
    soft_sealed_first = min_of(SoftSealed.seq)
    soft_seal = at_node.next(soft_sealed_first)
    digested = any_of(Digest)
    digested_first = min_of(Digest.seq)
    obeyed = any_of(Obeyed)
    obeyed_last = max_of(Obeyed.seq)
    settled_first = min_of(Settled.seq)


class NodeSlot(View, one_per=(Served.node, Served.log, Served.lsn)):
    """Whether one storage node sends one LSN of one log, or has trimmed it, in the node's own order."""

    at_node = along(Served.node, Served.log)

    sent = any_of(Ship)
    sent_last = max_of(Ship.seq)
    trimmed_first = min_of(Trimmed.seq)

    trim = at_node.next(trimmed_first)
    trimmed_before = at_node.highest(trimmed_first)


class Plan(View, each=(Planned.log, Planned.lsn, Planned.seq)):
    """One time that a recovery decided what becomes of an epoch."""

    recovery = Planned.recovery
    heard, written = Planned.heard, Planned.written
    nodeset = Metadata.at(Metadata.nodeset, Planned.log, Planned.epoch)
    replication = Metadata.at(Metadata.replication, Planned.log, Planned.epoch)
    underreplicated = Statuses.at(Statuses.underreplicated, Planned.statuses)
    empty = Statuses.at(Statuses.empty, Planned.statuses)


class Outcomes(Dimension, by=(Mutate.log, Mutate.lsn)):
    """What recoveries decided, by LSN."""

    becomes = max_of(Mutate.becomes)
    digest = max_of(Mutate.digest)


class Cleanings(Dimension, by=(Clean.log, Clean.epoch)):
    """When an epoch was clean, by number."""

    cleaned_at = min_of(Clean.time)


class Purge(View, each=(Purged.node, Purged.log, Purged.lsn, Purged.seq)):
    """One time that a node purged an epoch."""

    number, time, recovery = Purged.epoch, Purged.time, Purged.recovery
    cleaned_at = Cleanings.at(Cleanings.cleaned_at, Purged.log, Purged.epoch)


class Remnant(View, each=(Kept.node, Kept.log, Kept.lsn, Kept.seq)):
    """What a node that purged an epoch still holds at one LSN, and what a recovery decided for it."""

    becomes, digest = Kept.becomes, Kept.digest
    decided = Outcomes.at(Outcomes.becomes, Kept.log, Kept.lsn)
    decided_digest = Outcomes.at(Outcomes.digest, Kept.log, Kept.lsn)


class Obedience(View, each=(Obeyed.node, Obeyed.log, Obeyed.lsn, Obeyed.seq)):
    """One time that a node stored what a recovery decided for an epoch, in the node's own order."""

    at_epoch = along(Obeyed.node, Obeyed.log, Obeyed.lsn)

    recovery = Obeyed.recovery
    before = at_epoch.previous(recovery)


class Step(View, each=(Outcome.reader, Outcome.log, Outcome.lsn, Outcome.seq)):
    """One step of one reader through one log: its start, a record or a gap."""

    log, lsn, seq, upto = Outcome.log, Outcome.lsn, Outcome.seq, Outcome.upto
    path = along(Outcome.reader, Outcome.log)

    given = Given.lsn
    reason = Gap.reason
    responders, statuses = Gap.responders, Gap.statuses
    nodeset = Metadata.at(Metadata.nodeset, Outcome.log, epoch(Outcome.lsn))
    replication = Metadata.at(Metadata.replication, Outcome.log, epoch(Outcome.lsn))
    unavailable = Statuses.at(Statuses.unavailable, Gap.statuses)
    underreplicated = Statuses.at(Statuses.underreplicated, Gap.statuses)
    empty = Statuses.at(Statuses.empty, Gap.statuses)
    trimmed_upto = Trims.at(Trims.upto, Outcome.log)

    seq_before = path.previous(seq)
    upto_before = path.previous(upto)


class Wish(View, each=(Demand.reader, Demand.log, Demand.node, Demand.lsn, Demand.seq)):
    """What one reader said to one node about one log: that it send, or that it send further."""

    log, node, lsn, seq, upto = Demand.log, Demand.node, Demand.lsn, Demand.seq, Demand.upto
    to_node = along(Demand.reader, Demand.log, Demand.node)

    filters, capacity = Ask.filters, Allow.capacity
    upto_so_far = to_node.highest(upto)
    filters_so_far = to_node.highest(filters)


class Request(View, each=(Ask.reader, Ask.log, Ask.node, Ask.lsn, Ask.seq)):
    """One time that one reader asked one node to begin to send, in the order of the LSNs from which on."""

    log, node, lsn, seq = Ask.log, Ask.node, Ask.lsn, Ask.seq
    to_node = along(Ask.reader, Ask.log, Ask.node)

    filters, mode, filtered_out = Ask.filters, Ask.mode, Ask.filtered_out
    seq_before = to_node.previous(seq)
    filters_before = to_node.previous(filters)
    mode_before = to_node.previous(mode)
    filtered_out_before = to_node.previous(filtered_out)


class Conclusion(View, each=(Turn.reader, Turn.log, Turn.lsn, Turn.seq)):
    """One gap that one reader was told of, or one request of it: both come in the order of LSNs."""

    path = along(Turn.reader, Turn.log)

    reason = Gap.reason
    mode = path.latest(Ask.mode)


class Shipment(View, each=(Ship.node, Ship.log, Ship.reader, Ship.life, Ship.order, Ship.lsn, Ship.seq)):
    """One copy that one node sent for one request of one reader, in the order of LSNs."""

    log, lsn, seq, upto = Ship.log, Ship.lsn, Ship.seq, Ship.upto
    for_request = along(Ship.node, Ship.log, Ship.reader, Ship.life, Ship.order)

    lsn_before = for_request.previous(lsn)
    seq_before = for_request.previous(seq)


class Table(View, each=(StatusTable.version, StatusTable.seq)):
    """One table of statuses, as somebody recorded it, and what the event log says of its version and the one before."""

    version, time = StatusTable.version, StatusTable.time
    unavailable, underreplicated, empty = StatusTable.unavailable, StatusTable.underreplicated, StatusTable.empty
    same_unavailable = Statuses.at(Statuses.unavailable, StatusTable.version)
    same_underreplicated = Statuses.at(Statuses.underreplicated, StatusTable.version)
    same_empty = Statuses.at(Statuses.empty, StatusTable.version)

    time_before = Statuses.at(Statuses.first_at, StatusTable.version - 1)
    unavailable_before = Statuses.at(Statuses.unavailable, StatusTable.version - 1)
    lost_before = Statuses.at(Statuses.underreplicated, StatusTable.version - 1)
    empty_before = Statuses.at(Statuses.empty, StatusTable.version - 1)

    returning = Deltas.at(Deltas.returning, StatusTable.version)
    donors_left = Donations.at(Donations.donors_left, StatusTable.version)
    relocating = Donations.at(Donations.relocating, StatusTable.version)


class NewCopyset(View, each=(CopysetChanged.log, CopysetChanged.lsn, CopysetChanged.node, CopysetChanged.seq)):
    """One change of a copyset."""

    copyset = CopysetChanged.copyset
    nodeset = Metadata.at(Metadata.nodeset, CopysetChanged.log, epoch(CopysetChanged.lsn))
    replication = Metadata.at(Metadata.replication, CopysetChanged.log, epoch(CopysetChanged.lsn))
