"""What clients may say of a call: done, certainly not done, or unknown, and never more than they know.

Kafka: error codes of the protocol, and "delivery.timeout.ms", "retries" of the producer configuration. HTTP: RFC 9110,
section 15 (a 4xx answer refuses the request, a 5xx answer leaves open what was done).
"""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.record.errors import PackagesUnavailable
from conformance.record.kafka import record_kafka
from conformance.record.live import require_live
from conformance.record.restate_client import Load
from conformance.record.servers import free_ports

ANSWERS = {"k0": (200, b"1"), "k1": (404, b"service not found"), "k2": (503, b"try later")}


class Ingress(http.server.BaseHTTPRequestHandler):
    """Answers by the key in the path; `k3` gets no answer at all."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        key = self.path.split("/")[2]
        if key in ANSWERS:
            status, text = ANSWERS[key]
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


@pytest.fixture
def ingress() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ingress) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("client", "outcome"),
    [
        (0, {"kind": "ok", "value": "1", "status": 200}),
        (1, {"kind": "fail", "value": "service not found", "status": 404}),
        (2, {"kind": "info", "error": "status 503: try later"}),
        (3, {"kind": "info", "error": "RemoteDisconnected"}),
    ],
)
def test_an_answer_decides_what_a_call_did(ingress: int, client: int, outcome: dict[str, object]) -> None:
    load = Load([ingress], seed=0)
    load._call(client, 1, ingress)
    invoke, answer = load.rows
    assert {key: invoke[key] for key in ("client", "op", "kind", "key", "ingress")} == {
        "client": client,
        "op": 1,
        "kind": "invoke",
        "key": f"k{client}",
        "ingress": ingress,
    }
    assert {key: answer[key] for key in outcome} == outcome
    assert sum(load.served().values()) == (outcome["kind"] == "ok")


def test_a_refused_connection_carried_no_call() -> None:
    (nobody,) = free_ports(1)
    load = Load([nobody], seed=0)
    load._call(0, 1, nobody)
    assert (load.rows[1]["kind"], load.rows[1]["status"]) == ("fail", None)


def test_progress_needs_every_client_and_every_named_ingress() -> None:
    load = Load([1, 2], seed=0)
    before = load.served()
    load._served.update({(client, 1): 2 for client in range(4)})
    assert load.has_served(before, [1], 2)
    assert not load.has_served(before, [1, 2], 2)
    assert not load.has_served(load.served(), [1], 1)


def test_a_kafka_error_is_a_failure_only_if_no_try_reached_the_log() -> None:
    confluent_kafka = pytest.importorskip("confluent_kafka", reason="the group `live` is not installed")
    from conformance.record.kafka_client import outcome

    error = confluent_kafka.KafkaError
    for code in (error._MSG_TIMED_OUT, error._TRANSPORT, error.NOT_LEADER_FOR_PARTITION, error._PURGE_INFLIGHT):
        assert {outcome(code, single_try=single) for single in (True, False)} == {"indefinite"}
    assert outcome(error.NOT_ENOUGH_REPLICAS_AFTER_APPEND, single_try=True) == "indefinite"
    assert outcome(error.NOT_ENOUGH_REPLICAS, single_try=True) == "fail"
    assert outcome(error.NOT_ENOUGH_REPLICAS, single_try=False) == "indefinite"
    assert outcome(error.MSG_SIZE_TOO_LARGE, single_try=False) == "fail"


def test_a_missing_client_library_is_unavailable() -> None:
    with pytest.raises(PackagesUnavailable, match=r"no_such_client cannot be had.*quorate\[live\]"):
        require_live("json", "no_such_client")


def test_an_unknown_scenario_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown Kafka scenario 'dirty': choose one of clean, acks1-leader-killed"):
        record_kafka(tmp_path, "dirty")
    assert list(tmp_path.iterdir()) == []
