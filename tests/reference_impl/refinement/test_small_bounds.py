"""Everything that a small machine can do, on any network, is a run of the text: exhaustively within bounds.

The design promises the refinement for explored steps too. The numbers are of ``reference_impl.kernel.soup``.
"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.plan import BadPlan
from reference_impl.refinement import Bounds, exhaust
from reference_impl.refinement.follow import ACTIONS
from spec.language.outcomes import Verdict
from tests.suite.caught import Catches

SMALLEST = {
    "esns_swapped": ("assign", 1),
    "payload_changed_on_one_copy": ("store", 2),
    "ack_before_stored": ("acknowledge", 1),
    "ack_one_copy_early": ("acknowledge", 3),
    "store_below_seal": ("store", 3),
    "unreleased_shown": ("deliver", 3),
    "recovery_does_not_seal": ("store", 7),
    "lone_copy_dropped": ("plan", 10),
    "bridge_over_last_record": ("plan", 10),
    "clean_before_replicated": ("declare_clean", 15),
    "copies_not_purged": ("deliver", 23),
}
"""Mutants that one append and one recovery on three nodes reveal: the action, and after how many steps."""

LONG = "copies_not_purged"
"""For this one most of everything has to be looked at."""


def assert_refines(bounds: Bounds, states: int, transitions: int) -> None:
    """All that can happen is a run of the text, and so much can happen."""
    print(f"exhaust({bounds})")
    found = exhaust(bounds)
    assert found.broken is None, found.broken.text()
    assert (found.complete, found.verdict) == (True, Verdict.HOLDS)
    assert (found.states, found.transitions) == (states, transitions)


@pytest.mark.slow
@pytest.mark.costly("all that one append and one recovery can do, each step of it followed")
def test_one_append_and_one_recovery() -> None:
    """With releases and purges, read from every node at any time; all actions happen that are not about losses."""
    found = exhaust(Bounds(reads=True))
    assert found.broken is None, found.broken.text()
    assert found.complete
    assert (found.states, found.transitions, found.depth) == (99_064, 567_684, 33)
    assert set(found.by_action) == set(ACTIONS)
    happened = {action for action, number in found.by_action.items() if number}
    assert happened == {"assign", "store", "acknowledge", "seal", "plan", "declare_clean", "purge", "deliver", "deny"}


def test_extras_that_are_dropped() -> None:
    """All nodes have the record, and the last is told to delete it: before, while and after it is recovered."""
    assert_refines(Bounds(extras=1, releases=False), 32_478, 150_019)


@pytest.mark.parametrize("name", ["extras_deleted_early", "one_copy_too_many_deleted"])
def test_no_copy_is_dropped_that_others_need(name: str, catches: Catches) -> None:
    """Nobody is told to delete before enough others have stored, and enough keep it."""
    found = exhaust(Bounds(extras=1, recoveries=0, mutant=name))
    assert found.broken is not None
    assert found.broken.action == "drop", found.broken.text()
    catches("mutant", name, "explorer")


@pytest.mark.slow
def test_a_second_wave() -> None:
    """The sequencer stores the record again, elsewhere, while it is being recovered; who has it by the ack is named."""
    assert_refines(Bounds(waves=2, releases=False), 88_194, 401_734)


@pytest.mark.slow
def test_a_write_stream_of_two_appends() -> None:
    """The second one becomes a hole where the first one is missing, stored or not; read from every node at any time."""
    assert_refines(Bounds(nodes=2, appends=2, streams=True, reads=True), 54_402, 299_770)


def test_a_write_stream_is_acknowledged_in_order(catches: Catches) -> None:
    """The text refuses the answer, before any recovery makes a hole of what was acknowledged."""
    name = "stream_acked_when_stored"
    broken = exhaust(Bounds(nodes=2, appends=2, streams=True, mutant=name)).broken
    assert broken is not None
    assert (broken.action, broken.number) == ("acknowledge", 6)
    catches("mutant", name, "explorer")


@pytest.mark.parametrize("nodes", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_a_recovery_of_nothing(nodes: int) -> None:
    bounds = Bounds(nodes=nodes, appends=0)
    found = exhaust(bounds)
    assert found.broken is None
    assert found.complete
    assert found.by_action["plan"] > 0 == found.by_action["assign"]


def assert_refines_so_far(bounds: Bounds, states: int) -> None:
    """Too much can happen: as far as so many states reach, all of it is a run of the text, which is no pass."""
    print(f"exhaust({bounds}, states_max={states})")
    found = exhaust(bounds, states_max=states)
    assert (found.broken, found.complete, found.verdict) == (None, False, Verdict.UNKNOWN)
    assert found.by_action["plan"] > 0


@pytest.mark.thorough
@pytest.mark.costly("as far as a quarter of a million states reach")
def test_two_appends() -> None:
    """Holes are possible: the second append may be stored where the first one is not."""
    assert_refines_so_far(Bounds(appends=2, releases=False), 250_000)


@pytest.mark.thorough
@pytest.mark.costly("as far as 300,000 states reach")
def test_a_third_sequencer() -> None:
    """Two recoveries of the same epoch, at the same time or one after the other."""
    assert_refines_so_far(Bounds(recoveries=2, cleans=False, releases=False), 300_000)


@pytest.mark.slow
def test_two_recoveries_of_nothing() -> None:
    """The same without an append."""
    assert_refines_so_far(Bounds(appends=0, recoveries=2, cleans=False, releases=False), 50_000)


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow] * (one == LONG)) for one in SMALLEST])
def test_a_mutant_is_caught_after_few_steps(name: str, catches: Catches) -> None:
    found = exhaust(Bounds(reads=True, mutant=name))
    assert found.broken is not None
    assert (found.broken.action, found.broken.number) == SMALLEST[name]
    assert len(found.broken.trail) == found.broken.number
    assert found.broken.trail[-1] == found.broken.refused.taken
    assert (found.complete, found.verdict) == (False, Verdict.VIOLATED)
    catches("mutant", name, "explorer")


def test_too_few_nodes_heard_take_four_nodes(catches: Catches) -> None:
    """Of three nodes with two copies each, every two that can hold a record are an f-majority."""
    name = "digest_of_too_few_nodes"
    assert exhaust(Bounds(mutant=name, releases=False)).broken is None
    broken = exhaust(Bounds(nodes=4, mutant=name, releases=False)).broken
    assert broken is not None
    assert broken.why == ("nodes 0, 1 are no f-majority of the nodeset 0, 1, 2, 3",)
    catches("mutant", name, "explorer")


def test_too_many_states_are_no_pass() -> None:
    """A search that was cut short says so."""
    found = exhaust(Bounds(), states_max=1000)
    assert (found.broken, found.complete, found.verdict) == (None, False, Verdict.UNKNOWN)


@pytest.mark.parametrize(("bound", "value"), [("appends", -1), ("recoveries", -1), ("waves", 0), ("nodes", 1)])
def test_bounds_that_make_no_machine_are_refused(bound: str, value: int) -> None:
    changed: dict[str, Any] = {bound: value}
    with pytest.raises(BadPlan):
        Bounds(**changed)


def test_each_sequencer_needs_a_node() -> None:
    with pytest.raises(BadPlan, match="4 sequencers on 3 nodes"):
        Bounds(recoveries=3)
