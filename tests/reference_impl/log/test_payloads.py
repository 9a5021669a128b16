"""Payloads: LogDevice, Read path, Compression: zstd, and expanded before the application has them."""

from __future__ import annotations

from contextlib import suppress

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.log.payloads import LARGEST_BYTES, BadFrame, compressed, expanded


@given(payload=st.binary(max_size=4000))
def test_what_is_read_is_what_was_written(payload: bytes) -> None:
    assert expanded(compressed(payload)) == payload


def test_it_is_compressed() -> None:
    """A zstd frame, shorter than what repeats itself."""
    frame = compressed(b"quorate " * 1000)
    assert frame.startswith(zstandard.FRAME_HEADER)
    assert len(frame) < 100


@given(place=st.integers(0, 10_000), payload=st.binary(min_size=1, max_size=400))
def test_a_flipped_bit_is_noticed_or_harmless(place: int, payload: bytes) -> None:
    """By the checksum: never another payload."""
    frame = bytearray(compressed(payload))
    frame[place % len(frame)] ^= 1 << place % 8
    with suppress(BadFrame):
        assert expanded(bytes(frame)) == payload


@pytest.mark.parametrize("frame", [b"", b"no frame at all", compressed(b"cut short")[:-1], compressed(b"a") + b"b"])
def test_a_bad_frame_is_a_named_error(frame: bytes) -> None:
    with pytest.raises(BadFrame):
        expanded(frame)


def test_a_frame_that_would_fill_the_memory_is_refused() -> None:
    """Its size is looked at before it is expanded."""
    with pytest.raises(BadFrame, match="at most"):
        expanded(zstandard.ZstdCompressor().compress(bytes(LARGEST_BYTES + 1)))
    with pytest.raises(ValueError, match="too large"):
        compressed(bytes(LARGEST_BYTES + 1))
