"""Greylisting: nodes that are much slower than the others are passed over for a while.

Sources: LogDevice, Read path, SCD greylisting; common/client_read_stream/ClientReadStreamFailureDetector.cpp and
ClientReadStreamScd.cpp. A trace of readers that keep no such list has no instances of these rules.
"""

from __future__ import annotations

from spec.events import EVERYONE, TERM_IS_OVER, ScatteredReader
from spec.language.handles import Bool, known, one_of
from spec.language.quantifiers import every
from spec.language.rule import rule
from spec.language.scopes import SCOPES
from spec.log.views import Addition, Choosing, GreylistChange


@rule(
    "log.greylist.fewer_than_copies",
    cite="LogDevice, common/client_read_stream/ClientReadStreamScd.cpp, updateFailureDetectorWorkingSet: slow nodes "
    "and nodes that are down are no copyset",
)
def someone_of_each_copyset_is_left(turnabout: GreylistChange) -> Bool:
    """When a reader lists a node as slow, all that it lists and those that are down are fewer than the copies."""
    passed_over = turnabout.listed | turnabout.down
    replication = turnabout.replication
    enough = every(passed_over.size() >= replication.at(scope) for scope in SCOPES)
    return (known(turnabout.times) & known(replication)).implies(~enough)


@rule(
    "log.greylist.others_send",
    cite="LogDevice, Read path, SCD greylisting: nodes that are much slower than their peers are put in the known down "
    "list",
    spares=(ScatteredReader,),
)
def slow_nodes_are_passed_over(choosing: Choosing) -> Bool:
    """Whoever is asked by newer filters than those before the list changed is told to pass over all on the list."""
    asked = known(choosing.filters) & known(choosing.listed_before)
    one_sends = asked & (choosing.filters.when(choosing.seen_by_one) > choosing.listed_before)
    one_sends &= ~choosing.mode.is_(EVERYONE)
    return one_sends.implies(choosing.listed <= choosing.filtered_out)


@rule(
    "log.greylist.change_rewinds",
    cite="LogDevice, common/client_read_stream/ClientReadStreamScd.cpp, rewindWithOutliers: a new list comes with a "
    "rewind",
)
def changed_list_rewinds(addition: Addition) -> Bool:
    """Once its list changed, a reader lists another node only by newer filters, unless it does so at that moment."""
    again = known(addition.times) & known(addition.filters_before)
    apart = again & (addition.time > addition.time_before)
    return apart.implies(addition.filters > addition.filters_before)


@rule(
    "log.greylist.keeps_its_term",
    cite="LogDevice, Read path, SCD greylisting: nodes are reinstated after a probation period",
)
def term_is_kept(turnabout: GreylistChange) -> Bool:
    """A node that is reinstated because its term is over was on the list for that long."""
    is_over = turnabout.why.is_(TERM_IS_OVER) & known(turnabout.time_before)
    return is_over.implies(turnabout.time >= turnabout.time_before + turnabout.term)


@rule(
    "log.greylist.comes_back",
    cite="LogDevice, Read path, SCD greylisting: nodes are reinstated after a probation period, and measured again",
    spares=(ScatteredReader,),
)
def term_ends(choosing: Choosing) -> Bool:
    """A reader that asks after the term of the node that it listed last does not list that node any more."""
    asked = known(choosing.filters) & known(choosing.last)
    late = asked & (choosing.time.when(choosing.seen_by_one) > choosing.last_at + choosing.last_term)
    return late.implies(~(one_of(choosing.last) <= choosing.listed))


@rule(
    "log.greylist.terms_adapt",
    cite="LogDevice, Read path, SCD greylisting: re-added for either increasingly longer or shorter time periods; "
    "common/ExponentialBackoffAdaptiveVariable.cpp",
)
def terms_adapt(turnabout: GreylistChange) -> Bool:
    """A node that is slow again is listed for less than three times as long, and for no less unless it did well since.

    Terms double, and shrink by a quarter of the time in which all is well, both give or take a tenth.
    """
    again = known(turnabout.times) & (turnabout.times > 0) & known(turnabout.term_before)
    term, before = turnabout.term, turnabout.term_before
    well = turnabout.time - turnabout.time_before
    no_longer = term < before + before + before
    no_shorter = term + term + term + well >= before + before + before
    return again.implies(no_longer & no_shorter)
