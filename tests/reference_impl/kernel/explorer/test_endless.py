"""Fair runs that wait for ever are found, and what is found is one by the meaning of the text.

Justified by Lichtenstein and Pnueli, Checking That Finite State Concurrent Programs Satisfy Their Linear Specification,
and by the goals of the texts.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.kernel.explorer.endless import Endless, endless, is_fair
from spec.language.protocol import Protocol, World
from spec.protocols.leaseholder import callers
from spec.protocols.registry import TEXTS
from spec.protocols.segment_iterator import reader
from tests.suite.caught import Catches
from tests.support.bells import Bells, Forgotten, Muffled, RunDown, tower

RIGHT = [(reader(nodes=2, calls=2, pieces=1)), callers(nodes=2, writers=2, instants=1), callers(2, 1, 1, 2)]
"""Small worlds of the texts that say what comes in the end."""

WRONG = [
    ("segment_iterator", "caller_stops_taking", "every_close_ends", {"nodes": 1}),
    ("segment_iterator", "transport_closes_first", "every_close_ends", {"nodes": 1}),
    ("leaseholder", "overlaps_are_not_answered", "every_close_ends", {"nodes": 1, "writers": 1, "instants": 2}),
]
"""Wrong forms, what never comes in them, and a world that is large enough for that."""


def waits(world: World) -> Endless:
    """The fair run that waits for ever."""
    found = endless(world).endless
    assert found is not None
    assert is_fair(world, found)
    return found


def test_what_can_be_done_for_ever_is_done() -> None:
    """Each bell is at rest, wound or has rung, struck or not, and told only at the end: seven states of each."""
    looked = endless(tower())
    assert (looked.endless, looked.states) == (None, 7 * 7)
    assert 0 < looked.waiting["every_hour_is_told"] < looked.states


def test_a_run_may_stand_still_where_work_cannot_be_done() -> None:
    found = waits(tower(Muffled))
    assert found.round == ()
    assert any(step.action.name == "muffle" for step in found.way.steps)


def test_work_that_can_be_done_now_and_then_need_never_be_done() -> None:
    """Weak fairness, not strong: the bell is wound and runs down, again and again."""
    found = waits(tower(RunDown, bells=1))
    assert {step.action.name for step in found.round} == {"wind", "run_down"}


def test_what_is_forgotten_is_awaited_still() -> None:
    """The hour struck, and was not told: that nobody remembers it is no excuse."""
    assert {step.action.name for step in waits(tower(Forgotten)).round} == {"strike"}


@pytest.mark.parametrize("tampered", ["round", "way", "row"])
def test_a_run_that_is_not_fair_is_refused(tampered: str) -> None:
    """A round without what does justice, a way that breaks off, an hour that did not strike."""
    world = tower(RunDown, bells=1)
    found = waits(world)
    broken = {
        "round": replace(found, round=()),
        "way": replace(found, way=replace(found.way, steps=found.way.steps[:-1] + found.round[:1] * 2)),
        "row": replace(waits(tower(Muffled)), row=(0,), way=replace(found.way, steps=())),
    }
    worlds = {"row": tower(Muffled)}
    assert not is_fair(worlds.get(tampered, world), broken[tampered])


@pytest.mark.parametrize("world", RIGHT, ids=["segment_iterator", "leaseholder", "overlapping"])
def test_what_a_text_says_comes_in_the_end_comes(world: World) -> None:
    looked = endless(world)
    assert looked.endless is None
    assert looked.waiting
    assert all(looked.waiting.values())


@pytest.mark.parametrize(
    ("name", "form", "clause", "bounds"), WRONG, ids=lambda one: one if isinstance(one, str) else ""
)
def test_a_wrong_form_waits_for_ever(
    name: str, form: str, clause: str, bounds: dict[str, int], catches: Catches
) -> None:
    found = waits(TEXTS[name].small(form, **bounds))
    assert found.progress.name == clause
    assert endless(TEXTS[name].small("", **bounds)).endless is None
    catches("form", f"{name}/{form}", "explorer")


def test_every_text_that_says_so_is_looked_at() -> None:
    said = {text.protocol for text in TEXTS.values() if text.protocol.progresses()}
    assert said == {world.protocol for world in RIGHT}
    looked: list[type[Protocol]] = [Bells, *said]
    assert all(text.progresses() for text in looked)
