"""Clauses on what comes in the end: what they demand of states and steps, and what is no such clause.

Justified by ``spec.language.protocol.nearing``: response under weak fairness, as Manna and Pnueli prove it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spec.language.protocol import Bool, Leads, World, every, invariant, leads, progress, work
from spec.language.protocol.meaning import after
from spec.language.protocol.states import State, Step
from spec.language.protocol.waiting import left, not_nearer, stuck, why_waiting
from spec.language.refusals import AuthorMistake
from tests.support.bells import Bell, Bells, Forgotten, Muffled, RunDown, tower


def state(**rows: tuple[int, ...]) -> State:
    """A state of bells."""
    return State.of(
        {name: [(one,) for one in rows.get(name, ())] for name in ("struck", "wound", "rung", "told", "muffled")}
    )


def stepped(world: World, before: State, name: str, *args: int) -> tuple[State, Step, State]:
    """A step, and the states before and after it."""
    step = world.step(name, *args)
    then = after(world, before, step)
    assert then is not None
    return before, step, then


(HOUR,) = Bells.progresses()


def test_what_is_left_is_told_kind_by_kind() -> None:
    world = tower()
    kinds = left(world, state(struck=(0,), wound=(0,), rung=(0,)), HOUR, (0,))
    assert [[str(step) for step in steps] for steps in kinds] == [
        ["wind(bell1)"],
        ["ring(bell1)"],
        ["tell(hour=bell0)"],
    ]


def test_work_whose_turn_it_is_must_be_possible() -> None:
    """Of the second kind nothing need be possible as long as something is left of the first."""
    world, (hour,) = tower(Muffled), Muffled.progresses()
    assert stuck(world, state(struck=(0,), muffled=(0,)), hour) is None
    wound = state(struck=(0,), wound=(0, 1), muffled=(0,))
    row = stuck(world, wound, hour)
    assert row is not None
    why = why_waiting(world, wound, None, wound, hour, row[:1])
    assert why == "ring(bell0) is left to do, and needs not (muffled(bell0 ...))"
    assert stuck(world, state(wound=(0, 1), muffled=(0,)), hour) is None, "nobody waits"


@pytest.mark.parametrize(
    ("text", "before", "step", "why"),
    [
        (RunDown, state(struck=(0,), wound=(0, 1)), ("run_down", 1), "wind(bell1) is left to do after run_down(bell1)"),
        (Forgotten, state(struck=(0,)), ("strike", 1), "it is no longer awaited after strike(bell1)"),
    ],
)
def test_no_step_leads_away(text: type[Bells], before: State, step: tuple[str, int], why: str) -> None:
    world, (hour,) = tower(text), text.progresses()
    done = stepped(world, before, *step)
    assert not_nearer(world, *done, hour) == (0,)
    assert why_waiting(world, *done, hour, (0,)) == why


def test_a_step_that_does_not_count_leads_nowhere_else() -> None:
    """What grows in a later kind counts for nothing while an earlier one is left, and so does what nobody awaits."""
    world, (hour,) = tower(RunDown), RunDown.progresses()
    for before in (state(wound=(0, 1)), state(struck=(0,), told=(0,), wound=(0, 1))):
        assert not_nearer(world, *stepped(world, before, "run_down", 1), hour) is None
    for name in ("wind", "strike"):
        assert not_nearer(world, *stepped(world, state(struck=(0,)), name, 1), hour) is None


def test_work_that_is_done_is_no_longer_left() -> None:
    """A step that does its work and leaves it to do would be done for ever."""

    class Idle(Bells):
        """A bell is wound and nothing comes of it."""

        def wind(self, bell: Bell) -> None:
            """A bell is wound, and runs down at once."""
            self.wound.remove(bell)

        wind.kind = "action"  # type: ignore[attr-defined]  # as the mark does

    world, (hour,) = tower(Idle), Idle.progresses()
    done = stepped(world, state(struck=(0,)), "wind", 1)
    assert not_nearer(world, *done, hour) == (0,)
    assert why_waiting(world, *done, hour, (0,)) == "wind(bell1) is left to do after wind(bell1)"


def no_work(self: Bells, hour: Bell) -> Leads:
    """A clause."""
    return leads(self.struck(hour), to=self.told(hour))


def no_last_work(self: Bells, hour: Bell) -> Leads:
    """A clause."""
    work(self.tell, hour, left=self.rung(hour))
    return leads(self.struck(hour), to=self.told(hour))


def two_last_works(self: Bells, hour: Bell) -> Leads:
    """A clause."""
    work(self.ring, hour)
    work(self.tell, hour)
    return leads(self.struck(hour), to=self.told(hour))


def last_work_in_a_loop(self: Bells, hour: Bell) -> Leads:
    """A clause."""
    for bell in Bell:
        work(self.tell, bell)
    return leads(self.struck(hour), to=self.told(hour))


def work_of_other_sorts(self: Bells, hour: Bell) -> Leads:
    """A clause."""
    work(self.tell, hour, hour)  # type: ignore[arg-type]  # what is refused
    return leads(self.struck(hour), to=self.told(hour))


def work_that_is_no_action(self: Bells, hour: Bell) -> Leads:
    """A clause."""
    work(self.every_hour_is_told, hour)  # type: ignore[arg-type]  # what is refused
    return leads(self.struck(hour), to=self.told(hour))


def a_formula(self: Bells, hour: Bell) -> Bool:
    """A clause."""
    return self.struck(hour).implies(self.told(hour))


def a_loop_without_work(self: Bells, hour: Bell) -> Leads:
    """A clause."""
    for _ in Bell:
        pass
    work(self.tell, hour)
    return leads(self.struck(hour), to=self.told(hour))


def a_variable_after_its_loop(self: Bells, hour: Bell) -> Leads:
    """A clause."""
    for bell in Bell:
        work(self.wind, bell, left=~self.wound(bell))
    work(self.tell, bell)
    return leads(self.struck(hour), to=self.told(hour))


REFUSED: dict[Callable[..., Any], str] = {
    no_work: "the last work must reach the end",
    no_last_work: "the last work must reach the end",
    two_last_works: "the last work must reach the end",
    last_work_in_a_loop: "the last work must reach the end",
    work_of_other_sorts: r"tell\(Bell, Bell\) is no action of",
    work_that_is_no_action: "is work and no action",
    a_formula: r"returns leads\(",
    a_loop_without_work: "a loop that changes nothing",
    a_variable_after_its_loop: "outside of its loop",
}


@pytest.mark.parametrize("clause", REFUSED, ids=lambda clause: clause.__name__)
def test_what_is_no_progress_is_refused(clause: Callable[..., Any]) -> None:
    with pytest.raises(AuthorMistake, match=REFUSED[clause]):
        type("Text", (Bells,), {clause.__name__: progress(clause), "__doc__": "A text."})


def test_other_clauses_name_no_work() -> None:
    def busy(self: Bells, hour: Bell) -> Bool:
        """A clause."""
        work(self.tell, hour)
        return every(self.rung(bell) for bell in Bell)

    def leading(self: Bells, hour: Bell) -> Leads:
        """A clause."""
        return leads(self.struck(hour), to=self.told(hour))

    with pytest.raises(AuthorMistake, match="leads nowhere"):
        type("Text", (Bells,), {"busy": invariant(busy), "__doc__": "A text."})
    with pytest.raises(AuthorMistake, match="returns a formula"):
        type("Text", (Bells,), {"leading": invariant(leading), "__doc__": "A text."})
