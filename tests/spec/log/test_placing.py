"""Where appends go first: LogDevice, Read path, Sticky copysets."""

from __future__ import annotations

from spec.events import Chosen, NewEpoch
from tests.support.tiny import at, outcomes

EPOCH = {"sequencer": 0, "nodeset": frozenset(range(4)), "replication": {"node": 2}}


def chosen(esn: int, block: int, copyset: set[int], avoided: set[int] = frozenset()) -> dict[str, object]:  # type: ignore[assignment]
    """An append of epoch 1 was to go to some nodes; blocks have room for three."""
    return at(Chosen, 1, esn, block=block, copyset=frozenset(copyset), avoided=frozenset(avoided), room=3)


def test_a_block_has_one_copyset() -> None:
    rule = "log.place.block_has_one_copyset"
    assert outcomes(rule, chosen(1, 1, {0, 1}), chosen(2, 1, {0, 1})) == ["holds"]
    assert outcomes(rule, chosen(1, 1, {0, 1}), chosen(2, 1, {0, 2})) == ["violated"]
    assert outcomes(rule, chosen(1, 1, {0, 1}), chosen(2, 2, {0, 2})) == []


def test_a_block_ends_when_it_is_full() -> None:
    rule = "log.place.block_ends_for_a_reason"
    assert outcomes(rule, chosen(3, 1, {0, 1}), chosen(4, 4, {0, 2})) == ["holds"]
    assert outcomes(rule, chosen(2, 1, {0, 1}), chosen(3, 3, {0, 2})) == ["violated"]


def test_a_block_ends_when_a_node_fails() -> None:
    rule = "log.place.block_ends_for_a_reason"
    assert outcomes(rule, chosen(1, 1, {0, 1}), chosen(2, 2, {0, 2}, {1})) == ["holds"]
    assert outcomes(rule, chosen(1, 1, {0, 1}), chosen(2, 2, {0, 2}, {3})) == ["violated"]


def test_nodes_that_failed_are_avoided() -> None:
    """Unless the others cannot hold an append."""
    rule = "log.place.avoids_who_failed"
    began = at(NewEpoch, 1, 0, **EPOCH)
    assert outcomes(rule, began, chosen(1, 1, {0, 1}, {2})) == ["holds"]
    assert outcomes(rule, began, chosen(1, 1, {0, 1}, {1})) == ["violated"]
    assert outcomes(rule, began, chosen(1, 1, {0, 1}, {1, 2, 3})) == []
