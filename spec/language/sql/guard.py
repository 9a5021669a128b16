"""The guard: one scan that says whether a source without statistics can be judged, and where its NULLs are.

Masks and LSNs have a fixed width. What does not fit would be judged wrongly and in silence, so it is looked for first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from spec.language.events import AnyEvent, all_events, layout
from spec.language.parameters import Parameters
from spec.language.schema import StorageColumn, storage
from spec.language.sql.events import POSITIONS, kind_is
from spec.language.sql.stages import select

NODE_NUMBERS: Final = ("node",)
"""Columns that hold the number of one node."""

LARGEST: Final = (1 << 63) - 1
"""The greatest number that a column holds."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something for which a trace cannot be judged.

    Attributes:
        what: the fault, in one clause.
        events: how many events have it.
    """

    what: str
    events: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What the guard found in a source.

    Attributes:
        events: how many events the source has.
        nullable: stored columns that hold NULL in a kind that fills them; what ``statement`` must be told.
        faults: why the source cannot be judged; none if it can.
    """

    events: int
    nullable: frozenset[str]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class _Question:
    """A condition on events; if ``fault`` is empty, it is no fault but a NULL that may be."""

    condition: str
    fault: str
    column: str = ""


def guard_statement(source: str, parameters: Parameters, *, base: type[AnyEvent] = AnyEvent) -> str:
    """The text of one scan, whose single row ``findings`` decodes.

    Args:
        source: a table, a view, or a subquery in parentheses, with the columns that ``spec.language.schema`` derives.
        parameters: what the trace's header fixes.
        base: the class above all events of the trace.
    """
    asked = [f"count(CASE WHEN {question.condition} THEN 1 END)" for question in _questions(base, parameters)]
    return select(["count(*)", *asked], source) + "\n"


def findings(row: Sequence[Any], parameters: Parameters, *, base: type[AnyEvent] = AnyEvent) -> Findings:
    """What the row of ``guard_statement`` says of the source, for the same parameters and base."""
    events, *counts = row
    found = [(question, n) for question, n in zip(_questions(base, parameters), counts, strict=True) if n]
    nullable = frozenset(question.column for question, _ in found if question.column)
    return Findings(events, nullable, tuple(Fault(question.fault, n) for question, n in found if question.fault))


def _questions(base: type[AnyEvent], parameters: Parameters) -> Iterator[_Question]:
    every = tuple(sorted(event.kind for event in all_events(base) if event.kind is not None))
    yield _Question(f"kind IS NULL OR kind NOT IN ({', '.join(map(str, every))})", "events of an unknown kind")
    for column in storage(base, parameters):
        if column.bits and column.name != "kind":
            yield from _nulls(column)
    filled = {name: column.kinds for name, column in layout(base).items()}
    for name in NODE_NUMBERS:
        if name in filled:
            fits = f"{name} BETWEEN 0 AND {parameters.nodes - 1}"
            yield _Question(
                f"{kind_is(filled[name])} AND NOT ({fits})",
                f"column {name} names a node that the header's topology of {parameters.nodes} does not have",
            )
    for position, (epoch, esn) in POSITIONS.items():
        if position in filled:
            bits = parameters.esn_bits
            fits = f"{epoch} BETWEEN 0 AND {LARGEST >> bits} AND {esn} BETWEEN 0 AND {(1 << bits) - 1}"
            yield _Question(
                f"{kind_is(filled[position])} AND NOT ({fits})",
                f"columns {epoch} and {esn} hold a position that does not fit {bits} bits for the ESN",
            )


def _nulls(column: StorageColumn) -> Iterator[_Question]:
    """NULL where a recorder may not have known, NULL where every recorder knows, and sets of which a part is NULL."""
    needed = tuple(kind for kind in column.kinds if kind not in column.optional)
    if column.optional:
        yield _Question(f"{kind_is(column.optional)} AND {column.name} IS NULL", "", column.name)
    if needed:
        fault = f"column {column.name} is NULL in an event that must have it"
        yield _Question(f"{kind_is(needed)} AND {column.name} IS NULL", fault, column.name)
    if column.word:
        apart = f"({column.name} IS NULL) <> ({column.column} IS NULL)"
        fault = f"columns {column.column} and {column.name} are words of one set, and only one of them is NULL"
        yield _Question(f"{kind_is(column.kinds)} AND {apart}", fault)
