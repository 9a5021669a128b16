"""Own order: what rules ask of the order of a node's or reader's steps is unknown where several recorders saw these."""

from __future__ import annotations

from spec.events import BRIDGE, DATALOSS, EVERYONE, ONE, Ask, Gap, ScatteredReader, Trimmed
from spec.language.events import fields_of
from spec.log.own_order import STEPS, TURNS, scattered
from spec.log.views import ScatteredReaders, Scatterings
from spec.registry import RULES
from tests.support.tiny import at, outcomes


def test_steps_are_what_rules_on_a_nodes_own_order_read() -> None:
    """A kind that is missing makes rules trust an order that nobody knows: ``spec.log.own_order``."""
    asked = {event for rule in RULES if Scatterings in rule.dimensions for event in rule.needed_by_instances}
    of_nodes = {event.kind for event in asked if any(one.column == "node" for one in fields_of(event).values())}
    assert of_nodes == STEPS


def test_turns_are_what_rules_on_a_readers_own_order_read() -> None:
    asked = {event for rule in RULES if ScatteredReaders in rule.dimensions for event in rule.needed_by_instances}
    assert {event.kind for event in asked if event is not ScatteredReader} == TURNS


def test_a_node_that_several_recorders_saw_has_no_order() -> None:
    seen: list[tuple[tuple[int, ...], object]] = [((0,), "a"), ((1,), "a"), ((0,), "b"), ((2,), "b"), ((2,), "b")]
    assert scattered(seen) == [(0,)]
    one, other = at(Trimmed, 1, 5, node=0), at(Trimmed, 1, 3, node=0)
    assert outcomes("log.trim.point_rises", one, other)[-1] == "violated"
    assert outcomes("log.trim.point_rises", one, other | {"recorder": "another"})[-1] == "unknown"


def test_a_reader_that_several_recorders_saw_has_no_order() -> None:
    assert scattered([((0, 9), "a"), ((1, 9), "b"), ((0, 9), "b")]) == [(0, 9)]
    rule, window = "log.deliver.loss_only_if_all_send", {"upto_epoch": 1, "upto_esn": 9}
    everyone, one = (
        at(Ask, 1, 1, reader=9, node=0, mode=mode, filters=mode, filtered_out=frozenset(), **window)
        for mode in (EVERYONE, ONE)
    )
    loss, bridge = (at(Gap, 1, 1, reader=9, reason=reason, upto_epoch=1, upto_esn=1) for reason in (DATALOSS, BRIDGE))
    by_node = {"recorder": "a node"}
    assert outcomes(rule, everyone, loss) == ["holds"]
    assert outcomes(rule, one, loss) == ["violated"]
    assert outcomes(rule, everyone | by_node, loss) == ["unknown"]
    assert outcomes(rule, one | by_node, loss) == ["unknown"]
    assert outcomes(rule, one | by_node, bridge) == []
