"""Counting domains is the same however many are counted at once, and whether or not rows come in runs."""

from random import Random

import numpy as np
import pytest

from spec.columns import terms
from spec.columns.blocks import check
from spec.columns.dimensions import gather
from spec.columns.operations import masks_of, one
from spec.events import Ack, Positioned, Store
from spec.language.declare import View, along, count_of, max_of
from spec.language.handles import known
from spec.language.parameters import members
from spec.language.quantifiers import count, domains
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from tests.support.cuts import differences
from tests.support.probe_rules import PROBE_RULES
from tests.support.probe_views import Metadata, Statuses
from tests.support.random_traces import parameters_for, random_events, raw_of


@pytest.mark.parametrize("at_once", [1, 100, 1000])
@pytest.mark.parametrize("nodes", [5, 70])
def test_domains_in_steps(at_once: int, nodes: int, monkeypatch: pytest.MonkeyPatch, rng: Random) -> None:
    """A count in steps, as it is made over many rows."""
    monkeypatch.setattr(terms, "DOMAINS_AT_ONCE", at_once)
    parameters = parameters_for(nodes)
    events = random_events(rng, 100, nodes=nodes, logs=2)
    raw = raw_of(events, parameters)
    tables = gather((Metadata, Statuses), [raw], parameters)
    want = ReferenceEvaluator(events, parameters).judge(PROBE_RULES)
    assert differences(PROBE_RULES, want, check(PROBE_RULES, [raw], parameters, tables)) == []


def test_runs_of_equal_copysets() -> None:
    """Sticky copysets: the same set for many records in a row, as LogDevice's copyset manager gives them."""
    parameters = parameters_for(5)
    rule = next(rule for rule in PROBE_RULES if rule.id == "probe.domains_0")
    event = random_events(Random(1), 1, nodes=5, logs=1)[0] | {"kind": Store.kind, "log": 0, "time_ns": 1}
    events = [event | {"epoch": 1 + row // 200, "esn": row % 200, "seq": row, "node": row // 100} for row in range(300)]
    judged = check([rule], [raw_of(events, parameters)], parameters, {})
    assert differences([rule], ReferenceEvaluator(events, parameters).judge([rule]), judged) == []


EMPTY_RACKS = count(rack.is_empty() for rack in domains("rack"))
"""The same number for all rows: it hangs on the header alone."""


class Conditional(View, one_per=(Positioned.log, Positioned.lsn)):
    """What is said where a condition holds that is the same for all events, or for all rows."""

    always = max_of(Ack.digest.when(EMPTY_RACKS == 0))
    never = max_of(Ack.digest.when(EMPTY_RACKS == 1))
    counted = count_of(Ack, where=EMPTY_RACKS.when(EMPTY_RACKS == 1) == 0)
    acks = count_of(Ack)
    before = along(Positioned.log).latest(acks.when(EMPTY_RACKS == 1))
    ahead = along(Positioned.log).next(acks.when(EMPTY_RACKS == 0))


def test_conditions_that_are_the_same_everywhere(rng: Random) -> None:
    """Their value is kept once, and stands for each event and each row, though nothing else is unknown."""
    row, parameters = Conditional, parameters_for(5)
    claims = (row.always < 2, row.never < 2, row.counted < 2, row.before < 2, row.ahead < 2, ~known(row.before))
    rules = [
        Rule(f"probe.same_{number}", row, "One.", "none: a probe", claim.term, "", "safety", "", "probe")
        for number, claim in enumerate(claims)
    ]
    for _ in range(5):
        events = [event | {"digest": 1} for event in random_events(rng, 100, nodes=5, logs=2)]
        judged = check(rules, [raw_of(events, parameters)], parameters, {})
        assert differences(rules, ReferenceEvaluator(events, parameters).judge(rules), judged) == []


@pytest.mark.parametrize("nodes", [64, 70, 200])
def test_nodes_and_masks(nodes: int) -> None:
    """Node 63 is the sign bit of the first word; node 64 begins the second."""
    parameters = parameters_for(nodes)
    said = one(np.arange(nodes), None, parameters).reshape(parameters.words, nodes)
    assert [members(tuple(said[:, node].tolist())) for node in range(nodes)] == [
        frozenset({node}) for node in range(nodes)
    ]
    masks = masks_of(parameters.domains_of("rack"), parameters.words).reshape(3, parameters.words)
    assert [members(tuple(row.tolist())) for row in masks] == list(parameters.domains_of("rack"))
