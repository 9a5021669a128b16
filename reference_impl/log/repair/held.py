"""Held copies: what one shard holds at one ESN, and which of two copies is believed.

LogDevice, common/Digest.cpp (RecordMetadata) and common/protocol/RECORD_Message.h.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

LEGACY_WAVE: Final = (1 << 32) - 1
"""The wave for which a copy without one counts: an old recovery wrote it, which overrules every sequencer."""


class Held(NamedTuple):
    """What a shard holds at an ESN.

    Attributes:
        number: the wave of the sequencer that wrote it, or the seal epoch of the recovery that did.
        by_recovery: a recovery wrote it.
        is_hole: it says that nothing was acknowledged here.
        is_bridge: it says that the epoch ends here; a bridge is a hole as well.
        in_stream: it is a record of a stream of appends, each of which needs the one before it.
        offset_bytes: the payload bytes of the epoch up to and with this one; None where the copy does not tell.
        payload_bytes: the bytes of its own payload.
        digest: hash of its payload, where somebody asks for it.
    """

    number: int
    by_recovery: bool = False
    is_hole: bool = False
    is_bridge: bool = False
    in_stream: bool = False
    offset_bytes: int | None = None
    payload_bytes: int = 0
    digest: int = 0

    def flags(self) -> tuple[int, bool, bool, bool, bool]:
        """All that makes two copies the same for recovery; the offset is looked at on its own, the payload never."""
        return self.number, self.by_recovery, self.is_hole, self.is_bridge, self.in_stream


Shards: TypeAlias = frozenset[int]
"""A set of shards, by number."""

Copies: TypeAlias = Mapping[int, Held]
"""What each of some shards holds at one ESN, or one shard at each of some ESNs."""


def precedence(held: Held) -> tuple[bool, int]:
    """Copies of later recoveries overrule earlier ones, and all of them the sequencer's; then the later wave.

    LogDevice, common/Digest.cpp, RecordMetadata: strictly, so that of two equals neither overrules the other.
    """
    legacy = not held.by_recovery and held.number == 0
    return held.by_recovery, LEGACY_WAVE if legacy else held.number


def as_hole(held: Held, number: int) -> Held:
    """A hole in place of a record, as a recovery with this seal epoch would have written it."""
    return held._replace(number=number, by_recovery=True, is_hole=True, is_bridge=False, in_stream=False)
