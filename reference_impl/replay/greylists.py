"""Guards of greylists: which nodes a reader takes for slow, for how long, and when it tells the others."""

from __future__ import annotations

from typing import Final

from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.observed.readers import Greylist, OnList
from reference_impl.replay.trace_events import TraceEvent
from spec.events import (
    ALL_SEND,
    EVERYONE,
    IS_DOWN,
    OTHERS_ARE_SLOWER,
    TERM_IS_OVER,
    Ask,
    Greylisted,
    Listing,
    NewEpoch,
    Outcome,
    Reinstated,
)

SLOW: Final = "LogDevice, Read path, SCD greylisting: "
COPIES: Final = "LogDevice, common/client_read_stream/ClientReadStreamScd.cpp, "
DETECTOR: Final = "LogDevice, common/client_read_stream/ClientReadStreamFailureDetector.cpp, "

LONGEST: Final = 30
"""The longest term is half an hour, the first one a minute."""

SLACK: Final = 250
"""So many ticks of the detector may pass before a list is recorded that has changed."""


@guard("greylist.where_it_is", Listing, cite=SLOW + "clients keep track of nodes while they read", needs=(Outcome,))
def reader_is_there(log: Log, listing: TraceEvent) -> Against | None:
    """A reader changes its list at the next LSN that it is to be given."""
    if listing.reader not in log.upto:
        return Against(f"that reader {listing.reader} begins first", listing.word)
    following = log.upto[listing.reader] + 1
    return None if listing.lsn == following else Against(f"LSN {following}", f"LSN {listing.lsn}")


@guard("greylist.by_its_filters", Listing, cite=COPIES + "rewindWithOutliers: the stream is rewound", needs=(Ask,))
def list_changes_under_its_filters(log: Log, listing: TraceEvent) -> Against | None:
    """A reader changes its list under the filters by which it asked last."""
    stream = log.streams.get(listing.reader)
    version = None if stream is None else max(1, stream.version)
    return Against(f"version {version}", f"version {listing.filters}") if differ(version, listing.filters) else None


@guard("greylist.one_more", Greylisted, cite=SLOW + "nodes are put in the known down list")
def list_grows_by_the_node(log: Log, listed: TraceEvent) -> Against | None:
    """A node comes onto the list where it was not, and the others stay."""
    before = log.greylist(listed.reader).nodes
    if listed.node not in before and listed.listed == before | {listed.node}:
        return None
    return Against(f"{sorted(before)} and one more", f"node {listed.node}, {sorted(listed.listed)}")


@guard("greylist.one_less", Reinstated, cite=SLOW + "nodes are reinstated")
def list_shrinks_by_the_node(log: Log, back: TraceEvent) -> Against | None:
    """A node leaves the list that is on it, and the others stay."""
    before = log.greylist(back.reader).nodes
    if back.node in before and back.listed == before - {back.node}:
        return None
    return Against(f"{sorted(before)} and one less", f"node {back.node}, {sorted(back.listed)}")


@guard(
    "greylist.someone_is_left",
    Greylisted,
    cite=COPIES + "updateFailureDetectorWorkingSet: slow nodes and nodes that are down are no copyset",
    needs=(NewEpoch,),
)
def someone_is_left_to_send(log: Log, listed: TraceEvent) -> Against | None:
    """Nodes that are slow and nodes that are down are together fewer than the copies, and no node is both."""
    quorums = log.epoch(listed.epoch).quorums
    if not listed.listed.isdisjoint(listed.down):
        return Against(f"none of {sorted(listed.listed)} to be down", f"{sorted(listed.down)}")
    passed_over = frozenset[int]().union(listed.listed, listed.down)
    if quorums is None or len(passed_over) < quorums.required:
        return None
    return Against(f"fewer than {quorums.required} nodes", f"{sorted(listed.listed)} and {sorted(listed.down)}")


@guard("greylist.down_as_told", Greylisted, cite=COPIES + "FilteredOut: nodes are told who is down", needs=(Ask,))
def down_nodes_are_passed_over(log: Log, listed: TraceEvent) -> Against | None:
    """Who is down is passed over already, as is who was slow; where all send, nobody is."""
    stream = log.streams.get(listed.reader)
    if stream is None:
        return None
    told = stream.passed_over - log.greylist(listed.reader).nodes
    if stream.version and stream.mode == EVERYONE:
        return Against("that one sends", "that all do")
    return None if listed.down <= told else Against(f"some of {sorted(told)}", f"{sorted(listed.down)}")


