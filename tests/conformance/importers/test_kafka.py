"""Small Kafka histories, each with the sentence of Kafka's documentation or of the specification that it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.kafka import Settings, import_kafka
from conformance.trace.errors import Empty, Oversized
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.events import (
    CRASH,
    RESTART,
    SKIPPED,
    TRIM,
    Ack,
    Deliver,
    Erase,
    Fault,
    Gap,
    Indefinite,
    Invoke,
    NewEpoch,
    Read,
    Refused,
    Store,
)
from spec.language.outcomes import Verdict
from spec.verdicts import Standing
from tests.support.recordings import History, by_id, copies, judged, of_kind, on_all, violated, write

Rows = Sequence[Mapping[str, Any]]
ZERO, ONE, TWO, OTHER = (0, 0, "p0:0"), (0, 1, "p0:1"), (0, 2, "p0:2"), (1, 1, "p1:0")


def imported(
    folder: Path, history: History, final: Rows, before: Rows | None = None, **settings: Any
) -> tuple[Header, list[EventRow]]:
    """The trace of a small recording."""
    return import_kafka(
        write(folder / "history.jsonl", history.rows),
        replicas=write(folder / "replicas.jsonl", final),
        before_restart=None if before is None else write(folder / "before_restart.jsonl", before),
        **settings,
    )


def places(events: list[EventRow], kind: int | None) -> list[tuple[int, int]]:
    """The LSNs of all events of a kind, as epoch and ESN."""
    assert kind is not None
    return [(event["epoch"], event["esn"]) for event in of_kind(events, kind)]


def spans(events: list[EventRow]) -> list[tuple[int, ...]]:
    """The gaps of a trace: reason, first and last LSN."""
    columns = ("arg", "epoch", "esn", "upto_epoch", "upto_esn")
    return [tuple(event[column] for column in columns) for event in of_kind(events, 17)]


def test_offsets_are_esns_and_leader_epochs_are_epochs(tmp_path: Path) -> None:
    """Apache Kafka, KIP-101: a message is stamped with the leader epoch; its offset never changes."""
    history = History().append("p0", {0: 0, 1: 1}).deliver("reader", ZERO, (1, 1, "p0:1"))
    header, events = imported(tmp_path, history, copies(on_all(ZERO, (1, 1, "p0:1"))), acks="all", min_insync=2)
    assert places(events, Ack.kind) == places(events, Deliver.kind) == [(0, 0), (1, 1)]
    assert len(places(events, Store.kind)) == 6
    assert [(event["log"], event["epoch"], event["nodes"]) for event in of_kind(events, NewEpoch.kind or 0)] == [
        (0, 0, {0, 1, 2}),
        (0, 1, {0, 1, 2}),
    ]
    assert (header.named["logs"], header.promises) == ({0: "orders"}, {"copies": 2})
    assert violated(judged(header, events)) == {}


def test_what_was_acknowledged_and_truncated_is_lost(tmp_path: Path) -> None:
    """Kafka, Producer configuration, acks=1: the record is lost if the leader fails before followers replicated it."""
    history = History().append("p0", {0: 0, 1: 1}).append("p1", {0: 1}).deliver("reader", ZERO, OTHER)
    before = copies({0: (ZERO, OTHER), 1: (ZERO, OTHER), 2: (ZERO, ONE)})
    header, events = imported(tmp_path, history, copies(on_all(ZERO, OTHER)), before, acks="1")
    assert places(events, Ack.kind) == [(0, 0), (0, 1), (1, 1)]
    assert [event["recorder"] for event in of_kind(events, Erase.kind or 0)] == ["n2"]
    assert spans(events) == [(SKIPPED, 0, 1, 1, 0)]
    verdict = judged(header, events)
    assert violated(verdict) == {"client.read.acked_is_delivered": 1}
    assert by_id(verdict)["client.read.acked_is_delivered"].violations[0].key == (0, 1)
    assert by_id(verdict)["client.append.one_per_lsn"].verdict is Verdict.HOLDS, "one offset, two epochs: two LSNs"
    assert by_id(verdict)["log.append.acked_has_copies"].verdict is Verdict.HOLDS, "it promised one copy and had it"


def test_the_epoch_of_a_zombies_acknowledgement_is_inferred(tmp_path: Path) -> None:
    """Apache Kafka, KIP-101: a deposed leader truncates its tail; only the next epoch's record shows the offset."""
    history = History().append("p0", {0: 0, 1: 1}).append("p1", {0: 1}).deliver("reader", ZERO, OTHER)
    header, events = imported(tmp_path, history, copies(on_all(ZERO, OTHER)), acks="1")
    marked = [(event["epoch"], event["esn"]) for event in of_kind(events, Ack.kind or 0) if "extra" in event]
    assert marked == [(0, 1)]
    verdict = judged(header, events)
    assert violated(verdict) == {"client.read.acked_is_delivered": 1}
    assert by_id(verdict)["log.append.acked_has_copies"].unknown == 1, "the copy may have been there before the look"
    assert "1 acknowledgements have an inferred epoch" in header.note


