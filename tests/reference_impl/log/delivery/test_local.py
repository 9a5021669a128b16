"""How close nodes are to a client: LogDevice, Single Copy Delivery, Local SCD and Current implementation."""

from __future__ import annotations

import pytest

from reference_impl.log.delivery.local import closeness_of, is_in_region, shared_scopes
from spec.log.topology import read_location

CLIENT = read_location("east.a.c1.r1.k1")


@pytest.mark.parametrize(
    ("node", "priority"),
    [
        ("east.a.c1.r1.k1", 5),
        ("east.a.c1.r1.k2", 4),
        ("east.a.c1.r2.k1", 3),
        ("east.a.c2.r1.k1", 2),
        ("east.b.c1.r1.k1", 1),
        ("west.a.c1.r1.k1", 0),
        ("east", 1),
        ("", 0),
    ],
)
def test_all_six_priorities(node: str, priority: int) -> None:
    """0 in another region, 5 in the same rack; LogDevice itself tells only the region."""
    assert shared_scopes(CLIENT, read_location(node)) == priority
    assert is_in_region(CLIENT, read_location(node)) == min(priority, 1)


def test_scopes_that_neither_names() -> None:
    """They are passed over, as in a topology; a client without a region has no node in its region."""
    assert shared_scopes(read_location("east..c1"), read_location("east..c1.r1")) == 2
    assert shared_scopes({}, {}) == is_in_region({}, {}) == 0


def test_nodes_of_a_cluster() -> None:
    """By LogDevice's rule unless another is asked for."""
    locations = {4: read_location("east.b"), 5: read_location("west")}
    assert closeness_of(CLIENT, locations) == {4: 1, 5: 0}
    assert closeness_of(CLIENT, {4: CLIENT}, shared_scopes) == {4: 5}
