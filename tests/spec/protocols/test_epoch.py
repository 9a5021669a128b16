"""One epoch from its first record to its last reader: known bugs end in broken goals, the text keeps them closed.

Each story is a run of a wrong form; the right text does something else at the action that is named, and breaks nothing.
In their runs, writer 0 is the sequencer, value 0 a hole and value 1 a bridge.
"""

from __future__ import annotations

import pytest

from spec.language.protocol.meaning import after
from spec.protocols.epoch import Epoch, life
from spec.protocols.epoch_variants import (
    AnyCopyIsRebuilt,
    CleanBeforeReplicated,
    DownNodesNeedNotAnswer,
    EmptyBeforeRebuilt,
    NoRewindOnEmpty,
    PurgedNodesStore,
    PurgeTakesAll,
    UnpurgedNodesServe,
    WhatIsReliedOnIsDropped,
    WipedNodesAnswer,
)
from spec.protocols.recovery import Recovery
from spec.protocols.registry import TEXTS
from spec.protocols.streams import Streams
from tests.suite.caught import Catches
from tests.support.stories import (
    Story,
    assert_a_goal_breaks,
    assert_the_right_text_parts,
    goals_broken,
    last,
    states_that_keep_the_goals,
)

PAIR, TRIO, SINGLE = life(2, 2, 1, 1), life(3, 2, 1, 1), life(2, 1, 1, 1)
LATER = life(2, 2, 1, 2)

ON_FIRST_TWO = "assign 0 2, store 0 0 0, store 1 0 0, acknowledge 0"
PLAN = "seal 0 1, plan 1 0 0"
CLEAN = f"{PLAN}, store 0 1 0, store 1 1 0, declare_clean 1"


STORIES = [
    Story(  # LogDevice, Authoritative Status: who lost its data must not be taken for one that never had any
        WipedNodesAnswer,
        TRIO,
        f"{ON_FIRST_TWO}, lose 1, come_back 1, seal 1 1, seal 2 1, plan 1 2 0",
        "acked_is_never_beyond",
        "come_back 1",
    ),
    Story(
        CleanBeforeReplicated,
        PAIR,
        f"{PLAN}, declare_clean 1, purge 0, deny 0 0",
        "majority_never_denies",
        "declare_clean 1",
    ),
    Story(  # LogDevice, PurgeUncleanEpochs.cpp: a straggler has the record that recovery plugged
        UnpurgedNodesServe,
        PAIR,
        f"assign 0 2, store 1 0 0, {CLEAN}, deliver 1 0 0 2",
        "read_is_the_outcome",
        "deliver 1 0 0 2",
    ),
    Story(
        PurgedNodesStore,
        PAIR,
        f"assign 0 2, {CLEAN}, purge 1, deliver 1 1 0 1, store 1 0 0, deliver 1 0 0 2",
        "reads_repeat",
        "store 1 0 0",
    ),
    Story(  # LogDevice, GetEpochRecoveryMetadataRequest.cpp: a single answer that the epoch is empty is believed
        PurgeTakesAll, PAIR, f"{CLEAN}, purge 0, deny 0 0", "majority_never_denies", "purge 0"
    ),
    Story(  # LogDevice, docs/Rebuilding.md: rebuilding must not race recovery
        AnyCopyIsRebuilt,
        PAIR,
        f"assign 0 2, store 1 0 0, {CLEAN}, purge 0, rebuild 0 1 0, deliver 0 0 0 2",
        "read_is_the_outcome",
        "rebuild 0 1 0",
    ),
    Story(  # LogDevice, Appender stages: a DELETE comes late, when copysets name the node in place of one that is lost
        WhatIsReliedOnIsDropped,
        TRIO,
        f"{ON_FIRST_TWO}, store 2 0 0, lose 0, rebuild 0 1 2, place 0 2, mark_empty 0, drop 2 0 0, seal 0 1, seal 2 1, "
        "plan 1 1 0",
        "acked_is_never_beyond",
        "drop 2 0 0",
    ),
    Story(  # LogDevice, EventLogRebuildingSet.cpp: empty without a donor, although data is lost
        EmptyBeforeRebuilt, PAIR, f"{CLEAN}, lose 0, mark_empty 0, learn 0 2", "majority_never_denies", "mark_empty 0"
    ),
    Story(  # LogDevice, ClientReadStream: a node that turns empty forces a rewind
        NoRewindOnEmpty,
        SINGLE,
        "seal 0 1, seal 1 1, plan 1 0 0, store 0 1 0, declare_clean 1, purge 1, deny 1 0, rebuild 0 0 1, place 0 1, "
        "mark_empty 0, learn 0 2",
        "majority_never_denies",
        "learn 0 2",
    ),
    Story(
        DownNodesNeedNotAnswer,
        PAIR,
        f"{CLEAN}, go_down 0, go_down 1, learn 0 0, learn 1 0, report 0",
        "no_copy_is_passed_over",
        "report 0",
    ),
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.wrong.__name__)
def test_a_known_bug_breaks_a_goal(story: Story, catches: Catches) -> None:
    assert_a_goal_breaks(story)
    catches("form", story.form, "explorer")


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.wrong.__name__)
def test_the_right_text_parts_from_it_and_keeps_its_goals(story: Story) -> None:
    assert_the_right_text_parts(story)


