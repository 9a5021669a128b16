"""Schemas: which kinds of vectors are known, by what their cases have, and which of them can be judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

from conformance.vectors import (
    availability,
    copyset_shuffle,
    fmajority,
    histories,
    iterator_scripts,
    placement,
    read_stream,
    reader_aux,
    recovery,
    recovery_aux,
    replicas_check,
    scd_filter,
    schedule,
    segment_keys,
    segment_merges,
    traces,
)
from conformance.vectors.cases import VectorsFile
from conformance.vectors.differences import Explained
from conformance.vectors.errors import UnknownVectors
from conformance.vectors.fields import Fields

Seen: TypeAlias = Enum | bool | tuple[str, ...] | Explained | None
"""What the specification says of a case: one of a few names, which compare with texts, or a truth value.

Where a case expects many things, a runner compares them itself and gives the differences, each told in one clause: none
where the specification agrees. None is
for a case of a form that it cannot judge. What departs in a known way is explained by the name of that way.
"""

Runner: TypeAlias = Callable[[Fields], Seen]
"""What looks at a case."""


@dataclass(frozen=True)
class Schema:
    """One kind of vectors.

    Attributes:
        name: its name.
        about: the chapter of the specification that would judge it.
        parts: what every case has.
        kinds: what ``kind`` some case has; empty where cases have none.
        seen: what the specification says of a case; None where there is no such chapter yet.
        seen_of_others: the same for cases in other lists than ``vectors``.
        seen_among: what looks at such cases where they name those of ``vectors``, given the file.
        seen_in: what looks at cases that name files, given the folder of the index.
    """

    name: str
    about: str
    parts: frozenset[str]
    kinds: frozenset[str] = frozenset()
    seen: Runner | None = None
    seen_of_others: Runner | None = None
    seen_among: Callable[[VectorsFile], Runner] | None = None
    seen_in: Callable[[Path], Runner] | None = None

    def runner_in(self, folder: Path) -> Runner | None:
        """What looks at the cases of a file in this folder."""
        return self.seen_in(folder) if self.seen_in else self.seen

    def runner_of_others(self, file: VectorsFile) -> Runner | None:
        """What looks at the cases of a file's other lists."""
        return self.seen_among(file) if self.seen_among else self.seen_of_others

    def fits(self, file: VectorsFile) -> bool:
        """Whether a file holds such vectors."""
        kinds = {str(case.get("kind")) for case in file.main}
        return all(self.parts <= case.keys() for case in file.main) and bool(not self.kinds or self.kinds & kinds)


def _schema(name: str, about: str, parts: str, kinds: str = "", *, seen: Runner | None = None) -> Schema:
    return Schema(name, about, frozenset(parts.split()), frozenset(kinds.split()), seen)


_F_MAJORITY: Final = frozenset({"op", "shards", "replication", "authoritative_status", "tagged_shards", "expected"})

SCHEMAS: Final = (
    Schema("f-majority", "quorums", _F_MAJORITY, seen=fmajority.seen),
    _schema("client read stream", "read streams", "config steps", seen=read_stream.seen),
    _schema(
        "reader helpers",
        "slow shards and known-down lists",
        "kind",
        "find_outliers filtered_out_list",
        seen=reader_aux.seen,
    ),
    _schema("epoch recovery", "digests and mutations", "level seal_epoch", seen=recovery.seen),
    _schema(
        "recovery helpers",
        "seals, last known good and purging",
        "kind",
        "seal seal_epoch_info get_epoch_recovery_metadata purge_single_epoch purge_delete purge_unclean_epochs",
        seen=recovery_aux.seen,
    ),
    _schema("single copy delivery", "single copy delivery", "known_down copyset_reordering", seen=scd_filter.seen),
    Schema(
        "copyset shuffle",
        "copyset shuffling",
        frozenset({"mode", "input_node_ids", "seed1", "seed2"}),
        seen=copyset_shuffle.seen,
        seen_of_others=copyset_shuffle.seen_ratio,
    ),
    _schema(
        "availability",
        "availability of entries of a ledger",
        "kind input",
        "encode decode unavailable",
        seen=availability.seen,
    ),
    _schema(
        "distribution schedule",
        "distribution schedules of a ledger",
        "kind input",
        "write_set coverage coverage_table striped ack_set move_and_shift",
        seen=schedule.seen,
    ),
    Schema(
        "placement",
        "placement policies of a ledger",
        frozenset({"policy", "input"}),
        seen=placement.seen,
        seen_among=placement.seen_among,
    ),
    _schema("client history", "what clients may see", "header events verdict", seen=histories.seen),
    Schema("traces", "verdicts on traces", frozenset({"file", "verdict", "reason"}), seen_in=traces.seen_in),
    Schema(
        "replicas check",
        "audits of a ledger",
        frozenset({"ledger", "bookie_answers"}),
        seen=replicas_check.seen,
        seen_among=replicas_check.seen_among,
    ),
    _schema("segment iterator", "iterators over segments", "level steps", seen=iterator_scripts.seen),
    _schema("channel key", "keys of channels", "op expect", seen=segment_keys.seen),
    _schema("merged acknowledgements", "acknowledgements of nodes", "acks_in_arrival_order", seen=segment_merges.seen),
)
"""All kinds of vectors that are known."""


def schema_of(file: VectorsFile) -> Schema:
    """The kind of vectors that a file holds.

    Raises:
        UnknownVectors: none that is known.
    """
    for schema in SCHEMAS:
        if schema.fits(file):
            return schema
    parts = ", ".join(sorted(frozenset.intersection(*(frozenset(case) for case in file.main))))
    names = ", ".join(schema.name for schema in SCHEMAS)
    raise UnknownVectors(
        "the vectors are of no known kind", f"all cases have {parts}", f"one of: {names}", str(file.path)
    )
