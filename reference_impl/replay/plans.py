"""Guards of plans: whom a recovery heard before it decided, and what nodes then obey."""

from __future__ import annotations

from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import BRIDGE, CleanLearned, Mutate, MutationStored, NewEpoch, Planned, Seal, StatusTable, Store

RECOVERY = "LogDevice, common/EpochRecovery.cpp: "


@guard(
    "plan.is_the_next_round",
    Planned,
    cite=RECOVERY + "a recovery that starts again begins with new digests",
    needs=(Planned, NewEpoch),
    promise="recovery",
)
def round_is_the_next(log: Log, plan: TraceEvent) -> Against | None:
    """A recovery that has an epoch of its own counts how often it decided of an earlier one."""
    following = log.recovering(plan.epoch, plan.recovery or 0).round + 1
    known = plan.recovery is None or plan.epoch < plan.recovery <= log.newest
    if known and plan.esn == 0 and not differ(plan.round, following):
        return None
    return Against(f"round {following} of a recovery after epoch {plan.epoch}", f"{plan.round} of {plan.recovery}")


@guard(
    "plan.heard_who_promised",
    Planned,
    cite="LogDevice, common/RecoveryNode.h: a node is sealed before it is digested",
    needs=(Seal, NewEpoch),
    promise="seals",
)
def those_heard_had_promised(log: Log, plan: TraceEvent) -> Against | None:
    """A recovery hears nodes of the epoch's nodeset that promised it, and writes only to some of those."""
    nodeset = log.epoch(plan.epoch).nodeset
    if plan.recovery is None or nodeset is None or plan.heard is None:
        return None
    promised = {node for node in nodeset if (shard := log.shards.get(node)) and shard.promised >= plan.recovery - 1}
    if plan.heard <= promised and (plan.written or frozenset()) <= plan.heard:
        return None
    return Against(f"some of {sorted(promised)}", f"heard {sorted(plan.heard)}, writes to {sorted(plan.written or ())}")


@guard(
    "plan.heard_enough",
    Planned,
    cite="LogDevice, common/Digest.h: the digest set is an f-majority, or everybody whose answer counts",
    needs=(NewEpoch, StatusTable),
    promise="recovery",
)
def those_heard_suffice(log: Log, plan: TraceEvent) -> Against | None:
    """Those who were heard are an f-majority, or all that count, by a table that was published."""
    epoch, statuses = log.epoch(plan.epoch), log.cluster.statuses.get(plan.statuses)
    if epoch.quorums is None or epoch.nodeset is None or plan.statuses is None or plan.heard is None:
        return None
    if statuses is None:
        return Against(f"version {log.cluster.newest.version} at most", f"version {plan.statuses}")
    counting = epoch.nodeset - statuses.gone
    if counting <= plan.heard or epoch.quorums.is_f_majority(plan.heard, epoch.nodeset, statuses):
        return None
    return Against(f"an f-majority of {sorted(counting)}", f"{sorted(plan.heard)}")


@guard(
    "plan.can_be_stored",
    Planned,
    cite=RECOVERY + "those that may be written must be able to hold a copyset",
    needs=(NewEpoch, StatusTable),
    promise="recovery",
)
def outcome_can_be_stored(log: Log, plan: TraceEvent) -> Against | None:
    """Those to whom the outcome is written can hold a copyset, unless all that count were heard."""
    epoch, statuses = log.epoch(plan.epoch), log.cluster.statuses.get(plan.statuses)
    if epoch.quorums is None or epoch.nodeset is None or statuses is None or plan.written is None:
        return None
    if epoch.quorums.can_replicate(plan.written) or plan.heard is None or epoch.nodeset - statuses.gone <= plan.heard:
        return None
    return Against("nodes that can hold a copyset", f"{sorted(plan.written)}")


