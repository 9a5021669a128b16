"""Events of under-replication marks, and of the checker that looks for what nobody marked.

BookKeeper, BP-34, High Level Logic; meta/ZkLedgerUnderreplicationManager.java.
"""

from __future__ import annotations

from spec.language.events import members, number, small
from spec.ledger.events.happening import AtBookie, Event, InLedger, OfCopy, OfEntry
from spec.ledger.events.universes import BOOKIES
from spec.ledger.events.values import (
    ADHERENCE,
    CATEGORIES,
    ENDINGS,
    STATES,
)


class MarkEvent(InLedger):
    """Anything that became of a ledger's under-replication mark."""

    change = number("version", "how often the ledger's mark has changed, this time included", least=1)


class Marked(MarkEvent, kind=18, word="marked"):
    """A ledger was marked under-replicated, or more bookies were added to its mark."""

    replicas = members("bookies", "all bookies that the mark names", BOOKIES)
    since = number("since_ns", "the time that the mark tells, in nanoseconds")


class Unmarked(MarkEvent, kind=19, word="unmarked"):
    """A replicator took a mark away."""


class OfRun(Event):
    """Anything that one run of the checker did or said."""

    run = small("run", "the run of the checker", least=0)


class OfCategory(OfRun):
    """Anything that a run said of one category of violations."""

    category = small("category", "what is wrong", words=CATEGORIES)


class OfCheck(InLedger, OfRun):
    """Anything that the check of a ledger asked, was told or concluded."""


class MarkLooked(OfCheck, kind=20, word="mark_looked"):
    """A check looked for the ledger's mark."""

    marked = small("flag", "1 if there was one, 0 if not", among=(0, 1))
    again = small("again", "0 for the first look, 1 for the one before a report", among=(0, 1))
    age = number("age_ns", "how long the mark has stood, in nanoseconds; 0 without one", least=0)
    grace = number("grace_ns", "how long a mark may stand, in nanoseconds", least=0)


class MetadataRead(OfCheck, kind=21, word="metadata_read"):
    """A check read the ledger's metadata."""

    version = number("version", "the version that it read; of a ledger that is gone the last one", least=0)
    state = small("arg", "the state that the metadata says", words=STATES)
    again = small("again", "0 for the first reading, 1 for one before a report", among=(0, 1))


class OfAnalysis(OfCheck):
    """Anything that a check found by one version of the metadata."""

    version = number("version", "the version of the metadata", least=0)
    delayed = small("delayed", "1 after the delay for bookies that were silent, 0 before", among=(0, 1))


class OfFinding(OfEntry, OfAnalysis):
    """Anything that a check found, of an entry or of the segment that begins at it, by one version of the metadata."""


class Listed(OfCopy, OfFinding, kind=22, word="listed"):
    """A bookie that should have a copy told a check whether it has it."""

    present = small("flag", "1 if it says that it has the entry, 0 if not", among=(0, 1))


class Heard(AtBookie, OfAnalysis, kind=23, word="heard"):
    """A bookie sent a check the list of its entries of a ledger."""

    groups = number("count", "how many groups of sequences the list has", least=0)
    segments = small("arg", "in how many segments the bookie is a member of the ensemble", least=0)
    astray = small("flag", "1 if it lacks an entry or has others than it should, 0 if not", among=(0, 1))


class Unheard(AtBookie, OfAnalysis, kind=24, word="unheard"):
    """A bookie that should have entries gave a check no answer."""


class StandingSeen(AtBookie, OfCheck, kind=25, word="standing_seen"):
    """A check looked whether a bookie that stayed silent is registered, and known to be down."""

    registered = small("flag", "1 if it is registered, 0 if not", among=(0, 1))
    known_down = small("again", "1 if the auditor knows that it is down, 0 if not", among=(0, 1))


class PlacementJudged(OfFinding, kind=26, word="placement_judged"):
    """A check judged the ensemble of the segment that begins at the entry by the placement policy."""

    adherence = small("arg", "FAIL, MEETS_SOFT or MEETS_STRICT", words=ADHERENCE)
    racks = small("arg_b", "over how many racks each write set has to be spread", least=1)
    ensemble = members("bookies", "the bookies of the ensemble", BOOKIES)


class Reported(OfFinding, OfCategory, kind=27, word="reported"):
    """A check reported a violation; of a segment or a whole ledger, the entry is the first."""

    blamed = members("bookies", "the bookies that it names", BOOKIES)


class Checked(OfAnalysis, kind=28, word="checked"):
    """The check of a ledger ended."""

    ending = small("arg", "SOUND, SKIPPED, REPORTED or UNDECIDED", words=ENDINGS)


class Counted(OfCategory, kind=29, word="counted"):
    """At its end, a run told how many violations of a category it had reported."""

    number = number("count", "how many were reported", least=0)
