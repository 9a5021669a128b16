"""Books in columns: what books say of a whole trace at once."""

from __future__ import annotations

from typing import NamedTuple

from spec.columns.column import Raw


class BookEntries(NamedTuple):
    """What books say.

    Attributes:
        filled: the columns that they fill in, of all events that were given, in their order.
        added: the events that they add, in the order of their numbers; what stands in no column is 0.
    """

    filled: Raw
    added: Raw
