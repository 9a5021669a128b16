"""What nodes make of epochs whose recovery they missed: LogDevice, server/storage/Purge*."""

from __future__ import annotations

from spec.events import BRIDGE, HOLE, RECORD, Clean, Mutate, Purged, PurgeSurvivor
from tests.support.tiny import at, outcomes


def kept(esn: int, becomes: int = RECORD, digest: int = 7) -> dict[str, object]:
    """A node keeps a copy of epoch 1."""
    return at(PurgeSurvivor, 1, esn, node=0, becomes=becomes, digest=digest, recovery=0)


def decided(esn: int, becomes: int = RECORD, digest: int = 7) -> dict[str, object]:
    """The recovery of epoch 2 decides what an LSN of epoch 1 is to be."""
    return at(Mutate, 1, esn, becomes=becomes, recovery=2, digest=digest)


def test_an_epoch_is_purged_once_it_is_clean() -> None:
    rule = "log.purge.of_a_clean_epoch"
    clean = at(Clean, 1, 4, recovery=2, time=5)
    assert outcomes(rule, clean, at(Purged, 1, 0, node=0, recovery=2, time=6)) == ["holds"]
    assert outcomes(rule, clean, at(Purged, 1, 0, node=0, recovery=2, time=4)) == ["violated"]
    assert outcomes(rule, at(Purged, 1, 0, node=0, recovery=2, time=6)) == ["violated"]


def test_it_is_purged_by_what_a_recovery_decided() -> None:
    rule = "log.purge.of_a_clean_epoch"
    clean = at(Clean, 1, 4, recovery=2, time=5)
    assert outcomes(rule, clean, at(Purged, 1, 0, node=0, recovery=0, time=6)) == ["violated"]
    assert outcomes(rule, clean, at(Purged, 1, 0, node=0, recovery=1, time=6)) == ["violated"]


def test_of_an_empty_epoch_recovery_leaves_no_word() -> None:
    """LogDevice, server/CleanedResponseRequest.h: a bridge alone makes no epoch."""
    rule, none = "log.purge.of_a_clean_epoch", at(Purged, 1, 0, node=0, recovery=0, time=6)
    assert outcomes(rule, at(Clean, 1, 1, recovery=2, time=5), none) == ["holds"]
    assert outcomes(rule, at(Clean, 1, 2, recovery=2, time=5), none) == ["violated"]
    assert outcomes(rule, at(Clean, 1, 1, recovery=2, time=7), none) == ["violated"]
    assert outcomes(rule, none) == ["violated"]


def test_what_is_kept_is_what_was_decided() -> None:
    rule = "log.purge.keeps_what_was_decided"
    assert outcomes(rule, decided(3), kept(3)) == ["holds"]
    assert outcomes(rule, decided(3, HOLE, 0), kept(3)) == ["violated"]
    assert outcomes(rule, decided(3, digest=8), kept(3)) == ["violated"]


def test_what_is_kept_is_the_last_word_of_a_recovery_that_began_anew() -> None:
    rule = "log.purge.keeps_what_was_decided"
    assert outcomes(rule, decided(3, HOLE, 0), decided(3), kept(3)) == ["holds"]
    assert outcomes(rule, decided(3, HOLE, 0), decided(3), kept(3, HOLE, 0)) == ["violated"]


def test_nothing_is_kept_after_the_bridge() -> None:
    rule = "log.purge.keeps_what_was_decided"
    assert outcomes(rule, decided(3, BRIDGE, 0), kept(3, BRIDGE, 0), kept(4)) == ["holds", "violated"]
