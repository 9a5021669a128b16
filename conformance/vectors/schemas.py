"""Schemas: which kinds of vectors are known, by what their cases have, and which of them can be judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from conformance.vectors import fmajority
from conformance.vectors.cases import Case, VectorsFile
from conformance.vectors.errors import UnknownVectors

Seen: TypeAlias = Enum | bool
"""What the specification says of a case: one of a few names, which compare with texts, or a truth value."""


@dataclass(frozen=True)
class Schema:
    """One kind of vectors.

    Attributes:
        name: its name.
        about: the chapter of the specification that would judge it.
        parts: what every case has.
        kinds: what ``kind`` some case has; empty where cases have none.
        seen: what the specification says of a case; None where there is no such chapter yet.
    """

    name: str
    about: str
    parts: frozenset[str]
    kinds: frozenset[str] = frozenset()
    seen: Callable[[Case, str], Seen] | None = None

    def fits(self, file: VectorsFile) -> bool:
        """Whether a file holds such vectors."""
        kinds = {str(case.get("kind")) for case in file.main}
        return all(self.parts <= case.keys() for case in file.main) and bool(not self.kinds or self.kinds & kinds)


def _schema(name: str, about: str, parts: str, kinds: str = "") -> Schema:
    return Schema(name, about, frozenset(parts.split()), frozenset(kinds.split()))


_F_MAJORITY: Final = frozenset({"op", "shards", "replication", "authoritative_status", "tagged_shards", "expected"})

SCHEMAS: Final = (
    Schema("f-majority", "quorums", _F_MAJORITY, seen=fmajority.seen),
    _schema("client read stream", "read streams", "config steps"),
    _schema("reader helpers", "slow shards and known-down lists", "kind", "find_outliers filtered_out_list"),
    _schema("epoch recovery", "digests and mutations", "level seal_epoch"),
    _schema(
        "recovery helpers",
        "seals, last known good and purging",
        "kind",
        "seal seal_epoch_info get_epoch_recovery_metadata purge_single_epoch purge_delete purge_unclean_epochs",
    ),
    _schema("single copy delivery", "single copy delivery", "known_down copyset_reordering"),
    _schema("copyset shuffle", "copyset shuffling", "mode input_node_ids seed1 seed2"),
    _schema("availability", "availability of entries of a ledger", "kind input", "encode decode unavailable"),
    _schema(
        "distribution schedule",
        "distribution schedules of a ledger",
        "kind input",
        "write_set coverage coverage_table striped ack_set move_and_shift",
    ),
    _schema("placement", "placement policies of a ledger", "policy input"),
    _schema("replicas check", "audits of a ledger", "ledger bookie_answers"),
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
