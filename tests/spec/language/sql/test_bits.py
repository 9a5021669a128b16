"""Bits of a row: what is asked of events lies side by side, in as few numbers as it fits.

Justified by the plan that ``spec.language.sql.bits`` tells; that no answer changes is tested in ``tests/agreement``.
"""

from __future__ import annotations

import pytest

from spec.language.sql.bits import ROOM, Asked, BitRange, Bits
from spec.language.sql.dialects import DUCKDB, SPARK


def test_answers_and_sets_lie_side_by_side() -> None:
    """One bit for yes or no, one for each node of a set."""
    bits = Bits(SPARK, size=5)
    assert bits.some({7: "TRUE"}, "all_{}") == "(all_bits & 1)"
    assert bits.members(Asked({7: "TRUE"}, {7: "nodes"}), "all_{}") == "(shiftright(all_bits, 1) & 31)"
    assert bits.some({8: "arg > 1"}, "all_{}") == "(all_bits & 64)"
    stored, acked = "1 | shiftleft(nodes, 1)", "CASE WHEN arg > 1 THEN 64 ELSE 0 END"
    assert bits.columns() == {"bits": f"CASE WHEN kind = 7 THEN {stored} WHEN kind = 8 THEN {acked} ELSE 0 END"}


def test_who_asks_the_same_is_given_the_same_place() -> None:
    """However often a rule asks it."""
    bits = Bits(SPARK, size=5)
    asked = Asked({7: "TRUE"}, {7: "nodes"})
    assert bits.place(asked) == bits.place(Asked({7: "TRUE"}, {7: "nodes"})) == BitRange(0, 0, 5)
    assert bits.place(Asked({7: "TRUE"}, {7: "nodes_b"})) == BitRange(0, 5, 5)


@pytest.mark.parametrize(("nodes", "numbers"), [(6, 1), (20, 4), (31, 5), (32, 10), (ROOM, 10)])
def test_ten_sets_take_so_many_numbers(nodes: int, numbers: int) -> None:
    """No set is torn, and no number has more bits than it may."""
    bits = Bits(DUCKDB, nodes)
    places = [bits.place(Asked({kind: "TRUE"}, {kind: "nodes"})) for kind in range(10)]
    assert len({place.word for place in places}) == len(bits.columns()) == numbers
    assert all(place.low + place.width <= ROOM for place in places)
    assert sum(place.mask << ROOM * place.word for place in places).bit_count() == 10 * nodes


def test_what_an_event_may_not_know_hides_nothing() -> None:
    """NULL joined to anything is NULL: an unknown set is nobody here, and a bit of its own says that it is unknown."""
    bits = Bits(DUCKDB, size=5)
    bits.place(Asked({7: "TRUE", 8: "TRUE"}, {7: "nodes", 8: "nodes"}, frozenset({8})))
    assert bits.columns() == {"bits": "CASE WHEN kind = 7 THEN nodes WHEN kind = 8 THEN coalesce(nodes, 0) ELSE 0 END"}


@pytest.mark.parametrize(("nodes", "fit"), [(ROOM, True), (ROOM + 1, False), (70, False)])
def test_only_sets_that_fit_in_a_number(nodes: int, fit: bool) -> None:
    """The sign is nobody's."""
    assert Bits(SPARK, nodes).hold_sets is fit
