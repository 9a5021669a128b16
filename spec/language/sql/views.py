"""Views as SQL text: their rows, what these see around them, and what the rules say of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from spec.language.declare import Dimension, Rowset, View
from spec.language.rule import Rule
from spec.language.sql.events import Trace
from spec.language.sql.rows import RowWriter
from spec.language.sql.rowsets import gathered
from spec.language.sql.shared import with_shared
from spec.language.sql.stages import Stages
from spec.language.sql.windows import Windows
from spec.language.terms import Along, Col, Lit, Term, leaves

RULES_PER_WORD: Final = 31
"""Rules that one number holds, two bits for each, without its sign."""


@dataclass(frozen=True)
class Sheet:
    """One view and all the rules that judge its rows.

    Attributes:
        label: the view's name in the text and in results.
    """

    label: str
    view: type[View]
    rules: tuple[Rule, ...]

    @property
    def near(self) -> dict[str, Along]:
        """The neighbour columns that the rules read."""
        wanted = {name for rule in self.rules for name in rule.neighbours}
        return {name: near for name, near in self.view.near.items() if name in wanted}

    @property
    def terms(self) -> list[Term]:
        """Everything that is asked of a row: by the rules, and by the neighbour columns that they read."""
        terms = [part for rule in self.rules for part in rule.parts]
        for near in self.near.values():
            terms += map(self.view.inline, (near.of, *near.partition))
        return terms

    @property
    def base(self) -> set[str]:
        """The base columns that are read."""
        return {col.name for term in self.terms for col in leaves(term, Col)} & set(self.view.base)

    @property
    def words(self) -> list[tuple[Rule, ...]]:
        """The rules whose outcomes share one number, in order."""
        return [self.rules[first : first + RULES_PER_WORD] for first in range(0, len(self.rules), RULES_PER_WORD)]

    def stages(self, tables: Mapping[type[Dimension], str], trace: Trace) -> Stages:
        """The stages that end in the key of each row and what all rules say of it."""
        stages = gathered(self.label.lower(), self.view, self.base, trace)
        Windows(self.view, self.near, tables, trace).add_to(stages)
        writer = with_shared(stages, [part for rule in self.rules for part in rule.parts], self.view, tables, trace)
        said = []
        for number, rules in enumerate(self.words):
            bits = "\n    | ".join(outcome(rule, writer, 4**place) for place, rule in enumerate(rules))
            said.append(f"{bits} AS o{number}")
        stages.add("judged", [*(f"c_{name}" for name in self.view.key), *said])
        return stages


@dataclass(frozen=True)
class Shape:
    """The shape of a result: the most words, and the longest key, of any of its sheets."""

    words: int
    width: int

    @staticmethod
    def of(sheets: Sequence[Sheet]) -> Shape:
        """The shape in which all these sheets fit."""
        return Shape(max(len(sheet.words) for sheet in sheets), max(len(sheet.view.key) for sheet in sheets))


def sheets_of(rules: Iterable[Rule]) -> list[Sheet]:
    """The rules by view, in the order in which views first occur."""
    found: dict[type[View], list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.view, []).append(rule)
    names = labels(found)
    return [Sheet(names[view], view, tuple(mine)) for view, mine in found.items()]


def labels(rowsets: Iterable[type[Rowset]]) -> dict[type[Rowset], str]:
    """A name for each view or table, made different where two modules use one."""
    found: dict[type[Rowset], str] = {}
    for rowset in rowsets:
        taken = {name.lower() for name in found.values()}
        name, number = rowset.__name__, 1
        while name.lower() in taken:
            number += 1
            name = f"{rowset.__name__}{number}"
        found[rowset] = name
    return found


def outcome(rule: Rule, writer: RowWriter, unit: int) -> str:
    """What a rule says of a row, times a unit: 0 no instance, 1 holds, 2 unknown, 3 violated."""
    given, claim = rule.parts
    g, c = writer.scalar(given), writer.scalar(claim)
    if writer.may_be_null(claim):
        truth = f"coalesce({3 * unit} - {2 * unit} * CAST({c} AS BIGINT), {2 * unit})"
    else:
        truth = f"CASE WHEN {c} THEN {unit} ELSE {3 * unit} END"
    if given == Lit(value=True):
        return truth
    doubt = f" WHEN {g} IS NULL THEN CASE WHEN {c} THEN {unit} ELSE {2 * unit} END" if writer.may_be_null(given) else ""
    return f"CASE WHEN {g} THEN {truth}{doubt} ELSE 0 END"