def test_a_retried_append_belongs_to_the_epoch_that_lasts(tmp_path: Path) -> None:
    """Kafka, Producer configuration, enable.idempotence: retries write one copy. examples/kafka-clean has such a case.

    The leader died with the record, unacknowledged; the producer tried again and the same offset was given to it.
    """
    again = (1, 1, "p0:1")
    history = History().append("p0", {0: 0, 1: 1}).deliver("reader", ZERO, again)
    before = copies({0: (ZERO, again), 1: (ZERO, again), 2: (ZERO, ONE)})
    header, events = imported(tmp_path, history, copies(on_all(ZERO, again)), before, acks="all", min_insync=2)
    assert places(events, Ack.kind) == [(0, 0), (1, 1)]
    assert violated(judged(header, events)) == {}


def test_a_tail_that_nobody_holds_was_passed_over_by_who_read_to_the_end(tmp_path: Path) -> None:
    """LogDevice, Recovery, Log recovery: acknowledged records must always be delivered to the reader."""
    history = History().append("p0", {0: 0, 1: 1, 2: 2}).deliver("reader", ZERO)
    header, events = imported(tmp_path, history, copies(on_all(ZERO)), acks="all", min_insync=2)
    assert spans(events) == [(SKIPPED, 0, 1, 0, 2)]
    assert violated(judged(header, events)) == {"client.read.acked_is_delivered": 2}


def test_a_reader_that_stopped_early_passed_over_nothing(tmp_path: Path) -> None:
    """Kafka, Consumer: a consumer reads as far as it polls; what it did not ask for is no loss."""
    history = History().append("p0", {0: 0, 1: 1}).deliver("reader", ZERO)
    header, events = imported(tmp_path, history, copies(on_all(ZERO, ONE)))
    assert spans(events) == []
    assert violated(judged(header, events)) == {}


def test_two_lost_payloads_of_one_offset_come_from_two_epochs(tmp_path: Path) -> None:
    """Apache Kafka, KIP-101: within one leader epoch an offset is given once."""
    history = History().append("p0", {0: 0, 1: 1}).append("p1", {0: 1}).deliver("reader", ZERO, (5, 1, "p2:0"))
    header, events = imported(tmp_path, history.invoke("p2", 0), copies(on_all(ZERO, (5, 1, "p2:0"), (3, 2, "p3:0"))))
    assert places(events, Ack.kind) == [(0, 0), (2, 1), (3, 1)]
    broken = {"client.read.acked_is_delivered": 2, "client.read.after_its_append": 1}
    assert violated(judged(header, events)) == broken, "p2:0 is given before it begins"


def test_an_offset_given_twice_by_the_first_epoch_is_a_violation(tmp_path: Path) -> None:
    """LogDevice, Read path: a sequence number stands for one record. No lower epoch can excuse this one."""
    history = History().append("p0", {0: 0}).append("p1", {0: 0}).deliver("reader", ZERO)
    header, events = imported(tmp_path, history, copies(on_all(ZERO)))
    assert set(violated(judged(header, events))) >= {"client.append.one_per_lsn", "client.read.what_was_acked"}


