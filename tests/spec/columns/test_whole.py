"""What is judged in parts that wait for nothing is what rules mean, however a trace in memory is cut.

``spec.language.reference`` justifies each answer; that every way of cutting occurs, ``spec.columns.cutting``.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

from spec.columns.cutting import Cut, cut_of
from spec.columns.dimensions import dimensions_of, gather
from spec.columns.piece import Piece
from spec.columns.plan import plans_of
from spec.columns.whole import Whole, judge_whole
from spec.language.reference import ReferenceEvaluator
from spec.registry import select
from tests.support.cuts import differences, drawn
from tests.support.probe_rules import PROBE_RULES
from tests.support.random_traces import raw_of


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_parts_say_what_rules_mean(size: int, rng: Random) -> None:
    """The events lie in memory in any order."""
    for _ in range(2):
        events, parameters, _ = drawn(rng.randrange(1 << 30))
        order = np.array(rng.sample(range(len(events)), len(events)), np.int64)
        raw = {name: column.take(np.argsort(order)) for name, column in raw_of(events, parameters).items()}
        tables = gather(dimensions_of(PROBE_RULES), [raw], parameters)
        whole, meant = (
            Whole(Piece(raw, parameters), order, tables, size),
            ReferenceEvaluator(events, parameters).judge(PROBE_RULES),
        )
        with ThreadPoolExecutor(2) as pool:
            for rules in (PROBE_RULES, *([rule] for rule in rng.sample(PROBE_RULES, 6))):
                assert differences(rules, meant, judge_whole(rules, whole, pool)) == []


def test_every_way_of_cutting_occurs() -> None:
    of_clients = {cut_of(plan) for plan in plans_of(select(["client.*"]))}
    assert of_clients == {*Cut} - {Cut.NOWHERE}
    assert {cut_of(plan) for plan in plans_of(PROBE_RULES)} | of_clients == {*Cut}
