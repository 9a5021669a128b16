"""Operations: what each strict word of the vocabulary does to the values of whole columns.

Sums are made in 64 bits, whatever the columns' width; comparisons keep it. A set of more than 64 members has its
words on the axis before the rows, and every operation works on both forms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

import numpy as np

from spec.columns.column import Array, Mask
from spec.columns.kleene import plain
from spec.columns.mistakes import MemberOutOfRange
from spec.language.parameters import FACTOR_BITS, WORD, Parameters, mask
from spec.language.scopes import SCOPES
from spec.language.vocabulary import FACTOR

Operation: TypeAlias = Callable[..., Array]

IS_EMPTY: Final = "is empty"
"""This reading's own word for a set of size 0."""


def operations_of(parameters: Parameters) -> dict[str, Operation]:
    """All strict operations but ``one``, by name, for one trace's header."""
    bits = parameters.low_bits
    return {
        **_FIXED,
        "high": lambda position: position >> bits,
        "first": lambda high: np.left_shift(high, bits, dtype=np.int64),
        "last": lambda high: np.left_shift(high, bits, dtype=np.int64) + ((1 << bits) - 1),
        "window": lambda start, length, size: window(start, length, size, parameters),
        **(_ONE_WORD if parameters.words == 1 else _MANY_WORDS),
    }


def _factor(scope: str) -> Operation:
    shift = FACTOR_BITS * SCOPES.index(scope)
    return lambda packed: packed >> shift & 127


def _bits(masks: Array) -> Array:
    return np.bitwise_count(masks.view(np.uint64))


_FIXED: Final[dict[str, Operation]] = {
    "=": lambda a, b: np.equal(plain(a), plain(b)),
    "<>": lambda a, b: np.not_equal(plain(a), plain(b)),
    "<": lambda a, b: np.less(plain(a), plain(b)),
    "<=": lambda a, b: np.less_equal(plain(a), plain(b)),
    ">": lambda a, b: np.greater(plain(a), plain(b)),
    ">=": lambda a, b: np.greater_equal(plain(a), plain(b)),
    "+": lambda a, b: np.add(a, b, dtype=np.int64),
    "-": lambda a, b: np.subtract(a, b, dtype=np.int64),
    "neg": lambda a: np.negative(a, dtype=np.int64),
    "meet": np.bitwise_and,
    "join": np.bitwise_or,
    "minus": lambda a, b: a & ~b,
    **{FACTOR + scope: _factor(scope) for scope in SCOPES},
}
_ONE_WORD: Final[dict[str, Operation]] = {
    "size": _bits,
    IS_EMPTY: lambda masks: masks == 0,
    "subset": lambda a, b: a & ~b == 0,
}
_MANY_WORDS: Final[dict[str, Operation]] = {
    "size": lambda masks: _bits(masks).sum(axis=-2, dtype=np.int64),
    IS_EMPTY: lambda masks: ~masks.any(axis=-2),
    "subset": lambda a, b: ~(a & ~b).any(axis=-2),
}


def window(start: Array, length: Array, size: Array, parameters: Parameters) -> Array:
    """The places of a ring of some size, so many from a start on, as far as sets have room for them."""
    ring = np.maximum(size, 1).astype(np.int64)
    begins = np.asarray(start, np.int64) % ring
    words = np.zeros((parameters.words, *np.broadcast_shapes(begins.shape, np.shape(length), ring.shape)), np.int64)
    for place in range(parameters.size):
        chosen = (place < size) & ((place - begins) % ring < length)
        words[place // WORD] |= np.left_shift(chosen.astype(np.int64), place % WORD)
    return words[0] if parameters.words == 1 else words


@cache
def masks_of(domains: tuple[frozenset[int], ...], words: int) -> Array:
    """The masks of domains, each on an axis of its own before the words and the rows."""
    rows = np.array([mask(domain, words) for domain in domains], np.int64)
    return rows.reshape(len(domains), *((words,) if words > 1 else ()), 1)


def one(member: Array, known: Mask | None, parameters: Parameters) -> Array:
    """The set that has this member alone.

    Raises:
        MemberOutOfRange: there is no such member.
    """
    words = parameters.words
    if member.size and (member.min() < 0 or member.max() >= WORD * words):
        outside = (member < 0) | (member >= WORD * words)
        if (wrong := outside if known is None else outside & known).any():
            raise MemberOutOfRange(
                f"no member {int(np.broadcast_to(member, wrong.shape)[wrong][0])}",
                "a set",
                f"the header lists {parameters.size}",
                "Give the header the topology that the trace was recorded under",
            )
    wide = member.astype(np.int64, copy=False)
    bit = np.asarray(np.left_shift(np.int64(1), wide & WORD - 1))
    return bit if words == 1 else np.asarray(bit * (wide // WORD == np.arange(words).reshape(words, 1)))
