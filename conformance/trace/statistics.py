"""What a reading saw: how many events of each kind, and which fields it did not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.trace.fields import EXTRA, FOR_PEOPLE, SHAPES


@dataclass
class Statistics:
    """Counts of one reading of a trace, complete when the reading is.

    Attributes:
        events: how many events of each kind, by word.
        unknown_fields: how many times each field unknown to this version was met; they are kept, and read by no rule.
    """

    events: Counter[str] = field(default_factory=Counter)
    unknown_fields: Counter[str] = field(default_factory=Counter)

    def count(self, row: Mapping[str, Any]) -> None:
        """Count one event."""
        self.events[SHAPES[row["kind"]].word] += 1
        if EXTRA in row:
            self.unknown_fields.update(row[EXTRA].keys() - FOR_PEOPLE)

    def count_fields(self, names: Iterable[str]) -> None:
        """Count unknown fields, or a column of them."""
        self.unknown_fields.update(names)
