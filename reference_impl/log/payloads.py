"""Payloads as they are stored and sent: compressed by the writer, expanded by the reader.

LogDevice, Read path, Compression. A frame carries a checksum of what it holds, so damage is noticed.
"""

from __future__ import annotations

from typing import Final

import zstandard

LARGEST_BYTES: Final = 32 * 1024 * 1024
"""The largest payload: LogDevice, include/types.h, MAX_PAYLOAD_SIZE_PUBLIC."""


class BadFrame(ValueError):
    """A payload cannot be expanded: it is damaged, cut short, or too large; the message says which."""


def compressed(payload: bytes) -> bytes:
    """A payload in one zstd frame with its size and a checksum.

    Raises:
        ValueError: it is larger than a payload may be.
    """
    if len(payload) > LARGEST_BYTES:
        raise ValueError(f"a payload of {len(payload)} bytes is too large: {LARGEST_BYTES} at most, so cut it")
    return zstandard.ZstdCompressor(write_checksum=True).compress(payload)


def expanded(frame: bytes) -> bytes:
    """The payload of a frame.

    Raises:
        BadFrame: it is no such frame, or a damaged one; read another copy.
    """
    try:
        size = zstandard.frame_content_size(frame)
        if not 0 <= size <= LARGEST_BYTES:
            raise BadFrame(f"a frame of {len(frame)} bytes does not say that it holds {LARGEST_BYTES} bytes at most")
        reader = zstandard.ZstdDecompressor().decompressobj()
        payload = reader.decompress(frame)
    except zstandard.ZstdError as cause:
        raise BadFrame(f"a frame of {len(frame)} bytes cannot be expanded: {cause}; another copy may do") from cause
    if not reader.eof or reader.unused_data:
        raise BadFrame(f"a frame of {len(frame)} bytes ends too early, or not at its end; another copy may do")
    return payload
