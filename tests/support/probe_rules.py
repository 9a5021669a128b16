"""Probe views and rules: every construct of the language, whether the specification's rules use it or not.

They say nothing about logs. They exist so that all readings can be compared on every word of the vocabulary, over
views of every shape: one row for each slot, epoch, reader, copy or event, in trace order and out of it.
"""

from __future__ import annotations

from typing import Final

from spec.events import (
    Ack,
    Append,
    Clean,
    Deliver,
    Erase,
    Gap,
    Mutate,
    Named,
    NewEpoch,
    Outcome,
    Positioned,
    Release,
    Seal,
    StatusTable,
    Store,
    Written,
)
from spec.language.declare import (
    Dimension,
    View,
    all_same,
    along,
    any_of,
    common_of,
    count_of,
    max_of,
    min_of,
    only_of,
    set_of,
    union_of,
)
from spec.language.handles import Bool, epoch, first_lsn, known, last_lsn, one_of
from spec.language.quantifiers import count, domains, every, none, some
from spec.language.rule import Rule


class Statuses(Dimension, by=(StatusTable.version,)):
    """Statuses of all nodes, by version."""

    unavailable = only_of(StatusTable.unavailable)
    lost = union_of(StatusTable.underreplicated)
    gone = common_of(StatusTable.empty)
    tables = count_of(StatusTable)
    sound = ~unavailable.is_empty() & (lost <= gone)


class Metadata(Dimension, by=(NewEpoch.log, NewEpoch.epoch)):
    """What the epoch store said of one epoch."""

    nodeset = only_of(NewEpoch.nodeset)
    replication = only_of(NewEpoch.replication)
    sequencer = max_of(NewEpoch.sequencer)


class Slot(View, one_per=(Positioned.log, Positioned.lsn)):
    """Everything said about one LSN."""

    lsn = Positioned.lsn
    in_log, in_epoch = along(Positioned.log), along(Positioned.log, epoch(Positioned.lsn))
    sealed, cleaned = any_of(Seal), any_of(Clean, where=Clean.recovery > 1)
    said, acks = count_of(Positioned), count_of(Ack, where=Ack.required == 2)
    first_time, last_time = min_of(Positioned.time), max_of(Positioned.time)
    early = min_of(Ack.time, Release.time)
    mixed = max_of(Written.digest, -Gap.reason)
    picked = max_of(Written.digest, where=(Written.digest > 0) | (Written.time < 3))
    least_digest = min_of(Written.digest, where=known(Written.digest) & Written.digest.is_(1))
    sequencer = only_of(Append.sequencer)
    agreed = all_same(Written.digest)
    copies, lost = set_of(Store.node), set_of(Erase.node, where=Erase.time > 2)
    claimed, shared = union_of(Ack.copyset), common_of(Ack.copyset, where=Ack.digest >= 0)
    everyone = union_of(Ack.copyset, Store.copyset, Gap.responders)
    chosen = only_of(Store.copyset)
    decided = only_of(Mutate.becomes)
    wave = max_of(Store.wave.when(Store.becomes < 2))
    statuses = max_of(Gap.statuses)
    unavailable = Statuses.at(Statuses.unavailable, statuses)
    sound = Statuses.at(Statuses.sound, statuses)
    status_tables = Statuses.at(Statuses.tables, decided)
    nodeset = Metadata.at(Metadata.nodeset, Positioned.log, epoch(lsn))
    replication = Metadata.at(Metadata.replication, Positioned.log, epoch(lsn))
    own_replication = only_of(NewEpoch.replication)
    before, before_in_epoch = in_log.previous(last_time), in_epoch.previous(claimed)
    recent, recent_in_epoch = in_log.latest(picked), in_epoch.latest(shared)
    ahead, ahead_in_epoch = in_log.next(shared), in_epoch.next(lsn.when(acks > 0))
    highest, highest_in_epoch = in_log.highest(mixed), in_epoch.highest(lsn.when(sealed))
    replication_so_far = in_log.latest(own_replication)
    was_sealed = in_log.previous(sealed)
    later_nodeset = in_log.next(union_of(NewEpoch.nodeset))


