"""Tiny traces, written by hand: one line for each event, judged by the meaning of the rules."""

from __future__ import annotations

from itertools import count
from typing import Any

from spec.language.events import AnyEvent, fields_of
from spec.language.fold import Fold
from spec.language.outcomes import Outcome
from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.log.topology import Topology
from spec.registry import BY_ID

_clock = count(1)

THREE = Topology.flat(3).parameters()
"""Three nodes without location."""


def at(event: type[AnyEvent], epoch: int | None = None, esn: int | None = None, **fields: Any) -> dict[str, Any]:
    """One event by the names of its fields; log 1, and a clock that ticks with each event written, unless said.

    Deliveries answer for their own LSN, reads for nothing yet.
    """
    known = fields_of(event)
    tick = next(_clock)
    said: dict[str, Any] = {"log": 1, "seq": tick, "time": tick} | fields
    if epoch is not None and esn is not None:
        said |= {"epoch": epoch, "esn": esn}
        behind = 1 if event.word == "read" else 0
        if "upto_esn" in known:
            said = {"upto_epoch": epoch, "upto_esn": esn - behind} | said
    row = {known[name].column: value for name, value in said.items() if name in known}
    missing = [name for name, field in known.items() if field.column not in row and not field.computed]
    unknown = set(fields) - set(known)
    assert not unknown, f"{event.__name__} has no field {unknown}"
    return {"kind": event.kind} | {known[name].column: _default(known[name]) for name in missing} | row


def _default(field: Any) -> Any:
    if field.optional:
        return None
    raise AssertionError(f"the tiny event needs {field.name}")


def outcomes(rule: str | Rule, *events: dict[str, Any], parameters: Parameters = THREE) -> list[str]:
    """What one rule says of each row that is an instance, in key order."""
    named = BY_ID[rule] if isinstance(rule, str) else rule
    fold = Fold(events, parameters)
    for dimension in named.dimensions:
        fold.table(dimension)
    said = [fold.outcome(named, row) for row in fold.rows(named.view)]
    return [outcome.name.lower() for outcome in said if outcome is not Outcome.NO_INSTANCE]