@guard(
    "plan.table_goes_on",
    Planned,
    cite="LogDevice, common/event_log/EventLogStateMachine.cpp: deltas are applied in the order of their LSNs",
    needs=(NewEpoch, StatusTable),
    promise="recovery",
)
def table_does_not_go_back(log: Log, plan: TraceEvent) -> Against | None:
    """A recovery uses no older table than when it was given its epoch, or when it decided of this one before."""
    least = log.recovering(plan.epoch, plan.recovery or 0).table
    if plan.statuses is None or plan.statuses >= least:
        return None
    return Against(f"version {least} or later", f"version {plan.statuses}")


@change(Planned)
def is_planned(log: Log, plan: TraceEvent) -> None:
    """Whatever the recovery stores from now on follows from these answers."""
    recovering = log.recovering(plan.epoch, plan.recovery or 0)
    recovering.round = plan.round or recovering.round + 1
    recovering.heard, recovering.last = plan.heard, 0
    before = recovering.written
    recovering.written = None if before is None or plan.written is None else before | plan.written
    recovering.table = max(recovering.table, plan.statuses or 0)


@guard(
    "obey.promised",
    MutationStored,
    cite="LogDevice, common/protocol/STORE_Message.cpp, checkIfPreempted: a preempted recovery is refused",
    needs=(Seal, Planned),
    promise="seals",
)
def obeys_whom_it_promised(log: Log, obeyed: TraceEvent) -> Against | None:
    """A node obeys only the recovery that it promised last, in a round in which that decided."""
    shard = log.shard(obeyed.node)
    recovering = log.epoch(obeyed.epoch).recoveries.get(obeyed.recovery)
    latest = 0 if recovering is None else recovering.round
    if obeyed.esn != 0:
        return Against("ESN 0: the epoch", f"ESN {obeyed.esn}")
    if (
        obeyed.recovery is None
        or log.epoch(obeyed.epoch).unnamed is not None
        or (obeyed.recovery == shard.seal + 1 and (obeyed.round is None or 1 <= obeyed.round <= latest))
    ):
        return None
    return Against(f"recovery {shard.seal + 1}, a round up to {latest}", f"{obeyed.recovery}, round {obeyed.round}")


@guard(
    "settle.is_decided",
    CleanLearned,
    cite="LogDevice, Recovery, Log recovery: the content of the epoch must stay immutable",
    needs=(Mutate,),
    promise="recovery",
)
def settles_what_was_decided(log: Log, settled: TraceEvent) -> Against | None:
    """A node learns what became of an epoch from a recovery that has decided it up to its bridge."""
    epoch = log.epoch(settled.epoch)
    recovering = epoch.recoveries.get(settled.recovery)
    decided = {} if recovering is None else recovering.decided
    is_open = settled.recovery is None or epoch.unnamed is not None
    known = is_open or any(becomes == BRIDGE for becomes, _ in decided.values())
    if known and settled.esn == 0:
        return None
    return Against(
        f"a recovery that decided epoch {settled.epoch}, ESN 0", f"recovery {settled.recovery}, ESN {settled.esn}"
    )


@guard(
    "settle.is_news",
    CleanLearned,
    cite="LogDevice, server/storage/PurgeCoordinator.cpp: a node keeps the last clean epoch",
    needs=(CleanLearned,),
)
def settles_once(log: Log, settled: TraceEvent) -> Against | None:
    """A node learns once what became of an epoch, unless it lost its disk."""
    if settled.epoch not in log.shard(settled.node).settled:
        return None
    return Against(f"an epoch of which node {settled.node} knew nothing", f"epoch {settled.epoch}")


@change(CleanLearned)
def is_settled(log: Log, settled: TraceEvent) -> None:
    """The node knows what became of the epoch."""
    log.shard(settled.node).settled.add(settled.epoch)


@guard(
    "store.not_settled",
    Store,
    MutationStored,
    cite="LogDevice, Recovery, Log recovery: the content of the epoch must stay immutable",
    needs=(CleanLearned,),
    promise="recovery",
)
def settled_epoch_stays(log: Log, event: TraceEvent) -> Against | None:
    """A node that knows what became of an epoch takes no more of it from recoveries."""
    if not event.recovery or event.epoch not in log.shard(event.node).settled:
        return None
    return Against(f"an epoch of which node {event.node} does not know what became", f"epoch {event.epoch}")