def test_every_wrong_form_has_its_story() -> None:
    assert {story.wrong for story in STORIES} == set(TEXTS["epoch"].variants.values())


def test_every_goal_of_recovery_is_a_goal_of_the_composed_text() -> None:
    """What is proved of it, with streams, is proved with purging, loss, rebuilding and readers at work."""
    goals = {goal.name: goal for goal in Epoch.of_kind("goal")}
    assert {goal.name for goal in Recovery.of_kind("goal")} < {goal.name for goal in Streams.of_kind("goal")}
    for goal in Streams.of_kind("goal"):
        assert goals[goal.name].body == goal.body


def test_an_acknowledged_record_is_read_before_and_after_recovery() -> None:
    """LogDevice, How reads happen: up to the last known good pointer at once, beyond it after recovery and purging."""
    before = last(TRIO, f"{ON_FIRST_TWO}, deliver 0 0 0 2")
    assert before["read"] == {(0, 2)}
    recovered = "seal 1 1, seal 2 1, plan 1 2 1, store 1 1 0, store 2 1 0, store 1 1 1, store 2 1 1, declare_clean 1"
    state = last(TRIO, f"{ON_FIRST_TWO}, {recovered}, purge 2, deliver 2 1 0 2, deliver 2 1 1 1")
    assert state["read"] == {(0, 2), (1, 1)}


def test_a_straggler_keeps_what_agrees_and_loses_what_differs() -> None:
    """LogDevice, PurgeSingleEpoch.cpp: what it has is from now on the outcome's, or gone."""
    recovered = "seal 1 1, seal 2 1, plan 1 2 1, store 1 1 0, store 2 1 0, store 1 1 1, store 2 1 1, declare_clean 1"
    agrees = last(TRIO, f"{ON_FIRST_TWO}, {recovered}, purge 0")
    assert {row for row in agrees["copy"] if row[0] == 0} == {(0, 1, 0)}
    differs = last(PAIR, f"assign 0 2, store 1 0 0, {CLEAN}, purge 1")
    assert {row for row in differs["copy"] if row[0] == 1} == {(1, 1, 0)}


def test_what_is_replicated_already_is_not_stored_again() -> None:
    """LogDevice, Recovery, Log recovery: records up to the last known good one stay where they are, and count."""
    only_the_bridge = "seal 1 1, seal 2 1, plan 1 2 1, store 1 1 1, store 2 1 1, declare_clean 1"
    state = last(TRIO, f"{ON_FIRST_TWO}, {only_the_bridge}")
    assert {node for node, slot in state["named"] if slot == 0} == {0, 1}
    assert last(TRIO, f"{ON_FIRST_TWO}, {only_the_bridge}, purge 1, deliver 1 1 0 2")["read"] == {(0, 2)}
    unreplicated = "assign 0 2, store 0 0 0, seal 0 1, seal 1 1, plan 1 0 1, store 0 1 1, store 1 1 1"
    assert after(TRIO, last(TRIO, unreplicated), TRIO.step("declare_clean", 1)) is None


