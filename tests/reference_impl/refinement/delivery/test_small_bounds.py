"""Everything that a reader and three nodes can do, on any network, is a run of the text: exhaustively within bounds.

The design promises the refinement of delivery for explored steps too: one record, three nodes, one rewind.
"""

from __future__ import annotations

import pytest

from reference_impl.log.stream.timers import Timer
from reference_impl.plan import BadPlan
from reference_impl.refinement.delivery import Bounds, exhaust
from spec.language.outcomes import Verdict

BOTH, FIRST, NOBODY = frozenset({0, 1}), frozenset({0}), frozenset[int]()

ONCE, TWICE = {Timer.REWIND: 1}, {Timer.REWIND: 2}


def assert_refines(bounds: Bounds, states: int, *actions: str) -> None:
    """All that can happen is a run of the text, so much can happen, and these actions do."""
    print(f"exhaust({bounds})")
    found = exhaust(bounds)
    assert found.broken is None, found.broken.text()
    assert (found.complete, found.verdict, found.states) == (True, Verdict.HOLDS, states)
    assert [action for action in actions if not found.by_action[action]] == []


def test_one_record_and_nobody_fails() -> None:
    assert_refines(Bounds(), 127, "ask_one", "start_reading", "send", "go_past", "deliver")


def test_one_record_and_one_rewind() -> None:
    """Whoever has been silent is listed, and the others are asked again."""
    bounds = Bounds(timers={Timer.SHARDS_DOWN: 1, **ONCE})
    assert_refines(bounds, 5401, "list_as_down", "send", "go_past", "deliver")


def test_a_record_that_nobody_has_is_lost_only_after_everyone_was_asked() -> None:
    """Twice: the reader asks all, and a loss again before it is told."""
    assert_refines(Bounds(records=(BOTH, NOBODY), timers=TWICE), 625, "ask_all", "report")


def test_a_node_crashes() -> None:
    """Its connection is closed, it is listed, and its answers to older STARTs count no longer."""
    bounds = Bounds(nodes=2, crashes=(0,), timers={Timer.RECONNECT: 1, **ONCE})
    assert_refines(bounds, 3667, "fail", "come_back", "list_as_down")


def test_a_disk_is_lost() -> None:
    """The only copy of the second record is gone: the reader does without the node, and reports the loss."""
    bounds = Bounds(records=(BOTH, FIRST), lost=FIRST, timers=ONCE)
    assert_refines(bounds, 8670, "lose", "fail", "do_without", "ask_all", "report")


@pytest.mark.slow
def test_a_disk_is_lost_and_all_is_asked_twice() -> None:
    bounds = Bounds(records=(BOTH, FIRST), lost=FIRST, timers=TWICE)
    assert_refines(bounds, 44_593, "take_off_the_list", "report")


def test_too_many_states_are_no_pass() -> None:
    found = exhaust(Bounds(crashes=(0, 1), timers=TWICE), states_max=1000)
    assert (found.broken, found.complete, found.verdict) == (None, False, Verdict.UNKNOWN)


@pytest.mark.parametrize(
    ("name", "records", "action", "steps"),
    [
        ("concludes_as_if_all_had_sent", (BOTH, FIRST), "report", 11),
        ("loss_without_f_majority", (BOTH, FIRST, BOTH), "report", 5),
    ],
)
def test_a_mutant_is_caught_after_few_steps(
    name: str, records: tuple[frozenset[int], ...], action: str, steps: int
) -> None:
    found = exhaust(Bounds(delivery="all_send_all", records=records, mutant=name))
    assert found.broken is not None
    assert (found.broken.action, found.broken.number, found.verdict) == (action, steps, Verdict.VIOLATED)
    assert len(found.broken.trail) == found.broken.number


def test_bounds_name_nodes_that_are_there() -> None:
    with pytest.raises(BadPlan, match="not all among 3 nodes"):
        Bounds(copyset=frozenset({2, 3}))
