"""What became of marks, and what the checker of metadata asked, was told and reported."""

from __future__ import annotations

from spec.language.declare import View, any_of, count_of, max_of, min_of, set_of
from spec.ledger.events import (
    Checked,
    Counted,
    Heard,
    Listed,
    Marked,
    MarkEvent,
    MarkLooked,
    MetadataRead,
    OfCategory,
    OfCheck,
    OfFinding,
    PlacementJudged,
    Reported,
    StandingSeen,
    Unheard,
    Unmarked,
)
from spec.ledger.events.values import (
    BELOW_ACK_QUORUM,
    BELOW_WRITE_QUORUM,
    CLOSED,
    FAIL,
    MARKED_TOO_LONG,
    MISPLACED,
    NO_REPLICA,
    REPORTED,
    SILENT_BOOKIE,
    SOUND,
)
from spec.ledger.views.entries import write_set
from spec.ledger.views.tables import (
    Endings,
    Ends,
    Losses,
    Marks,
    Recopied,
    Registrations,
    Restorations,
    Senders,
    Sizes,
)


class MarkChange(View, each=(MarkEvent.ledger, MarkEvent.seq)):
    """One change of a ledger's mark."""

    marked, replicas, since = any_of(Marked), Marked.replicas, Marked.since
    unmarked = any_of(Unmarked)
    change, seq = MarkEvent.change, MarkEvent.seq
    since_before = Marks.at(Marks.since, MarkEvent.ledger, MarkEvent.change - 1)
    standing = Marks.at(Marks.replicas, MarkEvent.ledger, MarkEvent.change - 1)
    first_entry, closed = Senders.at(Senders.first, MarkEvent.ledger), Ends.at(Ends.closed, MarkEvent.ledger)
    lost_copies = Losses.at(Losses.bookies, MarkEvent.ledger)
    gone, back = Registrations.at(Registrations.bookies, 0), Registrations.at(Registrations.bookies, 1)
    replaced = Restorations.at(Restorations.lost, MarkEvent.ledger)
    recopied = Recopied.at(Recopied.bookies, MarkEvent.ledger)


class Check(View, one_per=(OfCheck.ledger, OfCheck.run)):
    """What the check of one ledger in one run asked and concluded, in the checker's own order."""

    reported, reported_first = any_of(Reported), min_of(Reported.seq)
    reported_version = max_of(Reported.version)
    reported_silence = any_of(Reported, where=Reported.category == SILENT_BOOKIE)
    reported_mark = any_of(Reported, where=Reported.category == MARKED_TOO_LONG)
    reported_others = any_of(Reported, where=Reported.category != MARKED_TOO_LONG)

    listed, listed_last = any_of(Listed), max_of(Listed.seq)
    looked_again = max_of(MarkLooked.seq, where=MarkLooked.again == 1)
    marked, marked_last = (
        any_of(MarkLooked, where=MarkLooked.marked == 1),
        max_of(MarkLooked.seq, where=MarkLooked.marked == 1),
    )
    age, grace = max_of(MarkLooked.age, where=MarkLooked.again == 0), min_of(MarkLooked.grace)
    read_again = max_of(MetadataRead.seq, where=MetadataRead.again == 1)
    read_version = max_of(MetadataRead.version)
    read_closed = any_of(MetadataRead, where=MetadataRead.state == CLOSED)
    closed_since = Ends.at(Ends.since, OfCheck.ledger)

    unheard_again = set_of(Unheard.bookie, where=Unheard.delayed == 1)
    stands = set_of(StandingSeen.bookie, where=(StandingSeen.registered == 1) | (StandingSeen.known_down == 0))
    named_silent = set_of(StandingSeen.bookie)
    concluded = any_of(Checked)


class Analysis(View, one_per=(OfFinding.ledger, OfFinding.entry, OfFinding.run, OfFinding.version, OfFinding.delayed)):
    """What one check found of one entry, and of the segment that begins at it, by one version of the metadata."""

    entry, version, delayed = OfFinding.entry, OfFinding.version, OfFinding.delayed
    write_set = write_set(OfFinding.ledger, OfFinding.entry)
    write_quorum, ack_quorum = Sizes.at(Sizes.write, OfFinding.ledger), Sizes.at(Sizes.ack, OfFinding.ledger)
    end = Ends.at(Ends.end, OfFinding.ledger)

    listed, listed_for = any_of(Listed), set_of(Listed.member)
    absent_for = set_of(Listed.member, where=Listed.present == 0)
    no_replica = any_of(Reported, where=Reported.category == NO_REPLICA)
    below_ack_quorum = any_of(Reported, where=Reported.category == BELOW_ACK_QUORUM)
    below_write_quorum = any_of(Reported, where=Reported.category == BELOW_WRITE_QUORUM)
    failed = any_of(PlacementJudged, where=PlacementJudged.adherence == FAIL)
    misplaced = any_of(Reported, where=Reported.category == MISPLACED)

    ending = Endings.at(Endings.ending, OfFinding.ledger, OfFinding.run)
    last_version = Endings.at(Endings.version, OfFinding.ledger, OfFinding.run)
    last_delayed = Endings.at(Endings.delayed, OfFinding.ledger, OfFinding.run)
    is_last = (version == last_version) & (delayed == last_delayed)
    is_decided = is_last & (ending.is_(SOUND) | ending.is_(REPORTED))


class Finding(View, one_per=(Reported.ledger, Reported.entry, Reported.run, Reported.category)):
    """One violation that a run reported."""

    times = count_of(Reported)


class Category(View, one_per=(OfCategory.run, OfCategory.category)):
    """What one run told of one category at its end, and what it had reported."""

    counted, number = any_of(Counted), max_of(Counted.number)
    reported = count_of(Reported)


class BookieList(View, each=(Heard.ledger, Heard.bookie, Heard.seq)):
    """One list of entries that a bookie sent."""

    groups, segments, astray = Heard.groups, Heard.segments, Heard.astray


class Placement(View, each=(PlacementJudged.ledger, PlacementJudged.entry, PlacementJudged.seq)):
    """One judgement of an ensemble by the placement policy."""

    adherence, racks, ensemble = PlacementJudged.adherence, PlacementJudged.racks, PlacementJudged.ensemble
    write_quorum = Sizes.at(Sizes.write, PlacementJudged.ledger)
