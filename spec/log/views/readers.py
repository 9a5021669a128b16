"""What one reader was given, said to nodes, and was sent."""

from __future__ import annotations

from spec.events import (
    WIPE,
    Allow,
    Ask,
    Demand,
    Gap,
    Given,
    Greylisted,
    Learnt,
    Listing,
    Outcome,
    Reinstated,
    Selection,
    Ship,
    Turn,
)
from spec.events.positions import epoch
from spec.language.declare import View, along
from spec.language.handles import known
from spec.log.views.tables import Faults, Metadata, ScatteredReaders, Scatterings, Statuses, Trims


class Step(View, each=(Outcome.reader, Outcome.log, Outcome.lsn, Outcome.seq)):
    """One step of one reader through one log: its start, a record or a gap."""

    log, lsn, seq, upto = Outcome.log, Outcome.lsn, Outcome.seq, Outcome.upto

    given, since = Given.lsn, Given.since
    reason = Gap.reason
    responders, statuses = Gap.responders, Gap.statuses
    nodeset = Metadata.at(Metadata.nodeset, Outcome.log, epoch(Outcome.lsn))
    replication = Metadata.at(Metadata.replication, Outcome.log, epoch(Outcome.lsn))
    unavailable = Statuses.at(Statuses.unavailable, Gap.statuses)
    underreplicated = Statuses.at(Statuses.underreplicated, Gap.statuses)
    empty = Statuses.at(Statuses.empty, Gap.statuses)
    wiped = Faults.at(Faults.nodes, WIPE)
    trimmed_upto = Trims.at(Trims.upto, Outcome.log)


class MetadataRead(View, each=(Learnt.reader, Learnt.log, Learnt.lsn, Learnt.seq)):
    """One epoch of which one reader found metadata, and those that the epoch store gave to it."""

    nodeset, replication = Learnt.nodeset, Learnt.replication
    given = Metadata.at(Metadata.nodeset, Learnt.log, Learnt.epoch)
    given_replication = Metadata.at(Metadata.replication, Learnt.log, Learnt.epoch)


class WindowUpdate(View, each=(Demand.reader, Demand.log, Demand.node, Demand.lsn, Demand.seq)):
    """What one reader said to one node about one log: that it send, or that it send further."""

    log, node, lsn, seq, upto = Demand.log, Demand.node, Demand.lsn, Demand.seq, Demand.upto
    to_node = along(Demand.reader, Demand.log, Demand.node)

    filters, capacity = Ask.filters, Allow.capacity
    upto_so_far = to_node.highest(upto)
    filters_so_far = to_node.highest(filters)


class StartMessage(View, each=(Ask.reader, Ask.log, Ask.node, Ask.lsn, Ask.seq)):
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
    seen_by_one = ~known(ScatteredReaders.at(ScatteredReaders.first, Turn.log, Turn.reader))

    reason = Gap.reason
    mode = path.latest(Ask.mode)


class Choosing(View, each=(Selection.reader, Selection.log, Selection.lsn, Selection.seq)):
    """One request of one reader, or one change of its greylist: both come in the order of LSNs."""

    path = along(Selection.reader, Selection.log)
    seen_by_one = ~known(ScatteredReaders.at(ScatteredReaders.first, Selection.log, Selection.reader))

    mode, filters, filtered_out, time = Ask.mode, Ask.filters, Ask.filtered_out, Ask.time
    listed = path.latest(Listing.listed)
    listed_before = path.latest(Listing.filters)
    last = path.latest(Greylisted.node)
    last_at = path.latest(Greylisted.time)
    last_term = path.latest(Greylisted.term)


class Addition(View, each=(Listing.reader, Listing.log, Listing.lsn, Listing.seq)):
    """One change of one reader's greylist."""

    path = along(Listing.reader, Listing.log)

    times = Greylisted.times
    time, filters = Listing.time, Listing.filters
    time_before = path.previous(time)
    filters_before = path.previous(filters)


class GreylistChange(View, each=(Listing.reader, Listing.log, Listing.node, Listing.lsn, Listing.seq)):
    """One time that one reader listed one node as slow, or no longer did."""

    of_node = along(Listing.reader, Listing.log, Listing.node)

    log, lsn, time = Listing.log, Listing.lsn, Listing.time
    listed, term = Listing.listed, Listing.term
    down, times, why = Greylisted.down, Greylisted.times, Reinstated.why
    replication = Metadata.at(Metadata.replication, Listing.log, epoch(Listing.lsn))
    time_before = of_node.previous(time)
    term_before = of_node.previous(term)


class Shipment(View, each=(Ship.node, Ship.log, Ship.reader, Ship.life, Ship.order, Ship.lsn, Ship.seq)):
    """One copy that one node sent for one request of one reader, in the order of LSNs."""

    log, lsn, seq, upto = Ship.log, Ship.lsn, Ship.seq, Ship.upto
    for_request = along(Ship.node, Ship.log, Ship.reader, Ship.life, Ship.order)
    seen_by_one = ~known(Scatterings.at(Scatterings.first, Ship.node))

    lsn_before = for_request.previous(lsn)
    seq_before = for_request.previous(seq)
