"""Probe rules: every construct of the language, whether the specification's rules use it or not.

They say nothing about logs. They exist so that all readings can be compared on every word of the vocabulary, over
views of every shape: see ``tests.support.probe_views``.
"""

from __future__ import annotations

from typing import Final

from spec.events.positions import epoch, first_lsn, last_lsn
from spec.language.declare import View
from spec.language.handles import Bool, known, one_of, window
from spec.language.quantifiers import count, domains, every, none, some
from spec.language.rule import Rule
from tests.support.probe_views import (
    ByReader,
    ByReason,
    ByUpto,
    Copy,
    EachOutcome,
    EachRead,
    EpochRow,
    LogRow,
    NodeRow,
    Payload,
    Slot,
)


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
        window(slot.picked, slot.wave, slot.said) <= slot.copies,
        (window(slot.lsn, 2, slot.said) & slot.claimed).size() >= slot.acks,
        window(-slot.early, slot.said, 5).size() == slot.said,
        window(3, slot.acks + 1, slot.mixed - 1).is_empty(),
    ]


def _domains_and_tables(slot: Slot) -> list[Bool]:
    return [
        count((rack & slot.copies).size() >= 1 for rack in domains("rack")) >= 2,
        count((rack & slot.chosen).is_empty() | slot.agreed for rack in domains("rack")) >= slot.acks,
        some(shard <= slot.everyone for shard in domains("shard")),
        every(slot.sealed | ~(pair <= slot.shared) for pair in domains("node")),
        none((region - slot.claimed).size() < slot.picked for region in domains("region")),
        count((rack & slot.copies).is_empty() | (slot.lowest <= 1) for rack in domains("rack")) > 1,
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
        slot.lowest == 1,
        slot.lowest >= 1,
        slot.lowest < 2,
        slot.mixed <= slot.lowest,
        slot.lowest > slot.picked,
        slot.lowest.not_after(slot.mixed - 2),
        slot.said.not_after(slot.lowest),
        slot.highest - slot.lowest <= 1,
        known(slot.lowest.when(slot.sealed)),
        known(slot.lowest_in_epoch),
        (slot.acks > 0).implies(known(slot.lowest_in_epoch) & (slot.lowest_in_epoch > slot.lsn)),
        slot.cleaned | ~(slot.lowest.when(slot.sealed | (slot.lowest < 2)) <= 1),
        ~known(slot.ahead) | ~slot.agreed,
        slot.later_nodeset.size() > 1,
        (slot.before.is_(1) & slot.recent.is_(1)) | (slot.highest.is_(1) & known(slot.ahead)),
        (slot.ahead.is_empty() & slot.lowest.is_(1)) | (slot.lowest < slot.highest),
    ]


def _epochs(row: EpochRow) -> list[Bool]:
    return [
        row.sealers.size() >= 2,
        row.first < row.last,
        row.before < row.first,
        row.last < row.ahead,
        row.highest == row.records,
        row.highest > 1,
        row.lowest == row.last,
        row.lowest <= row.last + 1,
        known(row.lowest).implies(row.number > 1),
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
        row.reached > row.lsn,
        row.reached == row.upto,
        row.lowest_in_epoch >= row.same_epoch,
        known(row.before),
        (row.said < 3).implies(row.covered < row.upto + 1),
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
        (row.reason > 2).implies(row.unavailable <= row.responders),
        (row.reason > 1) | (row.digest > 1),
        row.before < row.lsn,
        row.recent.is_empty() | row.is_gap,
        row.ahead == row.digest,
        row.highest == row.time,
        row.highest > 6,
        row.time.not_after(row.highest),
        row.lowest == row.time,
        row.lowest > 2,
        row.time.not_after(row.lowest),
        row.lowest.not_after(row.digest + 2),
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
        row.lowest == row.digest,
        (row.upto > row.lsn) | (row.lowest >= 2),
        count(known(row.lowest) & ~rack.is_empty() for rack in domains("rack")) > 1,
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
