"""Verdicts: rows of a result, as an engine gives them, back into what the rules said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spec.language.outcomes import Judgement, Outcome, Violation
from spec.language.rule import Rule
from spec.language.sql.views import Shape, Sheet, sheets_of


def decode(rules: Iterable[Rule], rows: Iterable[Sequence[Any]]) -> Judgement:
    """The judgement that the rows of ``statement`` hold; the same that every other reading gives.

    Args:
        rules: the rules for which the text was written, in the same order.
        rows: ``(view, o0, ..., k0, ..., n)``, in any order.

    Raises:
        ValueError: a row names a view that no rule judges: the rows are of another text.
    """
    mine = tuple(rules)
    words = Shape.of(sheets_of(mine)).words
    judgement = Judgement()
    for sheet, numbers, times in _read(mine, rows):
        key = tuple(numbers[words : words + len(sheet.view.key)])
        for rule, outcome in _outcomes(sheet, numbers):
            judgement.count(rule.id, outcome, times)
            if outcome is Outcome.VIOLATED:
                judgement.violations.add(Violation(rule.id, key))
    return judgement


def _read(rules: Sequence[Rule], rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Sheet, list[int], int]]:
    sheets = {sheet.label: sheet for sheet in sheets_of(rules)}
    for label, *numbers, times in rows:
        if label not in sheets:
            raise ValueError(f"a row of view {label!r}, which no rule judges: decode with the rules of the statement")
        yield sheets[label], numbers, times


def _outcomes(sheet: Sheet, numbers: Sequence[int]) -> Iterator[tuple[Rule, Outcome]]:
    """What each rule of a sheet says, two bits each."""
    for number, rules in zip(numbers, sheet.words, strict=False):
        for place, rule in enumerate(rules):
            yield rule, Outcome(number >> 2 * place & 3)
