"""Known bugs: without its guard each is found by search in a run of at most twelve steps; with it nothing is broken.

Justified by the sources that ``spec/protocols/known_bugs.py`` cites, and by the goals of the texts.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from reference_impl.kernel.explorer.result import Result
from reference_impl.known_bugs.finding import Found, NotFound, closed, find, wrong_world
from reference_impl.known_bugs.page import page
from reference_impl.mutants import MUTANTS, SCHEDULED
from spec.language.protocol.meaning import broken
from spec.protocols.known_bugs import KNOWN_BUGS, STEPS_MAX, KnownBug, UnknownBug, bug
from spec.protocols.registry import TEXTS
from spec.registry import BY_ID
from tests.suite.caught import Catches

pytestmark = pytest.mark.together("known_bugs")

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "known-bugs.md"

NAMED = {
    "seal not durable": "seal-not-durable",
    "wiped node answering digests as authoritative": "wiped-node-answers",
    "straggler holding a plugged record after recovery": "straggler-serves",
    "no rewind on AUTHORITATIVE_EMPTY": "no-rewind-on-empty",
    "mutation set filtered before bridges": "filtered-before-bridges",
    "DATALOSS counted over merely unavailable nodes": "loss-over-unavailable",
    "extras stall": "extras-stall",
    "rack counted as heard after one answer": "rack-heard-by-one",
}
"""The bugs that the design asks for, by its words."""


@cache
def found(name: str) -> Found:
    """A bug, searched once."""
    return find(KNOWN_BUGS[name])


@cache
def right(name: str) -> Result:
    """What became of the right text in the world of a bug, explored once."""
    return closed(KNOWN_BUGS[name])


def test_every_bug_of_the_design_is_there() -> None:
    assert set(NAMED.values()) <= set(KNOWN_BUGS)


@pytest.mark.parametrize("name", KNOWN_BUGS)
def test_a_bug_is_found_by_search(name: str, catches: Catches) -> None:
    """Exactly its goal is broken, in few steps, before the budget ends."""
    one = found(name)
    assert one.broken.kind == "goal"
    assert one.broken.clause.name == KNOWN_BUGS[name].breaks
    assert len(one.trace.steps) <= STEPS_MAX
    catches("bug", name, "explorer")
    catches("form", f"{KNOWN_BUGS[name].text}/{KNOWN_BUGS[name].variant}", "explorer")


@pytest.mark.parametrize("name", KNOWN_BUGS)
def test_a_run_is_shortest_and_ends_where_its_goal_breaks(name: str) -> None:
    """By the meaning of the text the goal holds before every step, and not after the last."""
    one = found(name)
    states = [broken(one.world, state, one.broken.clause) for state in one.trace.states]
    assert [state is None for state in states] == [True] * len(one.trace.steps) + [False]


@pytest.mark.parametrize("name", KNOWN_BUGS)
def test_the_right_text_is_clean_in_the_same_world(name: str) -> None:
    """All its states, or where there are too many, all runs as long as the one that shows the bug."""
    assert right(name).broken is None
    assert right(name).complete or right(name).depth > len(found(name).trace.steps)


@pytest.mark.parametrize("name", KNOWN_BUGS)
def test_the_right_text_parts_from_the_run(name: str) -> None:
    """At a step, for a reason; or it does not claim what is broken."""
    one = found(name)
    assert one.parting <= len(one.trace.steps)
    assert one.why
    if one.parting == len(one.trace.steps):
        assert name in ("leader-stall", "highest-is-the-bridge")


def test_extras_are_what_makes_appenders_stall() -> None:
    """LogDevice has dropped extras: without them an appender needs neither a sync leader nor waves after its answer."""
    for name in ("extras-stall", "leader-stall"):
        without = KnownBug(**{**vars(KNOWN_BUGS[name]), "bounds": {"extras": 0}})
        with pytest.raises(NotFound, match="every state keeps its goal"):
            find(without)


def test_a_bug_names_what_there_is() -> None:
    for one in KNOWN_BUGS.values():
        assert one.variant in TEXTS[one.text].variants
        assert one.breaks in wrong_world(one).protocol.clauses
        assert [goal.name for goal in wrong_world(one).protocol.of_kind("goal")] == [one.breaks]
        assert one.sentence.endswith(".")
        assert one.guard.endswith(".")
        assert bool(one.mutant) == bool(one.rule)
        assert not one.mutant or (one.mutant in {**MUTANTS, **SCHEDULED} and one.rule in BY_ID)


def test_a_budget_that_is_too_small_is_no_verdict() -> None:
    with pytest.raises(NotFound, match="were not enough"):
        find(KNOWN_BUGS["filtered-before-bridges"], budget_s=0)


def test_an_unknown_bug_is_refused() -> None:
    with pytest.raises(UnknownBug, match="did you mean extras-stall"):
        bug("extra-stall")


def test_the_page_is_what_the_search_finds(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    text = page({name: found(name) for name in KNOWN_BUGS}, {name: right(name) for name in KNOWN_BUGS})
    if request.config.getoption("--rewrite"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
