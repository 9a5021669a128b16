"""Outcomes: what a recovery makes of the copies that nodes tell it of.

LogDevice, Recovery, Log recovery and Bridge record; common/Digest.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reference_impl.log.copies import Copy, Outcome
from reference_impl.log.lsn import esn_of
from reference_impl.log.machine import Machine
from reference_impl.log.storage_messages import Digested
from spec.events import BRIDGE, HOLE, RECORD


def precedence(copy: Copy) -> tuple[int, int]:
    """Copies of later recoveries overrule earlier ones, and all of them the sequencer's."""
    return copy.recovery, copy.wave


def best_copy(copies: Sequence[Copy]) -> Copy:
    """The latest recovery is believed, then the latest wave: Digest::RecordMetadata."""
    return max(copies, key=precedence)


def bridge_esn(last_record: int) -> int:
    """The bridge stands right after the last record: Digest::applyBridgeRecords."""
    return last_record + 1


def decide(digests: Iterable[Digested], machine: Machine) -> tuple[int, tuple[Outcome, ...]]:
    """The last known good ESN, and what becomes of every ESN from there to the bridge.

    A copy above a bridge that overrules it is no record: the epoch had been closed below it.
    """
    told = list(digests)
    good = max(one.known_good for one in told)
    copies: dict[int, list[Copy]] = {}
    for one in told:
        for lsn, copy in one.copies:
            if esn_of(lsn) > good:
                copies.setdefault(esn_of(lsn), []).append(copy)
    records: dict[int, int] = {}
    closed = (0, 0)
    for esn in sorted(copies):
        closed = max([closed, *(precedence(copy) for copy in copies[esn] if copy.becomes == BRIDGE)])
        best = machine.decisions.best_copy(copies[esn])
        if best.becomes == RECORD and closed <= precedence(best):
            records[esn] = best.digest
    bridge = machine.decisions.bridge_esn(max(records, default=good))
    kept = [
        Outcome(esn, RECORD, records[esn]) if esn in records else Outcome(esn, HOLE, 0)
        for esn in range(good + 1, bridge)
    ]
    return good, (*kept, Outcome(bridge, BRIDGE, 0))
