"""What became of entries: of each as a whole, of each copy, and of what clients sent, read back and were given."""

from __future__ import annotations

from spec.language.declare import View, along, any_of, max_of, min_of, set_of, union_of
from spec.language.handles import Int, Set, window
from spec.ledger.events import (
    Acknowledged,
    Closed,
    EnsembleChanged,
    Given,
    Listed,
    Lost,
    Missing,
    Named,
    OfCopy,
    OfEntry,
    Read,
    ReadBack,
    RecoveryBegan,
    Sent,
    Stored,
)
from spec.ledger.events.values import ADD
from spec.ledger.views.tables import (
    Acks,
    Answers,
    Attempts,
    Beginnings,
    Changes,
    Ends,
    Ensembles,
    Fences,
    Recoveries,
    Replacements,
    Sizes,
)


def write_set(ledger: Int, entry: Int) -> Set:
    """The members of the ensemble that an entry goes to: BookKeeper, client/RoundRobinDistributionSchedule.java."""
    return window(entry, Sizes.at(Sizes.write, ledger), Sizes.at(Sizes.ensemble, ledger))


class Entry(View, one_per=(OfEntry.ledger, OfEntry.entry)):
    """What became of one entry of one ledger."""

    entry = OfEntry.entry
    in_ledger = along(OfEntry.ledger)
    write_set = write_set(OfEntry.ledger, OfEntry.entry)
    ack_quorum = Sizes.at(Sizes.ack, OfEntry.ledger)
    end = Ends.at(Ends.end, OfEntry.ledger)

    sent, sent_to = any_of(Sent, where=Sent.purpose == ADD), set_of(Sent.member, where=Sent.purpose == ADD)
    sent_least, sent_most = min_of(Sent.digest), max_of(Sent.digest)
    stored = any_of(Stored)
    stored_least, stored_most = min_of(Stored.digest), max_of(Stored.digest)
    stored_for = set_of(Stored.member)

    acknowledged, acknowledged_last = any_of(Acknowledged), max_of(Acknowledged.seq)
    acknowledged_at = min_of(Acknowledged.time)
    counted = union_of(Acknowledged.counted)
    acknowledged_segment, acknowledged_segment_last = min_of(Acknowledged.segment), max_of(Acknowledged.segment)
    read_back = any_of(ReadBack, where=ReadBack.found == 1)

    given, given_least, given_most = any_of(Given), min_of(Given.digest), max_of(Given.digest)
    missing, lost_for = any_of(Missing), set_of(Lost.member)

    acknowledged_so_far = in_ledger.highest(acknowledged_last)
    acknowledged_before = in_ledger.previous(acknowledged)
    entry_before = in_ledger.previous(OfEntry.entry)
    segment = in_ledger.highest(OfEntry.entry.when(any_of(Named)))
    changed = in_ledger.highest(OfEntry.entry.when(any_of(EnsembleChanged)))
    changed_at = Changes.at(Changes.last_at, OfEntry.ledger, changed)


class Copy(View, one_per=(OfCopy.ledger, OfCopy.entry, OfCopy.member)):
    """What became of the copies of one entry that are for one member of the ensemble."""

    entry, member = OfCopy.entry, OfCopy.member
    in_ledger = along(OfCopy.ledger)
    write_set = write_set(OfCopy.ledger, OfCopy.entry)
    end = Ends.at(Ends.end, OfCopy.ledger)

    stored, stored_first, stored_at = any_of(Stored), min_of(Stored.time), set_of(Stored.bookie)
    sent_version = max_of(Sent.version, where=Sent.purpose == ADD)
    sent_segment = max_of(Sent.segment, where=Sent.purpose == ADD)
    named = Ensembles.at(Ensembles.named, OfCopy.ledger, sent_version, sent_segment, OfCopy.member)
    counted = Acks.at(Acks.counted, OfCopy.ledger, OfCopy.entry)
    acknowledged_at = Acks.at(Acks.first_at, OfCopy.ledger, OfCopy.entry)
    segment = in_ledger.highest(OfCopy.entry.when(any_of(Named)))
    replacement = Replacements.at(Replacements.bookie, OfCopy.ledger, segment, OfCopy.member)


