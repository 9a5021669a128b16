"""Neighbours as SQL text: windows over rows, of which there are far fewer than events.

All windows of a view share one order and its reverse, so an engine sorts twice at most. What lies ahead is the last
known value in the reverse order, or the least so far in it: a frame to unbounded following would be computed anew for
each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from spec.language.declare import Dimension, View
from spec.language.sql.events import Trace
from spec.language.sql.rows import RowWriter, joined
from spec.language.sql.rowsets import names
from spec.language.sql.stages import Stages
from spec.language.terms import Along, Col, Op, Term
from spec.language.vocabulary import AHEAD, sort_of

_UP_TO_HERE: Final = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"

_EXTREMES: Final = {"highest": "max", "lowest": "min"}


@dataclass(frozen=True)
class Windows:
    """The neighbour columns that are wanted of one view.

    Attributes:
        near: the columns.
        tables: the names of the tables that their values may look up.
    """

    view: type[View]
    near: Mapping[str, Along]
    tables: Mapping[type[Dimension], str]
    trace: Trace

    def add_to(self, stages: Stages) -> None:
        """Add the windows: those ahead first, so that the others leave rows in the order of the key."""
        self._place(stages)
        for word, ahead in (("ahead", True), ("near", False)):
            self._look(stages, word, {name: near for name, near in self.near.items() if (near.fn in AHEAD) is ahead})

    def _place(self, stages: Stages) -> None:
        """Give the parts of partitions that are no columns a column each, in which engines see equal orders."""
        made = {part: name for part, name in self._parts.items() if not isinstance(part, Col)}
        if made:
            plan = joined(stages, made, self.view, self.tables, self.trace)
            columns = [f"{plan.writer.scalar(part)} AS {name}" for part, name in made.items()]
            stages.add("placed", [plan.every, *columns], *plan.clauses, hint=plan.hint)

    def _look(self, stages: Stages, word: str, near: Mapping[str, Along]) -> None:
        if near:
            plan = joined(stages, map(self._value, near.values()), self.view, self.tables, self.trace)
            columns = [item for name in near for item in self._window(name, plan.writer)]
            stages.add(word, [plan.every, *columns], *plan.clauses, hint=plan.hint)

    def _window(self, name: str, writer: RowWriter) -> list[str]:
        """What one column shows, for each mask word of it."""
        near, over = self.near[name], self._over(self.near[name])
        texts = writer.words(self._value(near))
        within = self._parts_within(near)
        shown = [self._phrase(near.fn, text, over) for text in texts]
        if within:
            same = " AND ".join(
                f"{self._phrase(near.fn, _where_known(texts[0], part), over)} = {part}" for part in within
            )
            shown = [f"CASE WHEN {same} THEN {text} END" for text in shown]
        columns = names("c", name, sort_of(near), self.trace.parameters.words)
        return [f"{text} AS {column}" for text, column in zip(shown, columns, strict=True)]

    def _phrase(self, fn: str, text: str, over: str) -> str:
        match fn:
            case "previous":
                return f"lag({text}) OVER ({over})"
            case "highest" | "lowest":
                return f"{_EXTREMES[fn]}({text}) OVER ({over} {_UP_TO_HERE})"
            case _:
                return f"{self.trace.dialect.seen.format(text)} OVER ({over} {_UP_TO_HERE})"

    def _over(self, near: Along) -> str:
        """Where a window looks, and in what order."""
        by, down = self._by(near), " DESC" if near.fn in AHEAD else ""
        anywhere = {column for other in self.near.values() for column in self._by(other)}
        needed = [column for column in self._order() if column.startswith("c_") or column in anywhere]
        order = [f"{column}{down}" for column in needed if column not in by]
        clauses = {"PARTITION BY": by, "ORDER BY": order or [f"{self._order()[0]}{down}"]}
        return " ".join(f"{word} {', '.join(columns)}" for word, columns in clauses.items() if columns)

    def _by(self, near: Along) -> list[str]:
        """The partition in which a window looks, which may be wider than the one it asks for."""
        mine = self._columns(near)
        return mine[: len(mine) - len(self._parts_within(near))]

    def _columns(self, near: Along) -> list[str]:
        parts = self._parts
        return [parts[self.view.inline(part)] for part in near.partition]

    def _parts_within(self, near: Along) -> list[str]:
        """The last parts of a partition, where another window has the first ones alone: one sort serves both.

        The last known value in the wider partition is that of the narrower one if it comes from the same part; if it
        does not, the narrower one has none: the rows of a partition stand together (``spec.language.shape``).
        """
        mine = self._columns(near)
        if near.fn in _EXTREMES:
            return []
        for wider in sorted((self._columns(other) for other in self.near.values()), key=len):
            if mine[: len(wider)] == wider:
                return mine[len(wider) :]
        return []

    def _value(self, near: Along) -> Term:
        return self.view.inline(near.of)

    @cached_property
    def _parts(self) -> dict[Term, str]:
        """The parts of all partitions and the columns that hold them."""
        parts = dict.fromkeys(self.view.inline(part) for near in self.near.values() for part in near.partition)
        return {part: f"c_{part.name}" if isinstance(part, Col) else f"p_{n}" for n, part in enumerate(parts)}

    def _order(self) -> list[str]:
        """One order for all windows: the key's, where a high part stands before the position that it is part of."""
        order: list[str] = []
        for name in self.view.key:
            high = Op("high", (Col(name, "int"),))
            order += [*([self._parts[high]] if high in self._parts else []), f"c_{name}"]
        return order


def _where_known(text: str, part: str) -> str:
    return f"CASE WHEN {text} IS NOT NULL THEN {part} END"
