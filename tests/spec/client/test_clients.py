"""What the clients of any log may see."""

from __future__ import annotations

from spec.events import Ack, Deliver, Invoke, Refused
from tests.support.tiny import at, outcomes


def ack(esn: int, digest: int, **fields: object) -> dict[str, object]:
    """A client's append is acknowledged in epoch 1."""
    return at(Ack, 1, esn, **({"writer": 5, "digest": digest, "required": 1, "copyset": frozenset()} | fields))


def deliver(esn: int, digest: int, reader: int = 9) -> dict[str, object]:
    """A reader is given a record of epoch 1."""
    return at(Deliver, 1, esn, reader=reader, digest=digest)


def test_no_two_payloads_at_one_lsn() -> None:
    assert outcomes("client.append.one_per_lsn", ack(1, 7), ack(2, 8)) == ["holds", "holds"]
    assert outcomes("client.append.one_per_lsn", ack(1, 7), ack(1, 8, writer=6)) == ["violated"]


def test_a_payload_is_delivered_at_one_lsn() -> None:
    """Kafka, enable.idempotence: exactly one copy of each message is written in the stream."""
    assert outcomes("client.append.once", deliver(1, 7), deliver(1, 7, reader=8)) == ["holds"]
    assert outcomes("client.append.once", deliver(1, 7), deliver(2, 7)) == ["violated"]


def test_a_refused_append_is_never_delivered() -> None:
    refused = at(Refused, writer=5, digest=7)
    assert outcomes("client.append.refused_is_absent", refused, deliver(1, 8)) == ["holds"]
    assert outcomes("client.append.refused_is_absent", refused, deliver(1, 7)) == ["violated"]


def test_a_later_append_gets_the_greater_lsn() -> None:
    rule = "client.append.in_order"
    assert outcomes(rule, ack(1, 7, seq=10, invoked=1), ack(2, 8, seq=20, invoked=11)) == ["holds"]
    assert outcomes(rule, ack(2, 7, seq=10, invoked=1), ack(1, 8, seq=20, invoked=11)) == ["violated"]
    assert outcomes(rule, ack(2, 7, seq=10, invoked=1), ack(1, 8, seq=20, invoked=2)) == ["holds"]
    assert outcomes(rule, ack(1, 7, seq=10, invoked=None), ack(2, 8, seq=20, invoked=11)) == ["unknown"]


def test_readers_see_the_same_record() -> None:
    assert outcomes("client.read.repeatable", deliver(1, 7), deliver(1, 7, reader=8)) == ["holds"]
    assert outcomes("client.read.repeatable", deliver(1, 7), deliver(1, 8, reader=8)) == ["violated"]


def test_what_is_delivered_is_what_was_acknowledged() -> None:
    assert outcomes("client.read.what_was_acked", ack(1, 7), deliver(1, 7)) == ["holds"]
    assert outcomes("client.read.what_was_acked", ack(1, 7), deliver(1, 8)) == ["violated"]


def test_nothing_is_invented() -> None:
    invoke = at(Invoke, writer=5, digest=7)
    assert outcomes("client.read.nothing_invented", invoke, deliver(1, 7)) == ["holds"]
    assert outcomes("client.read.nothing_invented", invoke, deliver(1, 8)) == ["violated"]
