"""What families offer to be simulated keeps its word: who records what, and that the correct one breaks no rule.

Issue 18: a family is simulated by what it declares. That each mutant is noticed, the tests of its machine ask.
"""

from __future__ import annotations

from typing import Any

import pytest

from conformance.check.checking import verdict_of_events
from conformance.headings import header_from
from reference_impl.simulating.families import OWN
from reference_impl.simulating.simulated import BadOption, Simulated
from spec.language.outcomes import Verdict

FAMILIES = OWN
SEEDS = range(1, 9)


def run_of(family: Simulated, mutant: str = "", **options: int) -> tuple[Any, list[dict[str, Any]]]:
    """The header and events of a run."""
    heading, events = family.run({**family.options, **options}, mutant)
    return header_from(heading), [dict(event) for event in events]


@pytest.mark.parametrize("name", FAMILIES)
def test_runs_break_no_rule(name: str) -> None:
    judged = 0
    for seed in SEEDS:
        verdict = verdict_of_events(*run_of(FAMILIES[name], seed=seed))
        assert [one.rule.id for one in verdict.rules if one.verdict is Verdict.VIOLATED] == [], f"seed {seed}"
        judged += sum(one.verdict is Verdict.HOLDS for one in verdict.rules)
    assert judged > len(SEEDS)


@pytest.mark.parametrize("name", FAMILIES)
def test_recorders_record_what_they_claim_to_record(name: str) -> None:
    """A header that claims less would hide events; one that claims more would have rules asked of nothing."""
    family, seen, claimed = FAMILIES[name], set[tuple[str, str]](), set[tuple[str, str]]()
    for mutant in ["", *family.mutants]:
        for seed in SEEDS if not mutant else (1,):
            header, events = run_of(family, mutant, seed=seed)
            words = {kind: shape.word for kind, shape in header.shapes.items()}
            claimed |= {(recorder.role, word) for recorder in header.recorders.values() for word in recorder.records}
            for event in events:
                recorder = str(event["recorder"])
                assert words[event["kind"]] in header.recorders[recorder].records, f"{mutant}, seed {seed}: {event}"
                seen.add((header.recorders[recorder].role, words[event["kind"]]))
    assert claimed - seen <= {("metadata", "deleted")}, "nobody deletes ledgers"


@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_options_give_the_same_events(name: str) -> None:
    assert run_of(FAMILIES[name], seed=3) == run_of(FAMILIES[name], seed=3)
    assert run_of(FAMILIES[name], seed=3)[1] != run_of(FAMILIES[name], seed=4)[1]


@pytest.mark.parametrize("options", [{"ack": 3}, {"ensemble": 20}, {"racks": 0}, {"ledgers": 0}])
def test_ledgers_that_do_not_fit_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(BadOption):
        run_of(FAMILIES["ledger"], "", **options)
