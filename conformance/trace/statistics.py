"""What a reading saw: how many events of each kind, and which fields it did not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.trace.fields import EXTRA, FOR_PEOPLE, EventShape


@dataclass
class Statistics:
    """Counts of one reading of a trace, complete when the reading is.

    Attributes:
        shapes: the kinds of event that the trace may have.
        events: how many events of each kind, by word.
        unknown_fields: how many times each field unknown to this version was met; they are kept, and read by no rule.
    """

    shapes: Mapping[int, EventShape]
    events: Counter[str] = field(default_factory=Counter)
    unknown_fields: Counter[str] = field(default_factory=Counter)

    def count(self, row: Mapping[str, Any]) -> None:
        """Count one event."""
        self.events[self.shapes[row["kind"]].word] += 1
        if EXTRA in row:
            self.unknown_fields.update(row[EXTRA].keys() - FOR_PEOPLE)

    def count_fields(self, names: Iterable[str]) -> None:
        """Count unknown fields, or a column of them."""
        self.unknown_fields.update(names)
