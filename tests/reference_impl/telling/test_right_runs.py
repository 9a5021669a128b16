"""Whatever a protocol text allows is judged so when it is told as a trace, whatever clients and readers make of it.

The texts justify it: their goals are proved for any number of nodes (``spec.proof.inductive``). Where a rule says
something else, it stands in ``tests.support.told_texts`` with a sentence and a smallest run.
"""

from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path
from random import Random

import pytest

from reference_impl.kernel.explorer.result import Trace
from reference_impl.telling.chronicle import Clocks
from reference_impl.telling.runs import at_random, through_every_step
from reference_impl.telling.teller import Told
from reference_impl.telling.tellers import NOT_TOLD, TELLERS
from reference_impl.telling.wrong import run_of, way_from
from spec.language.outcomes import Verdict
from spec.language.protocol.running import PackedWorld
from spec.protocols.registry import TEXTS
from spec.verdicts import RuleVerdict
from tests.support.judged_tellings import by_rule
from tests.support.told_texts import (
    LARGER,
    LOSSES,
    OPENINGS,
    SMALLEST,
    STRICTER,
    UNDECIDED,
    Difference,
    allowed,
)

RUNS, LENGTH = 30, 40
FORMS = [(text, form) for text in TELLERS for form in ("", *TEXTS[text].forms) if form != "in_transit"]
"""Texts and their other right forms; of what is in transit the form of that name knows, and traces do not."""


def test_every_text_is_told_or_is_said_why_not() -> None:
    """No text is forgotten."""
    assert TELLERS.keys() | NOT_TOLD.keys() == TEXTS.keys()
    assert not TELLERS.keys() & NOT_TOLD.keys()


@pytest.mark.parametrize("clocks", ["exact", "bounded", "absent"])
@pytest.mark.parametrize(("text", "form"), FORMS)
def test_random_runs_are_not_called_broken(text: str, form: str, clocks: Clocks) -> None:
    """Clients time out, answers get lost, releases come late, readers come and go: all of it is legal."""
    machine = PackedWorld(TEXTS[text].small(form, **LARGER[text]))
    for number in range(RUNS):
        chance = Random(f"{text} {form} {number}")
        opening = way_from(machine, OPENINGS[text][number % len(OPENINGS[text])])
        assert_legal(text, machine, at_random(machine, chance, LENGTH, opening), chance, clocks)


@pytest.mark.parametrize("text", TELLERS)
def test_steps_of_the_smallest_world_are_not_called_broken(text: str) -> None:
    """Of the runs that take each step of the smallest world, every so many."""
    machine = PackedWorld(TEXTS[text].small(**SMALLEST[text]))
    for number, run in enumerate(islice(through_every_step(machine), 0, 40_000, 1000)):
        assert_legal(text, machine, run, Random(number), "exact")


@pytest.mark.thorough
@pytest.mark.parametrize("text", TELLERS)
def test_every_step_of_the_smallest_world_is_not_called_broken(text: str) -> None:
    """Each step of the smallest world, after a shortest way to it; of ``epoch`` the first ones."""
    machine = PackedWorld(TEXTS[text].small(**SMALLEST[text]))
    for number, run in enumerate(islice(through_every_step(machine), 10_000)):
        assert_legal(text, machine, run, Random(number), "exact")


@pytest.mark.parametrize("one", STRICTER, ids=lambda one: one.rule)
def test_some_rules_forbid_more_than_their_text(one: Difference) -> None:
    """A rule that no longer does leaves the table."""
    assert one.rule in _violated(one)


def test_the_page_names_every_difference() -> None:
    """Whoever reads the page misses none."""
    page = (Path(__file__).parents[3] / "docs/explanation/rules-and-texts.md").read_text(encoding="utf-8")
    assert [one.rule for one in STRICTER if one.rule not in page] == []


def assert_legal(text: str, machine: PackedWorld, run: Trace, chance: Random, clocks: Clocks) -> None:
    """No rule calls a run broken but those that are named; without clocks rules may leave open what happened first.

    What a recovery decides is recorded as soon as it does, or when it is replicated.
    """
    told = TELLERS[text](machine, chance, as_decided=chance.random() < 1 / 2).tell(run, clocks)
    said = by_rule(told)
    violated = {rule for rule, one in said.items() if one.verdict is Verdict.VIOLATED and not is_told(one, told)}
    assert violated <= allowed(text), "; ".join(map(str, run.steps))
    if clocks == "exact":
        assert {rule for rule, one in said.items() if one.verdict is Verdict.UNKNOWN} <= UNDECIDED.keys()


def is_told(said: RuleVerdict, told: Told) -> bool:
    """The rule speaks of losses, and the text's reader itself reports them."""
    keys = (pairwise(one.key) for one in said.violations)
    return said.rule.id in LOSSES and all(any(pair in told.lost for pair in key) for key in keys)


def _violated(one: Difference) -> set[str]:
    text = one.texts[0]
    machine, run = run_of(TEXTS[text].small(**one.bounds), one.run)
    told = TELLERS[text](machine, Random(0), are_eager=True).tell(run, "exact")
    return {rule for rule, said in by_rule(told).items() if said.verdict is Verdict.VIOLATED}
