"""Guards of the cluster: what happens to nodes, and what the status table says of them."""

from __future__ import annotations

from collections import Counter

from reference_impl.log.statuses import Statuses
from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Cluster
from reference_impl.replay.trace_events import TraceEvent
from spec.events import (
    BAD_CHECKSUM,
    CRASH,
    FAULTS,
    GOOD_CHECKSUM,
    HEAL,
    PARTITION,
    PAUSE,
    READ_ONLY,
    RESTART,
    RESUME,
    SLOW,
    STEADY,
    WIPE,
    WRITABLE,
    Donated,
    Fault,
    Rebuilding,
    StatusTable,
)

STATUS = "LogDevice, Read path, Authoritative Status: "
WORDS = {number: word for word, number in FAULTS.items()}
BEGAN = {HEAL: PARTITION, STEADY: SLOW, GOOD_CHECKSUM: BAD_CHECKSUM, WRITABLE: READ_ONLY}
"""What is over when the other is said."""


@guard("status.is_next", StatusTable, cite=STATUS + "the event log is a sequence of versions", needs=(StatusTable,))
def version_is_the_next(cluster: Cluster, table: TraceEvent) -> Against | None:
    """Versions of the status table are numbered one after the other."""
    following = cluster.newest.version + 1
    if table.version == following or not cluster.statuses:
        return None
    return Against(f"version {following}", f"version {table.version}")


@guard("status.one_for_each_node", StatusTable, cite=STATUS + "each shard has one status")
def every_node_has_one_status(cluster: Cluster, table: TraceEvent) -> Against | None:
    """A node has one status at a time."""
    del cluster
    named = [table.unavailable or set(), table.underreplicated or set(), table.empty or set()]
    if sum(map(len, named)) == len(set().union(*named)):
        return None
    return Against("no node in two of the sets", " ".join(str(sorted(nodes)) for nodes in named))


@guard("status.lost_when_wiped", StatusTable, cite=STATUS + "UNDERREPLICATION: the data is lost", needs=(Fault,))
def underreplicated_after_a_wipe(cluster: Cluster, table: TraceEvent) -> Against | None:
    """A node becomes underreplicated only when its data was lost."""
    fresh = (table.underreplicated or frozenset()) - cluster.newest.underreplicated
    if fresh <= cluster.wiped or not cluster.statuses:
        return None
    return Against(f"nodes that were wiped: {sorted(cluster.wiped)}", f"{sorted(fresh)}")


@guard("status.lost_until_rebuilt", StatusTable, cite=STATUS + "lost until its copies lie elsewhere, then it is empty")
def underreplicated_until_empty(cluster: Cluster, table: TraceEvent) -> Against | None:
    """A node that is underreplicated stays so until it is empty."""
    if table.underreplicated is None or table.empty is None:
        return None
    lost = cluster.newest.underreplicated - table.underreplicated - table.empty
    return Against(f"{sorted(lost)} underreplicated or empty", f"{sorted(lost)} is not") if lost else None


@guard(
    "status.empty_until_back", StatusTable, cite=STATUS + "an empty node serves again once it is back", needs=(Fault,)
)
def empty_until_it_is_back(cluster: Cluster, table: TraceEvent) -> Against | None:
    """A node that is empty stays so until it starts again."""
    lost = (cluster.newest.empty & cluster.out) - (table.empty or frozenset())
    return Against(f"{sorted(lost)} empty: they did not start again", f"{sorted(table.empty or ())}") if lost else None


@guard(
    "status.as_rebuildings_are",
    StatusTable,
    cite="LogDevice, common/event_log/EventLogRebuildingSet.cpp, recomputeShardAuthoritativeStatus",
    needs=(StatusTable, Rebuilding, Donated),
)
def statuses_follow_from_rebuildings(cluster: Cluster, table: TraceEvent) -> Against | None:
    """A node is empty once its donors are done; until then it is underreplicated if its data is lost for good.

    Where the data of others may still come back, it is also a question of what donors left out, which is hidden.
    """
    if table.underreplicated is None or table.empty is None:
        return None
    may_return = any(not (one.relocates or one.is_lost) for one in cluster.rebuilds.values())
    for node, one in cluster.rebuilds.items():
        is_empty = node in cluster.newest.empty or not one.donors
        if one.donors is None or (may_return and not one.donors and not one.relocates):
            continue
        expected = (is_empty, not is_empty and one.is_lost)
        seen = (node in table.empty, node in table.underreplicated)
        if seen != expected:
            words = [word for word, is_so in zip(("empty", "underreplicated"), expected, strict=True) if is_so]
            return Against(f"node {node} {words or 'neither empty nor underreplicated'}", f"{seen}")
    others = sorted((table.empty | table.underreplicated) - cluster.rebuilds.keys())
    return Against("only nodes that are rebuilt", f"nodes {others}") if others else None


