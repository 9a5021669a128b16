"""Other right forms of texts: what a document says and what a system does, where both keep every goal.

Justified by the sources that each form cites; that a form is right is proved for any number of nodes.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.kernel.explorer.search import explore
from spec.language.protocol import action, none, require
from spec.language.protocol.meaning import after
from spec.language.protocol.states import State
from spec.language.protocol.world import World
from spec.proof.inductive import prove
from spec.protocols.delivery import Recipient
from spec.protocols.delivery_forms import InTransit
from spec.protocols.registry import TEXTS
from spec.protocols.sorts import Slot

FORMS = [(name, form) for name, text in TEXTS.items() for form in text.forms]


def test_there_are_forms_of_the_appender_and_of_the_down_list() -> None:
    assert set(FORMS) == {
        ("appending", "single_wave"),
        ("delivery", "off_the_list_at_the_slide"),
        ("delivery", "off_the_list_at_the_first_record"),
        ("delivery", "in_transit"),
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


class DoesWithoutAnybody(InTransit):
    """The reader does without the answers of nodes that have what is asked for."""

    @action
    def do_without(self, recipient: Recipient, slot: Slot) -> None:
        """The reader does not wait for a node that it cannot reach.

        LogDevice, common/AuthoritativeStatus.h: an unavailable node has its records.
        """
        require(self.released(slot))
        self.passed.add(recipient, slot)


class LateCopiesCount(InTransit):
    """A node may get a copy that counts although it has gone past the record."""

    @action
    def store(self, recipient: Recipient, slot: Slot) -> None:
        """A node stores a copy, also of a record that is released.

        LogDevice, Read path, How reads happen: what is released is replicated.
        """
        self.copy.add(recipient, slot)


class TurnsToSendAlong(InTransit):
    """A node that has gone past what it has takes itself for an extra later."""

    @action
    def send_along(self, recipient: Recipient) -> None:
        """A node that will get the newest START sends what it has, whoever else does.

        LogDevice, server/locallogstore/LocalLogStore.cpp: the last members of a copyset send what they have.
        """
        require(~self.current(recipient))
        self.along.add(recipient)


class SendsAlongUnasked(InTransit):
    """A node that has the newest START takes itself for an extra, and does not send."""

    @action
    def send_along(self, recipient: Recipient) -> None:
        """A node sends what it has, whoever else does.

        LogDevice, server/locallogstore/LocalLogStore.cpp: the last members of a copyset send what they have.
        """
        require(none(self.passed(recipient, slot) & self.copy(recipient, slot) for slot in Slot))
        self.along.add(recipient)


@pytest.mark.parametrize("wrong", [DoesWithoutAnybody, LateCopiesCount, TurnsToSendAlong, SendsAlongUnasked])
def test_what_is_in_transit_needs_its_guards(wrong: type[InTransit]) -> None:
    """Without one of them a record is passed over that is fully replicated, or a node that is due does not send."""
    world = replace(TEXTS["delivery"].small("in_transit", recipients=2), protocol=wrong)
    broken = explore(world, symmetry=True).broken
    assert broken is not None
    goals = (
        "no_record_is_passed_over",
        "passed_was_not_due",
        "given_once",
        "failover_is_needed",
        "newest_start_is_obeyed",
    )
    assert broken.clause.name in goals


def test_a_record_that_was_sent_may_be_asked_for_again() -> None:
    """The reader has it in its buffer when it rewinds, and delivers it only once it was sent anew."""
    world = TEXTS["delivery"].small("in_transit", recipients=2)
    sent = "store 0 0, release 0, start_reading 0, send 0 0"
    assert after(world, at(world, sent), world.step("deliver", 0)) is not None
    assert after(world, at(world, f"{sent}, ask_all"), world.step("deliver", 0)) is None
    assert after(world, at(world, f"{sent}, ask_all, start_reading 0, send 0 0"), world.step("deliver", 0)) is not None


def at(world: World, run: str) -> State:
    """The state after a run, each action of which is enabled."""
    state = world.start
    for said in run.split(", "):
        name, *args = said.split()
        there = after(world, state, world.step(name, *map(int, args)))
        assert there is not None, said
        state = there
    return state