def test_a_whole_lost_epoch_is_passed_over_by_who_was_given_offset_0(tmp_path: Path) -> None:
    """LogDevice, Recovery, Log recovery: acknowledged records must always be delivered. LSN 0 has none before it."""
    history = History().append("p0", {0: 0}).append("p1", {0: 0}).deliver("reader", (1, 0, "p1:0"))
    header, events = imported(tmp_path, history, copies(on_all((1, 0, "p1:0"))))
    assert (spans(events), of_kind(events, Read.kind or 0)) == ([(SKIPPED, 0, 0, 0, (1 << 32) - 1)], [])
    assert violated(judged(header, events)) == {"client.read.acked_is_delivered": 1}


def test_a_reader_that_began_in_the_middle_says_so(tmp_path: Path) -> None:
    """Kafka, Consumer: a consumer may seek to any offset and begin there."""
    history = History().append("p0", {0: 0, 1: 1}).deliver("reader", ONE)
    header, events = imported(tmp_path, history, copies(on_all(ZERO, ONE)))
    (start,) = of_kind(events, Read.kind or 0)
    assert (start["epoch"], start["esn"], start["upto_epoch"], start["upto_esn"]) == (0, 1, 0, 0)
    assert violated(judged(header, events)) == {}


def test_what_retention_cut_is_trimmed_and_not_lost(tmp_path: Path) -> None:
    """Kafka, Topic configuration, retention.ms: old segments are discarded from the log's start."""
    history = History().append("p0", {0: 0, 1: 1, 2: 2}).deliver("reader", ZERO, TWO)
    header, events = imported(tmp_path, history, copies(on_all(TWO)))
    assert spans(events) == [(TRIM, 0, 1, 0, 1)]
    assert violated(judged(header, events)) == {}


def test_a_jump_within_an_epoch_is_seen(tmp_path: Path) -> None:
    """LogDevice, Recovery, Log recovery: acknowledged records must always be delivered to the reader."""
    history = History().append("p0", {0: 0, 1: 1, 2: 2}).deliver("reader", ZERO, TWO)
    header, events = imported(tmp_path, history, copies(on_all(ZERO, ONE, TWO)))
    assert violated(judged(header, events)) == {"client.read.acked_is_delivered": 1}


def test_failures_and_open_ends_keep_their_names(tmp_path: Path) -> None:
    """Kafka, Producer: an append that failed for certain did not happen; a time-out says nothing."""
    history = History().invoke("p0", 0, 1, 2).end("p0", "fail", 0).end("p0", "indefinite", 1).ack("p0", {2: 1})
    header, events = imported(tmp_path, history.deliver("reader", ZERO, (0, 1, "p0:2")), copies(on_all(ZERO)))
    counts = [len(of_kind(events, kind or 0)) for kind in (Invoke.kind, Refused.kind, Indefinite.kind)]
    assert counts == [3, 1, 1]
    broken = {"client.append.refused_is_absent": 1, "client.append.once": 1}
    assert violated(judged(header, events)) == broken, "no other append accounts for it"


def test_a_duplicate_is_delivered_twice(tmp_path: Path) -> None:
    """Kafka, Producer configuration, enable.idempotence=false: retries may write duplicates of the retried message."""
    twice = (0, 1, "p0:0")
    history = History().append("p0", {0: 1}).deliver("reader", ZERO, twice)
    header, events = imported(tmp_path, history, copies(on_all(ZERO, twice), pid=-1), acks="all", min_insync=2)
    assert violated(judged(header, events)) == {"client.append.once": 1}
    assert "append_once" not in header.promises


