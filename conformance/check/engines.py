"""Engines in this process: the columns reading for speed, and plain Python as the meaning of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from conformance.trace.open import Parquet
from conformance.trace.rows import EventRow
from spec.columns.blocks import check
from spec.columns.column import Raw
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.plan import needed_columns, needed_of_kinds
from spec.language.fold import Fold
from spec.language.outcomes import Judgement
from spec.language.rule import Rule, rules_about

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told now and then what is being done, how many events are done, and how many there are."""

Engine: TypeAlias = Callable[[Sequence[Rule], Parquet, int, Progress], Judgement]


def silent(_what: str, _done: int, _of: int) -> None:
    """No progress."""


def by_columns(rules: Sequence[Rule], trace: Parquet, events: int, progress: Progress) -> Judgement:
    """Judge with numpy, block by block; memory does not grow with the trace."""
    progress("gathering", 0, events)
    rules = rules_about(rules, trace.kinds())
    parameters, dimensions = trace.header.parameters(), dimensions_of(rules)
    tables = gather(dimensions, trace.raws_of(needed_of_kinds(dimensions)) if dimensions else (), parameters)
    return check(rules, _watched(trace.raws(needed_columns(rules)), "judging", events, progress), parameters, tables)


def by_python(rules: Sequence[Rule], trace: Parquet, events: int, progress: Progress) -> Judgement:
    """Judge with plain Python: slow, in memory, and the measure of all other engines."""

    def read() -> Iterator[EventRow]:
        for done, event in enumerate(trace.events()):
            if not done % 4096:
                progress("reading", done, events)
            yield event

    return Fold(read(), trace.header.parameters()).judge(rules)


def _watched(raws: Iterator[Raw], what: str, events: int, progress: Progress) -> Iterator[Raw]:
    done = 0
    for raw in raws:
        progress(what, done, events)
        yield raw
        done += len(raw["kind"].value)


ENGINES: Final[dict[str, Engine]] = {"columns": by_columns, "python": by_python}
"""The engines by name."""