@guard("greylist.rewinds", Greylisted, cite=COPIES + "rewindWithOutliers: a new list comes with a rewind")
def list_is_told_before_it_changes(log: Log, listed: TraceEvent) -> Against | None:
    """A reader tells its nodes of a list before it calls others slow, unless it does so at the same time."""
    greylist = log.greylist(listed.reader)
    if greylist.filters < listed.filters or greylist.changed_ns == listed.time:
        return None
    return Against(f"filters after version {greylist.filters}", f"version {listed.filters}")


@guard("greylist.term_grows", Greylisted, cite=DETECTOR + "changeOutliers: the next term doubles")
def term_is_longer_the_next_time(log: Log, listed: TraceEvent) -> Against | None:
    """The first term is always the same; the next one is twice as long, less a quarter of the time between them."""
    first_ns = log.cluster.known.first_term_ns
    before = log.greylist(listed.reader).known.get(listed.node)
    if not first_ns:
        return None
    if before is None or not listed.times:
        tick_ns = log.cluster.known.tick_ns
        is_first = first_ns - tick_ns < listed.term <= first_ns and not listed.times
        return None if is_first else Against(f"a first term of {first_ns} ns", f"{listed.times}, {listed.term} ns")
    if listed.times != before.times + 1:
        return Against(f"that it was listed {before.times + 1} times before, or never", f"{listed.times} times")
    well_ns = max(0, listed.time - before.back_ns) if listed.time is not None else None
    most, slack_ns = min(2 * before.term, LONGEST * first_ns), SLACK * log.cluster.known.tick_ns
    least = 0 if well_ns is None else max(first_ns, most - well_ns // 4)
    least, most = least - slack_ns, most + slack_ns
    return None if least <= listed.term <= most else Against(f"{least} to {most} ns", f"{listed.term} ns")


@guard("greylist.term_is_kept", Reinstated, cite=SLOW + "nodes are reinstated after a probation period")
def term_is_kept(log: Log, back: TraceEvent) -> Against | None:
    """A node is back when its term is over, and not before unless something else is the matter with it."""
    one = log.greylist(back.reader).known.get(back.node)
    if one is None:
        return None
    if back.term != one.term:
        return Against(f"a term of {one.term} ns", f"{back.term} ns")
    if not TERM_IS_OVER <= back.why <= OTHERS_ARE_SLOWER:
        return Against(f"a reason from {TERM_IS_OVER} to {OTHERS_ARE_SLOWER}", f"{back.why}")
    if back.time is None or one.since_ns is None:
        return None
    is_over = back.time >= one.since_ns + one.term
    if is_over is (back.why == TERM_IS_OVER) or back.why in (IS_DOWN, ALL_SEND):
        return None
    return Against(f"that {one.term} ns are {'over' if is_over else 'not over'}", f"reason {back.why}")


@guard("ask.passes_over_who_is_slow", Ask, cite=SLOW + "nodes are put in the known down list", needs=(Listing,))
def asks_others_in_place_of_slow_nodes(log: Log, ask: TraceEvent) -> Against | None:
    """Filters that are newer than the list pass over all that are on it."""
    greylist = log.greylists.get(ask.reader)
    if (
        greylist is None
        or ask.mode == EVERYONE
        or ask.filters <= greylist.filters
        or greylist.nodes <= ask.filtered_out
    ):
        return None
    return Against(f"{sorted(greylist.nodes)} among those passed over", f"{sorted(ask.filtered_out)}")


@guard("ask.not_beyond_a_term", Ask, cite=SLOW + "nodes are reinstated after a probation period", needs=(Listing,))
def terms_are_over_in_time(log: Log, ask: TraceEvent) -> Against | None:
    """A reader that asks has nobody on its list whose term is over."""
    greylist, slack_ns = log.greylists.get(ask.reader), SLACK * log.cluster.known.tick_ns
    if greylist is None or not slack_ns or ask.time is None:
        return None
    for node in sorted(greylist.nodes):
        one = greylist.known[node]
        if one.since_ns is not None and ask.time > one.since_ns + one.term + slack_ns:
            return Against(f"that node {node} is reinstated at {one.since_ns + one.term} ns", f"{ask.time} ns")
    return None


@change(Greylisted)
def is_listed(log: Log, listed: TraceEvent) -> None:
    """Others send in its place, from the next filters on."""
    _changes(log.greylist(listed.reader), listed)
    log.greylist(listed.reader).known[listed.node] = OnList(listed.times, listed.term, listed.time, 0)


@change(Reinstated)
def is_back(log: Log, back: TraceEvent) -> None:
    """The node sends again."""
    greylist = log.greylist(back.reader)
    _changes(greylist, back)
    greylist.known[back.node] = greylist.known[back.node]._replace(back_ns=back.time or 0)


def _changes(greylist: Greylist, listing: TraceEvent) -> None:
    greylist.nodes = listing.listed
    greylist.filters, greylist.changed_ns = listing.filters, listing.time
