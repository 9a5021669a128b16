"""What a ledger's metadata came to: version by version, segment by segment, and as a whole."""

from __future__ import annotations

from spec.language.declare import View, all_same, any_of, count_of, max_of, min_of, only_of, set_of
from spec.ledger.events import (
    Change,
    Closed,
    Created,
    EnsembleChanged,
    InLedger,
    InRecovery,
    MetadataEvent,
    Named,
    Restored,
)
from spec.ledger.views.tables import Ends, Sizes, Takeovers, Versions


class Creation(View, each=(Created.ledger, Created.seq)):
    """One time that a ledger was created."""

    ensemble_size, write_quorum, ack_quorum = Created.ensemble_size, Created.write_quorum, Created.ack_quorum


class Version(View, one_per=(MetadataEvent.ledger, MetadataEvent.version)):
    """What one version of a ledger's metadata changed, and what versions before it had."""

    version = MetadataEvent.version

    changes = count_of(Change)
    changed, segment = any_of(EnsembleChanged), only_of(EnsembleChanged.entry)
    confirmed = only_of(EnsembleChanged.confirmed)
    recovering, closed = any_of(InRecovery), any_of(Closed)
    closed_by_recovery = any_of(Closed, where=Closed.recovers == 1)
    created, restored = any_of(Created), any_of(Restored)
    restored_first = min_of(Restored.entry)

    changes_before = Versions.at(Versions.changes, MetadataEvent.ledger, version - 1)
    last_segment_before = Versions.at(Versions.last_segment, MetadataEvent.ledger, version - 1)
    recovering_since = Takeovers.at(Takeovers.since, MetadataEvent.ledger)
    closed_since = Ends.at(Ends.since, MetadataEvent.ledger)


class Segment(View, one_per=(Named.ledger, Named.version, Named.entry)):
    """The ensemble that one version names for a segment."""

    bookies, members = set_of(Named.bookie), set_of(Named.member)
    names = count_of(Named)
    ensemble = Sizes.at(Sizes.ensemble, Named.ledger)


class Ledger(View, one_per=(InLedger.ledger,)):
    """What became of one ledger as a whole."""

    closed, ends = any_of(Closed), count_of(Closed)
    one_end, one_length = all_same(Closed.entry), all_same(Closed.length)
    end = min_of(Closed.entry)
    last_segment = max_of(EnsembleChanged.entry)
