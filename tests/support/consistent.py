"""Drawn events made consistent: whatever was drawn, the fields of an event come to agree as its class demands."""

from __future__ import annotations

from typing import Any, Final

from spec.events import Ack, AtEnd, Deliver, Described, Indefinite, Learnt, NewEpoch, Read, Refused, StatusTable
from spec.language.scopes import SCOPES

LEAST: Final = -(1 << 63)
"""The least number that a recorder may begin with."""


def consistent(event: dict[str, Any], esn_bits: int) -> dict[str, Any]:
    """The event, by column, with other values where its own contradict each other."""
    kind = event["kind"]
    if kind == Deliver.kind:
        return event | {"upto_epoch": event["epoch"], "upto_esn": event["esn"]}
    if kind == Read.kind:
        lsn = (event["epoch"] << esn_bits) + event["esn"]
        before = max(0, lsn - 1)
        return event | {"upto_epoch": before >> esn_bits, "upto_esn": before & (1 << esn_bits) - 1}
    if kind in (Ack.kind, Refused.kind, Indefinite.kind) and event["invoker"] is None and event["version"] is not None:
        return event | {"version": event["seq"] - 1 if event["seq"] > LEAST else None}
    if kind == AtEnd.kind and event["version"] is not None:
        return event | {"version": min(event["version"], event["seq"])}
    if kind == StatusTable.kind and None not in (event["nodes_b"], event["nodes_c"]):
        return event | {"nodes_c": event["nodes_c"] - event["nodes_b"]}
    if kind in (NewEpoch.kind, Described.kind, Learnt.kind) and event["replication"] is not None:
        return event | {"replication": _property(event["replication"])}
    return event


def _property(drawn: dict[str, int]) -> dict[str, int]:
    """The same scopes with the same numbers, the greatest at the narrowest; one copy where there are none."""
    scopes = sorted(drawn, key=SCOPES.index)
    return dict(zip(scopes, sorted(drawn.values(), reverse=True), strict=True)) or {"shard": 1}
