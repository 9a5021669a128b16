"""Tiny traces, written by hand: one line for each event, judged by the meaning of the rules."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from spec.client.bookkeeping import Recording, kept
from spec.events import Invoke, Trim
from spec.language.events import AnyEvent, fields_of
from spec.language.outcomes import Outcome
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from spec.log.topology import Topology
from spec.registry import BY_ID

_clock = count(1)

RECORDER = "all"
"""Who sees all that happens in a tiny trace, unless it is said to be somebody else."""

THREE = Topology.flat(3).parameters()
"""Three nodes without location."""


def at(event: type[AnyEvent], epoch: int | None = None, esn: int | None = None, **fields: Any) -> dict[str, Any]:
    """One event by the names of its fields; log 1, and a clock that ticks with each event written, unless said.

    Deliveries answer for their own LSN, reads for nothing yet.
    """
    known = fields_of(event)
    tick = next(_clock)
    recorder = fields.pop("recorder", RECORDER)
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
    unsaid = {known[name].column: _default(known[name]) for name in missing}
    return {"kind": event.kind, "recorder": recorder} | unsaid | row


def _default(field: Any) -> Any:
    if field.optional:
        return None
    raise AssertionError(f"the tiny event needs {field.name}")


def outcomes(rule: str | Rule, *events: dict[str, Any], parameters: Parameters = THREE) -> list[str]:
    """What one rule says of each row that is an instance, in key order."""
    named = BY_ID[rule] if isinstance(rule, str) else rule
    reference = ReferenceEvaluator(with_books(events, parameters), parameters)
    for dimension in named.dimensions:
        reference.table(dimension)
    said = [reference.outcome(named, row) for row in reference.rows(named.view)]
    return [outcome.name.lower() for outcome in said if outcome is not Outcome.NO_INSTANCE]


def with_books(events: Iterable[dict[str, Any]], parameters: Parameters = THREE) -> list[dict[str, Any]]:
    """The events with what their clients' books say; invocations and trims are recorded where there is one."""
    listed = list(events)
    names = dict.fromkeys(event["recorder"] for event in listed)
    there = {event["kind"] for event in listed}
    recording = Recording(
        recorders={name: place for place, name in enumerate(names)},
        followed=frozenset(names),
        appends=Invoke.kind in there,
        trims=Trim.kind in there,
        real_time=False,
        esn_bits=parameters.low_bits,
        clock_bound_ns=parameters.clock_bound_ns,
    )
    return kept(listed, recording)