@guard(
    "status.suspects_for_itself",
    StatusTable,
    cite="LogDevice, common/event_log/EventLogStateMachine.cpp: a delta of one shard says nothing of others",
    needs=(StatusTable, Rebuilding, Donated),
)
def delta_suspects_nobody(cluster: Cluster, table: TraceEvent) -> Against | None:
    """A table that a delta of one rebuilding makes says of other nodes that are up or down what the one before said."""
    if cluster.delta != table.version or table.unavailable is None or cluster.is_open:
        return None
    others = (table.unavailable ^ cluster.newest.unavailable) - cluster.rebuilds.keys() - cluster.returned
    return (
        Against(f"unavailable: {sorted(cluster.newest.unavailable)}", f"{sorted(others)} as well") if others else None
    )


@change(StatusTable)
def is_published(cluster: Cluster, table: TraceEvent) -> None:
    """Everybody uses this table; of what it does not say nothing has changed, but that anybody may seem down."""
    before, cluster.is_open = cluster.newest, table.unavailable is None
    everyone = frozenset(range(cluster.parameters.size))
    unavailable = everyone if table.unavailable is None else table.unavailable
    underreplicated = before.underreplicated if table.underreplicated is None else table.underreplicated
    empty = before.empty if table.empty is None else table.empty
    cluster.out |= (underreplicated | empty) - before.gone
    for node in empty - before.empty:
        cluster.emptied[node] = cluster.emptied.get(node, 0) + 1
        if node in cluster.down:
            _lose(cluster, node)
    moved = (underreplicated, empty) != (before.underreplicated, before.empty)
    since = table.version if moved else before.since
    cluster.newest = Statuses(table.version, since, unavailable, underreplicated, empty)
    cluster.statuses[table.version] = cluster.newest


@guard(
    "fault.can_happen",
    Fault,
    cite="quorate, the machine's faults: what is down cannot crash, what is awake cannot resume",
    needs=(Fault,),
)
def fault_can_happen_to_the_node(cluster: Cluster, fault: TraceEvent) -> Against | None:
    """A node crashes only while it is up, is wiped only while it is down, and nothing is over before it began."""
    down, asleep = fault.node in cluster.down, fault.node in cluster.asleep
    began = fault.what not in BEGAN or cluster.ailing.get((fault.node, BEGAN[fault.what]), 0) > 0
    allowed = {
        CRASH: not down,
        WIPE: down,
        RESTART: down or fault.node in cluster.newest.empty,
        PAUSE: not down and not asleep,
        RESUME: asleep,
    }.get(fault.what, began and fault.what in WORDS)
    allowed = allowed and 0 <= fault.node < cluster.parameters.size
    state = "down" if down else "paused" if asleep else "up"
    word = WORDS.get(fault.what, str(fault.what))
    return None if allowed else Against(f"what can happen to a node that is {state}", f"{word} of node {fault.node}")


@change(Fault)
def strikes(cluster: Cluster, fault: TraceEvent) -> None:
    """The node is up, down, asleep or without data."""
    what: int = fault.what
    which = (fault.node, BEGAN.get(what, what))
    cluster.ailing[which] = cluster.ailing.get(which, 0) + (-1 if what in BEGAN else 1)
    if fault.what == CRASH:
        cluster.down.add(fault.node)
        cluster.asleep.discard(fault.node)
        cluster.crashes[fault.node] = cluster.crashes.get(fault.node, 0) + 1
        if fault.node in cluster.newest.empty:
            _lose(cluster, fault.node)
    elif fault.what == RESTART:
        cluster.down.discard(fault.node)
        cluster.wiped.discard(fault.node)
        cluster.out.discard(fault.node)
        if fault.node in cluster.newest.empty:
            _forget_seals(cluster, fault.node)
    elif fault.what == WIPE:
        _lose(cluster, fault.node)
    elif fault.what == BAD_CHECKSUM:
        cluster.damaged.update([fault.node])
        cluster.damages[fault.node] = cluster.damages.get(fault.node, 0) + 1
    elif fault.what == GOOD_CHECKSUM:
        cluster.damaged -= Counter([fault.node])
    elif fault.what == PAUSE:
        cluster.asleep.add(fault.node)
    elif fault.what == RESUME:
        cluster.asleep.discard(fault.node)


def _lose(cluster: Cluster, node: int) -> None:
    """The node's copies go now, and its seals with them: it was wiped, or is switched off since it is empty."""
    cluster.wiped.add(node)
    _forget_seals(cluster, node)
    for shards in cluster.shards:
        shard = shards[node]
        shard.going = sorted(shard.copies, reverse=True)
        shard.trimmed = 0


def _forget_seals(cluster: Cluster, node: int) -> None:
    """The node knows nothing more of what it promised, nor of what became of epochs."""
    for shards in cluster.shards:
        shard = shards[node]
        shard.seal, shard.soft, shard.softly, shard.purged = -1, 0, None, 0
        shard.settled.clear()
