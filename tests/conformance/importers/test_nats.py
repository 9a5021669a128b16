"""Small NATS recordings, each with the sentence that it is about: of NATS's documentation, or of the specification."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.importers.errors import Contradiction
from conformance.importers.nats import import_nats
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.events import CRASH, HOLE, Ack, AtEnd, Deliver, Fault, Gap, Indefinite, Invoke, Read, Refused, Store
from spec.language.outcomes import Verdict
from tests.support.recordings import judged, of_kind, violated, write

Row = dict[str, Any]
LOST, BEYOND = "client.read.acked_is_delivered", "client.read.nothing_beyond_the_end"


class Stream:
    """A NATS history of one stream; each row is a second after the one before."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def row(self, client: str, kind: str, **more: Any) -> Stream:
        """Anything."""
        time_ns = 1_000_000_000 * (len(self.rows) + 1)
        self.rows.append(
            {"client": client, "seq": len(self.rows), "time_ns": time_ns, "kind": kind, "log": "S", **more}
        )
        return self

    def invoke(self, number: int, value: str = "", client: str = "p0") -> Stream:
        """A client publishes."""
        return self.row(client, "invoke_append", seq=number, value=value or f"{client}:{number}")

    def end(self, kind: str, number: int, value: str = "", client: str = "p0", **more: Any) -> Stream:
        """It is told how that ended."""
        return self.row(client, kind, seq=number, value=value or f"{client}:{number}", **more)

    def append(self, *sequences: int, client: str = "p0") -> Stream:
        """A client publishes, and is told these sequences."""
        for sequence in sequences:
            self.invoke(sequence, client=client).end("ack", sequence, client=client, offset=sequence, duplicate=False)
        return self

    def given(self, *sequences: int, kind: str = "deliver", client: str = "reader") -> Stream:
        """A reader is given what the first client published."""
        for sequence in sequences:
            self.row(client, kind, value=f"p0:{sequence}", offset=sequence)
        return self

    def missing(self, *sequences: int) -> Stream:
        """The leader has no message at these sequences."""
        for sequence in sequences:
            self.row("get", "get_missing", offset=sequence, error="no message found")
        return self


def imported(folder: Path, stream: Stream, copies: Sequence[Row] | None = None) -> tuple[Header, list[EventRow]]:
    """The trace of a small recording."""
    replicas = None if copies is None else write(folder / "replicas.jsonl", copies)
    return import_nats(write(folder / "history.jsonl", stream.rows), replicas=replicas)


def places(events: list[EventRow], kind: int | None) -> list[tuple[int, int]]:
    """The LSNs of all events of a kind, as epoch and ESN."""
    return [(event["epoch"], event["esn"]) for event in of_kind(events, kind or 0)]


def test_sequences_are_esns_and_nothing_is_promised(tmp_path: Path) -> None:
    """NATS, JetStream, Streams: each message has a sequence, from 1; what an acknowledgement promises, nobody says."""
    header, events = imported(tmp_path, Stream().append(1, 2).given(1, 2))
    assert places(events, Ack.kind) == places(events, Deliver.kind) == [(1, 1), (1, 2)]
    assert places(events, Read.kind) == [(1, 1)]
    assert (header.named["logs"], dict(header.promises), header.members["nodes"]) == ({0: "S"}, {}, ())
    assert judged(header, events).verdict is Verdict.HOLDS


def test_what_a_consumer_goes_over_is_lost(tmp_path: Path) -> None:
    """LogDevice, Recovery, Log recovery: acknowledged records must always be delivered to the reader."""
    header, events = imported(tmp_path, Stream().append(1, 2, 3).given(1, 3))
    assert violated(judged(header, events)) == {LOST: 1}


def test_an_append_without_an_answer_may_be_anywhere_or_nowhere(tmp_path: Path) -> None:
    """NATS client: without a leader nobody answers; the message may have been stored."""
    stream = Stream().append(1).invoke(2).end("indefinite", 2).invoke(3).end("indefinite", 3).given(1)
    stream.row("reader", "deliver", value="p0:3", offset=2)
    header, events = imported(tmp_path, stream)
    assert len(of_kind(events, Indefinite.kind or 0)) == 2
    assert judged(header, events).verdict is Verdict.HOLDS


def test_a_sequence_that_the_leader_does_not_find_is_a_hole(tmp_path: Path) -> None:
    """JetStream wire API, STREAM.MSG.GET: no message found. The leader has given out a later sequence before."""
    stream = Stream().append(1, 2, 3).given(1, kind="deliver_get", client="get").missing(2, 3)
    header, events = imported(tmp_path, stream)
    assert [(event["esn"], event["upto_esn"], event["arg"]) for event in of_kind(events, Gap.kind or 0)] == [
        (2, 2, HOLE),
        (3, 3, HOLE),
    ]
    assert violated(judged(header, events)) == {LOST: 2}


