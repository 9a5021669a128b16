"""Events that were left out, said twice, or said in another order, by recorders that number all the same.

The numbers and times of a recorder are those of a recorder that never saw it otherwise: so it is not by numbers, but by
what the events say, that a machine of events notices.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain
from typing import Any

Row = dict[str, Any]


class Disorder(StrEnum):
    """What is done to an event of a trace."""

    LEFT_OUT = "left out"
    DOUBLED = "doubled"
    EXCHANGED = "exchanged"


def disordered(how: Disorder, rows: Sequence[Row], place: int) -> Iterator[Row]:
    """The events from a place on, where the first of them is left out, said twice or exchanged with the next one."""
    row, rest = rows[place], rows[place + 1 :]
    match how:
        case Disorder.LEFT_OUT:
            return _renumbered(rest, row["recorder"], -1)
        case Disorder.DOUBLED:
            again = {**row, "seq": row["seq"] + 1}
            return chain([row, again], _renumbered(rest, row["recorder"], 1))
        case Disorder.EXCHANGED:
            return chain(_exchanged(row, rest[0]), rest[1:])


def _renumbered(rows: Iterable[Row], recorder: str, by: int) -> Iterator[Row]:
    return ({**row, "seq": row["seq"] + by} if row["recorder"] == recorder else row for row in rows)


def _exchanged(one: Row, other: Row) -> tuple[Row, Row]:
    """Two events in the other order, each at the time of the other; a recorder numbers its own anew."""
    seqs = one["seq"], other["seq"]
    if one["recorder"] != other["recorder"]:
        seqs = seqs[::-1]
    return {**other, "seq": seqs[0], "time_ns": one["time_ns"]}, {**one, "seq": seqs[1], "time_ns": other["time_ns"]}
