"""Cases of one digest: records fed in order, one step or some of recovery, and what every ESN has come to.

LogDevice, common/test/DigestTest.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.copies import esn_of, held_of, kinds_of, readable
from conformance.vectors.recovery_cases.findings import Findings
from conformance.vectors.shards import Shards, replication_of
from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.repair.bridges import apply_bridges, bridge_esn, tail_esn, with_bridge
from reference_impl.log.repair.digest import Digest, digest_of, kept
from reference_impl.log.repair.mutation import compare
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.offsets import with_offsets
from reference_impl.log.repair.streams import plug_broken_streams

OPERATIONS: Final = ("needs_mutation", "bridge", "write_stream", "recompute_offsets")
OPERATION: Final = re.compile(rf"({'|'.join(OPERATIONS)})\w*(?:\(([^)]*)\))?")
"""One step that a case asks for, with its arguments."""

SHARD_SETS: Final = ("amend", "success", "conflict")
ENTRY: Final = ("esn", "complete_digest", "needs_mutation", *SHARD_SETS, "offset", "target_kind", "target_wave_or_seal")
EXPECTED: Final = ("entries", "bridge_esn", "tail_esn", "hole_esns", "all_esns")


def digest_findings(fields: Fields) -> Findings:
    """What a case of one digest expects otherwise."""
    shards, found = Shards.of(fields), Findings()
    known_good = fields.number("lng", 0, most=ESN_MAX)
    steps = OPERATION.findall(fields.text("operation"))
    if not steps:
        raise fields.refuse_part("no such operation", "operation", f"one of {', '.join(OPERATIONS)}")
    digest, bridge, tail = _operated(_digest(fields, shards), steps, known_good, fields)
    expected = fields.below("expected")
    if "bridge_esn" in expected:
        found.compare("bridge_esn", expected.number("bridge_esn"), bridge)
    if "tail_esn" in expected:
        found.compare("tail_esn", expected.number("tail_esn"), tail)
    if "hole_esns" in expected:
        holes = [esn for esn, entry in digest.items() if entry.target.is_hole]
        found.compare("hole_esns", list(expected.every("hole_esns", Fields.number)), holes)
    if "all_esns" in expected:
        found.compare("all_esns", list(expected.every("all_esns", Fields.number)), list(digest))
    for entry in expected.every("entries", Fields.below, ()):
        _compare_entry(entry, digest, fields, shards, found)
    return found


def _digest(fields: Fields, shards: Shards) -> Digest:
    payload = fields.number("payload_bytes_each", 0)
    arrivals = [
        (shards.number(record, "node"), esn_of(record), held_of(record)._replace(payload_bytes=payload))
        for record in readable(fields, "records")
    ]
    removed = shards.numbers(fields, "removed_nodes", ())
    return kept(digest_of(arrivals), shards.everyone() - removed)


def _operated(digest: Digest, steps: list[tuple[str, str]], known_good: int, fields: Fields) -> tuple[Digest, int, int]:
    """The digest after all steps, and the bridge and the tail as they are then."""
    for_empty = fields.flag("bridge_for_empty_epoch", default=False)
    bridge = bridge_esn(digest, known_good, for_empty_epoch=for_empty)
    for name, arguments in steps:
        match name:
            case "write_stream":
                digest = plug_broken_streams(digest, known_good)
            case "bridge":
                digest = apply_bridges(digest)
                bridge = bridge_esn(digest, known_good, for_empty_epoch=for_empty)
                digest = with_bridge(digest, bridge)
            case "recompute_offsets":
                base = re.search(r",\D*(\d{1,18})", arguments)
                digest = with_offsets(digest, known_good, int(base[1]) if base else None)
            case _:
                pass
    return digest, bridge, tail_esn(digest, known_good)


def _compare_entry(expected: Fields, digest: Digest, fields: Fields, shards: Shards, found: Findings) -> None:
    esn = esn_of(expected)
    about = f"esn {esn}"
    if esn not in digest:
        found.add(f"{about}: expected in the digest, seen nothing")
        return
    entry = digest[esn]
    is_complete = expected.flag("complete_digest", default="complete=True" in fields.text("operation"))
    nodeset = Nodeset.of(shards.everyone(), replication_of(fields), shards.parameters)
    seen = compare(entry, fields.number("seal_epoch"), nodeset.can_replicate, is_complete=is_complete)
    if "needs_mutation" in expected:
        found.compare(f"{about} needs_mutation", expected.flag("needs_mutation"), seen.is_needed)
    sets: Mapping[str, frozenset[int]] = dict(zip(SHARD_SETS, (seen.amend, seen.stored, seen.conflict), strict=True))
    for name, members in sets.items():
        if name in expected:
            found.compare(f"{about} {name}", shards.names_of(shards.numbers(expected, name)), shards.names_of(members))
    if "offset" in expected:
        found.compare(f"{about} offset", expected.number("offset"), entry.target.offset_bytes)
    if "target_kind" in expected and expected.text("target_kind") not in kinds_of(entry.target):
        found.compare(f"{about} kind", expected.text("target_kind"), "/".join(sorted(kinds_of(entry.target))))
    if "target_wave_or_seal" in expected:
        found.compare(f"{about} wave or seal", expected.number("target_wave_or_seal"), entry.target.number)
