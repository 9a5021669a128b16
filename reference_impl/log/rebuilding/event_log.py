"""The event log: which shards are rebuilt, how far donors are, and so what each node's answers are worth.

LogDevice, Read path, Authoritative Status; common/event_log/EventLogStateMachine.cpp: one order of deltas for everyone.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Address, Effect, Handlers, Moment, Stepped
from reference_impl.log import trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.rebuilding.messages import (
    Abort,
    AckRebuilt,
    Donated,
    Down,
    LogGone,
    NeedsRebuild,
    Unrecoverable,
    Work,
)
from reference_impl.log.rebuilding.statuses import Shard, shard_status
from reference_impl.log.statuses import Statuses
from spec.events import ABORTED, ACKNOWLEDGED, IS_LOST, RELOCATES, RESTORES
from spec.log.status import Status

ADDRESS: Final[Address] = ("events", 0, 0)
"""There is one event log for all logs."""


class EventLog(NamedTuple):
    """The state that all nodes make of the event log.

    Attributes:
        statuses: the newest table.
        shards: what is known of shards that are, or were, rebuilt and do not serve again.
        until: up to where each log is rebuilt for a shard, by shard and log.
        down: nodes that seem to be down.
    """

    statuses: Statuses = Statuses()
    shards: Mapping[int, Shard] = {}
    until: Mapping[int, Mapping[int, int]] = {}
    down: Nodes = frozenset()

    def with_shard(self, number: int, shard: Shard) -> EventLog:
        """The same with another state of one shard."""
        return self._replace(shards={**self.shards, number: shard})


@decision
def next_version(statuses: Statuses) -> int:
    """Each delta makes a new version, and so a new table."""
    return statuses.version + 1


# ------------------------------------------------------------------------------------------------------ steps


def begin(log: EventLog, message: NeedsRebuild, moment: Moment, context: LogContext) -> Stepped[EventLog]:
    """A shard is to be rebuilt; nothing happens if it is already."""
    if message.shard in log.shards:
        return None
    version = context.decides(next_version)(log.statuses)
    shard = Shard(version, message.relocates, message.recoverable, message.time_ranged, message.donors)
    what = RELOCATES if message.relocates else RESTORES
    if message.relocates:
        log = log._replace(until={**log.until, message.shard: message.until})
    return _settled(log.with_shard(message.shard, shard), message.shard, what, context)


def lose(log: EventLog, message: Unrecoverable, moment: Moment, context: LogContext) -> Stepped[EventLog]:
    """The data of a shard is gone for good; from now on nobody counts on it, so donors can begin."""
    shard = log.shards.get(message.shard)
    if shard is None or message.shard in log.until:
        return None
    log = log._replace(until={**log.until, message.shard: message.until})
    return _settled(log.with_shard(message.shard, shard._replace(recoverable=False)), message.shard, IS_LOST, context)


def donated(log: EventLog, message: Donated, moment: Moment, context: LogContext) -> Stepped[EventLog]:
    """A donor is done with a log; what donors say of an earlier rebuilding does not count."""
    shard = log.shards.get(message.shard)
    done = (message.donor, message.log)
    if shard is None or shard.began != message.began or done not in shard.remaining:
        return None
    left_out = shard.left_out if message.authoritative else shard.left_out | {message.donor}
    shard = shard._replace(remaining=shard.remaining - {done}, left_out=left_out)
    version = context.decides(next_version)(log.statuses)
    by = (shard.began, message.donor)
    note = trace_events.donated(version, message.shard, by, _donors(shard.remaining), _relocating(log))
    return _republished(log.with_shard(message.shard, shard), (note,), context)


def forget_log(log: EventLog, message: LogGone, moment: Moment, context: LogContext) -> Stepped[EventLog]:
    """Donors are done with a log that is gone; it need not lie anywhere."""
    until = {number: {one: lsn for one, lsn in of.items() if one != message.log} for number, of in log.until.items()}
    log, effects = log._replace(until=until), list[Effect]()
    for number, shard in log.shards.items():
        for donor, which in sorted(shard.remaining):
            if which == message.log:
                stepped = donated(log, Donated(number, shard.began, donor, which, True), moment, context)
                if stepped is not None:
                    log, more = stepped
                    effects += more
    return log, tuple(effects)


def acknowledge(log: EventLog, message: AckRebuilt, moment: Moment, context: LogContext) -> Stepped[EventLog]:
    """A shard that is empty serves again."""
    shard = log.shards.get(message.shard)
    if shard is None or shard.status is not Status.AUTHORITATIVE_EMPTY:
        return None
    log = log.with_shard(message.shard, shard._replace(acknowledged=True))
    return _over(_settled(log, message.shard, ACKNOWLEDGED, context), message.shard)


def abort(log: EventLog, message: Abort, moment: Moment, context: LogContext) -> Stepped[EventLog]:
    """A shard that still has its data keeps it."""
    shard = log.shards.get(message.shard)
    if shard is None or shard.status is Status.AUTHORITATIVE_EMPTY or not (shard.relocates or shard.recoverable):
        return None
    log = log.with_shard(message.shard, shard._replace(acknowledged=True))
    return _over(_settled(log, message.shard, ABORTED, context), message.shard)


def see_down(log: EventLog, message: Down, moment: Moment, context: LogContext) -> Stepped[EventLog]:
    """Nodes are down, or up again."""
    return _republished(log._replace(down=message.nodes), (), context)


# ----------------------------------------------------------------------------------------------- the next table


def _settled(log: EventLog, number: int, what: int, context: LogContext) -> Stepped[EventLog]:
    """Note what happened to a shard, and make the next table."""
    shard = log.shards[number]
    version = context.decides(next_version)(log.statuses)
    note = trace_events.rebuilding(version, number, (what, shard.began), _donors(shard.remaining), _relocating(log))
    return _republished(log, (note,), context)


def _donors(work: Work) -> Nodes:
    return frozenset(donor for donor, _ in work)


def _relocating(log: EventLog) -> Nodes:
    return frozenset(number for number, shard in log.shards.items() if shard.relocates)


def _over(stepped: Stepped[EventLog], number: int) -> Stepped[EventLog]:
    if stepped is None:
        return None
    log, effects = stepped
    shards = {other: shard for other, shard in log.shards.items() if other != number}
    until = {other: of for other, of in log.until.items() if other != number}
    return log._replace(shards=shards, until=until), effects


def _republished(log: EventLog, before: tuple[Effect, ...], context: LogContext) -> Stepped[EventLog]:
    """Work out every status anew, and record the table with the logs of which a shard has just become empty."""
    recoverable = frozenset(n for n, shard in log.shards.items() if shard.recoverable and not shard.relocates)
    status_of = context.decides(shard_status)
    shards = {number: shard._replace(status=status_of(shard, recoverable)) for number, shard in log.shards.items()}
    version = context.decides(next_version)(log.statuses)
    old, new = log.statuses, _table(shards, log.down, version)
    moved = (new.underreplicated, new.empty) != (old.underreplicated, old.empty)
    new = new._replace(since=version if moved else old.since)
    emptied = tuple(
        trace_events.emptied(which, until, number, version)
        for number in sorted(new.empty - old.empty)
        for which, until in sorted(log.until.get(number, {}).items())
    )
    return log._replace(statuses=new, shards=shards), (*before, new.note(), *emptied)


def _table(shards: Mapping[int, Shard], down: Nodes, version: int) -> Statuses:
    def those(status: Status) -> Nodes:
        return frozenset(number for number, shard in shards.items() if shard.status is status)

    lost, empty = those(Status.UNDERREPLICATION), those(Status.AUTHORITATIVE_EMPTY)
    away = (down | those(Status.UNAVAILABLE)) - lost - empty
    return Statuses(version, 0, away, lost, empty)


HANDLERS: Final[Handlers] = {
    NeedsRebuild: begin,
    Unrecoverable: lose,
    Donated: donated,
    LogGone: forget_log,
    AckRebuilt: acknowledge,
    Abort: abort,
    Down: see_down,
}
