"""Reading entries: readers are given what was written, up to what is confirmed.

Sources: BookKeeper, client/ReadOpBase.java and client/LedgerHandle.java, asyncReadEntries.
"""

from __future__ import annotations

from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.ledger.events import Lost
from spec.ledger.views import Entry, Reading


@rule("ledger.read.as_written", cite="BookKeeper, client/ReadOpBase.java: an entry is verified by its digest")
def readers_are_given_what_was_written(entry: Entry) -> Bool:
    """A reader is given an entry with the content that its writer sent."""
    return entry.given.implies(alike(entry.given_least, entry.given_most, entry.sent_least, entry.sent_most))


@rule(
    "ledger.read.up_to_confirmed",
    cite="BookKeeper, client/LedgerHandle.java, asyncReadEntries: no entry behind the last add confirmed",
)
def readers_stay_behind_what_is_confirmed(reading: Reading) -> Bool:
    """A reader is told of no entry behind the last that it knows to be confirmed."""
    return reading.entry <= reading.confirmed


@rule(
    "ledger.read.within_the_end",
    cite="BookKeeper's TLA+ specification, NoDivergenceBetweenClientAndMetaData: nobody's LAC is behind the end",
)
def readers_are_given_nothing_behind_the_end(reading: Reading) -> Bool:
    """A reader is given no entry that the closed ledger does not have."""
    return (known(reading.given) & known(reading.end)).implies(reading.entry < reading.end)


@rule(
    "ledger.read.acknowledged_is_found",
    cite="BookKeeper's TLA+ specification, AllAckedEntriesAreReadable; client/ReadOpBase.java",
    spares=(Lost,),
)
def acknowledged_entries_are_found(entry: Entry) -> Bool:
    """No reader is told that an acknowledged entry is not there, unless all copies it was acknowledged for are lost."""
    return (entry.missing & entry.acknowledged).implies(entry.counted <= entry.lost_for)
