"""SpookyHash V2: the hash that storage nodes and clients must agree on, so that they shuffle a copyset alike.

Bob Jenkins's public-domain hash, as folly/hash/SpookyHashV2.h has it and LogDevice uses it. A message below 192 bytes
is mixed into four words of 64 bits, a longer one into twelve.
"""

from __future__ import annotations

from struct import unpack
from typing import Final, TypeAlias

Seeds: TypeAlias = tuple[int, int]
"""Two words of 64 bits: what a hash starts from, and what it comes to."""

_MASK: Final = (1 << 64) - 1
_FILL: Final = 0xDEADBEEFDEADBEEF
_LONG_FROM: Final = 192
_BLOCK: Final = 96

_SHORT_MIX: Final = (50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36)
_SHORT_END: Final = (15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63)
_LONG_MIX: Final = (11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46)
_LONG_END: Final = (44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54)


def hash128(message: bytes, seeds: Seeds) -> Seeds:
    """Two words of 64 bits that depend on every byte of the message and on both seeds.

    folly/hash/SpookyHashV2.cpp, Hash128.
    """
    return _short(message, seeds) if len(message) < _LONG_FROM else _long(message, seeds)


def _turned(word: int, bits: int) -> int:
    return (word << bits | word >> 64 - bits) & _MASK


def _short(message: bytes, seeds: Seeds) -> Seeds:
    """Half blocks of 16 bytes go in by two: the first before the mixing, the second after it."""
    state = [*seeds, _FILL, _FILL]
    whole = len(message) // 16
    for half, (low, high) in enumerate(unpack("<2Q", message[16 * i : 16 * i + 16]) for i in range(whole)):
        first = 0 if half % 2 else 2
        state[first] = (state[first] + low) & _MASK
        state[first + 1] = (state[first + 1] + high) & _MASK
        if not half % 2:
            _mix_short(state)
    rest = message[16 * whole :]
    low, high = unpack("<2Q", rest.ljust(16, b"\0")) if rest else (_FILL, _FILL)
    state[2] = (state[2] + low) & _MASK
    state[3] = (state[3] + high + (len(message) << 56)) & _MASK
    for step, bits in enumerate(_SHORT_END):
        here, there = (step + 2) % 4, (step + 3) % 4
        state[there] ^= state[here]
        state[here] = _turned(state[here], bits)
        state[there] = (state[there] + state[here]) & _MASK
    return state[0], state[1]


def _mix_short(state: list[int]) -> None:
    for step, bits in enumerate(_SHORT_MIX):
        here = (step + 2) % 4
        state[here] = (_turned(state[here], bits) + state[(step + 3) % 4]) & _MASK
        state[step % 4] ^= state[here]


def _long(message: bytes, seeds: Seeds) -> Seeds:
    state = [*seeds, _FILL] * 4
    whole = len(message) // _BLOCK
    for block in range(whole):
        for i, word in enumerate(unpack("<12Q", message[_BLOCK * block : _BLOCK * (block + 1)])):
            state[i] = (state[i] + word) & _MASK
            state[(i + 2) % 12] ^= state[(i + 10) % 12]
            state[(i + 11) % 12] ^= state[i]
            state[i] = _turned(state[i], _LONG_MIX[i])
            state[(i + 11) % 12] = (state[(i + 11) % 12] + state[(i + 1) % 12]) & _MASK
    rest = message[_BLOCK * whole :]
    last = rest.ljust(_BLOCK - 1, b"\0") + bytes([len(rest)])
    state = [(have + word) & _MASK for have, word in zip(state, unpack("<12Q", last), strict=True)]
    for _ in range(3):
        for i, bits in enumerate(_LONG_END):
            state[(i + 11) % 12] = (state[(i + 11) % 12] + state[(i + 1) % 12]) & _MASK
            state[(i + 2) % 12] ^= state[(i + 11) % 12]
            state[(i + 1) % 12] = _turned(state[(i + 1) % 12], bits)
    return state[0], state[1]
