"""Prepared terms say of every event what their meaning says (``spec.language.meaning`` defines it)."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from spec.events import Event
from spec.language.events import all_events, demands_of
from spec.language.meaning import Evaluator
from spec.language.prepared import prepared
from tests.support.random_traces import KINDS, parameters_for, random_events

PARAMETERS = parameters_for(5)


def test_what_is_demanded_of_events_means_the_same_when_prepared(rng: Random) -> None:
    """Of events that are as demanded, of the same with fields of others, and of unknown values."""
    seen: dict[tuple[str, object], int] = {}
    events = [event for _ in range(20) for event in random_events(rng, 200, nodes=5, logs=2)]
    for kind in (event for event in all_events(Event) if demands_of(event)):
        own = [event for event in events if event["kind"] == KINDS[kind.word]]
        mixed = [one | {name: other[name] for name in rng.sample(sorted(other), 3)} for one, other in pairwise(own)]
        mixed += [one | {"seq": -1, "replication": {"node": 1, "rack": 2}} for one in own]
        for demand in demands_of(kind):
            term = demand.term(kind)
            is_met = prepared(term, PARAMETERS)
            for event in own + mixed:
                said = Evaluator(event, PARAMETERS, {}).value(term)
                assert is_met(event) is said
                seen[demand.name, said] = seen.get((demand.name, said), 0) + 1
            assert not any(is_met(event) is False for event in own)
    assert {name for name, said in seen if said is False} == {name for name, _ in seen}
