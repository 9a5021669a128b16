"""Ordered sets of states as few bytes: differences, bytes of one weight together, then zstd.

Neighbours in an ordered set share their leading bits, so the differences of the first words are small and their leading
bytes, put together, are runs of zeros. Complete sets of reachable states take far less than a byte each.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import zstandard

from reference_impl.kernel.explorer.columns import Columns, U

LEVEL: Final = 1
"""Of zstd; higher ones cost much more time than they save bytes."""


def packed(states: Columns) -> bytes:
    """An ordered set as bytes."""
    if states.shape[1] == 0:
        return b""
    rows = states.copy()
    rows[0, 1:] = np.diff(states[0])
    planes = np.ascontiguousarray(np.ascontiguousarray(rows).view(np.uint8).reshape(-1, 8).T)
    return zstandard.ZstdCompressor(level=LEVEL).compress(planes.tobytes())


def unpacked(data: bytes, words: int, states: int) -> Columns:
    """The ordered set that bytes stand for.

    Raises:
        ValueError: the bytes are no such set.
    """
    if states == 0:
        return np.empty((words, 0), U)
    try:
        planes = zstandard.ZstdDecompressor().decompress(data, max_output_size=words * states * 8)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    raw = np.frombuffer(planes, np.uint8).reshape(8, -1)
    rows = raw.T.copy(order="C").view(U).reshape(words, states)
    rows[0] = np.cumsum(rows[0], dtype=U)
    return rows
