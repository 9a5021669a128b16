"""The metadata checker: what it looks at again before it reports, what it reports, and how it counts.

Source: BookKeeper, BP-34, High Level Logic.
"""

from __future__ import annotations

from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.ledger.events.values import SOUND
from spec.ledger.views import Analysis, Category, Check, Finding

LOGIC = "BookKeeper, BP-34, High Level Logic: "


@rule("ledger.check.by_schedule", cite=LOGIC + "all entries that bookies are supposed to contain, by the round robin")
def bookies_are_held_to_the_schedule(analysis: Analysis) -> Bool:
    """A check holds bookies only to entries that the ledger has, and only those of their write sets."""
    within = known(analysis.end) & (analysis.entry < analysis.end)
    return analysis.listed.implies(within & (analysis.listed_for <= analysis.write_set))


@rule("ledger.check.looks_at_mark_again", cite=LOGIC + "before reporting, check if it is marked under-replicated")
def the_mark_is_looked_for_again(check: Check) -> Bool:
    """Before it reports a violation, but for an old mark, a check looks for a mark once more and finds none."""
    unmarked = known(check.looked_again) & (check.looked_again < check.reported_first) & ~check.marked
    behind = ~check.listed | (check.listed_last < check.looked_again)
    return check.reported_others.implies(unmarked & behind)


@rule(
    "ledger.check.reads_metadata_again", cite=LOGIC + "get the metadata one more time; if it changed, redo the analysis"
)
def the_metadata_is_read_again(check: Check) -> Bool:
    """Before it reports a violation, but for an old mark, a check reads the metadata again, and it is as it was."""
    again = known(check.read_again) & (check.read_again < check.reported_first)
    behind = ~check.listed | (check.listed_last < check.read_again)
    return check.reported_others.implies(again & behind & (check.read_version == check.reported_version))


@rule("ledger.check.closed_only", cite=LOGIC + "limited to ledgers which are write closed")
def only_closed_ledgers_are_checked(check: Check) -> Bool:
    """Of a ledger that is not closed a check asks no bookie and reports nothing, but an old mark."""
    closed = check.read_closed & known(check.closed_since) & (check.closed_since <= check.read_version)
    return (check.listed | check.reported_others).implies(closed)


@rule("ledger.check.skips_marked", cite=LOGIC + "no point in further analysing a ledger that is already marked")
def marked_ledgers_are_skipped(check: Check) -> Bool:
    """Once a check has seen a mark it asks nobody, and reports no more than that the mark is too old."""
    return check.marked.implies(~check.reported_others & (~check.listed | (check.listed_last < check.marked_last)))


@rule("ledger.check.old_marks", cite=LOGIC + "marked for more than acceptable time: report it as violation")
def old_marks_are_reported(check: Check) -> Bool:
    """A mark that stands for longer than it may is reported, and no other mark."""
    old = known(check.age) & (check.age > check.grace) & check.marked
    return (check.concluded & check.marked).implies((old & check.reported_mark) | (~old & ~check.reported_mark))


@rule("ledger.check.no_false_alarm", cite=LOGIC + "each entry has a write quorum of copies; any violation is reported")
def what_is_reported_lacks_copies(analysis: Analysis) -> Bool:
    """An entry is reported by how many of its write set lack it: all, too many for an ack quorum, or any."""
    copies = (analysis.write_set - analysis.absent_for).size()
    few = (copies >= 1) & (copies < analysis.ack_quorum)
    some = (copies >= analysis.ack_quorum) & (copies < analysis.write_quorum)
    reported = analysis.no_replica | analysis.below_ack_quorum | analysis.below_write_quorum
    right = (
        analysis.no_replica.implies(copies < 1)
        & analysis.below_ack_quorum.implies(few)
        & analysis.below_write_quorum.implies(some)
    )
    return reported.implies(right)


@rule("ledger.check.no_missed_hole", cite=LOGIC + "bookies contain all they are supposed to; any violation is reported")
def what_lacks_copies_is_reported(analysis: Analysis) -> Bool:
    """An entry that lacks copies by the last version that a check read is reported by it."""
    lacks = analysis.listed & ~(analysis.write_set & analysis.absent_for).is_empty()
    return (lacks & analysis.is_decided).implies(
        analysis.no_replica | analysis.below_ack_quorum | analysis.below_write_quorum
    )


@rule("ledger.check.asks_all", cite=LOGIC + "get the available entries from the bookies of the ensemble")
def a_sound_ledger_was_asked_for_everywhere(analysis: Analysis) -> Bool:
    """A ledger is found sound only if every member of each write set has told that it has the entry."""
    sound = analysis.listed & analysis.is_last & analysis.ending.is_(SOUND)
    return sound.implies(analysis.write_set <= (analysis.listed_for - analysis.absent_for))


@rule("ledger.check.once", cite=LOGIC + "each violation is logged with complete information")
def each_violation_is_reported_once(finding: Finding) -> Bool:
    """A run reports a violation of one category, of one entry or segment, once."""
    return finding.times == 1


@rule("ledger.check.counts", cite=LOGIC + "the aggregated count for each category after the end of the run")
def counts_are_of_the_whole_run(category: Category) -> Bool:
    """At its end a run counts for each category all that it reported."""
    return category.counted.implies(category.number == category.reported)


@rule("ledger.check.silence_after_delay", cite=LOGIC + "do not report it yet; schedule a new check with a time delay")
def silence_is_reported_after_a_delay(check: Check) -> Bool:
    """That a bookie is silent is reported only if it was silent after the delay, too, and is not known to be down."""
    return check.reported_silence.implies(~(check.unheard_again & check.stands).is_empty())


@rule("ledger.check.silent_is_reported", cite=LOGIC + "that it is not registered and known as unavailable, else report")
def silent_bookies_are_reported(check: Check) -> Bool:
    """A bookie that stays silent is reported if it is registered, or not known to be down."""
    stands = ~(check.unheard_again & check.stands).is_empty()
    return (check.concluded & stands).implies(check.reported_silence | check.marked)


@rule("ledger.check.asks_for_standing", cite=LOGIC + "make sure that the bookie is not registered, and known as down")
def silent_bookies_are_looked_up(check: Check) -> Bool:
    """Of every bookie that is silent after the delay a check asks whether it is registered, and known to be down."""
    return (check.concluded & ~check.unheard_again.is_empty() & ~check.marked).implies(
        check.unheard_again <= check.named_silent
    )
