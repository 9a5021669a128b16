"""Holding: who held a record when, as far as clocks tell; ``spec.log.holding`` says what counts."""

from __future__ import annotations

from typing import Any

import pytest

from spec.events import RECORD, Ack, DeleteSent, Erase, Store
from spec.log.holding import with_holders
from tests.support.tiny import at

BOUND = 10
"""By so much do two clocks differ at most, in nanoseconds."""


def store(node: int, time: int, recorder: str = "all", **fields: Any) -> dict[str, Any]:
    """A node stores a copy of the first wave."""
    said = {"wave": 1, "becomes": RECORD, "recovery": 0, "digest": 7, "copyset": frozenset({0, 1})} | fields
    return at(Store, 1, 1, node=node, time=time, recorder=recorder, **said)


def erase(node: int, time: int, recorder: str = "all") -> dict[str, Any]:
    """A node erases its copy."""
    return at(Erase, 1, 1, node=node, time=time, recorder=recorder)


def held(*events: dict[str, Any], required: int = 1) -> tuple[int | None, set[int]]:
    """How many nodes held a copy at time 100, when it was acknowledged, and which may have."""
    ack = at(Ack, 1, 1, writer=5, digest=7, required=required, copyset=frozenset[int](), time=100)
    said = with_holders([*events, ack], BOUND)[-1]
    return said["held"], set(said["nodes_b"])


@pytest.mark.parametrize(
    ("stored", "many", "who"), [(99, 1, {0}), (100, 1, {0}), (101, None, {0}), (110, None, {0}), (111, 0, set())]
)
def test_a_copy_counts_from_the_instant_at_which_it_is_stored(stored: int, many: int | None, who: set[int]) -> None:
    """As clocks stand it counts; within their bound it may have."""
    assert held(store(0, stored)) == (many, who)


@pytest.mark.parametrize(("erased", "many", "who"), [(89, 0, set()), (90, None, {0}), (99, None, {0}), (100, 1, {0})])
def test_a_copy_counts_until_the_instant_at_which_it_is_erased(erased: int, many: int | None, who: set[int]) -> None:
    assert held(store(0, 1), erase(0, erased)) == (many, who)


@pytest.mark.parametrize(("stored", "again"), [(60, {0}), (51, {0}), (50, None), (40, None), (30, None), (29, set())])
def test_what_two_recorders_saw_has_an_order_only_beyond_the_clock_bound(stored: int, again: set[int] | None) -> None:
    """Two clocks differ by as much as the bound: what lies just so far apart may have been the other way round."""
    told = at(DeleteSent, 1, 1, wave=1, told=frozenset({0}), kept=frozenset({1}))
    events = [erase(0, 40), store(0, stored, "another"), told]
    assert with_holders(events, BOUND)[-1]["nodes_c"] == again
