"""Every step of nodes that ship and of readers is a step of the proved text of delivery, or a stutter.

The design asks that every simulated step of delivery refines its text; a step that does not is shown with both states.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import islice

import pytest

from reference_impl.environment.director import Director
from reference_impl.kernel.decision import Change
from reference_impl.kernel.faults import Rate
from reference_impl.log.context import EXTRAS, GREYLIST
from reference_impl.log.copies import Copy
from reference_impl.log.serving.catching_up import sends
from reference_impl.log.serving.sending import Sending
from reference_impl.mutants import MUTANTS
from reference_impl.plan import (
    EVERY_FAULT,
    MILLISECOND,
    NO_FAULTS,
    REPLICATIONS,
    TOPOLOGIES,
    Faults,
    SimulationPlan,
)
from reference_impl.refinement import refine
from reference_impl.refinement.delivery import DeliveryFollower, DeliveryRefinement
from reference_impl.refinement.delivery.copysets import Groups
from reference_impl.refinement.delivery.runs import ACTIONS
from reference_impl.simulate import context_for
from spec.language.outcomes import Verdict

SINGLE = SimulationPlan(events=4000, delivery=("single_copy",))

BEFORE_ANYBODY_HEARS = {"store", "release"}
"""What happens to a record before a reader hears of it is not counted."""


def followed(plan: SimulationPlan, *changes: Change) -> DeliveryRefinement:
    """What becomes of a run with all its faults, rebuilding too, where some decisions may be others."""
    print(f"followed({plan})")
    context = context_for(plan).deciding(*changes)
    director = Director(plan, context)
    simulator = director.world.simulator
    extras = EXTRAS in plan.variants
    groups = Groups(plan.topology.parameters(), plan.replication, context.closeness, extras=extras)
    follower = DeliveryFollower(groups, lambda: simulator.context)
    simulator.observer = partial(follower.see, number=0)
    for _ in islice(director.run(), plan.events):
        if follower.refinement.broken is not None:
            break
    return follower.refinement


def assert_refines(plan: SimulationPlan) -> DeliveryRefinement:
    """The run is one of the text."""
    found = followed(plan)
    assert found.broken is None, found.broken.text()
    assert min(found.by_action[action] for action in ("send", "deliver", "start_reading")) > 0
    return found


def test_runs_take_every_action_of_the_text() -> None:
    """A refinement that never sees an action says nothing of it."""
    plans = [replace(SINGLE, seed=seed, faults=faults) for seed, faults in enumerate((SINGLE.faults, EVERY_FAULT))]
    found = [assert_refines(plan).by_action for plan in plans]
    assert set(found[0]) == set(ACTIONS)
    taken = {action for by_action in found for action, number in by_action.items() if number}
    assert taken >= set(ACTIONS) - BEFORE_ANYBODY_HEARS - {"do_without", "lose", "store_late", "send_along"}


@pytest.mark.parametrize("topology", ["flat5", "racks6"])
def test_extras_send_along_until_they_are_dropped(topology: str) -> None:
    """LogDevice, LocalLogStore.cpp: the last members of a copyset larger than it need be send what they have."""
    plan = replace(SINGLE, events=2500, topology=TOPOLOGIES[topology], replication=REPLICATIONS[topology])
    found = assert_refines(replace(plan, variants=(EXTRAS,), delivery=("single_copy", "local")))
    assert min(found.by_action[action] for action in ("send_along", "go_past")) > 0


@pytest.mark.parametrize("at_once", [True, False], ids=["as LogDevice", "as its document"])
def test_readers_may_trust_sooner_or_later(at_once: bool) -> None:
    """The text leaves open when a node leaves the list."""
    found = assert_refines(replace(SINGLE, trusts_at_once=at_once))
    assert found.by_action["take_off_the_list"] > 0


def test_without_faults_nobody_is_listed() -> None:
    found = assert_refines(replace(SINGLE, faults=NO_FAULTS))
    assert {action for action, number in found.by_action.items() if number} == {
        "ask_one",
        "start_reading",
        "send",
        "deliver",
        "go_past",
    }


def test_refining_follows_delivery_beside_epochs() -> None:
    """In every plan, with one answer for both texts."""
    found = refine(SINGLE)
    assert (found.broken, found.delivery.broken, found.verdict) == (None, None, Verdict.HOLDS)
    assert min(found.by_action["deliver"], found.delivery.by_action["deliver"]) > 0


# ------------------------------------------------------------------------------------- wrong machines


CAUGHT = {
    "unreleased_shown": (1, "go_past", "ESN # is released"),
    "delivers_latest_first": (0, "report", "not (epoch # ESN # was delivered)"),
    "loss_without_f_majority": (0, "report", "are no f-majority of the nodeset #"),
    "sends_latest_first": (1, "go_past", "not (node # has a copy of epoch # ESN # and node # sends what it has"),
    "fills_in_what_it_lacks": (0, "deliver", "has sent epoch # ESN # since the newest START"),
    "old_filters_for_who_comes_back": (0, "go_past", "node # has the newest START"),
    "rewinds_without_counting": (2, "send", "node # sends what it has, in answer to its last START"),
    "passes_over_in_all_send_all": (3, "send", "node # has the newest START"),
    "concludes_as_if_all_had_sent": (0, "report", "the reader asks everyone to send"),
    "down_nodes_need_not_answer": (1, "report", "are no f-majority of the nodeset #"),
    "reads_the_old_nodeset": (0, "report", "are no f-majority of the nodeset #"),
}
"""The seed, the action that is no step of the text, and a part of what forbids it; # stands for whatever numbers."""

