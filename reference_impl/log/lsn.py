"""LSNs as numbers: the epoch in the upper bits, the ESN in the lower 32. LogDevice, include/types.h."""

from __future__ import annotations

from typing import Final

ESN_BITS: Final = 32
ESN_MAX: Final = (1 << ESN_BITS) - 1


def lsn_of(epoch: int, esn: int) -> int:
    """The LSN of an ESN in an epoch."""
    return epoch << ESN_BITS | esn


def epoch_of(lsn: int) -> int:
    """The epoch of an LSN."""
    return lsn >> ESN_BITS


def esn_of(lsn: int) -> int:
    """The sequence number of an LSN within its epoch."""
    return lsn & ESN_MAX
