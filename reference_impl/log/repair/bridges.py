"""Bridges: where an epoch ends, and what lies beyond an end that an earlier recovery had decided.

LogDevice, Recovery, Bridge record; common/Digest.cpp, applyBridgeRecords.
"""

from __future__ import annotations

from typing import Final

from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.digest import Digest, Entry
from reference_impl.log.repair.held import Held, as_hole, precedence

NOWHERE: Final = 0
"""The ESN of a bridge that is not there."""


def apply_bridges(digest: Digest) -> Digest:
    """At a bridge and above it, whatever the bridge overrules is no record: the epoch had been closed below it.

    LogDevice, common/Digest.cpp, applyBridgeRecords. What becomes a hole counts as written with that bridge. Old
    bridges are plain holes from now on: the epoch may turn out to end elsewhere.
    """
    bridges: dict[int, Held] = {}
    applied: dict[int, Entry] = {}
    for esn, entry in digest.items():
        for shard, held in entry.copies.items():
            if held.is_bridge and (shard not in bridges or precedence(bridges[shard]) < precedence(held)):
                bridges[shard] = held
        target = entry.target._replace(is_bridge=False)
        for bridge in bridges.values():
            if precedence(target) < precedence(bridge):
                target = as_hole(target, bridge.number)
        applied[esn] = entry._replace(target=target)
    return applied


def tail_esn(digest: Digest, known_good: int) -> int:
    """The tail is the last record, or the last known good ESN if there is none above it: common/Digest.cpp."""
    return max([known_good, *(esn for esn, entry in digest.items() if not entry.target.is_hole)])


def bridge_esn(digest: Digest, known_good: int, *, for_empty_epoch: bool) -> int:
    """The bridge stands right after the tail; there is none after the greatest ESN.

    LogDevice, common/Digest.cpp, applyBridgeRecords: an epoch of which nothing at all is known gets one only if the
    setting bridge-record-in-empty-epoch says so.
    """
    tail = tail_esn(digest, known_good)
    if tail == ESN_MAX or (tail == NOWHERE and not digest and not for_empty_epoch):
        return NOWHERE
    return tail + 1


def with_bridge(digest: Digest, esn: int) -> Digest:
    """What the digest has at the new bridge's ESN is to become a bridge: common/Digest.cpp, applyBridgeRecords."""
    if esn not in digest:
        return digest
    entry = digest[esn]
    return {**digest, esn: entry._replace(target=entry.target._replace(is_bridge=True))}
