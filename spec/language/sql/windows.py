"""Neighbours as SQL text: windows over rows, of which there are far fewer than events.

All windows of a view share one order and its reverse, so an engine sorts twice at most. What lies ahead is the last
known value in the reverse order: a frame to unbounded following would be computed anew for each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from spec.language.declare import Dimension, View
from spec.language.sql.events import Trace
from spec.language.sql.rows import RowWriter, joined
from spec.language.sql.rowsets import names
from spec.language.sql.stages import Stages
from spec.language.terms import Along, Col, Op, Term
from spec.language.vocabulary import sort_of

AHEAD: Final = "next"
"""The one neighbour that lies ahead."""

_UP_TO_HERE: Final = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


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
            self._look(stages, word, {name: near for name, near in self.near.items() if (near.fn == AHEAD) is ahead})

    def _place(self, stages: Stages) -> None:
        """Give the parts of partitions that are no columns a column each, in which engines see equal orders."""
        made = {part: name for part, name in self._parts().items() if not isinstance(part, Col)}
        if made:
            plan = joined(made, self.view, self.tables, self.trace)
            columns = [f"{plan.writer.scalar(part)} AS {name}" for part, name in made.items()]
            stages.add("placed", [plan.every, *columns], *plan.clauses, hint=plan.hint)

    def _look(self, stages: Stages, word: str, near: Mapping[str, Along]) -> None:
        if near:
            plan = joined(map(self._value, near.values()), self.view, self.tables, self.trace)
            columns = [item for name in near for item in self._window(name, plan.writer)]
            stages.add(word, [plan.every, *columns], *plan.clauses, hint=plan.hint)

    def _window(self, name: str, writer: RowWriter) -> list[str]:
        """What one column shows, for each mask word of it."""
        near, parts = self.near[name], self._parts()
        by = [parts[self.view.inline(part)] for part in near.partition]
        down = " DESC" if near.fn == AHEAD else ""
        order = [f"{column}{down}" for column in self._order() if column not in by]
        clauses = {"PARTITION BY": by, "ORDER BY": order or [f"{self._order()[0]}{down}"]}
        over = " ".join(f"{word} {', '.join(columns)}" for word, columns in clauses.items() if columns)
        phrase = {"previous": f"lag({{0}}) OVER ({over})", "highest": f"max({{0}}) OVER ({over} {_UP_TO_HERE})"}.get(
            near.fn, f"{self.trace.dialect.seen} OVER ({over} {_UP_TO_HERE})"
        )
        columns = names("c", name, sort_of(near), self.trace.parameters.words)
        texts = writer.words(self._value(near))
        return [f"{phrase.format(text)} AS {column}" for text, column in zip(texts, columns, strict=True)]

    def _value(self, near: Along) -> Term:
        return self.view.inline(near.of)

    def _parts(self) -> dict[Term, str]:
        """The parts of all partitions and the columns that hold them."""
        parts = dict.fromkeys(self.view.inline(part) for near in self.near.values() for part in near.partition)
        return {part: f"c_{part.name}" if isinstance(part, Col) else f"p_{n}" for n, part in enumerate(parts)}

    def _order(self) -> list[str]:
        """One order for all windows: the key's, where an epoch stands before the LSN that it is part of."""
        order: list[str] = []
        for name in self.view.key:
            epoch = Op("epoch", (Col(name, "int"),))
            order += [*([self._parts()[epoch]] if epoch in self._parts() else []), f"c_{name}"]
        return order
