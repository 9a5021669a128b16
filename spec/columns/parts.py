"""Parts: what is known of a piece of a trace, and the rows that it leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from spec.columns.column import Array
from spec.columns.piece import TracePosition
from spec.columns.states import State
from spec.language.outcomes import Judgement


class Waiting(NamedTuple):
    """The rows of one view that a block leaves behind.

    Attributes:
        states: their base columns.
        todo: for each row one bit for each rule that has yet to judge it, eight rules to a byte.
    """

    states: dict[str, State]
    todo: Array


@dataclass
class BlockSummary:
    """What is known of a piece of a trace. It is small and can be pickled.

    Attributes:
        rules: the ids of the rules, in order.
        span: the places of its first and last event; None: it has none.
        begins: no event of the trace comes before it.
        judgement: what is settled.
        rows: what waits, or is waited for, by view.
    """

    rules: tuple[str, ...]
    span: tuple[TracePosition, TracePosition] | None = None
    begins: bool = False
    judgement: Judgement = field(default_factory=Judgement)
    rows: dict[str, Waiting] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """How many rows wait or are waited for, in all views."""
        return sum(table.todo.shape[-1] for table in self.rows.values())
