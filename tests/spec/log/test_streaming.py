"""Appends of a stream are kept in order, none without those before it: LogDevice, common/WriteStreamRequest.h."""

from __future__ import annotations

from typing import Any

from spec.events import BRIDGE, HOLE, RECORD, Ack, Deliver, Gap, Mutate, Streamed
from tests.support.tiny import at, outcomes


def streamed(esn: int, place: int, epoch: int = 1, writer: int = 5) -> dict[str, Any]:
    """An append of a client's stream got an LSN."""
    return at(Streamed, epoch, esn, writer=writer, place=place)


def ack(esn: int, seq: int, epoch: int = 1) -> dict[str, Any]:
    """The client heard that its append is safe."""
    return at(Ack, epoch, esn, seq=seq, writer=5, digest=esn)


def decided(esn: int, becomes: int, recovery: int = 2) -> dict[str, Any]:
    """A recovery decided an LSN of epoch 1."""
    return at(Mutate, 1, esn, becomes=becomes, digest=0, recovery=recovery)


def test_nothing_of_a_stream_is_kept_above_a_hole() -> None:
    """Other records are; and what is delivered counts as what is decided, as does what readers are told."""
    rule = "log.stream.nothing_above_a_hole"
    assert outcomes(rule, decided(1, RECORD), streamed(2, 1), decided(2, RECORD)) == ["holds"]
    assert outcomes(rule, decided(1, HOLE), streamed(2, 1), decided(2, RECORD)) == ["violated"]
    assert outcomes(rule, decided(1, HOLE), decided(2, RECORD)) == []
    assert outcomes(rule, decided(1, BRIDGE, 3), streamed(2, 1), decided(2, RECORD, 2)) == ["holds"]
    assert outcomes(rule, decided(1, BRIDGE, 2), streamed(2, 1), decided(2, RECORD, 3)) == ["violated"]
    assert outcomes(rule, decided(1, HOLE), streamed(2, 1), decided(2, HOLE)) == []
    anew = [decided(2, RECORD), decided(1, HOLE), decided(2, HOLE)]
    assert outcomes(rule, decided(1, HOLE), decided(1, RECORD), streamed(2, 1), decided(2, RECORD)) == ["holds"]
    assert outcomes(rule, streamed(2, 1), *anew) == ["holds"]
    assert outcomes(rule, streamed(2, 1), *anew[:2]) == ["violated"]
    given = at(Deliver, 1, 2, reader=9, digest=2)
    gap = at(Gap, 1, 1, reader=9, reason=HOLE)
    assert outcomes(rule, gap, streamed(2, 1), given) == ["violated"]
    assert outcomes(rule, decided(1, HOLE), streamed(1, 1, epoch=2), at(Deliver, 2, 1, reader=9, digest=2)) == ["holds"]


def test_recovery_finds_all_before_an_acknowledged_record_of_a_stream() -> None:
    rule = "log.stream.acked_after_all_before"
    assert outcomes(rule, decided(1, RECORD), streamed(2, 1), ack(2, 10)) == ["holds"]
    assert outcomes(rule, decided(1, HOLE), streamed(2, 1), ack(2, 10)) == ["violated"]
    assert outcomes(rule, decided(1, BRIDGE), streamed(2, 1), ack(2, 10)) == ["violated"]
    assert outcomes(rule, decided(1, HOLE), ack(2, 10)) == []


def test_places_go_up_by_one_within_an_epoch() -> None:
    """Of each client by itself; the next epoch may go back."""
    rule = "log.stream.appended_in_order"
    assert outcomes(rule, streamed(1, 3), streamed(2, 4)) == ["holds"]
    assert outcomes(rule, streamed(1, 4), streamed(2, 3)) == ["violated"]
    assert outcomes(rule, streamed(1, 3), streamed(2, 5)) == ["violated"]
    assert outcomes(rule, streamed(1, 3), streamed(2, 1, writer=6)) == []
    assert outcomes(rule, streamed(1, 3), streamed(1, 3, epoch=2)) == []


def test_what_was_lost_is_written_again() -> None:
    """The stream goes on after its last append only if that was acknowledged, and so all before it was."""
    rule = "log.stream.nothing_left_out"
    assert outcomes(rule, streamed(1, 3), streamed(1, 3, epoch=2)) == ["holds"]
    assert outcomes(rule, streamed(1, 3), ack(1, 10), streamed(1, 4, epoch=2)) == ["holds"]
    assert outcomes(rule, streamed(1, 3), streamed(1, 4, epoch=2)) == ["violated"]
    assert outcomes(rule, streamed(1, 3), ack(1, 10), streamed(1, 5, epoch=2)) == ["violated"]
    assert outcomes(rule, streamed(1, 3), streamed(2, 4)) == []


def test_a_client_hears_in_order() -> None:
    """Whoever heard of one append heard of the one before it."""
    rule = "log.stream.answered_in_order"
    assert outcomes(rule, streamed(1, 1), streamed(2, 2), ack(1, 10), ack(2, 11)) == ["holds"]
    assert outcomes(rule, streamed(1, 1), streamed(2, 2), ack(1, 11), ack(2, 10)) == ["violated"]
    assert outcomes(rule, streamed(1, 1), streamed(2, 2), ack(2, 10)) == ["violated"]
    assert outcomes(rule, ack(1, 11), ack(2, 10)) == []
