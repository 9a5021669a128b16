"""A history is made small: only what shows the defect stays, and each part of that is needed.

Justified by A. Zeller and R. Hildebrandt, Simplifying and Isolating Failure-Inducing Input.
"""

from __future__ import annotations

from random import Random

from quorate.suite.guarantees import BY_NAME
from quorate.suite.planning import planned
from quorate.suite.shrinking import TRIES_MAX, shrunk
from quorate.suite.steps import Append, Plan, Seal, Tail, plan_of


def has_append_before_tail(plan: Plan) -> bool:
    """Say whether somebody appends, and a reader asks for the tail after that."""
    kinds = [type(step) for step in plan]
    return Append in kinds and Tail in kinds[kinds.index(Append) :]


def test_only_what_shows_it_stays(rng: Random) -> None:
    seen = 0
    for _ in range(50):
        plan = planned(rng, BY_NAME["tail_honest"].focus, ("log",), 60)
        if has_append_before_tail(plan):
            seen += 1
            small = shrunk(plan, has_append_before_tail)
            assert [type(step) for step in small] == [Append, Tail]
            assert not any(isinstance(step, Append) and step.unheard for step in small)
    assert seen > 10


def test_steps_become_plainer() -> None:
    plan = plan_of("together w1 a + w2 b; r3 seek #4; trim #3; r2 drain; r2 take 3; w2 append c unheard")
    kept = ("w1 append a", "r1 seek beginning", "trim #0", "r1 take 1", "r1 take 1", "w1 append c")

    def shows(smaller: Plan) -> bool:
        return len(smaller) >= len(plan)

    assert [str(step) for step in shrunk(plan, shows)][-5:] == list(kept[1:])


def test_an_epoch_that_ends_meanwhile_ends_between_plain_steps() -> None:
    def shows(plan: Plan) -> bool:
        return any(isinstance(step, Seal) or getattr(step, "seals", False) for step in plan)

    assert shrunk(plan_of("w1 append a; together w1 b + w2 c + seal; r1 seek border; r1 drain"), shows) == (Seal(),)


def test_what_cannot_be_smaller_is_kept_and_tries_end() -> None:
    plan, tries = plan_of("w1 append a; r1 drain; " * 300), 0

    def shows(_: Plan) -> bool:
        nonlocal tries
        tries += 1
        return False

    assert shrunk(plan, shows) == plan
    assert tries == TRIES_MAX