class EpochRow(View, one_per=(Positioned.log, Positioned.epoch)):
    """Everything said about one epoch: rows that may be as long as a block."""

    number, in_log = Positioned.epoch, along(Positioned.log)
    sealers, records = set_of(Seal.node), count_of(Append)
    first, last = min_of(Store.lsn), max_of(Store.lsn)
    before, ahead, highest = in_log.previous(last), in_log.next(first), in_log.highest(records)


class ByReader(View, one_per=(Outcome.log, Outcome.reader, Outcome.lsn)):
    """What one reader was given at one LSN; the trace is not sorted by reader."""

    lsn, path = Outcome.lsn, along(Outcome.log, Outcome.reader)
    said, digest, upto = count_of(Outcome), max_of(Deliver.digest), max_of(Outcome.upto)
    before, recent, ahead = path.previous(said), path.latest(digest), path.next(digest)
    covered, same_epoch = path.highest(upto), along(Outcome.reader, Outcome.log, epoch(lsn)).highest(digest)


class Copy(View, one_per=(Store.node, Store.log, Store.lsn)):
    """One node's copy of one record; the key begins with a column that is not in trace order."""

    node, lsn, on_node = Store.node, Store.lsn, along(Store.node, Store.log)
    digest, becomes = only_of(Store.digest), max_of(Store.becomes)
    before, ahead = on_node.previous(digest), on_node.next(lsn.when(becomes > 1))


class ByUpto(View, one_per=(Outcome.log, Outcome.upto)):
    """What readers were told up to one LSN: rows in another order than the trace."""

    log, upto = Outcome.log, Outcome.upto
    said, first = count_of(Outcome), min_of(Outcome.lsn)
    digest = max_of(Deliver.digest)
    metadata = Metadata.at(Metadata.sequencer, log, epoch(upto))


class NodeRow(View, one_per=(Store.node,)):
    """Everything stored on one node, over all logs: no part of the key is in trace order."""

    node = Store.node
    stores, last, logs = count_of(Store), max_of(Store.lsn), max_of(Store.log)
    common = common_of(Store.copyset)


class Payload(View, one_per=(Named.log, Named.digest)):
    """Everything said about one payload; an event that does not know its digest makes no row."""

    digest, said, stored = Named.digest, count_of(Named), any_of(Store)
    first, last = min_of(Written.lsn), max_of(Deliver.lsn)


class ByReason(View, one_per=(Positioned.log, Gap.reason)):
    """All gaps of a log that have one reason; most events of its class have none, and make no row."""

    reason, gaps = Gap.reason, count_of(Positioned)
    readers = min_of(Gap.reader)


class LogRow(View, one_per=(Positioned.log,)):
    """Everything said about one log."""

    log = Positioned.log
    readers, bad = max_of(Outcome.reader), any_of(Gap, where=Gap.reason == 3)
    last = max_of(Release.lsn)


class EachOutcome(View, each=(Outcome.log, Outcome.lsn, Outcome.seq)):
    """Every answer to a reader, in trace order; a delivery has no responders."""

    lsn, upto, time, seq = Outcome.lsn, Outcome.upto, Outcome.time, Outcome.seq
    digest, responders, reason, statuses = Deliver.digest, Gap.responders, Gap.reason, Gap.statuses
    is_gap = any_of(Gap)
    unavailable = Statuses.at(Statuses.unavailable, statuses)
    path = along(Outcome.log)
    before, recent, ahead, highest = path.previous(upto), path.latest(responders), path.next(digest), path.highest(time)


class EachRead(View, each=(Outcome.reader, Outcome.log, Outcome.lsn, Outcome.seq)):
    """Every answer, reader by reader."""

    lsn, upto, digest = Outcome.lsn, Outcome.upto, Deliver.digest
    path = along(Outcome.log, Outcome.reader)
    before, recent, ahead, highest = path.previous(upto), path.latest(digest), path.next(digest), path.highest(upto)


def _connectives(slot: Slot) -> list[Bool]:
    a, b, c = slot.picked > 1, slot.shared.is_empty(), slot.first_time < 5
    return [
        slot.sealed.implies(slot.said > 2),
        (slot.said > 1).implies(slot.first_time <= slot.last_time),
        a & b,
        a | b | ~c,
        a.implies(b) & c,
        (a & b).implies(c | slot.cleaned),
        ~(a.implies(b)),
        known(slot.picked) | slot.cleaned,
        known(slot.shared).implies(known(slot.early)),
        slot.picked.is_(1) | slot.decided.is_(slot.least_digest),
        ~slot.statuses.is_(2),
        known(slot.claimed) & known(slot.cleaned),
    ]


