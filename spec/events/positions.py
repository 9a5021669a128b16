"""Positions in a log: an LSN is an epoch and, in its low bits, an ESN.

Source: LogDevice, Recovery, Sequencer: epoch numbers; include/types.h for how many bits each has.
"""

from __future__ import annotations

from typing import Final

from spec.language.handles import Int, first, high, last
from spec.language.orders import Position, declared

LSN: Final = declared(Position("lsn", "epoch", "esn", "e{}n{}", "epoch {}, number {}", "LSN"))
UPTO: Final = declared(Position("upto", "upto_epoch", "upto_esn", "e{}n{}", "epoch {}, number {}", "LSN"))

CALLED: Final = {"high": "epoch", "first": "first_lsn", "last": "last_lsn"}
"""What pages call the operations on positions."""


def epoch(lsn: Int) -> Int:
    """The epoch of an LSN."""
    return high(lsn)


def first_lsn(epoch: Int) -> Int:
    """The position just before an epoch's first record: ESN 0, which no record has."""
    return first(epoch)


def last_lsn(epoch: Int) -> Int:
    """The greatest LSN that an epoch can have."""
    return last(epoch)


def last_esn() -> Int:
    """The greatest ESN that an epoch can have."""
    return last(0)
