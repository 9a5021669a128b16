"""Shifting: a copy of a simulated run has numbers of its own, and the same verdicts under other keys.

Verdicts are about one log at a time, and tables are looked up by numbers that each copy has to itself. What happens to
nodes is looked up for the whole cluster, so runs are judged among the faults of all of them (``tiles``).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from conformance.trace.blocks import numbers
from spec.columns.column import Array
from spec.events import (
    Ack,
    ByReader,
    Clean,
    CleanLearned,
    CopysetChanged,
    Deliver,
    Digest,
    Emptied,
    Event,
    Fault,
    Gap,
    Indefinite,
    InEventLog,
    Invoke,
    Mutate,
    MutationStored,
    Planned,
    Rebuilt,
    Refused,
    Shown,
    StatusTable,
    Store,
)
from spec.language.declare import View
from spec.language.events import kinds, layout
from spec.language.outcomes import Violation
from spec.language.shape import column_of
from spec.language.terms import Field
from spec.registry import BY_ID


@dataclass(frozen=True)
class Shift:
    """What is added to the numbers of a run: each part to all numbers of that sort; LSNs go with their epochs."""

    log: int = 0
    seq: int = 0
    time_ns: int = 0
    version: int = 0
    epoch: int = 0
    reader: int = 0

    def plus(self, other: Shift, times: int = 1) -> Shift:
        """This one, and another so many times."""
        return Shift(*(getattr(self, one.name) + times * getattr(other, one.name) for one in fields(self)))


class Added(NamedTuple):
    """To which values a part of a shift is added: of a column, in events of some kinds, from the least one on."""

    column: str
    kinds: tuple[int, ...]
    part: str
    least: int | None = None


def _kinds(*events: type[Event]) -> tuple[int, ...]:
    return tuple(sorted({kind for event in events for kind in kinds(event)}))


def _all(column: str) -> tuple[int, ...]:
    return layout(Event)[column].kinds


IN_LOGS: Final = _all("log")
"""Kinds of event that are about a log; in the others the column holds 0."""

FAULTS: Final = _kinds(Fault)
"""Kinds that say what happened to a node."""

AT_LSNS: Final = _all("epoch")
"""Kinds that are about one LSN or epoch."""

INVOKED: Final = _kinds(Invoke, Ack, Refused, Indefinite, Deliver)
"""Kinds whose column ``version`` is a sequence number."""

VERSIONED: Final = _kinds(StatusTable, Gap, InEventLog, Rebuilt, CopysetChanged, Emptied)
"""Kinds whose column ``version`` is a version of the event log, and so of its status table."""

RECOVERING: Final = _kinds(Store, Digest, Planned, Mutate, MutationStored, Clean, CleanLearned)
"""Kinds whose column ``version`` is the epoch of a recovery; 0 is none."""

DECIDED: Final = _kinds(Planned, InEventLog)
"""Kinds whose column ``arg_b`` is a version of the status table."""

ADDED: Final = (
    Added("log", IN_LOGS, "log"),
    Added("seq", _all("seq"), "seq"),
    Added("time_ns", _all("time_ns"), "time_ns"),
    Added("invoked_at_ns", _all("invoked_at_ns"), "time_ns"),
    Added("version", INVOKED, "seq"),
    Added("version", VERSIONED, "version"),
    Added("version", RECOVERING, "epoch", least=1),
    Added("arg_b", DECIDED, "version"),
    Added("epoch", AT_LSNS, "epoch"),
    Added("upto_epoch", _all("upto_epoch"), "epoch"),
    Added("since", _all("since"), "lsn", least=0),
    Added("after", _kinds(Shown), "lsn", least=0),
    Added("perhaps_after", _kinds(Shown), "lsn", least=0),
    Added("actor", _kinds(ByReader), "reader"),
)
"""All numbers of events that a shift changes."""


class Rows:
    """Rows of a run, of which copies with shifted numbers are made quickly.

    Args:
        table: the rows.
        low_bits: how many bits of an LSN are its ESN.
    """

    def __init__(self, table: Any, low_bits: int) -> None:
        self.table, self.low_bits = table, low_bits
        self.kind = self.column("kind")
        self.times = self.column("time_ns")
        self.added: dict[str, list[tuple[Array | None, str]]] = {}
        for column, some, part, least in ADDED:
            if column in table.column_names:
                value = self.column(column)
                here = np.isin(self.kind, some) & (True if least is None else value >= least)
                if here.any():
                    whole = None if here.all() else here.astype(value.dtype)
                    self.added.setdefault(column, []).append((whole, part))

    def __len__(self) -> int:
        return len(self.table)

    def column(self, name: str) -> Array:
        """The numbers of one column."""
        return numbers(self.table[name]).value

    def shifted(self, by: Shift, first: int = 0, last: int | None = None) -> Any:
        """The table, or the rows from ``first`` to before ``last``, with shifted numbers."""
        here = slice(first, len(self) if last is None else last)
        table = self.table.slice(here.start, here.stop - here.start)
        parts = {one.name: getattr(by, one.name) for one in fields(by)} | {"lsn": by.epoch << self.low_bits}
        for name, added in self.added.items():
            wanted = [(where, parts[part]) for where, part in added if parts[part]]
            if wanted:
                column = numbers(table[name])
                value = sum(
                    (number if where is None else where[here] * number for where, number in wanted), column.value
                )
                place = table.column_names.index(name)
                unknown = None if column.known is None else ~column.known
                kind = table.schema.field(place)
                table = table.set_column(place, kind, pa.array(value, kind.type, mask=unknown))
        return table


def shifted(violation: Violation, by: Shift) -> Violation:
    """The same violation in the shifted run."""
    view = BY_ID[violation.rule].view
    pairs = zip(violation.key, view.key, strict=True)
    return Violation(violation.rule, tuple(part + _added(view, name, by) for part, name in pairs))


def _added(view: type[View], name: str, by: Shift) -> int:
    """What is added to a part of a key."""
    field = view.base[name]
    if isinstance(field, Field) and field.column == "version" and set(kinds(field.event)) <= set(INVOKED):
        return by.seq
    return {"log": by.log, "seq": by.seq, "version": by.version}.get(column_of(view, name), 0)


def beyond(rows: Rows) -> Shift:
    """By what the next run must be shifted so that it shares no number with this one.

    A version is left free in between: tables are compared with the one of the version before.
    """
    tops = dict.fromkeys((part.name for part in fields(Shift)), 0)
    for column, some, part, _ in ADDED:
        if part in tops and column in rows.table.column_names:
            here = rows.column(column)[np.isin(rows.kind, some)]
            tops[part] = max(tops[part], int(here.max(initial=0)) + 1)
    tops["version"] += 1
    return Shift(**tops)
