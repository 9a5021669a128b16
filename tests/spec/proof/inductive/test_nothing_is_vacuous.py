"""The proofs say something: every action can happen, and every claim can fail.

Justified by the house rule that a check that cannot fail is a defect. What was found is judged by the meaning.
"""

from __future__ import annotations

import pytest

from spec.proof.inductive.vacuity import vacuity
from spec.protocols.registry import TEXTS
from tests.support.lamps import Lamps

pytestmark = pytest.mark.z3


def test_emptiness_is_noticed() -> None:
    """An action that contradicts the invariants, a premise that is never true, and a claim that says nothing."""
    assert vacuity(Lamps).complaints == [
        "break_logic can never happen",
        "the premise of dark_is_lit is never true",
        "light_is_light can never be false",
    ]


@pytest.mark.parametrize("name", TEXTS)
def test_everything_can_happen_and_everything_can_fail(name: str) -> None:
    """For each action a state with all invariants in which it is enabled; for each claim a state that breaks it."""
    assert vacuity(TEXTS[name].protocol).complaints == []