def _numbers_and_sets(slot: Slot) -> list[Bool]:
    return [
        slot.mixed == slot.picked,
        slot.mixed != slot.least_digest + 1,
        slot.first_time - slot.last_time >= -slot.said,
        slot.early.not_after(slot.last_time),
        slot.last_time.not_after(slot.early),
        slot.agreed,
        slot.acks.when(slot.sealed | slot.cleaned) <= slot.wave,
        slot.claimed <= slot.copies,
        (slot.shared | slot.claimed).size() == slot.copies.size(),
        (slot.everyone - slot.lost) <= (slot.copies | slot.chosen),
        (slot.everyone & slot.chosen).size() > 1,
        one_of(slot.acks) <= slot.everyone,
        one_of(slot.sequencer) <= slot.nodeset,
        epoch(slot.lsn) > 1,
        slot.lsn <= first_lsn(slot.decided),
        last_lsn(epoch(slot.lsn)) - slot.lsn > slot.said + 248,
        first_lsn(epoch(slot.lsn)) == slot.lsn,
    ]


def _domains_and_tables(slot: Slot) -> list[Bool]:
    return [
        count((rack & slot.copies).size() >= 1 for rack in domains("rack")) >= 2,
        count((rack & slot.chosen).is_empty() | slot.agreed for rack in domains("rack")) >= slot.acks,
        some(shard <= slot.everyone for shard in domains("shard")),
        every(slot.sealed | ~(pair <= slot.shared) for pair in domains("node")),
        none((region - slot.claimed).size() < slot.picked for region in domains("region")),
        count(known(slot.shared) & (site & slot.copies).is_empty() for site in domains("data_center")) == slot.acks,
        slot.unavailable <= slot.everyone,
        slot.sound,
        ~slot.sound,
        known(slot.unavailable) | (slot.status_tables > 1),
        slot.status_tables.is_(1),
        slot.copies <= slot.nodeset,
        slot.replication.at("rack") <= count((rack & slot.copies).size() > 0 for rack in domains("rack")),
        every(slot.own_replication.at(scope) < 3 for scope in ("shard", "rack")),
        slot.replication.at("node") == slot.own_replication.at("region"),
        slot.replication_so_far.at("shard") >= slot.replication.at("shard"),
        count((rack & slot.recent_in_epoch).is_empty() for rack in domains("rack")) == 1,
    ]


def _neighbours(slot: Slot) -> list[Bool]:
    return [
        slot.before == 4,
        slot.before <= slot.first_time,
        slot.before_in_epoch <= slot.copies,
        slot.was_sealed,
        slot.was_sealed | slot.sealed,
        slot.recent == 1,
        known(slot.recent),
        known(slot.recent).implies(slot.recent >= slot.mixed),
        slot.recent_in_epoch.size() == 1,
        (slot.recent_in_epoch & slot.claimed).size() > 0,
        slot.ahead.size() == 1,
        slot.ahead <= slot.copies,
        slot.ahead_in_epoch > slot.lsn + 2,
        slot.ahead_in_epoch.is_(slot.lsn) & (slot.mixed <= 2),
        (slot.said > 2).implies(slot.ahead_in_epoch == slot.lsn),
        slot.highest == 1,
        slot.highest >= 1,
        slot.highest < 2,
        slot.mixed >= slot.highest,
        slot.highest > slot.picked,
        slot.highest - slot.said <= 1,
        known(slot.highest_in_epoch),
        slot.highest_in_epoch < slot.lsn,
        (slot.acks > 0).implies(slot.highest_in_epoch.is_(slot.lsn)),
        slot.recent.is_(2) | (slot.highest < slot.mixed),
        ~known(slot.ahead) | ~slot.agreed,
        slot.later_nodeset.size() > 1,
        (slot.before.is_(1) & slot.recent.is_(1)) | (slot.highest.is_(1) & known(slot.ahead)),
    ]


