"""Chronicles: what happened and who saw it, from which every recorder gets an order and a clock of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from spec.language.events import AnyEvent, fields_of

Row: TypeAlias = dict[str, Any]
"""One event, by column of the trace."""

Clocks: TypeAlias = Literal["exact", "bounded", "absent"]
"""One clock for all, clocks that differ by less than a bound, or none; texts know an order of steps and no time."""

STEP_NS: Final = 1000
"""So much time passes between two steps of a text."""

BOUND_NS: Final = 100
"""By so much bounded clocks differ at most: less than between two steps, more than between what follows one."""


@dataclass
class Entry:
    """One event before its recorder has given it a number.

    Attributes:
        fields: by name; a value that is another entry stands for the number that its recorder gives to that.
    """

    recorder: str
    event: type[AnyEvent]
    time: int
    fields: dict[str, Any] = field(default_factory=dict)
    seq: int = 0


class Chronicle:
    """Entries in the order in which they were written, which decides where times are equal.

    Attributes:
        now: the time of the step that is told.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.now = 0

    def write(self, recorder: str, event: type[AnyEvent], **fields: Any) -> Entry:
        """Somebody sees something now."""
        return self.write_at(self.now, recorder, event, **fields)

    def write_at(self, time: int, recorder: str, event: type[AnyEvent], /, **fields: Any) -> Entry:
        """Somebody sees something at another time."""
        entry = Entry(recorder, event, time, fields)
        self.entries.append(entry)
        return entry

    def rows(self, clocks: Clocks) -> list[Row]:
        """All events as their recorders have them."""
        recorders = list(dict.fromkeys(entry.recorder for entry in self.entries))
        shift = {name: number * BOUND_NS // max(1, len(recorders) - 1) for number, name in enumerate(recorders)}
        ordered = sorted(self.entries, key=lambda entry: entry.time)
        seen: dict[str, int] = defaultdict(int)
        for entry in ordered:
            seen[entry.recorder] += 1
            entry.seq = seen[entry.recorder]
        return [_row(entry, _read(clocks, entry.time, shift[entry.recorder])) for entry in ordered]


def _read(clocks: Clocks, time: int, shift: int) -> int | None:
    """What a recorder's clock says."""
    return None if clocks == "absent" else time + shift if clocks == "bounded" else time


def _row(entry: Entry, time: int | None) -> Row:
    known = {name: field for name, field in fields_of(entry.event).items() if not field.computed}
    said: Mapping[str, Any] = {"seq": entry.seq, "time": time} | entry.fields
    if unknown := said.keys() - known.keys():
        raise TypeError(f"{entry.event.__name__} has no field {', '.join(unknown)}")
    if missing := [name for name, one in known.items() if name not in said and not one.optional]:
        raise TypeError(f"{entry.event.__name__} needs {', '.join(missing)}")
    values = {name: one.seq if isinstance(one, Entry) else one for name, one in said.items()}
    columns = {one.column: values.get(name) for name, one in known.items()}
    return {"kind": entry.event.kind, "recorder": entry.recorder, **columns}
