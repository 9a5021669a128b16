"""Mixing: pure choices that look random, for functions that may not draw from a generator."""

from __future__ import annotations

from typing import Final

_MASK: Final = (1 << 64) - 1


def mix(*numbers: int) -> int:
    """A whole number of 63 bits that depends on all the numbers: SplitMix64's finalizer, once for each."""
    state = 0
    for number in numbers:
        state = (state + number + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ state >> 27) * 0x94D049BB133111EB) & _MASK
        state ^= state >> 31
    return state >> 1
