"""Offsets: how many payload bytes an epoch has up to each of its records, once some of them have become holes.

LogDevice, common/Digest.cpp, recomputeOffsetsWithinEpoch.
"""

from __future__ import annotations

from reference_impl.log.repair.digest import Digest, Entry


def with_offsets(digest: Digest, known_good: int, base_bytes: int | None = None) -> Digest:
    """Above the last known good ESN, every record adds its bytes and every hole none; what differs is corrected.

    LogDevice, common/Digest.cpp, recomputeOffsetsWithinEpoch. The sum starts at ``base_bytes``, or else at the offset
    of the last known good record, or at 0 in an epoch that has none; where neither is known, nothing is corrected.
    """
    total = 0 if known_good == 0 else base_bytes
    if total is None and known_good in digest:
        total = digest[known_good].target.offset_bytes
    if total is None:
        return digest
    corrected: dict[int, Entry] = {}
    for esn, entry in digest.items():
        target = entry.target
        if esn > known_good:
            total += 0 if target.is_hole else target.payload_bytes
            if target.offset_bytes not in (None, total):
                corrected[esn] = entry._replace(target=target._replace(offset_bytes=total), is_moved=True)
                continue
        corrected[esn] = entry
    return corrected
