"""Copies that shards of a case hold: records by their kinds, and who wrote them."""

from __future__ import annotations

from typing import Final

from conformance.vectors.fields import Fields
from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.held import Held

KINDS: Final = {
    "NORMAL": Held(0),
    "MUTATED": Held(0, by_recovery=True),
    "HOLE": Held(0, by_recovery=True, is_hole=True),
    "BRIDGE": Held(0, by_recovery=True, is_hole=True, is_bridge=True),
    "WRITE_STREAM": Held(0, by_recovery=True, in_stream=True),
}
"""The kinds of records that cases name; LogDevice's own tests take records of streams for written by recovery."""

WAVE_MAX: Final = (1 << 32) - 1
"""Waves and seal epochs have 32 bits."""


def held_of(record: Fields) -> Held:
    """What one record of a case is; without a wave, a hole counts as of 0 and a record as of 1: common/Digest.cpp."""
    kind = record.choice("kind", KINDS)
    held = kind._replace(number=record.number("wave_or_seal", 0 if kind.is_hole else 1, most=WAVE_MAX))
    if record.flag("write_stream", default=False):
        held = held._replace(in_stream=True)
    if "offset_in" in record:
        held = held._replace(offset_bytes=record.number("offset_in"))
    return held


def readable(fields: Fields, name: str, default: tuple[()] | None = None) -> list[Fields]:
    """The records of a list; a copy with a bad checksum is none.

    LogDevice, common/EpochRecovery.cpp, onDigestRecord.
    """
    records = fields.every(name, Fields.below, default)
    return [record for record in records if not record.flag("bad_checksum", default=False)]


def esn_of(record: Fields) -> int:
    """The ESN of one record of a case."""
    return record.number("esn", most=ESN_MAX)


def kinds_of(held: Held) -> set[str]:
    """The names by which cases call such a record; a bridge is a hole as well."""
    if held.is_hole:
        return {"HOLE", "BRIDGE"} if held.is_bridge else {"HOLE"}
    stream = {"WRITE_STREAM"} if held.in_stream else set()
    return stream | ({"MUTATED"} if held.by_recovery else {"NORMAL"})
