"""A table of steps and columns tells runs of a text, and follows what it told; what is altered is refused."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from examples.counters import Raised, Told
from examples.counters.following import FOLLOWED, STEPS, place
from examples.counters.text import Counting, Reader, Value, abacus
from reference_impl.following.checker import FollowingChecker, Refusal
from reference_impl.following.claims import CannotFollow, TextStep
from reference_impl.following.direct import Direct
from reference_impl.telling.runs import at_random
from spec.language.parameters import Parameters
from spec.language.protocol.running import PackedWorld
from spec.language.refusals import AuthorMistake

MACHINE = PackedWorld(abacus(values=5, readers=3))


def random_run(seed: int) -> list[dict[str, Any]]:
    """A random run, as events."""
    return list(STEPS.events_of(at_random(MACHINE, Random(seed), 30), place))


def refusal_of(rows: list[dict[str, Any]]) -> Refusal | None:
    """The first event that is refused."""
    checker = FollowingChecker(FOLLOWED, Parameters(1))
    return next((refusal for row in rows if (refusal := checker.step(row)) is not None), None)


def test_what_is_told_is_followed() -> None:
    for seed in range(50):
        assert refusal_of(random_run(seed)) is None, f"seed {seed}"


def test_another_value_is_refused() -> None:
    """Readers are told what the counter stands at, so any other value is none."""
    refused = 0
    for seed in range(50):
        rows = random_run(seed)
        places = [number for number, row in enumerate(rows) if row["kind"] == Told.kind]
        for number in places[-1:]:
            refusal = refusal_of([*rows[:number], rows[number] | {"total": rows[number]["total"] + 1}])
            assert refusal is not None, f"seed {seed}"
            assert refusal.claims.startswith("tell(reader-"), refusal.claims
            refused += 1
    assert refused > 0


def test_elements_have_their_names() -> None:
    guide = STEPS.guide()
    row = {"kind": Told.kind, "recorder": "the auditor", "total": 7}
    assert list(guide.duties(row)) == [TextStep("tell", (0, 7))]
    assert (guide.called(Reader, 0), guide.called(Value, 7)) == ("the auditor", "7")
    assert guide.world.sizes == {Reader: 1, Value: 8}


@pytest.mark.parametrize("column", ["total", "recorder"])
def test_what_nobody_knows_is_not_followed(column: str) -> None:
    row = {"kind": Told.kind, "recorder": "reader-0", "total": 2, "counter": 1} | {column: None}
    with pytest.raises(CannotFollow, match=f"nobody knows the {column}"):
        refusal_of([row | {"kind": Raised.kind}] if column == "total" else [row])


@pytest.mark.parametrize(
    ("step", "complaint"),
    [
        (("putt", "total"), r"test_direct\.py:\d+: Counting has no action putt\. did you mean put\?"),
        (("put", "totals"), r"test_direct\.py:\d+: Raised has no column totals\. did you mean total\?"),
        (
            ("put", "total", "recorder"),
            r"test_direct\.py:\d+: Raised names 2 columns for the 1 arguments of put\. Name",
        ),
    ],
)
def test_a_table_of_what_is_not_there_is_an_authors_mistake(step: tuple[str, ...], complaint: str) -> None:
    """It is reported where the table was written, before any event is read."""
    with pytest.raises(AuthorMistake, match=complaint):
        Direct(Counting, {Raised: step, Told: ("tell", "recorder", "total")})


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        ({Raised: ("put", "total")}, "no kinds of event are the action tell"),
        ({Raised: ("put", "total"), Told: ("put", "total")}, "no kinds of event are the action tell|2 kinds"),
        ({Raised: ("told_is_not_ahead", "recorder", "total")}, "Counting has no action told_is_not_ahead"),
        ({Raised: ("put", "moment")}, "column moment of Raised keeps no numbers"),
        ({Raised: ("put", "recorder")}, "Value is an order, and recorder holds names"),
    ],
)
def test_a_table_that_could_not_tell_a_run_is_an_authors_mistake(
    steps: dict[type[Any], tuple[str, ...]], complaint: str
) -> None:
    """Every action is one kind of event, and its arguments are what recorders fill in."""
    with pytest.raises(AuthorMistake, match=complaint):
        Direct(Counting, steps)
