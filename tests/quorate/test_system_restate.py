"""Restate's adapter over nodes that are played: what it sends again, and what it says of an append nobody answered.

Restate documentation, Invoke a handler over HTTP: what has an idempotency key is carried out once. HTTP: RFC 9110,
section 15 (a 4xx answer refuses the request, a 5xx answer leaves open what was done).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from conformance.record.servers import free_ports
from quorate.adapters.protocol import AtEnd, Gap, Indefinite, Record, Refused
from quorate.systems.restate import Client, RestateNodes


class Ingress(BaseHTTPRequestHandler):
    """Every node; answers what is said next, and notes who was asked for what, and by which key."""

    asked: ClassVar[list[tuple[str, object, str | None]]] = []
    answers: ClassVar[list[tuple[int, object]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append((self.path, body, self.headers["idempotency-key"]))
        status, said = self.answers.pop(0)
        if status:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        pass


NO_ANSWER = (0, None)


@pytest.fixture
def client() -> Iterator[Callable[..., Client]]:
    """Makes a client of one node that answers so; without answers, of one that does not listen."""
    Ingress.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Ingress) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()

        def made(*answers: tuple[int, object], has_keys: bool = True) -> Client:
            Ingress.answers[:] = answers
            ports = [server.server_port] if answers else free_ports(1)
            every: Any = SimpleNamespace(cluster=SimpleNamespace(ingresses=ports))
            return Client(cast("RestateNodes", every), "log7", "w1", has_keys=has_keys)

        yield made
        server.shutdown()
        thread.join()


@pytest.fixture
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not answered at once is given up."""
    monkeypatch.setattr("quorate.systems.restate.ANSWER_S", 0.0)


def test_what_nobody_answered_is_sent_again_under_its_key(client: Callable[..., Client]) -> None:
    one = client(NO_ANSWER, (503, "try later"), (200, 1), (200, 2))
    assert [one.append(b"a\xff"), one.append(b"b")] == [1, 2]
    first, second = ("/Log/log7/append", "a\xff", "w1:0"), ("/Log/log7/append", "b", "w1:1")
    assert Ingress.asked == [first, first, first, second]
    client((200, 1), has_keys=False).append(b"a")
    assert Ingress.asked[-1] == ("/Log/log7/append", "a", None)


@pytest.mark.usefixtures("in_no_time")
@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ((), Refused),
        (((404, "no such service"),), Refused),
        ((NO_ANSWER,), Indefinite),
        (((503, "try later"),), Indefinite),
    ],
)
def test_an_append_is_refused_only_if_no_node_has_taken_it(
    answers: tuple[tuple[int, object], ...], outcome: type[Exception], client: Callable[..., Client]
) -> None:
    with pytest.raises(outcome):
        client(*answers).append(b"a")
    with pytest.raises(TimeoutError):
        client(*answers).tail()


def test_a_refusal_after_silence_leaves_open_what_was_done(client: Callable[..., Client]) -> None:
    with pytest.raises(Indefinite, match="too late"):
        client(NO_ANSWER, (409, "too late")).append(b"a")


def test_what_was_trimmed_is_a_gap_and_the_end_is_told(client: Callable[..., Client]) -> None:
    one = client(
        (200, {"trimmed_to": 2, "last": 4, "records": ["c"]}),
        (200, {"trimmed_to": 2, "last": 4, "records": ["\xff"]}),
        (200, {"trimmed_to": 2, "last": 4, "records": []}),
    )
    steps = one.read(1)
    told = [next(steps) for _ in range(4)]
    assert told == [Gap(1, 2, "trim"), Record(3, b"c"), Record(4, b"\xff"), AtEnd(5)]
    assert [start for _, start, _ in Ingress.asked] == [1, 4]