def test_an_offset_beyond_32_bits_fits_even_where_only_a_replica_has_it(tmp_path: Path) -> None:
    """Apache Kafka documentation, Record Batch: the base offset has 64 bits."""
    far = (0, 1 << 40, "p0:1")
    header, events = imported(tmp_path, History().append("p0", {0: 0}), copies(on_all(ZERO, far)))
    assert header.low_bits == 41
    assert (0, 1 << 40) in places(events, Store.kind)


def test_each_client_counts_its_events_and_names_the_invocation(tmp_path: Path) -> None:
    """spec.events, Event: seq is the recorder's own order; Ack.invoked is that of the append's invocation."""
    history = History().invoke("p0", 0, 1).ack("p0", {1: 0, 0: 1}).deliver("reader", (0, 0, "p0:1"), (0, 1, "p0:0"))
    header, events = imported(tmp_path, history, copies(on_all((0, 0, "p0:1"), (0, 1, "p0:0"))))
    said = sorted(
        (event["seq"], event.get("version"), event["time_ns"]) for event in events if event["recorder"] == "p0"
    )
    assert said == [(0, None, 1e9), (1, None, 2e9), (2, 1, 3e9), (3, 0, 4e9)]
    assert {event["payload"] for event in events if event["recorder"] == "p0"} == {"p0:0", "p0:1"}
    assert violated(judged(header, events)) == {}


def test_a_later_append_below_an_earlier_one_is_out_of_order(tmp_path: Path) -> None:
    """LogDevice, common/Sequencer.h: LSNs of a log increase with the order of its appends."""
    history = History().append("p0", {0: 1}).append("p0", {1: 0}).deliver("reader", (0, 0, "p0:1"), (0, 1, "p0:0"))
    header, events = imported(tmp_path, history, copies(on_all((0, 0, "p0:1"), (0, 1, "p0:0"))))
    assert violated(judged(header, events)) == {"client.append.in_order": 1}


@pytest.mark.parametrize(
    ("settings", "required"),
    [
        (Settings(), None),
        (Settings("1", 2), 1),
        (Settings("all", 2), 2),
        (Settings("all"), 1),
    ],
)
def test_settings_say_how_many_copies_are_promised(settings: Settings, required: int | None) -> None:
    """Kafka, Producer configuration, acks; Topic configuration, min.insync.replicas: 1 by default."""
    assert settings.required == required


@pytest.mark.parametrize(("acks", "min_insync"), [("0", None), ("2", None), ("all", 0), ("all", 4)])
def test_settings_that_cannot_be_are_refused(tmp_path: Path, acks: str, min_insync: int | None) -> None:
    """The house's rule: bad input gives a named error, never a pass."""
    history = History().append("p0", {0: 0}).deliver("reader", ZERO)
    with pytest.raises(Contradiction):
        imported(tmp_path, history, copies(on_all(ZERO)), acks=acks, min_insync=min_insync)


def test_without_settings_nothing_is_promised_of_copies(tmp_path: Path) -> None:
    """spec.promises: what a system does not promise is not held against it."""
    history = History().append("p0", {0: 0}).deliver("reader", ZERO)
    header, events = imported(tmp_path, history, copies({0: (ZERO,)}))
    standings = {rule.rule.id: rule.standing for rule in judged(header, events).rules}
    assert standings["log.append.acked_has_copies"] is Standing.NOT_PROMISED


def test_a_copy_too_few_is_no_pass(tmp_path: Path) -> None:
    """Kafka, Topic configuration, min.insync.replicas: so many replicas must acknowledge a write. One was seen."""
    history = History().append("p0", {0: 0}).deliver("reader", ZERO)
    before = copies({0: (ZERO,), 1: (ONE,)})
    header, events = imported(tmp_path, history, copies({0: (ZERO,)}), before, acks="all", min_insync=2)
    assert by_id(judged(header, events))["log.append.acked_has_copies"].verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("pids", "promised"), [((0, 1), True), ((0, -1), False), ((-1, -1), False), ((None, None), False)]
)
def test_producer_ids_show_idempotence(tmp_path: Path, pids: tuple[int | None, ...], *, promised: bool) -> None:
    """Kafka, Record Batch: a producer id is -1 where the producer is not idempotent."""
    history = History().append("p0", {0: 0, 1: 1}).deliver("reader", ZERO, ONE)
    final = [row | {"pid": pid} for row, pid in zip(copies({0: (ZERO, ONE)}), pids, strict=True)]
    header, _ = imported(tmp_path, history, final)
    assert ("append_once" in header.promises) is promised


