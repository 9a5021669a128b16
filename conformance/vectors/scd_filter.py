"""Cases of single copy delivery: which ``records`` a storage node sends, or which nodes of a copyset send.

``my_node`` reads all its records for a stream whose START gave ``known_down``, and sends ``expected_shipped_lsns``; or
all members of ``copyset`` are alive, and ``expected_shippers_if_all_alive`` send. ``scd_replication`` 0 switches the
rule of extra members off. A ``client_location`` asks for local single copy delivery; ``local_priorities`` may be
``region``, as LogDevice has it, or ``scopes``, as its document has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from conformance.vectors.differences import differences
from conformance.vectors.fields import Fields
from reference_impl.log.delivery.copyset_index import read
from reference_impl.log.delivery.local import Closeness, closeness_of, is_in_region, shared_scopes
from reference_impl.log.delivery.shipping import NOWHERE, Stored, Stream, shippers
from reference_impl.log.delivery.shuffle import Reordering, seeds_of


class Priorities(StrEnum):
    """Which nodes count as close to a reader: the two variants of local single copy delivery."""

    REGION = "region"
    SCOPES = "scopes"


CLOSENESS: Final[Mapping[Priorities, Closeness]] = {
    Priorities.REGION: is_in_region,
    Priorities.SCOPES: shared_scopes,
}
LIMITS: Final = ("until_lsn", "window_high", "last_released")
"""What bounds reading; where a case names none, it tells by where reading goes on how much is released."""

COPIES_MAX: Final = 127
"""The most members of a copyset: LogDevice, include/types.h."""


def seen(case: Fields) -> tuple[str, ...]:
    """How a case differs from what the storage nodes send.

    Raises:
        DamagedVectors: the case is no case of single copy delivery.
    """
    if "copyset" in case:
        stream, record = _stream(case, 0), Stored(0, case.every("copyset", Fields.node))
        expected = frozenset(case.every("expected_shippers_if_all_alive", Fields.node))
        return differences(expected, shippers(stream, record))
    records = sorted(case.every("records", _record))
    limits = [_lsn(case, name) for name in LIMITS if name in case]
    batch = read(_stream(case, _me(case)), records, upto=min(limits, default=None))
    found = differences(case.every("expected_shipped_lsns", _lsn), batch.shipped)
    if "expected_next_read_lsn" in case:
        after = _lsn(case, "expected_next_read_lsn")
        seen = batch.next_lsn if limits else max(batch.next_lsn, after)
        found += differences(after, seen, "next LSN to read")
    return found


def _me(case: Fields) -> int | None:
    """The node that reads; null where it does not ask whether another one sends, as in a rebuilding."""
    return None if case.has("my_node") and "my_node" not in case else case.node("my_node")


def _stream(case: Fields, me: int | None) -> Stream:
    """The stream of a case; only its list of known-down nodes and its order of copysets must be given."""
    return Stream(
        me or 0,
        case.flag("scd_enabled", default=True) and me is not None,
        frozenset(case.every("known_down", Fields.node)),
        seeds_of(case.one_of("copyset_reordering", Reordering), case.text("client_session_id", "")),
        case.number("scd_replication", 0, most=COPIES_MAX),
        _closeness(case),
        frozenset(case.every("required_in_copyset", Fields.node, ())),
    )


def _closeness(case: Fields) -> Mapping[int, int]:
    if "client_location" not in case:
        return NOWHERE
    named = case.below("node_locations")
    locations = {node: named.location(name) for node, name in named.nodes().items()}
    rule = case.one_of("local_priorities", Priorities, Priorities.REGION)
    return closeness_of(case.location("client_location"), locations, CLOSENESS[rule])


def _record(case: Fields, name: str) -> Stored:
    record = case.below(name)
    return Stored(
        _lsn(record, "lsn"),
        record.every("copyset", Fields.node),
        record.flag("drained", default=False),
        record.flag("hole", default=False),
    )


def _lsn(fields: Fields, name: str) -> int:
    """An LSN, which these cases write as a number, others as e1n2."""
    return fields.lsn(name) if isinstance(fields.raw(name), str) else fields.number(name)