def _epochs(row: EpochRow) -> list[Bool]:
    return [
        row.sealers.size() >= 2,
        row.first < row.last,
        row.before < row.first,
        row.last < row.ahead,
        row.highest == row.records,
        row.highest > 1,
        (row.records > 0).implies(known(row.ahead)),
        row.number.is_(2).implies(row.before.is_(first_lsn(row.number - 1) + 2)),
    ]


def _readers(row: ByReader) -> list[Bool]:
    return [
        row.said < 2,
        row.before == 1,
        row.recent == 2,
        row.ahead == 1,
        row.covered > row.lsn,
        row.covered == row.upto,
        row.same_epoch >= 1,
        known(row.before),
        (row.said > 1).implies(row.covered < row.upto + 1),
        known(row.ahead).implies(row.recent.is_(1)),
        known(row.digest),
    ]


def _copies(row: Copy) -> list[Bool]:
    return [
        row.digest == row.before,
        known(row.before) | (row.becomes > 0),
        row.ahead <= row.lsn,
        row.ahead - row.lsn < 3,
        (row.becomes == 1).implies(known(row.ahead)),
        row.node > 0,
    ]


def _unsorted(row: ByUpto) -> list[Bool]:
    return [row.said < 2, row.first == row.upto, (row.said > 1).implies(row.digest > 0), row.metadata >= 1]


def _whole_nodes(row: NodeRow) -> list[Bool]:
    return [row.stores > 2, epoch(row.last) == 3, row.logs > 0, row.common.is_empty(), row.node.is_(0)]


def _payloads(row: Payload) -> list[Bool]:
    return [row.said > 2, row.stored.implies(row.first <= row.last), row.digest.is_(1) | (row.first == row.last)]


def _reasons(row: ByReason) -> list[Bool]:
    return [row.gaps > 1, row.readers < row.reason]


def _whole_logs(row: LogRow) -> list[Bool]:
    return [row.readers > 1, row.bad, row.bad.implies(known(row.last)), row.log.is_(0) | (row.last > 512)]


def _each_outcome(row: EachOutcome) -> list[Bool]:
    return [
        row.digest == 1,
        row.responders.size() >= 2,
        row.is_gap.implies(row.upto > row.lsn),
        row.reason.is_(3).implies(row.unavailable <= row.responders),
        (row.reason > 1) | (row.digest > 1),
        row.before < row.lsn,
        row.recent.is_empty() | row.is_gap,
        row.ahead == row.digest,
        row.highest == row.time,
        row.highest > 6,
        row.time.not_after(row.highest),
        row.seq >= row.statuses,
    ]


def _each_read(row: EachRead) -> list[Bool]:
    return [
        row.before < row.lsn,
        row.before <= row.lsn + 1,
        row.recent == row.digest,
        row.ahead.is_(1),
        row.highest == row.upto,
        known(row.digest).implies(row.highest <= row.upto),
        known(row.before),
    ]


def _rules(word: str, view: type[View], claims: list[Bool]) -> list[Rule]:
    return [
        Rule(
            f"probe.{word}_{number}", view, f"{word} {number}.", "none: a probe", claim.term, "", "safety", "", "probe"
        )
        for number, claim in enumerate(claims)
    ]


def _read(word: str, view: type[View], claims: object) -> list[Rule]:
    return _rules(word, view, claims(view))  # type: ignore[operator]  # a view's class stands for its row


PROBE_RULES: Final[list[Rule]] = [
    *_read("connectives", Slot, _connectives),
    *_read("values", Slot, _numbers_and_sets),
    *_read("domains", Slot, _domains_and_tables),
    *_read("neighbours", Slot, _neighbours),
    *_read("epochs", EpochRow, _epochs),
    *_read("readers", ByReader, _readers),
    *_read("copies", Copy, _copies),
    *_read("unsorted", ByUpto, _unsorted),
    *_read("nodes", NodeRow, _whole_nodes),
    *_read("payloads", Payload, _payloads),
    *_read("reasons", ByReason, _reasons),
    *_read("logs", LogRow, _whole_logs),
    *_read("each_outcome", EachOutcome, _each_outcome),
    *_read("each_read", EachRead, _each_read),
]
"""One rule for each probe."""
