"""Proofs are found from few hypotheses: near the claim first, and from hints that are known already.

Justified by the unsat cores of the committed hints: what a proof uses speaks of what its claim and action speak of.
"""

from __future__ import annotations

import pytest

from spec.proof.inductive import Hint, finding, read_hints
from spec.proof.inductive.conditions import Condition, conditions
from spec.proof.inductive.finding import find, find_hints, near
from spec.proof.inductive.logic import Logic
from spec.protocols.epoch import Epoch
from spec.protocols.two_phase import TwoPhase

pytestmark = pytest.mark.z3

FAR = ("purge/some_copyset_is_waited_for", "deny/some_copyset_is_waited_for", "goal/acked_survives")
"""Conditions that z3 does not prove from all hypotheses at once."""


@pytest.fixture(scope="module")
def far() -> dict[str, Condition]:
    """Those conditions by name."""
    return {one.name: one for one in conditions(Logic(Epoch)) if one.name in FAR}


@pytest.mark.parametrize("name", [*FAR[:2], pytest.param(FAR[2], marks=pytest.mark.slow)])
def test_what_is_near_suffices_where_everything_is_too_much(name: str, far: dict[str, Condition]) -> None:
    """The circle leaves out what speaks of other relations, and what it leaves proves the condition."""
    circle = near(far[name], (far[name].claimed,) if not name.startswith("goal") else ())
    assert len(circle) < len(far[name].given)
    hint = find(far[name])
    assert hint is not None
    assert set(hint.hypotheses) < set(far[name].given)


def test_what_speaks_of_other_relations_is_not_near(far: dict[str, Condition]) -> None:
    """That acknowledged records survive is about what was proposed: disks, statuses and readers are far."""
    circle = near(far["goal/acked_survives"], ())
    assert {"proposals_need_a_plan", "no_gap_below_a_bridge", "acked_is_never_beyond"} <= set(circle)
    assert not {"gone_has_nothing", "named_is_clean", "denied_was_purged", "reported_is_lost"} & set(circle)


def test_known_hints_save_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of another form of the text: a hint that proves nothing any more is searched anew."""
    kept = read_hints(TwoPhase)
    assert kept is not None
    known = {**kept.hints, "obey/committed_was_decided": Hint(("no such hypothesis",)), "gone/claim": Hint(())}
    names = [one.name for one in conditions(Logic(TwoPhase))]
    assert list(find_hints(TwoPhase, known=known)) == names
    monkeypatch.setattr(finding, "find", lambda _: None)
    assert list(find_hints(TwoPhase, known=known)) == [name for name in names if name != "obey/committed_was_decided"]
    assert find_hints(TwoPhase) == {}
