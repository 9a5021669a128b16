"""Small Restate recordings, each with what of Restate's replicated loglets or of the specification it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.importers.restate import import_restate
from conformance.importers.restate_text import Digest, read_chain, read_digest
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.events import CRASH, Ack, Append, Erase, Fault, Indefinite, NewEpoch, Refused, Release, Seal, Store
from spec.language.outcomes import Verdict
from tests.support.recordings import by_id, judged, of_kind, violated, write
from tests.support.restatectl import answer, call, chain, described, digest, digested

Rows = Sequence[Mapping[str, Any]]
ALL = "X" * 3
WHOLE = {1: ALL, 2: "XX-"}
CALLS = [call(1, "invoke", 1), call(2, "ok", 1, value="1"), call(3, "invoke", 2), call(4, "ok", 2, value="2")]


def imported(folder: Path, looks: Rows, calls: Rows = CALLS) -> tuple[Header, list[EventRow]]:
    """The trace of a small recording."""
    return import_restate(write(folder / "client.jsonl", calls), write(folder / "controller.jsonl", looks))


def at_nodes(events: list[EventRow], kind: int | None) -> list[tuple[str, int, int]]:
    """Who did it, in which epoch and at which ESN, in trace order."""
    assert kind is not None
    return [(event["recorder"], event["epoch"], event["esn"]) for event in of_kind(events, kind)]


def test_a_chain_is_read_as_printed() -> None:
    """Restate, log/describe_log.rs: index, base LSN, kind, loglet, replication, sequencer, effective nodeset."""
    read = read_chain(chain(7, (1, 3)))
    assert [(segment.log, segment.index, segment.sequencer, segment.copies) for segment in read.segments] == [
        (7, 0, 1, 2),
        (7, 1, 3, 2),
    ]
    assert (read.segments[0].nodeset, read.whole) == ((1, 2, 3), True)
    assert not read_chain(chain(7, (1, 3), shown=1)).whole


def test_the_marker_of_a_sealed_chain_is_no_segment() -> None:
    """Restate, InternalKind: a sealed chain ends in "sealed", a loglet without records that the next one replaces."""
    whole, trimmed = read_chain(chain(7, (1, 3), sealed=True)), read_chain(chain(7, (), sealed=True))
    assert ([segment.sequencer for segment in whole.segments], whole.whole) == ([1, 3], True)
    assert (trimmed.segments, trimmed.whole) == ((), True)


def test_copies_across_zones_are_not_judged() -> None:
    """Restate, replication property: zones and regions count too, but no recording says where nodes are."""
    assert read_chain(chain(0, (1,), replication="{zone: 2, node: 3}")).segments[0].copies is None


def test_a_digest_is_read_as_printed() -> None:
    """Restate, replicated_loglet/digest.rs and RecordStatus: X exists, T trimmed, A archived, - absent, ? unheard."""
    read = read_digest(digest({3: "X-?", 4: "TAX"}, tail=4, place=(2, 5), states="SE ", trimmed="20?", sequencer=3))
    assert isinstance(read, Digest)
    assert (read.segment.log, read.segment.index, read.segment.sequencer) == (2, 5, 3)
    assert (read.nodes, read.sealed, read.tail) == ((1, 2, 3), frozenset({1}), 4)
    assert (read.marks, read.trimmed) == ({3: "X-?", 4: "TAX"}, {1: 2, 2: 0})


def test_a_look_shows_copies_appends_and_what_may_be_read(tmp_path: Path) -> None:
    """Restate, replicated loglets: an offset below the global tail was given out, replicated and may be read."""
    looks = [described(1, chain(0, (1,))), digested(2, digest(WHOLE | {3: "X--"}, tail=3))]
    header, events = imported(tmp_path, looks)
    assert sorted(at_nodes(events, Store.kind)) == [
        *(("N1", 0, offset) for offset in (1, 2, 3)),
        *(("N2", 0, offset) for offset in (1, 2)),
        ("N3", 0, 1),
    ]
    assert at_nodes(events, Append.kind) == [("operator", 0, 1), ("operator", 0, 2)], "3 is above the tail"
    assert at_nodes(events, Release.kind) == [("operator", 0, 2)]
    verdict = by_id(judged(header, events))
    assert (verdict["log.release.is_replicated"].verdict, verdict["log.release.is_replicated"].judged) == (
        Verdict.HOLDS,
        2,
    )


def test_a_readable_record_on_one_node_is_no_pass(tmp_path: Path) -> None:
    """LogDevice, Read path: nodes only deliver records up to the last known good pointer; what lies below has R copies.

    Another copy may have gone before the look, so this is not proved to be wrong either.
    """
    header, events = imported(tmp_path, [digested(1, digest({1: "X--"}, tail=2))])
    assert by_id(judged(header, events))["log.release.is_replicated"].verdict is Verdict.UNKNOWN


def test_later_looks_add_only_what_is_new(tmp_path: Path) -> None:
    """spec.events, Store: a node holds a copy; it does so once however often it is looked at."""
    looks = [digested(1, digest(WHOLE, tail=3)), digested(2, digest(WHOLE, tail=3)), digested(3, digest(WHOLE, tail=3))]
    _, events = imported(tmp_path, looks)
    counts = [len(of_kind(events, kind or 0)) for kind in (Store.kind, Append.kind, Release.kind, NewEpoch.kind)]
    assert counts == [5, 2, 1, 1]


def test_looks_count_in_the_order_of_their_clock(tmp_path: Path) -> None:
    """Two commands may be written down as they end; what was seen later is what came later."""
    looks = [digested(2, digest({1: "-XX"}, tail=2)), digested(1, digest({1: ALL}, tail=2))]
    _, events = imported(tmp_path, looks)
    assert at_nodes(events, Erase.kind) == [("N1", 0, 1)]
    assert len(at_nodes(events, Store.kind)) == 3


def test_who_does_not_answer_has_lost_nothing(tmp_path: Path) -> None:
    """Restate, replicated_loglet/digest.rs: ? stands for a node that was not heard."""
    looks = [
        digested(1, digest(WHOLE, tail=3)),
        digested(2, digest({1: "?XX", 2: "?X-"}, tail=3, states="E  ", trimmed="?00")),
    ]
    _, events = imported(tmp_path, looks)
    assert at_nodes(events, Erase.kind) == []


@pytest.mark.parametrize("mark", ["-", "T", "A"])
def test_a_copy_that_is_gone_was_erased(tmp_path: Path, mark: str) -> None:
    """spec.events, Erase: a node no longer holds its copy: wiped, cut off, or truncated."""
    looks = [digested(1, digest(WHOLE, tail=3)), digested(2, digest({1: ALL, 2: f"X{mark}-"}, tail=3))]
    _, events = imported(tmp_path, looks)
    assert at_nodes(events, Erase.kind) == [("N2", 0, 2)]


def test_what_lies_below_the_trim_point_was_erased(tmp_path: Path) -> None:
    """Restate, replicated_loglet/digest.rs: offsets up to the least trim point are not listed."""
    looks = [digested(1, digest(WHOLE, tail=3)), digested(2, digest({2: "XX-"}, tail=3, trimmed="111"))]
    _, events = imported(tmp_path, looks)
    assert sorted(at_nodes(events, Erase.kind)) == [("N1", 0, 1), ("N2", 0, 1), ("N3", 0, 1)]


def test_a_sealed_node_is_seen_sealed_once(tmp_path: Path) -> None:
    """LogDevice, Recovery, Recovery example: storage nodes reject what is smaller; (S) marks them in a digest."""
    looks = [digested(second, digest(WHOLE, tail=3, states="SS ")) for second in (1, 2)]
    header, events = imported(tmp_path, looks)
    assert sorted(at_nodes(events, Seal.kind)) == [("N1", 0, 0), ("N2", 0, 0)]
    fences = by_id(judged(header, events))["log.seal.fences"]
    assert (fences.judged, fences.violated) == (2, 0)


def test_a_copy_on_a_sealed_node_may_be_a_repair_below_the_tail_only(tmp_path: Path) -> None:
    """Restate, replicated loglets: the tail of a sealed loglet is repaired; beyond it nothing is stored any more."""
    looks = [
        digested(1, digest({1: "XX-", 2: "XX-"}, tail=3, states="SSS")),
        digested(2, digest({1: ALL, 2: "XX-", 3: "--X"}, tail=3, states="SSS")),
    ]
    _, events = imported(tmp_path, looks)
    late = {event["esn"]: event["version"] for event in of_kind(events, Store.kind or 0) if event["recorder"] == "N3"}
    assert late == {1: None, 3: 0}
    (seal,) = [event["seq"] for event in of_kind(events, Seal.kind or 0) if event["recorder"] == "N3"]
    assert all(event["seq"] > seal for event in of_kind(events, Store.kind or 0) if event["recorder"] == "N3")


def test_a_segment_with_two_sequencers_is_a_violation(tmp_path: Path) -> None:
    """LogDevice, Recovery, Sequencer activation: the epoch store gives an epoch to one sequencer only."""
    looks = [described(1, chain(0, (1,))), digested(2, digest(WHOLE, tail=3, sequencer=2))]
    header, events = imported(tmp_path, looks)
    assert violated(judged(header, events)) == {"log.sequencing.one_sequencer": 1}


def test_an_answer_is_an_acknowledgement_at_its_position(tmp_path: Path) -> None:
    """The recorder's counter gives the value after the call: the call is that step of its counter."""
    calls = [*CALLS, call(5, "invoke", 3), call(6, "fail", 3, value="404"), call(7, "invoke", 4), call(8, "info", 4)]
    header, events = imported(tmp_path, [described(1, chain(0, (1,)))], calls)
    acks = [(event["log"], event["epoch"], event["esn"], event["version"]) for event in of_kind(events, Ack.kind or 0)]
    assert acks == [(1, 1, 1, 0), (1, 1, 2, 2)]
    assert header.named["logs"] == {0: "log 0", 1: "counter k0"}
    assert len(of_kind(events, Refused.kind or 0)) == len(of_kind(events, Indefinite.kind or 0)) == 1
    assert violated(judged(header, events)) == {}


