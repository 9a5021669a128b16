"""A range of a trace is judged with what is about its own partitions, as with what is about all.

Justified by ``spec.columns.partitions``: rows look such dimensions up under their own partition alone.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from reference_impl.heading import recording_of
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.client.bookkeeping import kept
from spec.columns.blocks import check, check_run, merge
from spec.columns.column import Array, Raw
from spec.columns.dimensions import Tables, dimensions_of, gather
from spec.columns.partitions import dimensions_by_partition, needed_by, together
from spec.language.outcomes import Judgement
from spec.language.rule import Rule
from spec.log.views.tables import Faults, Metadata, Outcomes, Statuses, Tellings
from spec.registry import RULES
from tests.support.simulated import raw_of

ORDER = RULES[0].view.sorted_by
OF_LOGS = [rule for rule in RULES if rule.view.sorted_by == ORDER]
"""The rules that a trace in this order is judged by."""


def test_what_is_about_a_log_is_by_partition_and_what_is_about_the_cluster_is_not() -> None:
    found = dimensions_by_partition(OF_LOGS, ORDER)
    assert {Metadata, Tellings, Outcomes} <= set(found)
    assert not {Faults, Statuses} & set(found)


def test_in_another_order_other_dimensions_are() -> None:
    """Rows of a trace that is sorted by nodes may look up whatever log they are about."""
    assert {one.key[0] for one in dimensions_by_partition(OF_LOGS, ORDER._replace(partition="node"))} == {"node"}


class Ranges:
    """A run that is judged range by range, each with tables of its own partitions.

    Args:
        plan: of the run.
        rules: what is asked.
    """

    def __init__(self, plan: SimulationPlan, rules: list[Rule]) -> None:
        self.plan, self.rules, self.parameters = plan, rules, plan.parameters()
        self.raw: Raw = raw_of(kept(simulate(plan), recording_of(plan)), self.parameters)
        self.size = len(self.raw["kind"].value)
        self.near = dimensions_by_partition(rules, ORDER)
        whole = [dimension for dimension in dimensions_of(rules) if dimension not in self.near]
        self.whole = gather(whole, [self.raw], self.parameters)

    def events(self, rows: slice | Array) -> Raw:
        """Some of the events."""
        return {name: column.take(rows) for name, column in self.raw.items()}

    def of_own_partitions(self, begin: int, end: int) -> Tables:
        """What all events say that are about the partitions of some."""
        partition = self.raw[ORDER.partition].value
        here = np.flatnonzero(np.isin(partition, partition[begin:end]))
        return gather(self.near, [self.events(here)], self.parameters)

    def judged(self, cuts: list[int]) -> Judgement:
        """What the rules say of all ranges together."""
        parts, left = [], []
        for begin, end in pairwise([0, *cuts, self.size]):
            tables = self.of_own_partitions(begin, end)
            raws = [self.events(slice(begin, end))]
            run = check_run(self.rules, raws, self.parameters, {**self.whole, **tables}, begins=not begin)
            parts.append(deque(run, maxlen=1)[0])
            left.append(needed_by(parts[-1], self.rules, tables, ORDER))
        tables = {**self.whole, **together(left, self.parameters)}
        return merge(self.rules, parts, self.parameters, tables, close=True).judgement


@pytest.mark.parametrize("mutant", ["", "esns_swapped", "copyset_outside_nodeset"])
@pytest.mark.parametrize("seed", range(3))
def test_ranges_say_together_what_the_whole_says(seed: int, mutant: str) -> None:
    ranges, random = Ranges(SimulationPlan(seed=seed, events=3_000, mutant=mutant), OF_LOGS), Random(seed)
    every = {**ranges.whole, **gather(ranges.near, [ranges.raw], ranges.parameters)}
    cuts = sorted(random.sample(range(1, ranges.size), 5))
    assert ranges.judged(cuts) == check(OF_LOGS, [ranges.raw], ranges.parameters, every)


def test_no_more_is_left_than_rows_may_look_up() -> None:
    ranges = Ranges(SimulationPlan(seed=1, events=3_000), OF_LOGS)
    tables = ranges.of_own_partitions(0, ranges.size)
    every = {**ranges.whole, **tables}
    whole = list(check_run(OF_LOGS, [ranges.raw], ranges.parameters, every, begins=True, ends=True))
    assert len(needed_by(whole[-1], OF_LOGS, tables, ORDER)[Metadata]["log"].value) < tables[Metadata].size
