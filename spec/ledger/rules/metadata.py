"""Ledger metadata: sizes, versions, ensembles, and how a ledger is closed.

Sources: BookKeeper, client/LedgerMetadataBuilder.java, client/MetadataUpdateLoop.java and client/LedgerHandle.java.
"""

from __future__ import annotations

from spec.language.handles import Bool, known, window
from spec.language.rule import rule
from spec.ledger.views import Creation, End, Entry, Ledger, Segment, Version

UPDATES = "BookKeeper, client/MetadataUpdateLoop.java: "
CHANGES = "BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: "
CLOSING = "BookKeeper, client/LedgerHandle.java, doAsyncCloseInternal: "


@rule(
    "ledger.metadata.sizes_fit",
    cite="BookKeeper, client/LedgerMetadataBuilder.java, build: ensemble size >= write quorum >= ack quorum",
)
def sizes_fit(creation: Creation) -> Bool:
    """The ensemble is no smaller than the write quorum, and that one no smaller than the ack quorum."""
    fits = (creation.ensemble_size >= creation.write_quorum) & (creation.write_quorum >= creation.ack_quorum)
    return fits & (creation.ack_quorum >= 1)


@rule("ledger.metadata.one_change_a_version", cite=UPDATES + "a change takes effect by comparing versions and setting")
def one_change_makes_a_version(version: Version) -> Bool:
    """Each version of the metadata is made by one change."""
    return version.changes == 1


@rule("ledger.metadata.versions_follow", cite=UPDATES + "the version that was read is the one that is replaced")
def versions_follow_each_other(version: Version) -> Bool:
    """Each version of the metadata follows the one before, and creation makes the first."""
    follows = known(version.changes_before) & (version.changes_before >= 1)
    return (version.changes >= 1).implies(follows | version.created)


@rule(
    "ledger.metadata.ensembles_are_full",
    cite="BookKeeper, client/LedgerMetadataBuilder.java, build: every ensemble has exactly the ensemble size",
)
def ensembles_are_full(segment: Segment) -> Bool:
    """An ensemble has as many bookies as the ledger asks for, all different, each as one member."""
    full = (segment.bookies.size() == segment.ensemble) & (segment.names == segment.ensemble)
    return full & (segment.members <= window(0, segment.ensemble, segment.ensemble))


@rule(
    "ledger.ensemble.while_open",
    cite=CHANGES + "requires that the ledger is open",
)
def ensembles_change_while_open(version: Version) -> Bool:
    """A writer changes the ensemble only of a ledger that is neither in recovery nor closed."""
    recovering = known(version.recovering_since) & (version.recovering_since < version.version)
    closed = known(version.closed_since) & (version.closed_since < version.version)
    return version.changed.implies(~recovering & ~closed)


@rule("ledger.ensemble.behind_confirmed", cite=CHANGES + "the new segment begins at the last add confirmed plus one")
def segments_begin_behind_what_is_confirmed(version: Version) -> Bool:
    """A new segment begins with the first entry that is not confirmed."""
    return version.changed.implies(version.segment == version.confirmed + 1)


@rule("ledger.ensemble.forward", cite=CHANGES + "segments ascend; one that would begin where the last does replaces it")
def ensembles_change_forward(version: Version) -> Bool:
    """A new segment begins no earlier than the last one before it."""
    return version.changed.implies(version.segment >= version.last_segment_before)


@rule(
    "ledger.ensemble.leaves_acknowledged",
    cite=CHANGES + "from the last add confirmed + 1 on; none is acknowledged meanwhile",
)
def what_is_acknowledged_keeps_its_segment(entry: Entry) -> Bool:
    """The segment that has an acknowledged entry was changed before that was acknowledged, whatever was confirmed."""
    return (entry.acknowledged & known(entry.changed)).implies(entry.changed_at.not_after(entry.acknowledged_at))


@rule("ledger.close.one_end", cite=CLOSING + "closed with another end, a ledger is not closed again")
def a_ledger_is_closed_with_one_end(ledger: Ledger) -> Bool:
    """Whoever closes a ledger agrees on its last entry and its length."""
    return ledger.closed.implies(ledger.one_end & ledger.one_length & (ledger.ends == 1))


@rule(
    "ledger.close.immutable",
    cite="BookKeeper, client/LedgerMetadataImpl.java: of a closed ledger only the bookies change, which are replaced",
)
def closed_metadata_stays(version: Version) -> Bool:
    """Once a ledger is closed its metadata does not change, but for bookies that take the place of lost ones."""
    after = known(version.closed_since) & (version.version > version.closed_since)
    return (after & (version.changes > 0)).implies(
        ~version.changed & ~version.recovering & ~version.created & ~version.closed
    )


@rule(
    "ledger.close.behind_acknowledged",
    cite="BookKeeper's TLA+ specification, NoDivergenceBetweenClientAndMetaData: whoever closed has its LAC at the end",
)
def a_writer_closes_behind_what_it_acknowledged(end: End) -> Bool:
    """A writer closes its ledger behind an entry that was acknowledged, or before the first.

    A recovery may keep entries that nobody acknowledged, and other rules ask that no acknowledged one is cut off.
    """
    return (end.recovers == 0).implies(known(end.last_acknowledged) | (end.entry == end.first_entry))


@rule("ledger.close.whole_segments", cite=CLOSING + "no segment begins behind the end")
def no_segment_is_cut_off(ledger: Ledger) -> Bool:
    """A ledger does not end before its last segment."""
    return (ledger.closed & known(ledger.last_segment)).implies(ledger.end >= ledger.last_segment)


@rule(
    "ledger.close.recovered_first",
    cite="BookKeeper, client/ReadOnlyLedgerHandle.java, recover: in recovery before anything is read",
)
def recovered_ledgers_were_in_recovery(version: Version) -> Bool:
    """A ledger that is closed by a recovery was put in recovery before."""
    before = known(version.recovering_since) & (version.recovering_since < version.version)
    return version.closed_by_recovery.implies(before)