def test_a_lost_update_is_two_calls_at_one_position(tmp_path: Path) -> None:
    """LogDevice, Read path: a sequence number stands for one record."""
    calls = [*CALLS[:3], call(4, "ok", 2, value="1")]
    header, events = imported(tmp_path, [described(1, chain(0, (1,)))], calls)
    assert "client.append.one_per_lsn" in violated(judged(header, events))


def test_a_counter_that_goes_back_is_out_of_order(tmp_path: Path) -> None:
    """LogDevice, common/Sequencer.h: LSNs of a log increase with the order of its appends."""
    calls = [call(1, "invoke", 1), call(2, "ok", 1, value="5"), call(3, "invoke", 2), call(4, "ok", 2, value="4")]
    header, events = imported(tmp_path, [described(1, chain(0, (1,)))], calls)
    assert violated(judged(header, events)) == {"client.append.in_order": 1}


def test_faults_are_context_and_failed_commands_say_nothing(tmp_path: Path) -> None:
    """spec.events, Fault: A fault at a node. A command that failed printed no answer."""
    looks = [
        described(1, chain(0, (1,))),
        {"time_ns": 2, "fault": "kill -9", "node": "N3"},
        answer(3, "replicated-loglet digest 0_0", "", rc=1),
        answer(4, "nodes list", "whatever"),
    ]
    header, events = imported(tmp_path, looks)
    assert [(event["node"], event["arg"]) for event in of_kind(events, Fault.kind or 0)] == [(2, CRASH)]
    assert [node.name for node in header.members["nodes"]] == ["N1", "N2", "N3"]


def test_a_chain_that_is_not_shown_whole_is_recorded_in_part(tmp_path: Path) -> None:
    """Header.completeness: a recorder that saw some events of a kind says so."""
    header, _ = imported(tmp_path, [described(1, chain(0, (1, 2, 3), shown=2))])
    assert header.completeness("epoch") == "partial"
    header, _ = imported(tmp_path, [described(1, chain(0, (1, 2, 3)))])
    assert header.completeness("epoch") == "complete"
