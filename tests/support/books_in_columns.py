"""What books in columns say of a trace in memory, in the form of ``spec.client.bookkeeping.kept``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.trace.header import Header
from spec.client.bookkeeping import BOOKKEEPING, recording_of
from spec.client.columns import said_in_columns
from spec.columns.column import Array, Column
from spec.language.bookkeeping import BOOKS, Event

NAMES = (*BOOKKEEPING.reads, "nodes_b")


def kept_in_columns(events: Iterable[Mapping[str, Any]], header: Header) -> list[Event] | None:
    """All events with what books in columns say, in trace order; None where they are not plain."""
    rows = [dict(event) for event in events]
    kinds = BOOKKEEPING.noted | BOOKKEEPING.together
    told = [row for row in rows if row["kind"] in kinds]
    recorders = list(header.recorders)
    raw = {name: _column([row.get(name, 0) for row in told]) for name in NAMES}
    raw["recorder"] = Column(np.array([recorders.index(row["recorder"]) for row in told], np.int64))
    said = said_in_columns(raw, recording_of(header))
    if said is None:
        return None
    for name in BOOKKEEPING.fills:
        for row, value in zip(told, _values(said.filled[name]), strict=True):
            row.update({name: value} if name in columns_of(header, row["kind"]) else {})
    for row, value in zip(told, _values(said.filled["nodes_b"]), strict=True):
        if "nodes_b" in columns_of(header, row["kind"]):
            row["nodes_b"] = None if value is None else frozenset()
    columns = [_values(column) for column in said.added.values()]
    added = [{"recorder": BOOKS, **dict(zip(said.added, values, strict=True))} for values in zip(*columns, strict=True)]
    return sorted([*rows, *added], key=place)


def columns_of(header: Header, kind: int) -> frozenset[str]:
    """The columns that events of a kind fill."""
    return frozenset(field.column for field in header.shapes[kind].fields)


def of_its_kind(event: Mapping[str, Any], header: Header) -> Event:
    """An event, with the columns that its kind fills."""
    names = columns_of(header, event["kind"]) | {"kind", "recorder"}
    return {name: value for name, value in event.items() if name in names}


def place(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """Where an event stands in trace order, as sorting settles it."""
    return (
        *(event.get(name) or 0 for name in ("log", "epoch", "esn", "seq")),
        event["recorder"] == BOOKS,
        event["recorder"],
    )


def _column(values: Sequence[Any]) -> Column:
    numbers: Array = np.array([0 if one is None or isinstance(one, frozenset) else one for one in values], np.int64)
    return Column(numbers, np.array([one is not None for one in values], np.bool_))


def _values(column: Column) -> list[int | None]:
    known = np.ones(len(column.value), np.bool_) if column.known is None else column.known
    return [value if here else None for value, here in zip(column.value.tolist(), known.tolist(), strict=True)]
