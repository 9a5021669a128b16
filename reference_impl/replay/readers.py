"""Guards of what readers are given: everything in order, released, and as recovery left it."""

from __future__ import annotations

from reference_impl.log.copies import Nodes
from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.outcomes import kept
from reference_impl.replay.trace_events import TraceEvent
from spec.events import (
    BRIDGE,
    DATALOSS,
    HOLE,
    RECORD,
    TRIM,
    Ack,
    Append,
    Clean,
    Deliver,
    Gap,
    Given,
    Mutate,
    NewEpoch,
    Read,
    Release,
    StatusTable,
    Store,
)

STREAM = "LogDevice, common/client_read_stream/ClientReadStream.cpp: "
GAPS = "LogDevice, Read path, Reporting gaps: "

NEAR = 64
"""LSNs of a gap at the beginning of an epoch that are looked at one by one."""


@guard("read.begins_once", Read, cite=STREAM + "a read stream has one start")
def stream_begins_once(log: Log, read: TraceEvent) -> Against | None:
    """A read stream begins once in a log, and has then been given everything before its first LSN."""
    if read.reader in log.upto:
        return Against(f"reader {read.reader} to go on after LSN {log.upto[read.reader]}", "that it begins")
    return None if read.upto == read.lsn - 1 else Against(f"position {read.lsn - 1}", f"position {read.upto}")


@guard(
    "read.is_next",
    Given,
    cite=STREAM + "records and gaps partition what is read",
    needs=(Given,),
    promise="gap_reports",
)
def goes_on_where_it_was(log: Log, given: TraceEvent) -> Against | None:
    """A reader is given one LSN after the other; after an epoch it may go on at the first ESN of the next."""
    before = log.upto.get(given.reader)
    if before is None:
        return Against(f"that reader {given.reader} begins first", given.word)
    esn_max = log.cluster.esn_max
    following = (before + 1,) if before & esn_max != esn_max else (before + 1, before + 2)
    return None if given.lsn in following else Against(f"LSN {following[-1]}", f"LSN {given.lsn}")


@guard(
    "read.is_released",
    Given,
    cite="LogDevice, Read path: nodes only deliver what was released",
    needs=(Release,),
    promise="release",
)
def was_released(log: Log, given: TraceEvent) -> Against | None:
    """A reader is given nothing that was not released, unless it is trimmed: all of a clean epoch may be."""
    if given.lsn <= log.released or getattr(given, "reason", None) == TRIM:
        return None
    return Against(f"LSN {log.released} at most", f"LSN {given.lsn}")


@guard(
    "deliver.is_what_was_kept",
    Deliver,
    cite="LogDevice, Recovery: records are delivered as the repaired log has them",
    needs=(Append, Mutate, Clean),
    promise="recovery",
)
def delivers_what_was_kept(log: Log, deliver: TraceEvent) -> Against | None:
    """A reader is given the record that was appended, unless recovery made something else of its LSN."""
    found = kept(log.epoch(deliver.epoch), deliver.esn)
    if deliver.upto != deliver.lsn:
        return Against(f"LSN {deliver.lsn} alone", f"up to {deliver.upto}")
    if found is not None and found[0] == RECORD and not differ(found[1], deliver.digest):
        return None
    said = "nothing" if found is None else f"payload {found[1]}" if found[0] == RECORD else "a plug"
    return Against(f"{said} at LSN {deliver.lsn}", f"payload {deliver.digest}")


@change(Read, Given)
def has_read(log: Log, step: TraceEvent) -> None:
    """The reader has an answer for everything up to here."""
    log.starts.setdefault(step.reader, step.lsn)
    log.upto[step.reader] = max(step.upto, log.upto.get(step.reader, step.upto))


@guard(
    "gap.is_what_was_kept",
    Gap,
    cite=GAPS + "a hole plug and a bridge are written by recovery",
    needs=(Mutate, Clean),
    promise="recovery",
)
def tells_of_what_recovery_left(log: Log, gap: TraceEvent) -> Against | None:
    """A reader is told of a hole or a bridge where recovery put one; a bridge covers the rest of its epoch.

    Where nothing was given of an epoch yet, a gap before its first records is a bridge as well.
    """
    if gap.reason not in (HOLE, BRIDGE) or (gap.reason == BRIDGE and _begins_an_epoch(log, gap)):
        return None
    found = kept(log.epoch(gap.epoch), gap.esn)
    end = gap.lsn if gap.reason == HOLE else gap.lsn - gap.esn + log.cluster.esn_max
    if found is not None and found[0] == gap.reason and gap.upto == end:
        return None
    return Against(
        f"{found or 'nothing'} at LSN {gap.lsn}; a gap of this kind up to {end}", f"{gap.reason}, {gap.upto}"
    )


def _begins_an_epoch(log: Log, gap: TraceEvent) -> bool:
    """The reader was given nothing of the epoch yet, and there is something after the gap, or nothing released.

    LogDevice, common/client_read_stream/ClientReadStream.cpp, determineGapType.
    """
    if gap.esn != 0 and log.starts.get(gap.reader) != gap.lsn:
        return False
    after, esn_max = gap.upto + 1, log.cluster.esn_max
    covered = range(gap.lsn, min(after, gap.lsn + NEAR))
    if any(lsn in shard.copies for shard in log.shards.values() for lsn in covered):
        return False
    if after > log.released:
        return bool(after & ~esn_max == gap.lsn - gap.esn)
    number = gap.epoch + (after - (gap.lsn - gap.esn)) // (esn_max + 1)
    return kept(log.epoch(number), after & esn_max) is not None


