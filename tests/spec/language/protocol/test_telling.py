"""A run of a text is told in the text's own words: issue trackers and people read it, nobody decodes numbers."""

from __future__ import annotations

import pytest

from spec.language.protocol import World
from spec.language.protocol.states import Step
from spec.language.protocol.telling import NoSuchStep, describe, run, said, unmet, why_broken
from spec.protocols.registry import TEXTS
from spec.protocols.sorts import FMajority

PAYLOAD = 2


def lost_record() -> tuple[World, list[Step]]:
    """Where one copy is enough to acknowledge, an f-majority need not see it."""
    world = TEXTS["recovery"].small("one_copy_is_enough")
    heard = world.families[FMajority].index(frozenset({1, 2}))
    steps = [
        world.step("assign", 0, PAYLOAD),
        world.step("store", 0, 0, 0),
        world.step("acknowledge", 0),
        world.step("seal", 1, 1),
        world.step("seal", 2, 1),
        world.step("plan", 1, heard, 0),
    ]
    return world, steps


def test_each_step_says_what_changed() -> None:
    world, steps = lost_record()
    told = list(run(world, steps))
    assert said(world, steps[-1]) == "plan(writer1, heard={node1, node2}, end=slot0)"
    assert [one.changes for one in told][:3] == [
        ("writer0 proposed value2 at slot0",),
        ("node0 stores writer0's slot0",),
        ("slot0 is acknowledged",),
    ]
    assert "writer1 proposed bridge at slot0" in describe(world, told[-1].state)


def test_a_broken_goal_says_of_whom_it_is_false() -> None:
    world, steps = lost_record()
    last = list(run(world, steps))[-1].state
    goal = world.protocol.clauses["acked_is_never_beyond"]
    assert why_broken(world, world.start, goal) == ""
    assert why_broken(world, last, goal) == (
        "An acknowledged record lies below every bridge. False here: "
        "if slot0 is acknowledged and writer1 proposed bridge at slot0, then slot0 is before slot0."
    )


def test_a_step_that_is_not_enabled_says_what_it_needs() -> None:
    world, steps = lost_record()
    assert unmet(world, world.start, steps[-1]) == "for every node of {node1, node2}: node is sealed by writer1"
    with pytest.raises(NoSuchStep, match="step 1, plan"):
        list(run(world, steps[-1:]))