NUMBERS = re.compile(r"\d+(, \d+)*")


@pytest.mark.parametrize("name", CAUGHT)
def test_a_mutant_takes_no_step_of_the_text(name: str) -> None:
    seed, action, why = CAUGHT[name]
    found = followed(MUTANTS[name].plan(replace(SINGLE, seed=seed, delivery=("single_copy", "all_send_all"))))
    assert found.broken is not None
    said = [NUMBERS.sub("#", sentence) for sentence in found.broken.why]
    assert (found.broken.action, any(why in sentence for sentence in said)) == (action, True), found.broken.text()


def ignoring_the_list(sending: Sending, lsn: int, copy: Copy) -> bool:
    """The first node of a copyset sends, listed or not."""
    return sends(sending._replace(filters=sending.filters._replace(known_down=frozenset())), lsn, copy)


def silent_when_listed(sending: Sending, lsn: int, copy: Copy) -> bool:
    """A node that sees itself in the list does not send."""
    return sends(sending, lsn, copy) and sending.filters.node not in sending.filters.known_down


def all_the_same(sending: Sending, lsn: int, copy: Copy) -> bool:
    """Every node sends what it has, whatever was asked."""
    return True


@pytest.mark.parametrize(
    ("wrong", "action", "why"),
    [
        (
            sends.otherwise(ignoring_the_list),
            "go_past",
            "not (node # has a copy of epoch # ESN # and node # sends what it has",
        ),
        (
            sends.otherwise(silent_when_listed),
            "go_past",
            "not (node # has a copy of epoch # ESN # and node # sends what it has",
        ),
        (sends.otherwise(all_the_same), "send", "node # sends what it has, in answer to its last START"),
    ],
)
def test_a_node_that_ships_wrongly_takes_no_step_of_the_text(wrong: Change, action: str, why: str) -> None:
    """The decision is one of nodes alone: readers ask as they should."""
    found = followed(SINGLE, wrong)
    assert found.broken is not None
    said = [NUMBERS.sub("#", sentence) for sentence in found.broken.why]
    assert (found.broken.action, any(why in sentence for sentence in said)) == (action, True), found.broken.text()


def test_a_step_that_is_none_is_told_with_both_states() -> None:
    """What the machine did, the order of the copyset, the text's state, and the guard."""
    plan = MUTANTS["concludes_as_if_all_had_sent"].plan(SINGLE)
    found = refine(replace(plan, delivery=("all_send_all",)))
    assert found.verdict is Verdict.VIOLATED
    assert found.delivery.broken is not None
    lines = found.delivery.broken.text().splitlines()
    assert re.fullmatch(r"Step \d+ of the machine is no step of the text of delivery\.", lines[0])
    assert re.fullmatch(r"The machine: reader \d of log \d was given", lines[1])
    assert any("whose copyset stands in the order" in line for line in lines)
    assert any("has gone past" in line for line in lines)
    assert any(line.startswith("The step would be report with slot = epoch") for line in lines)
    assert lines[-1] == "  fails: the reader asks everyone to send"


def test_slow_nodes_are_those_that_the_text_lists() -> None:
    """Nothing goes wrong but that nodes are slow: a reader's greylist is its list of whom to pass over."""
    slow = Faults(NO_FAULTS.weather, {"slow": Rate(4 * MILLISECOND, 3 * MILLISECOND, 15 * MILLISECOND)}, 0.0)
    plan = SimulationPlan(1, TOPOLOGIES["flat5"], REPLICATIONS["flat5"], 2500, 2, faults=slow)
    found = assert_refines(replace(plan, delivery=("single_copy",), on_the_wire=True, variants=(GREYLIST,)))
    assert found.by_action["list_as_down"] > 0
    assert found.by_action["take_off_the_list"] > 0
