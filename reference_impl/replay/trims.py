"""Guards of trims: what an owner may ask for, and up to where nodes then delete."""

from __future__ import annotations

from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import Clean, Release, Trim, Trimmed


@guard(
    "trim.is_further",
    Trim,
    cite="LogDevice, common/TrimRequest.h: what was trimmed stays so; only what was released can be wanted no more",
    needs=(Trim, Release),
    promise="release",
)
def wants_less_than_before(log: Log, trim: TraceEvent) -> Against | None:
    """An owner goes on with what was released; of a clean epoch all may go."""
    before, esn_max = (log.unwanted or [0])[-1], log.cluster.esn_max
    whole = trim.esn == esn_max and trim.epoch <= log.cleaned
    if before < trim.lsn <= (trim.lsn if whole else log.released):
        return None
    return Against(f"an LSN after {before} and up to {log.released}", f"LSN {trim.lsn}")


@change(Trim)
def is_wanted_no_more(log: Log, trim: TraceEvent) -> None:
    """The owner has said so."""
    log.unwanted.append(trim.lsn)


@guard(
    "trimmed.was_asked",
    Trimmed,
    cite="LogDevice, common/protocol/TRIM_Message.h: nodes trim up to the LSN that the request names",
    needs=(Trim, Clean),
    promise="recovery",
)
def trims_what_was_asked(log: Log, trimmed: TraceEvent) -> Against | None:
    """A node trims to where its owner asked, or to the end of a clean epoch before that."""
    ends = trimmed.esn == log.cluster.esn_max and trimmed.lsn <= max(log.unwanted, default=0)
    if 1 <= trimmed.epoch <= log.cleaned and (ends or trimmed.lsn in log.unwanted):
        return None
    return Against(f"one of {log.unwanted}, as far as epoch {log.cleaned}", f"LSN {trimmed.lsn}")


@guard(
    "trimmed.rises",
    Trimmed,
    cite="LogDevice, server/read_path/LogStorageState.h, updateTrimPoint: one that is further already stays",
    needs=(Trimmed,),
)
def trim_point_rises(log: Log, trimmed: TraceEvent) -> Against | None:
    """A node's trim point rises, unless its disk was lost."""
    before = log.shard(trimmed.node).trimmed
    return None if trimmed.lsn > before else Against(f"an LSN after {before}", f"LSN {trimmed.lsn}")


@change(Trimmed)
def deletes_what_is_below(log: Log, trimmed: TraceEvent) -> None:
    """The node holds nothing more up to there."""
    shard = log.shard(trimmed.node)
    shard.trimmed = trimmed.lsn
    shard.deleted |= {lsn: held for lsn, held in shard.copies.items() if lsn <= trimmed.lsn}
    shard.copies = {lsn: held for lsn, held in shard.copies.items() if lsn > trimmed.lsn}
    log.points.add(trimmed.lsn)
