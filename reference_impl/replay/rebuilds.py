"""Guards of rebuilding: who is rebuilt, by which donors, and what copies and copysets become."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Cluster, Held, Log, Rebuilds
from reference_impl.replay.streams import Content
from reference_impl.replay.trace_events import TraceEvent
from spec.events import (
    ABORTED,
    ACKNOWLEDGED,
    DELTAS,
    IS_LOST,
    RELOCATES,
    RESTORES,
    Ack,
    CopysetChanged,
    Donated,
    Emptied,
    Erase,
    Fault,
    NewEpoch,
    Rebuilding,
    Rebuilt,
    Release,
    StatusTable,
    Store,
)

EVENT_LOG = "LogDevice, common/event_log/EventLogRebuildingSet.cpp: "
DOCUMENT = "LogDevice, docs/Rebuilding.md: "
WORDS = {number: word for word, number in DELTAS.items()}


@guard(
    "rebuilding.is_next",
    Rebuilding,
    Donated,
    cite="LogDevice, common/event_log/EventLogStateMachine.cpp: each delta makes the next version",
    needs=(StatusTable,),
)
def delta_makes_the_next_version(cluster: Cluster, delta: TraceEvent) -> Against | None:
    """What the event log says of a rebuilding makes the next version of the status table, once."""
    following = max(cluster.newest.version, cluster.delta) + 1
    if delta.version == following or not cluster.statuses:
        return None
    return Against(f"version {following}", f"version {delta.version}")


@guard("rebuilding.can_be_said", Rebuilding, cite=EVENT_LOG + "one rebuilding of a shard at a time", needs=(Fault,))
def delta_can_be_said_of_the_node(cluster: Cluster, delta: TraceEvent) -> Against | None:
    """A rebuilding begins where there is none; its node is lost while it is restored, and back once it is empty."""
    known = cluster.rebuilds.get(delta.node)
    empty = delta.node in cluster.newest.empty
    allowed = {
        RESTORES: known is None and delta.node in cluster.wiped,
        RELOCATES: known is None and delta.node not in cluster.down,
        IS_LOST: known is not None and not known.relocates and not known.is_lost,
        ACKNOWLEDGED: known is not None and empty,
        ABORTED: known is not None and not empty,
    }.get(delta.delta, False)
    word = WORDS.get(delta.delta, str(delta.delta))
    return None if allowed else Against("what can be said of the node", f"{word} of node {delta.node}")


@guard(
    "rebuilding.is_of_its_beginning", Rebuilding, Donated, cite=EVENT_LOG + "donors name the version that they follow"
)
def rebuilding_is_the_one_that_began(cluster: Cluster, delta: TraceEvent) -> Against | None:
    """A rebuilding is named by the version at which it began, and lists all nodes whose data is only moved."""
    known = cluster.rebuilds.get(delta.node)
    began = delta.version if known is None else known.began
    moved = {node for node, rebuild in cluster.rebuilds.items() if rebuild.relocates}
    moved |= {delta.node} if known is None and getattr(delta, "delta", 0) == RELOCATES else set()
    if delta.began == began and delta.relocating in (None, moved):
        return None
    return Against(f"version {began}, {sorted(moved)} moved", f"{delta.began}, {sorted(delta.relocating or ())} moved")


@guard("rebuilding.donors_finish", Rebuilding, Donated, cite=EVENT_LOG + "donors that are not done are left")
def donors_only_finish(cluster: Cluster, delta: TraceEvent) -> Against | None:
    """Donors are named when a rebuilding begins; each is one of those who are left, until it says that it is done."""
    known = cluster.rebuilds.get(delta.node)
    if known is None:
        missing = isinstance(getattr(delta, "donor", None), int) or delta.donors == frozenset()
        return Against("a rebuilding with donors", f"none of node {delta.node}") if missing else None
    if delta.donors is None or known.donors is None:
        return None
    donor = getattr(delta, "donor", None)
    left = known.donors - delta.donors
    may = left <= {donor} if donor is not None else not left
    if delta.donors <= known.donors and may and (donor is None or donor in known.donors):
        return None
    return Against(f"some of donors {sorted(known.donors)}", f"donor {donor}, {sorted(delta.donors)} left")


@change(Rebuilding)
def rebuilding_is_known(cluster: Cluster, delta: TraceEvent) -> None:
    """The node is being rebuilt, or no longer."""
    cluster.delta, cluster.returned = delta.version, frozenset()
    if delta.delta in (ACKNOWLEDGED, ABORTED):
        over = cluster.rebuilds.pop(delta.node)
        cluster.over[over.began] = over.everyone
        cluster.returned = frozenset({delta.node})
    elif delta.delta == IS_LOST:
        cluster.rebuilds[delta.node] = cluster.rebuilds[delta.node]._replace(is_lost=True)
    else:
        everyone = frozenset(range(cluster.parameters.size)) if delta.donors is None else delta.donors
        cluster.rebuilds[delta.node] = Rebuilds(delta.began, delta.donors, delta.delta == RELOCATES, False, everyone)


@change(Donated)
def donors_are_left(cluster: Cluster, donated: TraceEvent) -> None:
    """Fewer donors are left, or as many with less to do."""
    cluster.delta, cluster.returned = donated.version, frozenset()
    known = cluster.rebuilds[donated.node]
    cluster.rebuilds[donated.node] = known._replace(donors=donated.donors)


@guard(
    "rebuilt.is_lent",
    Rebuilt,
    cite=DOCUMENT + "donors copy what they have",
    needs=(Store, Erase),
)
def donor_has_the_copy(log: Log, rebuilt: TraceEvent) -> Against | None:
    """A rebuilt copy is what its donor holds, on a node that holds nothing there, or nothing that it can read."""
    here = log.shard(rebuilt.node).copies.get(rebuilt.lsn)
    free = here is None or rebuilt.node in log.cluster.damaged
    if free and None in (rebuilt.donor, rebuilt.digest):
        return None
    if free and log.lends(rebuilt.donor, rebuilt.lsn, (rebuilt.becomes, rebuilt.digest)):
        return None
    return Against("a copy of what the donor holds, where none is", f"{rebuilt.becomes, rebuilt.digest}")


@guard("rebuilt.is_released", Rebuilt, CopysetChanged, cite=DOCUMENT + "it waits for the release", needs=(Release,))
def only_what_is_released(log: Log, rebuilt: TraceEvent) -> Against | None:
    """Only what is released is rebuilt."""
    return None if rebuilt.lsn <= log.released else Against(f"at most LSN {log.released}", f"LSN {rebuilt.lsn}")


@guard("rebuilt.by_a_donor", Rebuilt, CopysetChanged, cite=DOCUMENT + "donors read the event log", needs=(Rebuilding,))
def donor_takes_part(log: Log, rebuilt: TraceEvent) -> Against | None:
    """A donor takes part in a rebuilding that has begun."""
    begun = {rebuild.began: rebuild.everyone for rebuild in log.cluster.rebuilds.values()}
    begun |= log.cluster.over
    if None in (rebuilt.began, rebuilt.donor) or rebuilt.donor in begun.get(rebuilt.began, ()):
        return None
    return Against(f"a donor of one of {sorted(begun)}", f"{rebuilt.donor} of {rebuilt.began}")


@guard(
    "copyset.can_replicate",
    Rebuilt,
    CopysetChanged,
    cite="LogDevice, Read path, Copyset: its members satisfy the replication property",
    needs=(NewEpoch,),
)
def new_copyset_is_valid(log: Log, event: TraceEvent) -> Against | None:
    """A new copyset names the node that is told of it, satisfies the replication property, and lies in the nodeset."""
    epoch = log.epoch(event.epoch)
    if epoch.quorums is None or event.copyset is None:
        return None
    inside = epoch.nodeset is None or event.copyset <= epoch.nodeset
    if event.node in event.copyset and inside and epoch.quorums.can_replicate(event.copyset):
        return None
    return Against(f"a copyset with node {event.node} in {sorted(epoch.nodeset or ())}", f"{sorted(event.copyset)}")


@guard("copyset.of_what_is_held", CopysetChanged, cite=DOCUMENT + "copies are amended", needs=(Store, Erase))
def copyset_of_a_copy(log: Log, event: TraceEvent) -> Against | None:
    """A copyset is changed where a node holds something, and every node that it names holds the same."""
    held = log.shard(event.node).copies.get(event.lsn)
    if held is not None and all(log.lends(node, event.lsn, held.content) for node in event.copyset):
        return None
    return Against(f"nodes that hold LSN {event.lsn}", f"{sorted(event.copyset)}")


@change(Rebuilt)
def is_rebuilt(log: Log, rebuilt: TraceEvent) -> None:
    """The node holds the copy, as one of whoever wrote what its donor has, if anybody knows that."""
    content = rebuilt.becomes, rebuilt.digest
    donor = log.shard(rebuilt.donor)
    lender = donor.copies.get(rebuilt.lsn) or donor.deleted.get(rebuilt.lsn)
    recovery, wave = (0, 0) if lender is None else (lender.recovery, lender.wave)
    held = Held(*content, recovery, wave, rebuilt=True, late=True, copyset=rebuilt.copyset)
    log.shard(rebuilt.node).copies[rebuilt.lsn] = held


@change(CopysetChanged)
def is_amended(log: Log, event: TraceEvent) -> None:
    """The copy counts as one of a later wave, and stays what it is."""
    copies = log.shard(event.node).copies
    held = copies.get(event.lsn)
    if held is not None:
        copies[event.lsn] = held._replace(rebuilt=True, copyset=event.copyset)


@guard("emptied.when_empty", Emptied, cite=EVENT_LOG + "empty when its donors are done", needs=(StatusTable,))
def emptied_in_the_newest_table(log: Log, emptied: TraceEvent) -> Against | None:
    """A node is empty in the newest table, and nothing is left to release of what was rebuilt."""
    newest = log.cluster.newest
    if emptied.node in newest.empty and emptied.version in (None, newest.version) and emptied.lsn <= log.released:
        return None
    return Against(f"nodes {sorted(newest.empty)}, version {newest.version}", f"{emptied.node}, {emptied.version}")


@guard(
    "emptied.lies_elsewhere",
    Emptied,
    cite="LogDevice, Read path, Authoritative Status: the records have been copied elsewhere",
    needs=(Store, Erase, Ack, Rebuilt, CopysetChanged),
    promise="rebuilding",
)
def records_lie_on_others(log: Log, emptied: TraceEvent) -> Against | None:
    """An acknowledged record whose copies name a node that is empty lies on others, unless some node trimmed it."""
    trimmed = max(log.points, default=0)
    for lsn, content in _counting_on(log, emptied.node, range(trimmed + 1, emptied.lsn + 1)):
        others = log.holders(lsn, content) - {emptied.node}
        epoch = log.epoch(lsn >> log.cluster.parameters.low_bits)
        if epoch.quorums is not None and not epoch.quorums.can_replicate(others):
            return Against(f"LSN {lsn} on nodes that can replicate it", f"others that hold it: {sorted(others)}")
    return None


def _counting_on(log: Log, node: int, lsns: range) -> Iterator[tuple[int, Content]]:
    """The acknowledged records of some LSNs of which others hold copies that name a node, and what these are."""
    bits, esn_max = log.cluster.parameters.low_bits, log.cluster.esn_max
    for shard in log.shards.values():
        for lsn, held in shard.copies.items():
            if lsn in lsns and held.copyset is not None and node in held.copyset:
                epoch = log.epoch(lsn >> bits)
                if lsn & esn_max in epoch.acked:
                    yield lsn, held.content