def test_logs_and_brokers_are_numbered(tmp_path: Path) -> None:
    """Header.nodes: events name shards by their place; brokers may have any ids, and logs any names."""
    orders, bills = History("orders").append("p0", {0: 0}), History("bills").append("p0", {1: 0})
    orders.rows += bills.rows
    final = [*copies({101: (ZERO,)}), *copies({7: ((0, 0, "p0:1"),)}, log="bills")]
    header, events = imported(tmp_path, orders.deliver("reader", ZERO), final)
    assert header.named["logs"] == {0: "bills", 1: "orders"}
    assert [node.name for node in header.members["nodes"]] == ["n7", "n101"]
    stores = {(event["log"], event["node"]) for event in of_kind(events, Store.kind or 0)}
    assert stores == {(0, 0), (1, 1)}
    assert violated(judged(header, events)) == {}


def test_wide_offsets_take_the_bits_that_they_need(tmp_path: Path) -> None:
    """Header.esn_bits: how many low bits of an LSN are its ESN; Kafka's offsets have 63."""
    far = 1 << 40
    history = History().append("p0", {0: far}).deliver("reader", (0, far, "p0:0"))
    header, _ = imported(tmp_path, history, copies(on_all((0, far, "p0:0"))))
    assert header.low_bits == 41
    history.rows[1]["offset"] = 1 << 62
    with pytest.raises(Oversized):
        imported(tmp_path, history, copies(on_all((0, far, "p0:0"))))


def test_a_delivery_without_an_epoch_takes_that_of_the_copies(tmp_path: Path) -> None:
    """Kafka, Consumer: the leader epoch of a record may be unknown to old clients."""
    history = History().append("p0", {0: 0, 1: 1}).deliver("reader", ZERO, (-1, 1, "p0:1"))
    _, events = imported(tmp_path, history, copies(on_all(ZERO, (1, 1, "p0:1"))))
    assert places(events, Deliver.kind) == [(0, 0), (1, 1)]
    assert [event["kind"] for event in events if event["recorder"] == "reader"] == [
        Deliver.kind,
        Gap.kind,
        Deliver.kind,
    ]


def test_faults_are_context(tmp_path: Path) -> None:
    """They hit brokers, also one that held nothing when the replicas were looked at; no rule depends on them."""
    history = History().fault("kill -9", 7).append("p0", {0: 0}).fault("restart", 7).deliver("reader", ZERO)
    header, events = imported(tmp_path, history, copies(on_all(ZERO)), acks="1")
    told = [(event["node"], event["arg"], event["time_ns"]) for event in of_kind(events, Fault.kind or 0)]
    assert told == [(3, CRASH, 1_000_000_000), (3, RESTART, 4_000_000_000)]
    assert [node.name for node in header.members["nodes"]] == ["n0", "n1", "n2", "n7"]
    assert violated(judged(header, events)) == {}


def test_a_fault_must_be_one_that_is_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownRow, match=r"history\.jsonl, line 1: fault 'hiccup'"):
        imported(tmp_path, History().fault("hiccup", 0).append("p0", {0: 0}), copies(on_all(ZERO)))
    with pytest.raises(Empty, match="only faults"):
        imported(tmp_path, History().fault("restart", 0), copies(on_all(ZERO)))


def alone(folder: Path, history: History, **settings: Any) -> tuple[Header, list[EventRow]]:
    """The trace of a history without a look at the replicas."""
    return import_kafka(write(folder / "history.jsonl", history.rows), **settings)


