"""The columns reading says exactly what the reference says: ``spec.language.reference`` defines the meaning.

Random traces over the whole vocabulary, with NULLs, sets of 5 and of 70 nodes, several logs and epochs; judged whole,
and cut anywhere and merged in any order of neighbours. Each seed is one test, so a failure names the line that
replays it.
"""

from collections import Counter
from random import Random

import pytest

from spec.columns.blocks import check
from spec.columns.dimensions import dimensions_of, gather
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES
from tests.support.cuts import cut_and_compare, differences, drawn
from tests.support.probe_rules import PROBE_RULES
from tests.support.random_traces import parameters_for, random_events, raw_of

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_whole_trace(seed: int) -> None:
    """Every construct of the language, and every rule of the specification."""
    events, parameters, _ = drawn(seed)
    raw = raw_of(events, parameters)
    for rules in (PROBE_RULES, RULES):
        tables = gather(dimensions_of(rules), [raw], parameters)
        assert (
            differences(
                rules, ReferenceEvaluator(events, parameters).judge(rules), check(rules, [raw], parameters, tables)
            )
            == []
        )


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_any_cut_and_any_merge(seed: int) -> None:
    """All rules together, and many of them alone: a rule must not live on the rows that another one keeps."""
    assert cut_and_compare(seed) == []


@pytest.mark.thorough
@pytest.mark.parametrize("hundred", range(1, 6))
def test_many_cuts(hundred: int) -> None:
    """The same over twice as many traces as show every mutant of the reading: see ``test_merge_mutants``."""
    assert [found for seed in range(100 * hundred, 100 * hundred + 24) if (found := cut_and_compare(seed))] == []


@pytest.mark.parametrize("nodes", [5, 70])
def test_an_empty_trace(nodes: int) -> None:
    """No events, no verdicts."""
    parameters = parameters_for(nodes)
    raw = raw_of(random_events(Random(0), 0, nodes=nodes, logs=1), parameters)
    tables = gather(dimensions_of(PROBE_RULES), [], parameters)
    assert not check(PROBE_RULES, [raw], parameters, tables).counts
    assert not check(PROBE_RULES, [], parameters, tables).counts


def test_the_probes_probe() -> None:
    """Some traces decide a probe in one way, some in another: a probe that says one thing only compares nothing."""
    said = {key for seed in SEEDS for key in ReferenceEvaluator(*drawn(seed)[:2]).judge(PROBE_RULES).counts}
    ways = Counter(rule for rule, _ in said)
    assert [rule.id for rule in PROBE_RULES if ways[rule.id] < 2] == []