def test_an_extra_may_be_dropped_at_any_time() -> None:
    """LogDevice, Sync-leader stage: the DELETE may come before the answer, or once the epoch is clean."""
    early = "assign 0 2, store 0 0 0, store 1 0 0, store 2 0 0, drop 2 0 0, acknowledge 0"
    assert last(TRIO, early)["named"] == {(0, 0), (1, 0)}
    recovered = "seal 0 1, seal 1 1, plan 1 0 1, store 0 1 1, store 1 1 1, declare_clean 1"
    late = f"{ON_FIRST_TWO}, store 2 0 0, {recovered}, drop 2 0 0, purge 2, deny 2 0"
    state = last(TRIO, late)
    assert {node for node, _, slot in state["copy"] if slot == 0} == {0, 1}
    assert after(TRIO, state, TRIO.step("drop", 1, 0, 0)) is None
    assert not goals_broken(TRIO, state)


def test_a_recovery_after_purging_plans_what_is_there() -> None:
    """LogDevice, Log recovery: immutable, even if there are log recovery attempts by other sequencers."""
    state = last(LATER, f"assign 0 2, store 1 0 0, {CLEAN}, purge 1, seal 1 2, plan 2 1 0")
    assert (2, 0, 1) in state["proposed"]
    assert not [row for row in state["proposed"] if row[0] == 2 and row != (2, 0, 1)]


def test_a_recovery_before_the_clean_one_plans_from_what_it_read_before_the_purge() -> None:
    """It has lost its race: what it proposes then differs, and can no longer be fully replicated."""
    run = "assign 0 2, store 1 0 0, seal 1 1, seal 0 2, plan 2 0 0, store 0 2 0, store 1 2 0, declare_clean 2, purge 1"
    state = last(LATER, f"{run}, plan 1 1 1")
    assert (1, 0, 2) in state["proposed"]
    assert (1, 0, 0) not in state["copy"]
    assert after(LATER, state, LATER.step("store", 0, 1, 0)) is None
    assert not goals_broken(LATER, state)


def test_a_rebuilt_record_survives_the_loss_of_its_first_copyset() -> None:
    """LogDevice, All Send All: reads go on as long as fewer than R nodes are lost, and rebuilding makes up for them."""
    rebuilt = "seal 0 1, seal 1 1, plan 1 0 0, store 0 1 0, declare_clean 1, rebuild 0 0 1, lose 0, place 0 1"
    run = f"{rebuilt}, mark_empty 0, learn 0 2"
    assert after(SINGLE, last(SINGLE, run), SINGLE.step("report", 0)) is None
    assert last(SINGLE, f"{run}, purge 1, deliver 1 1 0 1")["read"] == {(0, 1)}


def test_what_all_nodes_of_a_copyset_lost_is_reported() -> None:
    """LogDevice, Gap detection: by the second rule; the first never applies in a clean epoch."""
    lost = f"{CLEAN}, lose 0, lose 1, learn 0 1, learn 1 1, report 0"
    assert last(PAIR, lost)["reported"] == {(0,)}
    assert after(PAIR, last(PAIR, f"{CLEAN}, lose 0, learn 0 1"), PAIR.step("report", 0)) is None


def test_a_record_of_a_stream_is_kept_only_with_all_before_it() -> None:
    """LogDevice, common/Digest.cpp: although it is read, and lies on enough nodes; it cannot be acknowledged."""
    world = life(2, 2, 2, 1)
    above = "store 0 0 1, store 1 0 1, seal 0 1, seal 1 1"
    streamed = f"assign_in_stream 0 2, assign_in_stream 1 2, {above}"
    assert after(world, last(world, streamed), world.step("acknowledge", 1)) is None
    assert {row for row in last(world, f"{streamed}, plan 1 0 0")["proposed"] if row[0] == 1} == {(1, 0, 1)}
    alone = last(world, f"assign 0 2, assign 1 2, {above}, plan 1 0 2")
    assert {row for row in alone["proposed"] if row[0] == 1} == {(1, 0, 0), (1, 1, 2), (1, 2, 1)}


@pytest.mark.slow
def test_no_state_of_a_small_world_breaks_a_goal() -> None:
    """One node with a record, and two of which either keeps a bridge; the explorer counts the same."""
    assert states_that_keep_the_goals(life(1, 1, 1, 1)) == 26_100
    assert states_that_keep_the_goals(life(2, 1, 0, 1)) == 79_040
