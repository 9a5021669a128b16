"""Other right forms of texts: what a document says and what a system does, where both keep every goal.

Justified by the sources that each form cites; that a form is right is proved for any number of nodes.
"""

from __future__ import annotations

import pytest

from reference_impl.kernel.explorer.search import explore
from spec.language.protocol.meaning import after
from spec.language.protocol.world import State, World
from spec.proof.inductive import prove
from spec.protocols.registry import TEXTS

FORMS = [(name, form) for name, text in TEXTS.items() for form in text.forms]


def test_there_are_forms_of_the_appender_and_of_the_down_list() -> None:
    assert set(FORMS) == {
        ("appending", "single_wave"),
        ("delivery", "off_the_list_at_the_slide"),
        ("delivery", "off_the_list_at_the_first_record"),
    }
    assert not [name for name, text in TEXTS.items() if text.forms.keys() & text.variants.keys()]


@pytest.mark.z3
@pytest.mark.parametrize(("name", "form"), FORMS)
def test_a_form_is_proved(name: str, form: str) -> None:
    assert prove(TEXTS[name].form(form), hints={}).status == "holds"


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_a_form_keeps_all_goals_in_a_small_world(name: str, form: str) -> None:
    bounds = {"recipients": 2} if name == "delivery" else {}
    result = explore(TEXTS[name].small(form, **bounds), symmetry=True)
    assert result.complete
    assert result.broken is None


@pytest.mark.parametrize(
    ("form", "earlier"), [("off_the_list_at_the_slide", False), ("off_the_list_at_the_first_record", True)]
)
def test_a_listed_node_that_sends_is_taken_off(form: str, earlier: bool) -> None:
    """With a second slot in the window, the code does so at once, the document when the window is read."""
    world = TEXTS["delivery"].small(form, recipients=2, replication=1, slots=2)
    stored = "list_as_down 0, store 0 0, store 0 1, release 0, release 1, start_reading 0"
    state = at(world, stored)
    assert after(world, state, world.step("take_off_the_list", 0)) is None
    one = at(world, f"{stored}, send 0 0")
    assert (after(world, one, world.step("take_off_the_list", 0)) is not None) == earlier
    both = at(world, f"{stored}, send 0 0, send 0 1")
    taken_off = after(world, both, world.step("take_off_the_list", 0))
    assert taken_off is not None
    assert not taken_off["listed"]


def at(world: World, run: str) -> State:
    """The state after a run, each action of which is enabled."""
    state = world.start
    for said in run.split(", "):
        name, *args = said.split()
        there = after(world, state, world.step(name, *map(int, args)))
        assert there is not None, said
        state = there
    return state