def test_a_sequence_that_was_not_given_out_yet_is_no_hole(tmp_path: Path) -> None:
    """Nothing says that the leader had stored the message when it was asked: it is acknowledged while it answers."""
    stream = Stream().append(1).given(1, kind="deliver_get", client="get").append(2).missing(2)
    header, events = imported(tmp_path, stream.given(1, 2))
    assert of_kind(events, Gap.kind or 0) == []
    assert judged(header, events).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("asked_ns", "verdict"), [(3_000_000_000, Verdict.VIOLATED), (2_000_000_000, Verdict.HOLDS), (None, Verdict.HOLDS)]
)
def test_the_first_answer_of_a_client_counts_from_its_question(
    tmp_path: Path, asked_ns: int | None, verdict: Verdict
) -> None:
    """``spec.client.definition``: what no clock tells is not held against a log. Then the trace says so."""
    stream = Stream().append(1).given(1).row("get", "get_missing", offset=1)
    if asked_ns is not None:
        stream.rows[-1]["asked_ns"] = asked_ns
    header, events = imported(tmp_path, stream)
    assert len(of_kind(events, Gap.kind or 0)) == (verdict is Verdict.VIOLATED)
    assert judged(header, events).verdict is verdict
    assert ("they were asked: 1." in header.note) == (asked_ns is None)


def test_gets_read_anywhere(tmp_path: Path) -> None:
    """JetStream wire API, STREAM.MSG.GET: each asks for one sequence, and passes over none."""
    stream = Stream().append(1, 2, 3).given(3, 1, 2, kind="deliver_get", client="get")
    header, events = imported(tmp_path, stream)
    assert sorted(places(events, Read.kind)) == [(1, 1), (1, 3)], "2 goes on where 1 ended"
    assert judged(header, events).verdict is Verdict.HOLDS


def test_a_consumer_without_anything_pending_is_at_the_end(tmp_path: Path) -> None:
    """NATS, Consumers, num_pending: messages that match and were not delivered. Asked after the last delivery."""
    stream = Stream().append(1, 2).given(1).row("reader", "reader_info", node="n2", num_pending=0)
    header, events = imported(tmp_path, stream)
    told = of_kind(events, AtEnd.kind or 0)
    assert [(event["esn"], event["invoked_at_ns"], event["extra"]) for event in told] == [
        (2, 5_000_000_000, {"served_by": "n2"})
    ]
    assert violated(judged(header, events)) == {BEYOND: 1}


def test_the_header_names_clients_as_the_recording_does(tmp_path: Path) -> None:
    """And an answer names the server that gave it, where the recording tells."""
    stream = Stream().append(1).append(2, client="p1").given(1)
    stream.row("get", "deliver_get", value="p0:1", offset=1, node="n2")
    header, events = imported(tmp_path, stream.row("get", "get_missing", offset=2, node="n1"))
    writers, readers = ({event["actor"] for event in of_kind(events, kind or 0)} for kind in (Ack.kind, Deliver.kind))
    assert {header.named["writers"][number] for number in writers} == {"p0", "p1"}
    assert {header.named["readers"][number] for number in readers} == {"reader", "get"}
    told = [event.get("extra") for kind in (Deliver.kind, Gap.kind) for event in of_kind(events, kind or 0)]
    assert told == [None, {"served_by": "n2"}, {"served_by": "n1"}]


@pytest.mark.parametrize("stream", [Stream().append(1, 2).given(1), Stream().append(1, 2)], ids=["more", "unread"])
def test_a_consumer_that_is_not_at_an_end_says_nothing(tmp_path: Path, stream: Stream) -> None:
    """Where a consumer began that was given nothing, nobody says; and one with messages pending is not at the end."""
    pending = 1 if any(row["kind"] == "deliver" for row in stream.rows) else 0
    header, events = imported(tmp_path, stream.row("reader", "reader_info", num_pending=pending))
    assert of_kind(events, AtEnd.kind or 0) == []
    assert violated(judged(header, events)) == {}
    assert ("they were asked: 1." in header.note) == (pending == 0)


def test_a_retry_that_is_a_duplicate_acknowledges_the_first_try(tmp_path: Path) -> None:
    """NATS, JetStream, Message deduplication: the second message is not stored; its answer names the first."""
    stream = Stream().invoke(0, "x").end("indefinite", 0, "x").invoke(1, "x")
    stream.end("ack", 1, "x", offset=1, duplicate=True).append(2).row("reader", "deliver", value="x", offset=1)
    header, events = imported(tmp_path, stream.given(2))
    first, second = (event["seq"] for event in of_kind(events, Invoke.kind or 0) if event["seq"] < 2)
    assert [event["version"] for event in of_kind(events, Ack.kind or 0) if event["esn"] == 1] == [first]
    assert [event["version"] for event in of_kind(events, Refused.kind or 0)] == [second]
    assert of_kind(events, Indefinite.kind or 0) == []
    assert judged(header, events).verdict is Verdict.HOLDS


