"""Tables of statuses, and copysets that donors change."""

from __future__ import annotations

from spec.events import Recopied, StatusTable
from spec.events.positions import epoch
from spec.language.declare import View
from spec.log.views.tables import Deltas, Donations, Metadata, Statuses


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
    gives_up = Deltas.at(Deltas.gives_up, StatusTable.version)
    donors_of_the_lost = Deltas.at(Deltas.donors_of_the_lost, StatusTable.version)
    donors_left = Donations.at(Donations.donors_left, StatusTable.version)
    relocating = Donations.at(Donations.relocating, StatusTable.version)


class NewCopyset(View, each=(Recopied.log, Recopied.lsn, Recopied.node, Recopied.seq)):
    """One copyset that rebuilding gives to what a node holds: to a new copy, or to one that it had."""

    copyset = Recopied.copyset
    nodeset = Metadata.at(Metadata.nodeset, Recopied.log, epoch(Recopied.lsn))
    replication = Metadata.at(Metadata.replication, Recopied.log, epoch(Recopied.lsn))
