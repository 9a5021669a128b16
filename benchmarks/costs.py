"""Costs: what each view and each rule costs the columns reading, in CPU seconds for a million events.

    python benchmarks/costs.py [--events N] [--folder DIR] [--repeat N] [--format text|json]

The big trace lies in memory, so nothing is read while rules are judged. A view is judged by its rules alone; a rule
alone, and its view without it: what that saves is what it costs beside the others, since what rules share is worked out
once. Whatever is judged must come to what the truth says of it; else the program ends with an error. Figures are the
least of several runs. They are CPU seconds, but other work on the machine makes them greater all the same.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.big_trace import HOME, BigTrace, big_trace
from benchmarks.throughput import WrongAnswer
from conformance.trace.open import Parquet, open_trace
from spec.columns.blocks import check
from spec.columns.column import Raw
from spec.columns.dimensions import Tables, dimensions_of, gather
from spec.columns.plan import needed_columns, needed_of_kinds
from spec.language.outcomes import Judgement
from spec.language.rule import Rule, rules_about
from spec.registry import RULES

T = TypeVar("T")

WHOLE: Final = "all"
"""What the table calls all views together."""


@dataclass(frozen=True)
class Cost:
    """What something costs, in CPU seconds for a million events.

    Attributes:
        view: the view; of ``all`` of them, and of what comes before rules, too.
        name: the rule, or what else is done; empty for the whole view.
        rules: how many rules are judged.
        judged: how many rows are instances.
        alone_s: what it takes alone.
        saved_s: what is saved without it beside all others of its view; None: it is no rule.
    """

    view: str
    name: str
    rules: int
    judged: int
    alone_s: float
    saved_s: float | None = None


class Bench:
    """The big trace in memory, and what it takes to judge it by some rules.

    Args:
        big: the trace and what is true of it.
    """

    def __init__(self, big: BigTrace) -> None:
        trace = open_trace(big.in_order)
        assert isinstance(trace, Parquet)
        self.trace, self.truth, self.events = trace, big.truth, big.events
        self.rules = rules_about(RULES, trace.kinds())
        self.parameters = trace.header.parameters()
        self.raws, self.tables = self.read(), self.gather()
        self.least_s: dict[object, float] = {}

    def read(self) -> list[Raw]:
        """The columns that the rules need."""
        return list(self.trace.raws(needed_columns(self.rules)))

    def gather(self) -> Tables:
        """The tables that the rules look things up in."""
        dimensions = dimensions_of(self.rules)
        raws = self.trace.raws_of(needed_of_kinds(dimensions)) if dimensions else ()
        return gather(dimensions, raws, self.parameters)

    def measure(self) -> None:
        """Do each thing once more, and keep what it took if that is less than before.

        So all that one thing's runs have in common with another's is spread over the same time.

        Raises:
            WrongAnswer: rules do not say the truth.
        """
        self._time("reading", self.read)
        self._time("gathering", self.gather)
        for rules in self._sets():
            said = self._time(rules, partial(check, rules, self.raws, self.parameters, self.tables))
            if said != _of(self.truth, {rule.id for rule in rules}):
                raise WrongAnswer(f"not the truth: {', '.join(sorted(rule.id for rule in rules))}")

    def _time(self, what: object, work: Callable[[], T]) -> T:
        begun = time.process_time()
        said = work()
        spent = (time.process_time() - begun) / self.events * 1e6
        self.least_s[what] = min(spent, self.least_s.get(what, spent))
        return said

    def _sets(self) -> Iterable[tuple[Rule, ...]]:
        """All rules, those of each view, each alone, and those of its view without it."""
        found = {tuple(self.rules)}
        for mine in self._views():
            found |= {mine, *((rule,) for rule in mine), *(_without(mine, rule) for rule in mine)}
        return [rules for rules in found if rules]

    def _views(self) -> list[tuple[Rule, ...]]:
        """The rules of each view."""
        views = dict.fromkeys(rule.view for rule in self.rules)
        return [tuple(rule for rule in self.rules if rule.view is view) for view in views]

    def costs(self) -> list[Cost]:
        """What comes before rules, all views together, each view, and each rule of it, dearest first."""
        before = [Cost(WHOLE, name, 0, 0, self.least_s[name]) for name in ("reading", "gathering")]
        views = sorted(self._views(), key=lambda mine: -self.least_s[mine])
        found = [self._cost(WHOLE, "", tuple(self.rules))]
        for mine in views:
            view = mine[0].view.__qualname__
            rules = [replace(self._cost(view, rule.id, (rule,)), saved_s=self._saved(mine, rule)) for rule in mine]
            found += [self._cost(view, "", mine), *sorted(rules, key=lambda cost: -(cost.saved_s or 0))]
        return [*before, *found]

    def _cost(self, view: str, name: str, rules: tuple[Rule, ...]) -> Cost:
        judged = sum(_of(self.truth, {rule.id for rule in rules}).counts.values())
        return Cost(view, name, len(rules), judged, self.least_s[rules])

    def _saved(self, mine: tuple[Rule, ...], rule: Rule) -> float:
        return self.least_s[mine] - self.least_s.get(_without(mine, rule), 0.0)


def _without(rules: tuple[Rule, ...], one: Rule) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule is not one)


def _of(truth: Judgement, rules: set[str]) -> Judgement:
    """What is true of these rules alone."""
    counts = {key: count for key, count in truth.counts.items() if key[0] in rules}
    return Judgement(Counter(counts), {violation for violation in truth.violations if violation.rule in rules})


def table(costs: Iterable[Cost]) -> list[str]:
    """The costs as lines, in milliseconds for a million events."""
    lines = [f"{'view':16} {'rule':44} {'rules':>6} {'instances':>10} {'alone ms':>9} {'saves ms':>9}"]
    for one in costs:
        saves = "" if one.saved_s is None else f"{one.saved_s * 1e3:.1f}"
        lines.append(
            f"{one.view:16} {one.name:44} {one.rules or '':>6} {one.judged:>10} {one.alone_s * 1e3:>9.1f} {saves:>9}"
        )
    return lines


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="costs.py", description="Tell what each view and rule costs.")
    options.add_argument("--events", type=int, default=1_000_000, metavar="N", help="about so many (1000000)")
    options.add_argument("--folder", type=Path, default=HOME, metavar="DIR", help="for the traces (build/benchmarks)")
    options.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of which the best counts (5)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Make the trace if it is not there, measure, and print the table.

    Raises:
        WrongAnswer: rules do not say the truth.
    """
    asked = parser().parse_args(words)
    bench = Bench(big_trace(asked.events, asked.folder))
    for _ in range(max(1, asked.repeat)):
        bench.measure()
    costs = bench.costs()
    if asked.format == "json":
        said: dict[str, Any] = {"events": bench.events, "costs": [asdict(one) for one in costs]}
        print(json.dumps(said, indent=2))
    else:
        print(f"events {bench.events}")
        print(*table(costs), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