def test_a_first_try_that_was_acknowledged_stays_so(tmp_path: Path) -> None:
    """NATS, JetStream, Message deduplication: two clients send one message; both are told its one sequence."""
    stream = Stream().invoke(0, "x").end("ack", 0, "x", offset=1, duplicate=False)
    stream.invoke(0, "x", client="p1").end("ack", 0, "x", client="p1", offset=1, duplicate=True)
    header, events = imported(tmp_path, stream.row("reader", "deliver", value="x", offset=1))
    assert len(of_kind(events, Ack.kind or 0)) == len(of_kind(events, Refused.kind or 0)) == 1
    assert judged(header, events).verdict is Verdict.HOLDS


def test_of_several_duplicates_one_is_the_append(tmp_path: Path) -> None:
    """NATS, JetStream, Message deduplication: the message is there once, whoever of these sent it."""
    stream = Stream().invoke(0, "x").invoke(0, "x", client="p1")
    for client in ("p0", "p1"):
        stream.end("ack", 0, "x", client=client, offset=1, duplicate=True)
    header, events = imported(tmp_path, stream.row("reader", "deliver", value="x", offset=1))
    assert len(of_kind(events, Ack.kind or 0)) == len(of_kind(events, Refused.kind or 0)) == 1
    assert judged(header, events).verdict is Verdict.HOLDS


def test_a_duplicate_of_what_was_acknowledged_tells_nothing_of_another_try(tmp_path: Path) -> None:
    """NATS, JetStream, Message deduplication: the first was stored, so a try of unknown outcome stored nothing then."""
    stream = Stream().invoke(0, "x").end("ack", 0, "x", offset=1, duplicate=False)
    stream.invoke(1, "x").end("indefinite", 1, "x").invoke(2, "x").end("ack", 2, "x", offset=1, duplicate=True)
    _, events = imported(tmp_path, stream.row("reader", "deliver", value="x", offset=1))
    first, second, third = (event["seq"] for event in of_kind(events, Invoke.kind or 0))
    told = {"ack": Ack.kind, "unknown": Indefinite.kind, "refused": Refused.kind}
    assert {word: [event["version"] for event in of_kind(events, kind or 0)] for word, kind in told.items()} == {
        "ack": [first],
        "unknown": [second],
        "refused": [third],
    }


def test_a_retry_of_the_library_is_one_append(tmp_path: Path) -> None:
    """NATS client: it may send again by itself; its one append is acknowledged as a duplicate."""
    stream = Stream().invoke(1).end("ack", 1, offset=1, duplicate=True).given(1)
    header, events = imported(tmp_path, stream)
    assert places(events, Ack.kind) == [(1, 1)]
    assert judged(header, events).verdict is Verdict.HOLDS


def test_copies_and_faults_are_written_down(tmp_path: Path) -> None:
    """A look at the disks has no clock, so stores are recorded in part; a fault is context for stories."""
    copies = [{"node": node, "log": "S", "offset": 1, "value": "p0:1"} for node in (0, 2)]
    stream = Stream().append(1).given(1)
    stream.rows.append({"kind": "fault", "time_ns": 1, "node": 1, "fault": "kill -9"})
    header, events = imported(tmp_path, stream, copies)
    assert [node.name for node in header.members["nodes"]] == ["n0", "n1", "n2"]
    assert header.completeness("store") == "partial"
    assert [(event["node"], event["epoch"], event["esn"]) for event in of_kind(events, Store.kind or 0)] == [
        (0, 1, 1),
        (2, 1, 1),
    ]
    assert [(event["node"], event["arg"]) for event in of_kind(events, Fault.kind or 0)] == [(1, CRASH)]
    assert judged(header, events).verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("stream", "fault"),
    [
        (Stream().append(1).invoke(1), "begins twice"),
        (Stream().append(1).end("indefinite", 1), "ends twice"),
        (Stream().end("ack", 1, offset=1), "never began"),
    ],
)
def test_an_append_begins_once_and_ends_once(tmp_path: Path, stream: Stream, fault: str) -> None:
    """Two statements that cannot both be true are named, with the line of the second."""
    with pytest.raises(Contradiction, match=fault) as caught:
        imported(tmp_path, stream)
    assert f"line {len(stream.rows)}" in caught.value.where
