"""Mutants of rebuilding and of the event log."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from typing import Final

from reference_impl.kernel.faults import Rate
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.node_log import NodeLog
from reference_impl.log.rebuilding.donor import Donor, amended_copyset, awaited, donates, rebuilt_copyset
from reference_impl.log.rebuilding.event_log import next_version
from reference_impl.log.rebuilding.holding import lent, may_hold, may_lend, rebuilt_as
from reference_impl.log.rebuilding.statuses import Shard, shard_status
from reference_impl.log.statuses import Statuses
from reference_impl.log.storage import is_outdated
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import MILLISECOND, Faults
from spec.events import HOLE, RECORD
from spec.log.status import Status

LOSSES: Final = setting(
    "nodes are often wiped or drained",
    faults=Faults(
        rates={
            "crash": Rate(9 * MILLISECOND, 2 * MILLISECOND, 4 * MILLISECOND),
            "reactivate": Rate(9 * MILLISECOND),
            "wipe": Rate(8 * MILLISECOND, 1 * MILLISECOND, 3 * MILLISECOND),
            "drain": Rate(19 * MILLISECOND),
        }
    ),
)
"""Where rebuilding has much to do."""

STRAGGLERS: Final = setting(
    "nodes crash and are wiped often, and sequencers are cut off",
    faults=Faults(
        rates={
            "straggler": Rate(6 * MILLISECOND, 4 * MILLISECOND, 9 * MILLISECOND),
            "wipe": Rate(6 * MILLISECOND, MILLISECOND // 2, 2 * MILLISECOND),
            "crash": Rate(5 * MILLISECOND, 2 * MILLISECOND, 6 * MILLISECOND),
        }
    ),
)
"""Where nodes hold what recovery has overruled, and others lose what they hold."""


@mutant(next_version, where=LOSSES)
def version_reused(statuses: Statuses) -> int:
    """Every second delta of the event log makes no new version.

    LogDevice, common/event_log/EventLogStateMachine.cpp: a version is the LSN of a delta, so no two are the same.
    """
    return statuses.version + (statuses.version % 2 == 0 or statuses.since == statuses.version)


@mutant(next_version, where=LOSSES)
def versions_swapped(statuses: Statuses) -> int:
    """Deltas of the event log are applied in another order than that of their LSNs.

    LogDevice, common/event_log/EventLogStateMachine.cpp: all nodes apply deltas in the order of their LSNs.
    """
    before = statuses.version
    return 2 if before == 0 else before + 3 if before % 2 else before - 1


@mutant(shard_status, where=LOSSES)
def empty_before_rebuilt(shard: Shard, recoverable: Nodes) -> Status:
    """A lost node counts as empty at once.

    LogDevice, Read path, Authoritative Status: empty means that the records have been copied elsewhere.
    """
    lost = not (shard.acknowledged or shard.relocates or shard.recoverable)
    return Status.AUTHORITATIVE_EMPTY if lost else shard_status(shard, recoverable)


@mutant(shard_status, where=LOSSES)
def empty_after_first_donor(shard: Shard, recoverable: Nodes) -> Status:
    """A node counts as empty as soon as one donor has nothing left to do.

    LogDevice, common/event_log/EventLogRebuildingSet.cpp: it is empty when no donor is left that has to rebuild.
    """
    donors = {donor for donor, _ in shard.remaining}
    done = shard._replace(remaining=frozenset()) if len(donors) < SOME and not shard.recoverable else shard
    return shard_status(done, recoverable)


SOME = 3
"""Fewer donors than this do not count."""


@mutant(shard_status, where=LOSSES)
def loss_not_told(shard: Shard, recoverable: Nodes) -> Status:
    """A node that lost its data counts as if it had it, until it is empty.

    LogDevice, common/event_log/EventLogRebuildingSet.cpp: SHARD_UNRECOVERABLE makes it UNDERREPLICATION.
    """
    status = shard_status(shard, recoverable)
    return status if status is Status.AUTHORITATIVE_EMPTY else Status.FULLY_AUTHORITATIVE


@mutant(shard_status, where=LOSSES)
def back_without_a_word(shard: Shard, recoverable: Nodes) -> Status:
    """A node that was rebuilt counts as if it had its data again.

    LogDevice, Read path, Authoritative Status: until it serves again it is AUTHORITATIVE_EMPTY.
    """
    status = shard_status(shard, recoverable)
    return Status.FULLY_AUTHORITATIVE if status is Status.AUTHORITATIVE_EMPTY else status


@mutant(donates, where=STRAGGLERS)
def donor_may_be_gone(donor: Donor, copy: Copy, gone: Nodes) -> bool:
    """The donor is the first of a copyset, even if that is the node that was lost.

    LogDevice, docs/Rebuilding.md: shards that lost their data are no donors. An index that is not filtered first.
    """
    return donor.node == min(copy.copyset)


def takes_anything(here: NodeLog, lsn: int) -> bool:
    """A node takes rebuilt copies of what it does not know to be released."""
    return True


@mutant(may_lend, may_hold.otherwise(takes_anything), where=LOSSES)
def rebuilds_unreleased(here: NodeLog, until: int) -> bool:
    """Donors do not wait for the release of what they rebuild.

    LogDevice, docs/Rebuilding.md: they wait, so that rebuilding does not race recovery.
    """
    return True


def donates_all(donor: Donor, copy: Copy, gone: Nodes) -> bool:
    """Whoever has a copy is its donor, which is harmless as long as nodes purge."""
    return True


@mutant(is_outdated, donates.otherwise(donates_all), where=STRAGGLERS)
def rebuilds_what_was_overruled(copy: Copy, decided: Copy | None) -> bool:
    """Donors copy what recovery did not keep, since their nodes have not purged it.

    LogDevice, docs/Rebuilding.md: rebuilding takes clean data only; a store of other data triggers a purge.
    """
    return False


@mutant(rebuilt_as, where=LOSSES)
def rebuilt_copy_differs(copy: Copy) -> Copy:
    """A copy is changed while it is rebuilt.

    LogDevice, docs/Rebuilding.md: records are copied as they are. Two bits that flip on the way.
    """
    return copy._replace(digest=copy.digest ^ 3)


@mutant(rebuilt_as, where=LOSSES)
def record_rebuilt_as_hole(copy: Copy) -> Copy:
    """A copy of a record is rebuilt as a hole.

    LogDevice, docs/Rebuilding.md: donors read what they hold. A flag of the store message that is set for all of them.
    """
    return copy._replace(becomes=HOLE, digest=0) if copy.becomes == RECORD else copy


@mutant(lent, where=LOSSES)
def rebuilds_what_nobody_stored(found: list[tuple[int, Copy]]) -> list[tuple[int, Copy]]:
    """A donor repeats a copy in place of the next one, if it has none of that.

    LogDevice, docs/Rebuilding.md: donors read what they hold. An iterator that is not moved on.
    """
    following = {lsn + 1: copy for lsn, copy in found}
    return sorted({**following, **dict(found)}.items())


@mutant(rebuilt_copyset, where=LOSSES)
def rebuilt_anywhere(context: LogContext, keep: Nodes, free: Nodes, lsn: int) -> Nodes | None:
    """A rebuilt copy goes to the next free node, whatever its rack.

    LogDevice, docs/Rebuilding.md: the new copyset satisfies the replication property. Counts copies only.
    """
    missing = max(0, context.quorums.required - len(keep))
    return keep | frozenset(sorted(free - keep)[:missing])


@mutant(amended_copyset, where=LOSSES)
def amend_forgets_new_node(copyset: Nodes, old: Nodes) -> Nodes:
    """The lost node is removed from copysets, and nobody put in its place.

    LogDevice, Read path, Authoritative Status: the new location is added to the copyset.
    """
    return copyset & old


@mutant(awaited, where=LOSSES)
def amends_before_stored(nodes: Nodes) -> Nodes:
    """Copysets name new nodes before these have stored anything.

    LogDevice, server/rebuilding/RecordRebuildingStore.cpp: AMEND comes after all new copies are stored.
    """
    return Nodes()
