"""Positions: an LSN as people and adapters write it, and as events have it."""

from __future__ import annotations

from typing import Final

from quorate.adapters.protocol import Lsn
from quorate.errors import BadLsn

EPOCH: Final = 1
"""The one epoch of logs that have none."""


def epoch_and_esn(lsn: Lsn) -> tuple[int, int]:
    """An LSN as epoch and number.

    Raises:
        BadLsn: it is something else.
    """
    if type(lsn) is int and lsn >= 0:
        return EPOCH, lsn
    match lsn:
        case (int(epoch), int(esn)) if epoch >= 0 <= esn:
            return epoch, esn
    raise BadLsn(f"LSN {lsn!r:.40}", "it is a whole number from 0, or an epoch and such a number", "(1, 7), or 7")


def before(epoch: int, esn: int, esn_bits: int) -> tuple[int, int]:
    """The position just before one; before the very first there is none, so it is that itself.

    Source: docs/reference/trace-format.md, Who is the client.
    """
    if esn:
        return epoch, esn - 1
    return (epoch - 1, (1 << esn_bits) - 1) if epoch else (epoch, esn)
