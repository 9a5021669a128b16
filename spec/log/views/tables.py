"""Tables that views look things up in: by epoch, by version, by LSN and by log."""

from __future__ import annotations

from spec.events import (
    ACKNOWLEDGED,
    BRIDGE,
    HOLE,
    IS_LOST,
    RECORD,
    WITHDRAWN,
    AppenderDone,
    Clean,
    Described,
    Digest,
    Donated,
    Draining,
    Emptied,
    Fault,
    Mutate,
    NewEpoch,
    Planned,
    Rebuilding,
    Scattered,
    ScatteredReader,
    StatusTable,
    Trimmed,
)
from spec.language.declare import Dimension, any_of, common_of, max_of, min_of, only_of, set_of, union_of


class Metadata(Dimension, by=(NewEpoch.log, NewEpoch.epoch)):
    """The metadata of one epoch of one log: LogDevice, Read path, Metadata log."""

    nodeset = only_of(NewEpoch.nodeset)
    replication = only_of(NewEpoch.replication)


class MetadataLogs(Dimension, by=(Described.log,)):
    """The metadata logs of which anything was recorded."""

    first_epoch = min_of(Described.epoch)


class Statuses(Dimension, by=(StatusTable.version,)):
    """The authoritative statuses of all nodes, by version: LogDevice, Read path, Authoritative Status."""

    unavailable = only_of(StatusTable.unavailable)
    underreplicated = only_of(StatusTable.underreplicated)
    empty = only_of(StatusTable.empty)
    first_at = min_of(StatusTable.time)


class Deltas(Dimension, by=(Rebuilding.version,)):
    """What the event log says of nodes that are rebuilt, by version."""

    returning = set_of(Rebuilding.node, where=Rebuilding.delta >= ACKNOWLEDGED)
    gives_up = any_of(Rebuilding, where=(Rebuilding.delta == IS_LOST) & (Rebuilding.began > 0))
    donors_of_the_lost = union_of(Rebuilding.donors, where=Rebuilding.delta == IS_LOST)


class Donations(Dimension, by=(Donated.version,)):
    """Who has still to re-replicate what, by version."""

    donors_left = only_of(Donated.donors)
    relocating = only_of(Donated.relocating)


class Emptying(Dimension, by=(Emptied.log,)):
    """The nodes that are empty, and up to where of a log, at least."""

    nodes = set_of(Emptied.node)
    upto = min_of(Emptied.lsn)


class Trims(Dimension, by=(Trimmed.log,)):
    """How far nodes have trimmed each log: the greatest trim point."""

    upto = max_of(Trimmed.lsn)


class Scatterings(Dimension, by=(Scattered.node,)):
    """The nodes whose own order nobody knows, since several recorders saw what they did."""

    first = min_of(Scattered.seq)


class ScatteredReaders(Dimension, by=(ScatteredReader.log, ScatteredReader.reader)):
    """The readers whose own order nobody knows, since several recorders saw what they asked and were told."""

    first = min_of(ScatteredReader.seq)


class Faults(Dimension, by=(Fault.what,)):
    """The nodes with faults, by which."""

    nodes = set_of(Fault.node)


class Retirements(Dimension, by=(AppenderDone.log,)):
    """Of each log the first append of which it is recorded when it may be released."""

    first = min_of(AppenderDone.lsn)


class Drains(Dimension, by=(Draining.log, Draining.epoch)):
    """The epochs whose sequencer asked for another one and let what was under way end: the last ESN of each."""

    last = max_of(Draining.esn)


class Outcomes(Dimension, by=(Mutate.log, Mutate.lsn)):
    """What recoveries decided, by LSN: the last that made it a record, a hole or a bridge, and the record's payload."""

    record_by, hole_by, bridge_by = (
        max_of(Mutate.recovery, where=(Mutate.standing > WITHDRAWN) & (Mutate.becomes == kind))
        for kind in (RECORD, HOLE, BRIDGE)
    )
    last_by = max_of(Mutate.recovery)
    digest = max_of(Mutate.digest, where=Mutate.becomes == RECORD)


class Plans(Dimension, by=(Planned.log, Planned.epoch, Planned.recovery)):
    """The recoveries that decided what becomes of an epoch, and how often they did under one seal."""

    planned = any_of(Planned)
    last_round = max_of(Planned.round)


class Rounds(Dimension, by=(Planned.log, Planned.epoch, Planned.recovery, Planned.round)):
    """Whom a recovery had heard when it decided for the nth time, and to whom it then wrote, by which status table."""

    heard, written = only_of(Planned.heard), only_of(Planned.written)
    statuses = only_of(Planned.statuses)


class Cleanings(Dimension, by=(Clean.log, Clean.epoch)):
    """By which recoveries, the first and the last, when, and with which last ESN an epoch was clean, by number."""

    first_by, by = min_of(Clean.recovery), max_of(Clean.recovery)
    bridge = max_of(Clean.esn)
    cleaned_at = min_of(Clean.time)


class Hearings(Dimension, by=(Planned.log, Planned.epoch)):
    """Which nodes every recovery heard that decided what becomes of an epoch."""

    always = common_of(Planned.heard)


class Tellings(Dimension, by=(Digest.log, Digest.lsn, Digest.recovery)):
    """Which nodes told a recovery of a record at an LSN."""

    nodes = set_of(Digest.node)
