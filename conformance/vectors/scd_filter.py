"""Cases of single copy delivery: which ``records`` a storage node sends, or which nodes of a copyset send.

``my_node`` reads all its records for a stream whose START gave ``known_down``, and sends ``expected_shipped_lsns``; or
all members of ``copyset`` are alive, and ``expected_shippers_if_all_alive`` send. ``scd_replication`` 0 switches the
rule of extra members off. A ``client_location`` asks for local single copy delivery; ``local_priorities`` may be
``region``, as LogDevice has it, or ``scopes``, as its document has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from conformance.vectors.cases import Case, part
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.parts import as_case, differences, each, flag, node, one_of, whole
from reference_impl.log.delivery.copyset_index import read
from reference_impl.log.delivery.local import Closeness, closeness_of, is_in_region, shared_scopes
from reference_impl.log.delivery.shipping import NOWHERE, Stored, Stream, shippers
from reference_impl.log.delivery.shuffle import Reordering, seeds_of
from spec.log.topology import Location, read_location


class Priorities(StrEnum):
    """Which nodes count as close to a reader: the two variants of local single copy delivery."""

    REGION = "region"
    SCOPES = "scopes"


CLOSENESS: Final[Mapping[Priorities, Closeness]] = {
    Priorities.REGION: is_in_region,
    Priorities.SCOPES: shared_scopes,
}
COPIES_MAX: Final = 127
"""The most members of a copyset: LogDevice, include/types.h."""


def seen(case: Case, where: str) -> tuple[str, ...]:
    """How a case differs from what the storage nodes send.

    Raises:
        DamagedVectors: the case is no case of single copy delivery.
    """
    if "copyset" in case:
        stream, record = _stream(case, 0, where), Stored(0, each(case, "copyset", where, node))
        expected = frozenset(each(case, "expected_shippers_if_all_alive", where, node))
        return differences(expected, shippers(stream, record))
    records = sorted(each(case, "records", where, _record))
    batch = read(_stream(case, _me(case, where), where), records)
    found = differences(each(case, "expected_shipped_lsns", where, whole), batch.shipped)
    if case.get("expected_next_read_lsn") is not None:
        expected_next = whole(case["expected_next_read_lsn"], "expected_next_read_lsn", where)
        found += differences(expected_next, batch.next_lsn, "next LSN to read")
    return found


def _me(case: Case, where: str) -> int | None:
    """The node that reads; null where it does not ask whether another one sends, as in a rebuilding."""
    me = case.get("my_node", "missing")
    return None if me is None else node(me, "my_node", where)


def _stream(case: Case, me: int | None, where: str) -> Stream:
    """The stream of a case; only its list of known-down nodes and its order of copysets must be given."""
    session = part(case, "client_session_id", str, where) if "client_session_id" in case else ""
    single_copy = flag(case, "scd_enabled", where) if "scd_enabled" in case else True
    return Stream(
        me or 0,
        single_copy and me is not None,
        frozenset(each(case, "known_down", where, node)),
        seeds_of(one_of(Reordering, case.get("copyset_reordering"), where), session),
        whole(case.get("scd_replication", 0), "scd_replication", where, 0, COPIES_MAX),
        _closeness(case, where),
        frozenset(each(case, "required_in_copyset", where, node)) if "required_in_copyset" in case else frozenset(),
    )


def _closeness(case: Case, where: str) -> Mapping[int, int]:
    if case.get("client_location") is None:
        return NOWHERE
    named = as_case(case.get("node_locations"), "node_locations", where)
    locations = {node(name, "node_locations", where): _location(at, where) for name, at in named.items()}
    rule = one_of(Priorities, case.get("local_priorities", Priorities.REGION.value), where)
    return closeness_of(_location(case["client_location"], where), locations, CLOSENESS[rule])


def _location(value: Any, where: str) -> Location:
    try:
        return read_location(value or "")
    except (ValueError, AttributeError) as error:
        raise DamagedVectors("a location is none", repr(value), "region.dc.cluster.row.rack", where) from error


def _record(value: Any, name: str, where: str) -> Stored:
    record = as_case(value, name, where)
    lsn, copyset = whole(record.get("lsn"), f"{name}.lsn", where), each(record, "copyset", where, node)
    return Stored(lsn, copyset, flag(record, "drained", where), flag(record, "hole", where))
