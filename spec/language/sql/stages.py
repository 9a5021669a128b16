"""Stages: a view's text is a chain of named subqueries, each a plain select over the one before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass
class Stages:
    """The subqueries of one view or dimension, in order.

    Attributes:
        label: what their names begin with.
        source: what the first of them reads.
        written: the text of each column that lies in the bits of others and has none of its own.
    """

    label: str
    source: str
    texts: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)

    @property
    def last(self) -> str:
        """The name of the newest subquery."""
        return next(reversed(self.texts), self.source)

    def add(self, word: str, columns: Iterable[str], *rest: str, hint: str = "") -> None:
        """Select these columns from the newest subquery; ``rest`` are the clauses that follow it."""
        name = f"{self.label}_{word}" if word else self.label
        self.texts[name] = select(columns, self.last, *rest, hint=hint)


def select(columns: Iterable[str], source: str, *rest: str, hint: str = "") -> str:
    """One select, a column on each line."""
    lines = ",\n".join(f"  {column}" for column in columns)
    return "\n".join([f"SELECT{hint}", lines, f"FROM {source}", *(clause for clause in rest if clause)])


def with_all(stages: Sequence[Stages]) -> str:
    """The subqueries of several chains, before the select that uses them."""
    texts = [f"{name} AS (\n{indent(text)}\n)" for chain in stages for name, text in chain.texts.items()]
    return f"WITH {', '.join(texts)}"


def indent(text: str) -> str:
    """The text two columns to the right."""
    return "\n".join(f"  {line}" for line in text.splitlines())
