"""Mutants are named switches, each of one decision; the page of who notices them says so of every rule.

The design asks for seeded defects as named switches. That each is noticed is asked of the corpus.
"""

from dataclasses import replace
from typing import Any

import pytest

from reference_impl.log.appending import next_esn
from reference_impl.log.copies import Copy
from reference_impl.log.sequencer import Sequencer
from reference_impl.log.storage import is_outdated
from reference_impl.mutants import MUTANTS, UnknownMutant, mutant_named
from reference_impl.mutants.matrix import Matrix, as_text
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import TOPOLOGIES, SimulationPlan
from reference_impl.simulate import context_for, simulate
from spec.registry import RULES

PLAN = SimulationPlan(events=20_000)

FLAT = TOPOLOGIES["flat3"]


def test_a_page_names_who_notices() -> None:
    """Also that nobody does."""
    matrix: Matrix = {"ack_before_stored": {"log.append.copy_before_ack": 3}, "skips_silently": {}}
    text = as_text(matrix)
    assert "Noticed by `log.append.copy_before_ack`." in text
    assert "Noticed by nobody." in text
    assert "| `log.append.copy_before_ack` | 1 | `ack_before_stored` |" in text
    assert "| `log.append.one_record` | 0 |  |" in text


def test_every_rule_stands_in_the_table_of_its_promise() -> None:
    """Once; rules on what clients see come without a promise."""
    text = as_text({})
    for rule in RULES:
        before, _, _ = text.partition(f"| `{rule.id}` |")
        assert text.count(f"| `{rule.id}` |") == 1
        heading = before.rpartition("### ")[2].partition("\n")[0]
        assert heading.startswith(f"`{rule.promise}`: " if rule.promise else "What clients see")


def test_a_mutant_shows_in_its_setting() -> None:
    """What the usual plan has no place for names one that has; whatever the setting leaves open stays as it was."""

    def never(copy: Copy, decided: Copy | None) -> bool:
        """Nothing is purged.

        As good as any reason.
        """
        return False

    small = setting("three nodes, no locations", topology=FLAT, replication={"node": 2})
    plan = mutant(is_outdated, where=small)(never).plan(SimulationPlan(seed=5))
    assert (plan.seed, plan.mutant, plan.topology, plan.replication) == (5, "never", FLAT, {"node": 2})
    assert mutant(is_outdated)(never).plan(PLAN) == replace(PLAN, mutant="never")


def test_a_setting_changes_plans_only() -> None:
    """And not the mutant."""
    for field in ("no_field", "mutant"):
        changes: dict[str, Any] = {field: "x"}
        with pytest.raises(TypeError, match="name fields of a plan"):
            setting("something else", **changes)


def test_a_mutant_changes_only_its_decisions() -> None:
    """Everything else is the correct machine, so what breaks is due to the mutant."""
    for name, one in MUTANTS.items():
        assert context_for(SimulationPlan(mutant=name)).changes == dict(one.changes), name
        assert one.sentence.endswith("."), name
        assert one.why, name


def test_an_unknown_mutant_is_a_named_error() -> None:
    """With the names that are near."""
    with pytest.raises(UnknownMutant, match="ack_before_stored"):
        mutant_named("ack_befor_stored")
    with pytest.raises(UnknownMutant):
        simulate(SimulationPlan(mutant="no such thing"))


def test_a_mutant_without_a_reason_is_refused() -> None:
    """Whoever reads it has to know why it matters."""

    def wrong(sequencer: Sequencer) -> int:
        """Something goes wrong."""
        return 1

    with pytest.raises(TypeError, match="why that matters"):
        mutant(next_esn)(wrong)
