"""A history is one line that can be pasted: it is read back as it was written, and anything else is refused by name.

Justified by docs/reference/guarantees.md, How a history is written.
"""

from __future__ import annotations

from random import Random

import pytest

from quorate.suite.guarantees import GUARANTEES
from quorate.suite.planning import planned
from quorate.suite.steps import BadSteps, Seek, Trim, plan_of, text_of


def test_every_history_is_read_back(rng: Random) -> None:
    for guarantee in GUARANTEES:
        for _ in range(20):
            plan = planned(rng, guarantee.focus, ("n1", "n2"), 40)
            assert plan_of(text_of(plan)) == plan


def test_spaces_and_empty_steps_say_nothing() -> None:
    assert plan_of(" r1  seek #2 ;; trim #0; ") == (Seek("r1", "#2"), Trim(0))


NO_STEPS = "w1; w1 append; w1 append a b; r1 seek 3; r1 seek #; r1 take x; trim 3; burn n1; jump n1 soon; together seal"


@pytest.mark.parametrize("text", NO_STEPS.split("; "))
def test_what_is_no_step_is_refused(text: str) -> None:
    with pytest.raises(BadSteps, match="copy the line from a failure"):
        plan_of(text)