class Holding(View, one_per=(OfCopy.ledger, OfCopy.entry, OfCopy.bookie)):
    """What one bookie did with one entry, and what it told checks and recoveries of it."""

    stored, stored_first, lost = any_of(Stored), min_of(Stored.time), any_of(Lost)
    denied, denied_first = any_of(Listed, where=Listed.present == 0), min_of(Listed.time, where=Listed.present == 0)
    claimed = any_of(Listed, where=Listed.present == 1)
    read_back = any_of(ReadBack, where=ReadBack.found == 1)
    read_back_first = min_of(ReadBack.time, where=ReadBack.found == 1)
    withheld, added = any_of(ReadBack, where=ReadBack.found == 0), min_of(Stored.seq, where=Stored.purpose == ADD)
    fenced = Fences.at(Fences.first, OfCopy.ledger, OfCopy.bookie)


class Storing(View, each=(Stored.ledger, Stored.entry, Stored.member, Stored.bookie, Stored.seq)):
    """One time that a bookie stored a copy, in its own order."""

    bookie, purpose, seq = Stored.bookie, Stored.purpose, Stored.seq
    fenced = Fences.at(Fences.first, Stored.ledger, Stored.bookie)


class Sending(View, each=(Sent.ledger, Sent.entry, Sent.member, Sent.seq)):
    """One time that a client sent an entry to a bookie."""

    entry, member, bookie, seq = Sent.entry, Sent.member, Sent.bookie, Sent.seq
    version, segment, purpose, confirmed = Sent.version, Sent.segment, Sent.purpose, Sent.confirmed
    named = Ensembles.at(Ensembles.named, Sent.ledger, Sent.version, Sent.segment, Sent.member)
    confirmed_first = Acks.at(Acks.first, Sent.ledger, Sent.confirmed)


class Recovery(View, each=(RecoveryBegan.ledger, RecoveryBegan.entry, RecoveryBegan.seq)):
    """One time that a client began to recover a ledger."""

    entry, segment, confirmed = RecoveryBegan.entry, RecoveryBegan.segment, RecoveryBegan.confirmed


class ReadingBack(View, each=(ReadBack.ledger, ReadBack.entry, ReadBack.member, ReadBack.seq)):
    """One answer of a bookie to a recovery."""

    bookie, time = ReadBack.bookie, ReadBack.time
    fenced = Fences.at(Fences.first, ReadBack.ledger, ReadBack.bookie)
    fenced_at = Fences.at(Fences.first_at, ReadBack.ledger, ReadBack.bookie)


class End(View, each=(Closed.ledger, Closed.entry, Closed.seq)):
    """One time that a ledger was closed, and what its recovery knew of the first entry that it does not have."""

    entry, client, recovers = Closed.entry, Closed.client, Closed.recovers
    first_entry = Beginnings.at(Beginnings.entry, Closed.ledger)
    last_acknowledged = Acks.at(Acks.first, Closed.ledger, Closed.entry - 1)
    write_set = write_set(Closed.ledger, Closed.entry)
    write_quorum = Sizes.at(Sizes.write, Closed.ledger)
    ack_quorum = Sizes.at(Sizes.ack, Closed.ledger)
    answered = Recoveries.at(Recoveries.answered, Closed.ledger, Closed.client)
    attempts = Recoveries.at(Recoveries.attempts, Closed.ledger, Closed.client)
    began_first = Recoveries.at(Recoveries.began_first, Closed.ledger, Closed.client)
    began = Recoveries.at(Recoveries.began, Closed.ledger, Closed.client)
    answered_first = Attempts.at(Attempts.answered, Closed.ledger, Closed.client, began_first)
    answered_last = Attempts.at(Attempts.answered, Closed.ledger, Closed.client, began)
    absent = Answers.at(Answers.absent, Closed.ledger, Closed.entry, Closed.client)
    absent_last = Answers.at(Answers.absent_last, Closed.ledger, Closed.entry, Closed.client)
    present_first = Answers.at(Answers.present_first, Closed.ledger, Closed.entry, Closed.client)
    present_last = Answers.at(Answers.present_last, Closed.ledger, Closed.entry, Closed.client)


class Reading(View, each=(Read.ledger, Read.entry, Read.seq)):
    """One time that a reader was told of an entry."""

    entry, confirmed, given = Read.entry, Read.confirmed, Given.entry
    end = Ends.at(Ends.end, Read.ledger)
