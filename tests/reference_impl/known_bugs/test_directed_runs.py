"""Directed schedules: what no random run shows is shown by one whose scenes are told, and only without the guard.

Justified by the bugs that ``spec/protocols/known_bugs.py`` cites: each of them is a run of the machine, too.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.environment.entities import CONTROLLER
from reference_impl.known_bugs.directed import DIRECTED, directed
from reference_impl.known_bugs.reducing import NoViolation, breaks, reduce
from reference_impl.known_bugs.schedule import ScheduledFault, acts_in_words, replayed
from reference_impl.log import trace_events
from reference_impl.mutants import MUTANTS, SCHEDULED, mutant_named
from spec.protocols.known_bugs import KNOWN_BUGS
from spec.registry import BY_ID, RULES
from tests.suite.caught import Catches
from tests.support.replayed import refusal_of

BUG_OF = {bug.mutant: bug for bug in KNOWN_BUGS.values() if bug.mutant in SCHEDULED}


NOBODY: frozenset[int] = frozenset()
TABLE = {**trace_events.statuses(0, NOBODY, NOBODY, NOBODY).event, "recorder": CONTROLLER, "seq": 0, "time_ns": 0}
"""The table by which everybody goes, which a schedule does not tell."""


def test_every_scheduled_mutant_is_a_bug_with_a_schedule() -> None:
    """And none of them is one that random runs show."""
    assert SCHEDULED.keys() == DIRECTED.keys() == BUG_OF.keys()
    assert not SCHEDULED.keys() & MUTANTS.keys()
    for name, one in SCHEDULED.items():
        assert mutant_named(name) is one


@pytest.mark.parametrize("name", SCHEDULED)
def test_a_directed_run_breaks_its_rule(name: str, catches: Catches) -> None:
    """And is refused where the later recovery contradicts the earlier one."""
    usual, scenes = DIRECTED[name]
    plan = replace(usual, mutant=name)
    acts = directed(plan, scenes)
    taken, events = replayed(plan, acts)
    assert taken == acts
    assert breaks(BY_ID[BUG_OF[name].rule], plan, events)
    refused = refusal_of(plan, [TABLE, *events])
    assert refused is not None
    assert refused.guard.id == "store.follows_from_digests"
    for judge in ("reference", "replay"):
        catches("mutant", name, judge)
        catches("bug", BUG_OF[name].name, judge)


@pytest.mark.parametrize("name", SCHEDULED)
def test_the_correct_machine_goes_through_the_same_scenes(name: str) -> None:
    """And through those acts of the wrong one that it can take, too: every rule holds, and every event is a step."""
    plan, scenes = DIRECTED[name]
    wrongly = [
        act._replace(context=replace(act.context, changes={})) if isinstance(act, ScheduledFault) else act
        for act in directed(replace(plan, mutant=name), scenes)
    ]
    for acts in (directed(plan, scenes), wrongly):
        taken, events = replayed(plan, acts)
        assert ("node 3 takes no more stores" in acts_in_words(taken)) == any(scene.shut for scene in scenes)
        assert [rule.id for rule in RULES if breaks(rule, plan, events)] == []
        assert refusal_of(plan, [TABLE, *events]) is None


def test_what_is_directed_must_break_the_rule() -> None:
    """A rule that it keeps is not reduced to."""
    with pytest.raises(NoViolation, match="none of 1 directed runs"):
        reduce("filtered_before_bridges", BY_ID["log.seal.fences"])
