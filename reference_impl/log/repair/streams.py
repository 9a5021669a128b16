"""Streams of appends: a record of a stream counts only if everything before it does.

LogDevice, common/Digest.cpp; a stream's appends are acknowledged in the order of their ESNs only.
"""

from __future__ import annotations

from reference_impl.log.repair.digest import Digest, Entry


def plug_broken_streams(digest: Digest, known_good: int) -> Digest:
    """Above the first ESN that is missing or a hole, records of streams become holes; other records stay.

    LogDevice, common/Digest.cpp: a record of a stream is acknowledged only after all those before it, so none above a
    hole was. The hole keeps the wave of the record, and counts as written by whoever wrote that: every copy of the
    record conflicts with it, so it is stored.
    """
    plugged: dict[int, Entry] = {}
    unbroken = known_good
    for esn, entry in digest.items():
        target = entry.target
        if esn > known_good:
            follows = unbroken == esn - 1
            if follows and not target.is_hole:
                unbroken = esn
            if not follows and target.in_stream:
                target = target._replace(is_hole=True, in_stream=False)
        plugged[esn] = entry._replace(target=target)
    return plugged
