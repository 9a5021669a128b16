"""Engines in this process: the columns reading for speed, and plain Python as the meaning of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from conformance.trace.open import Parquet
from conformance.trace.rows import EventRow
from conformance.trace.sort import in_another_order
from spec.columns.blocks import check
from spec.columns.column import Raw
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.plan import by_order, needed_columns, needed_of_kinds
from spec.language.events import kinds
from spec.language.orders import Order
from spec.language.outcomes import Judgement
from spec.language.reference import ReferenceEvaluator
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
    whole = Judgement()
    for order, mine in by_order(rules).items():
        with _in_order(trace, order, mine) as raws:
            whole.merge(check(mine, _watched(raws, "judging", events, progress), parameters, tables))
    return whole


@contextmanager
def _in_order(trace: Parquet, order: Order, rules: Sequence[Rule]) -> Iterator[Iterator[Raw]]:
    """What rules read of a trace, in the order that they ask for: its own, or one for which it is sorted anew."""
    columns = needed_columns(rules)
    if order == trace.header.sorted_by:
        yield trace.raws(columns)
        return
    told = {kind for rule in rules for kind in kinds(rule.view.events)}
    with TemporaryDirectory(prefix="quorate-") as folder:
        yield in_another_order(trace, order, columns, told, Path(folder))


def by_python(rules: Sequence[Rule], trace: Parquet, events: int, progress: Progress) -> Judgement:
    """Judge with plain Python: slow, in memory, and the measure of all other engines."""

    def read() -> Iterator[EventRow]:
        for done, event in enumerate(trace.events()):
            if not done % 4096:
                progress("reading", done, events)
            yield event

    return ReferenceEvaluator(read(), trace.header.parameters()).judge(rules)


def _watched(raws: Iterator[Raw], what: str, events: int, progress: Progress) -> Iterator[Raw]:
    done = 0
    for raw in raws:
        progress(what, done, events)
        yield raw
        done += len(raw["kind"].value)


ENGINES: Final[dict[str, Engine]] = {"columns": by_columns, "python": by_python}
"""The engines by name."""
