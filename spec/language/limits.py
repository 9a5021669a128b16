"""Limits: what each stored value must be, said once for every engine that looks for what is not.

Masks, numbers of members and positions have a fixed width. A value that does not fit would be cut or read as another
one, and judged wrongly in silence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from spec.language.events import WHOLE, AnyEvent, Recorded, all_events, fields_of, layout, worked_out_once
from spec.language.orders import POSITIONS
from spec.language.parameters import Parameters, mask, pack_factors
from spec.language.schema import StorageColumn, storage
from spec.language.scopes import SCOPES
from spec.language.universes import Universe

NUMBER_MAX: Final = (1 << 63) - 1
"""The greatest number that a column holds."""

TIME: Final = "_ns"
"""How the names of columns end that hold times."""

TIME_MAX: Final = (1 << 62) - 1
"""The most that a clock or a clock bound may say, so that their sum fits 64 bits: the year 2116."""

FACTORS_MASK: Final = pack_factors(dict.fromkeys(SCOPES, 127))
"""The bits that a packed replication property may have."""


class Limit(NamedTuple):
    """What the values of one stored column must be.

    Attributes:
        column: the column; beyond the kinds of events that fill it, nobody looks at its values.
        needed: the kinds in which it must be known.
        bounds: the least and the greatest number; None where all that it holds are fine.
        bits: the bits that a mask may have; None where it may have all.
    """

    column: StorageColumn
    needed: frozenset[int]
    bounds: tuple[int, int] | None = None
    bits: int | None = None


@worked_out_once
def limits(base: type[AnyEvent], parameters: Parameters, always: frozenset[str] = frozenset()) -> tuple[Limit, ...]:
    """The limits of all stored columns of numbers, but for the kind of the event.

    Args:
        base: the class above all events of the trace.
        parameters: what the trace's header fixes.
        always: columns that must be known in events of every kind.
    """
    every = frozenset(event.kind for event in all_events(base) if event.kind is not None)
    bounds, columns = bounds_of(base, parameters), layout(base)
    found = list[Limit]()
    for column in storage(base, parameters):
        if not column.bits or column.name == "kind":
            continue
        needed = (every if column.name in always else frozenset(column.kinds)) - frozenset(column.optional)
        match column.sort:
            case "int":
                found.append(Limit(column, needed, bounds=bounds.get(column.name)))
            case "set":
                whole = _everyone(columns[column.column].of, parameters)
                found.append(Limit(column, needed, bits=_some(whole[column.word])))
            case _:
                found.append(Limit(column, needed, bits=FACTORS_MASK))
        found += _of_kinds(base, column)
    return tuple(found)


def _everyone(universe: Universe | None, parameters: Parameters) -> tuple[int, ...]:
    """The mask words of the set of all members."""
    size = parameters.size if universe is None else parameters.size_of(universe)
    return mask(frozenset(range(size)), parameters.words)


def _of_kinds(base: type[AnyEvent], column: StorageColumn) -> Iterator[Limit]:
    """What a column may hold in kinds that say more of it than others."""
    kinds: dict[tuple[int, int], list[int]] = defaultdict(list)
    for event in all_events(base):
        for field in fields_of(event).values():
            bounds = bounds_of_field(field)
            if field.column == column.name and bounds and event.kind is not None:
                kinds[bounds].append(event.kind)
    for bounds, here in kinds.items():
        yield Limit(replace(column, kinds=tuple(here), optional=()), frozenset(), bounds=bounds)


def bounds_of_field(field: Recorded[Any]) -> tuple[int, int] | None:
    """The least and the greatest number of a field, where it says more than its column; None where it does not."""
    if field.least is None:
        return field.among
    return field.least, (1 << field.bits - 1) - 1


def _some(bits: int) -> int | None:
    return None if bits == -1 else bits


def bounds_of(base: type[AnyEvent], parameters: Parameters) -> dict[str, tuple[int, int]]:
    """The least and the greatest number of each column, as far as the header and the column's width tell."""
    found, columns = dict[str, tuple[int, int]](), layout(base)
    for column in columns.values():
        if column.of is not None and column.sort == "int":
            found[column.name] = 0, parameters.size_of(column.of) - 1
        elif column.name.endswith(TIME):
            found[column.name] = -TIME_MAX, TIME_MAX
        elif column.sort == "int" and column.bits < WHOLE:
            found[column.name] = -(1 << column.bits - 1), (1 << column.bits - 1) - 1
    found[base.sorted_by.partition] = 0, NUMBER_MAX
    for _, high, low, *_ in (position for name, position in POSITIONS.items() if name in columns):
        greatest = (1 << parameters.low_bits) - 1
        _, of_column = found.get(low, (0, greatest))
        found |= {high: (0, NUMBER_MAX >> parameters.low_bits), low: (0, min(greatest, of_column))}
    return found
