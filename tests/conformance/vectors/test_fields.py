"""Fields of a case: what is read of each kind, and how a refusal names the place.

The numbers are LogDevice's: include/types.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.vectors.differences import differences, told_lsn
from conformance.vectors.errors import DamagedVectors
from conformance.vectors.fields import NODE_MAX, NUMBER_MAX, Fields
from spec.log.status import Status

CASE = {
    "number": 7,
    "truth": True,
    "none": None,
    "node": "N3",
    "lsn": "e1n2",
    "status": "UNAVAILABLE",
    "at": "eu.d1...k1",
    "steps": [{"to": ["N1", "N2"]}, {"to": [[1, 2]]}],
    "copies": {"3": "a", "10": "b"},
    "places": {"N1": "eu", "N2": "us"},
}


@pytest.fixture
def case() -> Fields:
    """A case with a part of every kind."""
    return Fields(CASE, "mine.json, case one")


def test_parts_are_read(case: Fields) -> None:
    """By name, and members of lists by their places."""
    assert (case.number("number"), case.fraction("number"), case.node("node"), case.node("number")) == (7, 7.0, 3, 7)
    assert (told_lsn(case.lsn("lsn")), case.one_of("status", Status)) == ("e1n2", Status.UNAVAILABLE)
    assert case.location("at") == {"region": "eu", "data_center": "d1", "rack": "k1"}
    first, second = case.every("steps", Fields.below)
    assert first.every("to", Fields.node) == (1, 2)
    assert [*second.members("to", 1)] == ["steps[1].to[0]"]
    assert case.below("copies").numbered() == {3: "3", 10: "10"}
    assert case.below("places").nodes() == {1: "N1", 2: "N2"}


def test_null_is_a_part_that_is_left_out(case: Fields) -> None:
    """It has no value, and may have a default; only who asks for it learns that it stands there."""
    assert ("none" in case, case.has("none"), case.has("nothing")) == (False, True, False)
    assert (case.number("none", 4), case.text("none", "a"), case.flag("nothing", default=True)) == (4, "a", True)
    assert case.every("none", Fields.number, ()) == ()
    over = case.over({"none": 1, "number": 2})
    assert (over.number("none"), over.number("number")) == (1, 7)


@pytest.mark.parametrize(
    ("look", "why", "advice"),
    [
        (lambda case: case.number("number", most=6), "number is 7", "a whole number from 0 to 6"),
        (lambda case: case.number("none"), "none is None", f"a whole number from 0 to {NUMBER_MAX}"),
        (lambda case: case.flag("number"), "number is 7", "true or false"),
        (lambda case: case.number("truth"), "truth is True", "a whole number"),
        (lambda case: case.fraction("truth"), "truth is True", "a number"),
        (lambda case: case.node("truth"), "truth is True", "a whole number"),
        (lambda case: case.node("lsn"), "lsn is 'e1n2'", f"N0 to N{NODE_MAX}"),
        (lambda case: case.lsn("node"), "node is 'N3'", "an epoch and an ESN as e1n2"),
        (lambda case: case.one_of("node", Status), "node is 'N3'", "one of FULLY_AUTHORITATIVE"),
        (lambda case: case.every("steps", Fields.text), "steps[0] is {'to'", "a text"),
        (lambda case: case.below("steps"), "steps is [{'to'", "an object in braces"),
        (
            lambda case: case.every("steps", Fields.below)[1].every("to", Fields.node),
            "steps[1].to[0] is [1, 2]",
            "a wh",
        ),
        (lambda case: case.below("copies").number("4"), "copies.4 is missing", "a whole number"),
        (lambda case: case.below("places").numbered(), "places names 'N1'", "whole numbers"),
        (lambda case: case.below("copies").nodes(), "copies names '3'", f"N0 to N{NODE_MAX}"),
        (lambda case: case.members("steps", 3), "steps is [{'to'", "3 members"),
    ],
)
def test_a_refusal_names_the_place(case: Fields, look: Callable[[Fields], Any], why: str, advice: str) -> None:
    """The file and the case, the way to the part, what stands there, and what must."""
    with pytest.raises(DamagedVectors) as caught:
        look(case)
    assert caught.value.where == "mine.json, case one"
    assert caught.value.why.startswith(why)
    assert caught.value.advice.startswith(advice)


@pytest.mark.parametrize(
    ("expected", "seen", "told"),
    [
        ([1, [2]], (1, (2,)), ()),
        (1, True, ("expected 1, seen True",)),
        ([1], [True], ("expected [1], seen [True]",)),
        (frozenset({2, 1}), frozenset({3}), ("expected [1, 2], seen [3]",)),
    ],
)
def test_differences(expected: object, seen: object, told: tuple[str, ...]) -> None:
    """A list may stand for a tuple, and no number for a truth value."""
    assert differences(expected, seen) == told
