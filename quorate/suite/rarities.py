"""Rarities: what seldom happens by itself, and is to happen often in the histories of the suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from quorate.suite.guarantees import GUARANTEES
from quorate.suite.planning import planned
from quorate.suite.steps import Append, Drain, Fault, Hear, Jump, Plan, Seek, Step, Tail, Take, Together, Trim

HISTORIES: Final = 50
"""Histories of each guarantee among which rarities are counted."""


def repeats_a_payload(plan: Plan) -> bool:
    """Whether two appends have one payload."""
    payloads = Counter(step.payload for step in plan if isinstance(step, Append))
    return payloads.total() > len(payloads)


def tries_again(plan: Plan) -> bool:
    """Whether a client appends again what it gave up."""
    given_up = set[tuple[str, str]]()
    for step in plan:
        if isinstance(step, Append):
            if (step.client, step.payload) in given_up:
                return True
            given_up |= {(step.client, step.payload)} if step.unheard else set()
    return False


def has(*kinds: type[Step]) -> Callable[[Plan], bool]:
    """Whether a history has a step of one of these kinds."""
    return lambda plan: any(isinstance(step, kinds) for step in plan)


def _has_three_readers(plan: Plan) -> bool:
    return len({step.client for step in plan if isinstance(step, Take | Drain | Seek | Tail)}) > 2  # noqa: PLR2004


def _begins_in_the_middle(plan: Plan) -> bool:
    return any(isinstance(step, Seek) and step.where.startswith("#") for step in plan)


RARITIES: Final[Mapping[str, Callable[[Plan], bool]]] = {
    "two appends have one payload": repeats_a_payload,
    "all payloads differ": lambda plan: not repeats_a_payload(plan),
    "appends are under way at once": has(Together),
    "a client gives up before its answer comes": lambda plan: any(getattr(step, "unheard", False) for step in plan),
    "a client tries again what it gave up": tries_again,
    "an answer comes late": has(Hear),
    "a reader begins in the middle": _begins_in_the_middle,
    "a reader stops before the end": has(Take),
    "three readers read": _has_three_readers,
    "somebody trims": has(Trim),
    "a node is hurt": has(Fault),
    "a clock jumps": has(Jump),
}
"""Whether it happens in a history, by name."""


def counted(seed: object = 1, steps: int = 30) -> Counter[str]:
    """In how many histories each happens, of as many of each guarantee."""
    found = Counter[str]()
    for guarantee in GUARANTEES:
        for number in range(HISTORIES):
            plan = planned(Random(f"{seed} {guarantee.name} {number}"), guarantee.focus, ("log",), steps)
            found.update(name for name, happens in RARITIES.items() if happens(plan))
    return found
