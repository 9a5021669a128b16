"""What the clients of any log may see."""

from __future__ import annotations

from typing import Any

from spec.events import Ack, AtEnd, Deliver, Invoke, Read, Refused
from tests.support.tiny import at, outcomes


def ack(esn: int, digest: int, **fields: object) -> dict[str, object]:
    """A client's append is acknowledged in epoch 1."""
    return at(Ack, 1, esn, **({"writer": 5, "digest": digest, "required": 1, "copyset": frozenset()} | fields))


def invoke(digest: int, **fields: object) -> dict[str, object]:
    """A client begins an append."""
    said: dict[str, Any] = {"writer": 5, "digest": digest} | fields
    return at(Invoke, **said)


def deliver(esn: int, digest: int, reader: int = 9, **fields: object) -> dict[str, object]:
    """A reader is given a record of epoch 1."""
    return at(Deliver, 1, esn, reader=reader, digest=digest, **fields)


def test_no_two_payloads_at_one_lsn() -> None:
    assert outcomes("client.append.one_per_lsn", ack(1, 7), ack(2, 8)) == ["holds", "holds"]
    assert outcomes("client.append.one_per_lsn", ack(1, 7), ack(1, 8, writer=6)) == ["violated"]


def test_an_append_has_one_lsn() -> None:
    rule, begun = "client.append.one_lsn", invoke(7, seq=1)
    assert outcomes(rule, begun, ack(1, 7, invoked=1)) == ["holds"]
    assert outcomes(rule, begun, ack(1, 7, invoked=1), ack(2, 7, invoked=1)) == ["violated"]
    assert outcomes(rule, begun, invoke(7, seq=2), ack(1, 7, invoked=1), ack(2, 7, invoked=2)) == ["holds"] * 2
    assert outcomes(rule, begun, ack(1, 7, invoked=1), at(Refused, writer=5, digest=7, invoked=1)) == ["violated"]


def test_a_payload_is_delivered_as_often_as_it_was_appended() -> None:
    """Kafka, enable.idempotence: exactly one copy of each message is written in the stream."""
    rule = "client.append.once"
    assert outcomes(rule, invoke(7), deliver(1, 7), deliver(1, 7, reader=8)) == ["holds"]
    assert outcomes(rule, invoke(7), deliver(1, 7), deliver(2, 7)) == ["holds", "violated"]
    assert outcomes(rule, invoke(7), invoke(7), deliver(1, 7), deliver(2, 7)) == ["holds", "holds"]
    begun = [invoke(7, seq=1), invoke(7, seq=2)]
    assert outcomes(rule, *begun, ack(1, 7, invoked=1), deliver(1, 7), deliver(2, 7)) == ["holds", "holds"]
    assert outcomes(rule, begun[0], ack(1, 7, invoked=1), deliver(1, 7), deliver(2, 7)) == ["holds", "violated"]
    refused = at(Refused, writer=5, digest=7, invoked=1)
    assert outcomes(rule, *begun, refused, deliver(1, 7), deliver(2, 7)) == ["holds", "violated"]


def test_each_record_finds_an_append_if_all_can() -> None:
    """The first of two appends of unknown outcome fits both LSNs, the second only the greater one."""
    other = [invoke(8, seq=2), ack(1, 8, invoked=2, seq=3)]
    both = [invoke(7, seq=1), *other, invoke(7, seq=4)]
    assert outcomes("client.append.in_order", *both, deliver(2, 7, seq=5), deliver(3, 7, seq=6)) == ["holds"] * 3
    late = [invoke(7, seq=1), invoke(8, seq=2), ack(2, 8, invoked=2, seq=3), invoke(7, seq=4)]
    assert outcomes("client.append.in_order", *late, deliver(1, 7, seq=5), deliver(3, 7, seq=6)) == ["holds"] * 3
    broken = [invoke(8, seq=2), ack(2, 8, invoked=2, seq=3), invoke(7, seq=4)]
    assert outcomes("client.append.in_order", *broken, deliver(1, 7, seq=5)) == ["violated", "holds"]


def test_nothing_is_delivered_before_its_append_began() -> None:
    rule = "client.read.after_its_append"
    assert outcomes(rule, invoke(7, seq=1), deliver(1, 7, seq=2)) == ["holds"]
    assert outcomes(rule, invoke(7, seq=2), deliver(1, 7, seq=1)) == ["violated"]


