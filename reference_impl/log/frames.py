"""Frames: records as nodes send them, compressed; a reader that cannot expand one knows that the copy is damaged.

LogDevice, Read path, Compression; common/client_read_stream/ClientReadStream.cpp, onDataRecord: what cannot be decoded
counts as a bad checksum. Nodes do not look into what they send.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.log.copies import Copy
from reference_impl.log.payloads import BadFrame, compressed, expanded

WORD: Final = 8
"""Payloads of the simulated log are their own hashes, of so many bytes."""

CHECKSUM: Final = 4
"""Bytes at the end of a frame, after its content."""

KEPT: Final = 4096
"""Frames that are remembered, since several nodes send the same record to several readers."""


def frame_of(copy: Copy) -> bytes:
    """What a node reads from its disk for a record; of a damaged copy one byte is another one."""
    frame = _frame(copy.digest)
    if not copy.damaged:
        return frame
    at = len(frame) - CHECKSUM - 1
    return frame[:at] + bytes([frame[at] ^ 0xFF]) + frame[at + 1 :]


@lru_cache(KEPT)
def _frame(digest: int) -> bytes:
    return compressed(digest.to_bytes(WORD, "little", signed=True))


@decision
def expands(frame: bytes) -> int | None:
    """The hash of a frame's payload, unless it is damaged: Read path, Compression."""
    return _expanded(frame)


@lru_cache(KEPT)
def _expanded(frame: bytes) -> int | None:
    try:
        return int.from_bytes(expanded(frame), "little", signed=True)
    except BadFrame:
        return None