@guard("gap.has_a_reason", Gap, cite=GAPS + "each gap says why", promise="gap_reports")
def gap_says_why(log: Log, gap: TraceEvent) -> Against | None:
    """The machine filters nothing and forbids nothing: gaps are holes, bridges, losses, and what some node trimmed."""
    if gap.reason == TRIM and gap.upto not in log.points:
        return Against(f"one of {sorted(log.points)}, the trim points", f"a trimmed part up to {gap.upto}")
    if gap.reason not in (HOLE, BRIDGE, DATALOSS, TRIM):
        return Against("a hole, a bridge, a loss or a trimmed part", f"{gap.reason}")
    return None if gap.upto >= gap.lsn else Against(f"LSN {gap.lsn} or later", f"LSN {gap.upto}")


@guard(
    "gap.by_a_known_table",
    Gap,
    cite="LogDevice, Read path, Authoritative Status: a reader follows the event log",
    needs=(StatusTable,),
)
def goes_by_a_published_table(log: Log, gap: TraceEvent) -> Against | None:
    """A reader uses a version of the status table that was published."""
    if gap.statuses is None or gap.statuses in log.cluster.statuses:
        return None
    return Against(f"version {log.cluster.newest.version} at most", f"version {gap.statuses}")


@guard(
    "gap.table_goes_on",
    Gap,
    cite="LogDevice, common/event_log/EventLogStateMachine.cpp: deltas are applied in the order of their LSNs",
    promise="gap_reports",
)
def table_does_not_go_back(log: Log, gap: TraceEvent) -> Against | None:
    """A reader does not go back to an older version of the status table."""
    before = log.tables.get(gap.reader, -1)
    if gap.statuses is None or gap.statuses >= before:
        return None
    return Against(f"version {before} or later", f"version {gap.statuses}")


@change(Gap)
def uses_a_table(log: Log, gap: TraceEvent) -> None:
    """The reader knows this table."""
    if gap.statuses is not None:
        log.tables[gap.reader] = gap.statuses


@guard(
    "gap.answered_by_its_nodes",
    Gap,
    cite="LogDevice, Read path, Gap detection: a reader asks the nodes of the epoch's nodeset",
    needs=(NewEpoch,),
    promise="placement",
)
def answers_come_from_the_nodeset(log: Log, gap: TraceEvent) -> Against | None:
    """Whoever answered a reader for a gap is in the epoch's nodeset; a trimmed part may be of several epochs."""
    nodeset = log.epoch(gap.epoch).nodeset
    if gap.reason == TRIM and nodeset is not None:
        later = range(gap.epoch + 1, (gap.upto + 1) // (log.cluster.esn_max + 1) + 1)
        nodeset = nodeset.union(*(log.epoch(number).nodeset or () for number in later))
    if nodeset is None or gap.responders is None or gap.responders <= nodeset:
        return None
    return Against(f"nodes of {sorted(nodeset)}", f"{sorted(gap.responders)}")


@guard(
    "gap.loss_is_proved",
    Gap,
    cite="LogDevice, Read path, Gap detection algorithm: an f-majority answered, or all nodes that count",
    needs=(NewEpoch, StatusTable),
    promise="gap_reports",
)
def loss_needs_enough_answers(log: Log, gap: TraceEvent) -> Against | None:
    """Data loss is reported only where those who answered suffice, by the status table that the reader used."""
    epoch, statuses = log.epoch(gap.epoch), log.cluster.statuses.get(gap.statuses)
    if gap.reason != DATALOSS or epoch.quorums is None or epoch.nodeset is None:
        return None
    if (
        statuses is None
        or gap.responders is None
        or epoch.quorums.loss_is_proved(gap.responders, epoch.nodeset, statuses)
    ):
        return None
    return Against(f"answers that prove a loss among {sorted(epoch.nodeset)}", f"{sorted(gap.responders)} answered")


@guard(
    "gap.loses_what_nobody_holds",
    Gap,
    cite="LogDevice, Read path, Gap detection: a node that holds a record in the window sends it",
    needs=(Store,),
    promise="gap_reports",
)
def responders_hold_nothing_there(log: Log, gap: TraceEvent) -> Against | None:
    """Whoever answered for a loss holds nothing there, except copies that came after the release."""
    if gap.reason != DATALOSS:
        return None
    if gap.upto == gap.lsn and gap.esn == 0:
        return Against("an LSN that a record can have", f"LSN {gap.lsn} alone")
    return _held(log, gap.responders or frozenset(), gap.lsn, gap.upto)


def _held(log: Log, responders: Nodes, first: int, last: int) -> Against | None:
    for node in sorted(responders):
        shard = log.shard(node)
        for lsn in shard.held_between(first, last):
            if not shard.copies[lsn].late:
                return Against(f"nothing on nodes {sorted(responders)}", f"node {node} holds LSN {lsn}")
    return None


@guard(
    "gap.covers_nothing_acknowledged",
    Gap,
    cite=GAPS + "benign gaps have no data whose writer got an ACK",
    needs=(Ack,),
    promise="gap_reports",
)
def covers_no_acknowledged_record(log: Log, gap: TraceEvent) -> Against | None:
    """A hole, a bridge or a loss covers no record of its epoch that was acknowledged."""
    if gap.reason not in (HOLE, BRIDGE, DATALOSS):
        return None
    acked, first = log.epoch(gap.epoch).acked, max(1, gap.esn)
    esns = range(first, min(gap.esn + gap.upto - gap.lsn, log.cluster.esn_max) + 1)
    few, many = (esns, acked) if esns.stop - first < len(acked) else (acked, esns)
    covered = [esn for esn in few if esn in many]
    return Against("nothing that was acknowledged", f"ESN {min(covered)}") if covered else None