def test_an_end_lies_beyond_what_was_acknowledged() -> None:
    rule = "client.read.nothing_beyond_the_end"
    known = [invoke(7, seq=1, time=1), ack(1, 7, invoked=1, seq=2, time=2)]
    assert outcomes(rule, *known, at(AtEnd, 1, 2, reader=9, seq=3)) == ["holds"]
    assert outcomes(rule, *known, at(AtEnd, 1, 1, reader=9, seq=3)) == ["violated"]
    assert outcomes(rule, *known, at(AtEnd, 1, 1, reader=9, seq=3, invoked=0)) == ["holds"], "it had asked before"
    other = at(AtEnd, 1, 1, reader=9, seq=1, time=50, recorder="another")
    assert outcomes(rule, *known, other) == ["violated"]
    assert outcomes(rule, at(AtEnd, 1, 1, reader=9, seq=3)) == ["holds"], "nothing was acknowledged"


def test_what_one_reader_is_given_no_other_passes_over() -> None:
    rule, start = "client.read.given_to_all", at(Read, 1, 1, reader=8)
    assert outcomes(rule, deliver(1, 7), start, deliver(1, 7, reader=8)) == ["holds"]
    assert outcomes(rule, deliver(1, 7), start, deliver(2, 8, reader=8)) == ["violated", "holds"]


def test_a_refused_append_is_never_delivered() -> None:
    rule, refused = "client.append.refused_is_absent", [invoke(7, seq=1), at(Refused, writer=5, digest=7, invoked=1)]
    assert outcomes(rule, *refused, deliver(1, 8)) == ["holds"]
    assert outcomes(rule, *refused, deliver(1, 7)) == ["violated"]
    assert outcomes(rule, *refused, refused[1], invoke(7, seq=2), deliver(1, 7)) == ["holds"], "told so twice"
    assert outcomes(rule, *refused, at(Invoke, writer=5), deliver(1, 7)) == ["unknown"], "nobody recorded a payload"


def test_a_later_append_gets_the_greater_lsn() -> None:
    rule, first, later, beside = "client.append.in_order", invoke(7, seq=1), invoke(8, seq=11), invoke(8, seq=2)
    assert outcomes(rule, first, later, ack(1, 7, seq=10, invoked=1), ack(2, 8, seq=20, invoked=11)) == ["holds"] * 2
    broken = [ack(2, 7, seq=10, invoked=1), ack(1, 8, seq=20, invoked=11)]
    assert outcomes(rule, first, later, *broken) == ["violated", "holds"]
    assert outcomes(rule, first, beside, ack(2, 7, seq=10), ack(1, 8, seq=20, invoked=2)) == ["holds"] * 2
    third = [invoke(9, seq=12), ack(3, 9, seq=13, invoked=12), invoke(6, seq=14), ack(1, 6, seq=15, invoked=14)]
    assert outcomes(rule, *third, invoke(5, seq=16), ack(2, 5, seq=17, invoked=16)) == ["violated", "violated", "holds"]


def test_appends_under_way_keep_their_order_where_that_is_promised() -> None:
    rule, begun = "client.append.client_order", [invoke(7, seq=1), invoke(8, seq=2)]
    assert outcomes(rule, *begun, ack(1, 7, invoked=1), ack(2, 8, invoked=2)) == ["holds"]
    assert outcomes(rule, *begun, ack(2, 7, invoked=1), ack(1, 8, invoked=2)) == ["violated"]
    assert outcomes(rule, *begun, *[ack(1, 7, invoked=1)] * 2, ack(2, 8, invoked=2)) == ["holds"] * 2, "told so twice"


def test_readers_see_the_same_record() -> None:
    assert outcomes("client.read.repeatable", deliver(1, 7), deliver(1, 7, reader=8)) == ["holds"]
    assert outcomes("client.read.repeatable", deliver(1, 7), deliver(1, 8, reader=8)) == ["violated"]


def test_what_is_delivered_is_what_was_acknowledged() -> None:
    assert outcomes("client.read.what_was_acked", ack(1, 7), deliver(1, 7)) == ["holds"]
    assert outcomes("client.read.what_was_acked", ack(1, 7), deliver(1, 8)) == ["violated"]


def test_nothing_is_invented() -> None:
    assert outcomes("client.read.nothing_invented", invoke(7), deliver(1, 7)) == ["holds"]
    assert outcomes("client.read.nothing_invented", invoke(7), deliver(1, 8)) == ["violated"]