def test_the_header_names_clients_as_the_history_does(tmp_path: Path) -> None:
    header, events = alone(tmp_path, History().append("p0", {0: 0}).append("p1", {0: 1}).deliver("reader", ZERO))
    assert [header.named["writers"][event["actor"]] for event in of_kind(events, Ack.kind or 0)] == ["p0", "p1"]
    assert list(header.named["readers"].values()) == ["reader"]


def test_a_history_alone_says_nothing_of_copies(tmp_path: Path) -> None:
    """A promise that nothing bears on is not judged: nobody looked at the replicas."""
    header, events = alone(tmp_path, History().append("p0", {0: 0, 1: 1}).deliver("reader", ZERO, ONE), acks="all")
    assert (header.members["nodes"], header.completeness("store")) == ((), "absent")
    assert header.note.endswith("The replicas were not looked at.")
    verdict = judged(header, events)
    assert verdict.verdict is Verdict.HOLDS
    assert "log.append.acked_has_copies" not in by_id(verdict)


def test_a_history_alone_shows_what_is_lost(tmp_path: Path) -> None:
    """Apache Kafka, KIP-101: the offset is given again in the next epoch, which a delivery shows."""
    history = History().append("p0", {0: 0, 1: 1}).append("p1", {0: 1}).deliver("reader", ZERO, OTHER)
    header, events = alone(tmp_path, history, acks="1")
    assert places(events, Ack.kind) == [(0, 0), (0, 1), (1, 1)]
    assert violated(judged(header, events)) == {"client.read.acked_is_delivered": 1}


def test_a_tail_that_nobody_read_is_not_known_to_be_lost(tmp_path: Path) -> None:
    """Unknown is never a pass: without the replicas nobody knows where the log ends."""
    header, events = alone(tmp_path, History().append("p0", {0: 0, 1: 1}).deliver("reader", ZERO))
    assert of_kind(events, Gap.kind or 0) == []
    assert judged(header, events).verdict is Verdict.HOLDS, "one was read, and the report counts the other apart"
    header, events = alone(tmp_path, History().append("p0", {0: 0, 1: 1}))
    assert judged(header, events).verdict is Verdict.UNKNOWN


def test_a_history_without_any_epoch_is_of_one(tmp_path: Path) -> None:
    """An offset is then all that is known of a place: two records at one are a loss of one of them."""
    history = History().append("p0", {0: 0, 1: 1}).deliver("reader", ZERO, (0, 1, "p0:1"))
    for row in history.rows:
        row.pop("epoch", None)
    header, events = alone(tmp_path, history)
    assert places(events, Deliver.kind) == [(0, 0), (0, 1)]
    assert judged(header, events).verdict is Verdict.HOLDS


def test_an_epoch_is_inferred_below_that_of_the_next_record(tmp_path: Path) -> None:
    """Apache Kafka, KIP-101: leader epochs rise along a log. A reader that began later passed over nothing here."""
    later = ((0, 2, "p0:2"), (1, 3, "p0:3"))
    history = History().append("p0", {0: 0, 2: 2, 3: 3}).append("p1", {1: 1}).deliver("reader", *later)
    header, events = alone(tmp_path, history)
    assert [(event["epoch"], event["esn"]) for event in of_kind(events, Ack.kind or 0) if event["esn"] == 1] == [(0, 1)]
    assert violated(judged(header, events)) == {}


def test_every_answer_names_its_append(tmp_path: Path) -> None:
    """``spec.client.definition``, 1: an append is itself, whatever its payload; the second of two was refused."""
    history = History().invoke("p0", 0, 1).end("p0", "fail", 1).deliver("reader", ZERO)
    for row in history.rows:
        row["value"] = "x"
    header, events = alone(tmp_path, history)
    assert [event["version"] for event in of_kind(events, Refused.kind or 0)] == [1]
    assert judged(header, events).verdict is Verdict.HOLDS


def test_a_look_before_the_restart_needs_one_at_the_end(tmp_path: Path) -> None:
    with pytest.raises(Contradiction, match="both, or none"):
        alone(tmp_path, History().append("p0", {0: 0}), before_restart=tmp_path / "before.jsonl")
