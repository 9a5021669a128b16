"""Own order: what rules ask of the order of one node's steps is unknown where several recorders saw these."""

from __future__ import annotations

from spec.events import Trimmed
from spec.language.events import fields_of
from spec.log.own_order import STEPS, scattered
from spec.log.views import Scatterings
from spec.registry import RULES
from tests.support.tiny import at, outcomes


def test_steps_are_what_rules_on_a_nodes_own_order_read() -> None:
    """A kind that is missing makes rules trust an order that nobody knows: ``spec.log.own_order``."""
    asked = {event for rule in RULES if Scatterings in rule.dimensions for event in rule.needed_by_instances}
    of_nodes = {event.kind for event in asked if any(one.column == "node" for one in fields_of(event).values())}
    assert of_nodes == STEPS


def test_a_node_that_several_recorders_saw_has_no_order() -> None:
    assert scattered([(0, "a"), (1, "a"), (0, "b"), (2, "b"), (2, "b")]) == [0]
    one, other = at(Trimmed, 1, 5, node=0), at(Trimmed, 1, 3, node=0)
    assert outcomes("log.trim.point_rises", one, other)[-1] == "violated"
    assert outcomes("log.trim.point_rises", one, other | {"recorder": "another"})[-1] == "unknown"
