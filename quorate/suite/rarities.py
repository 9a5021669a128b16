"""Rarities: what seldom happens by itself, and is to happen often in the histories of the suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Final

from quorate.suite.guarantees import GUARANTEES
from quorate.suite.planning import planned
from quorate.suite.steps import (
    Append,
    Drain,
    Fault,
    Hear,
    Jump,
    Look,
    Plan,
    Seal,
    Seek,
    Step,
    Tail,
    Take,
    Together,
    Trim,
)

HISTORIES: Final = 1000
"""Histories among which rarities are counted; guarantees take turns."""


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


def seals_during_appends(plan: Plan) -> bool:
    """Whether an epoch ends while appends are under way: asked and not answered, or given up and not heard of yet."""
    waiting = set[str]()
    for step in plan:
        match step:
            case Together(seals=True):
                return True
            case Append(client, unheard=True):
                waiting.add(client)
            case Hear(client) | Append(client):
                waiting.discard(client)
            case Seal() if waiting:
                return True
    return False


def reads_over_a_border(plan: Plan) -> bool:
    """Whether a reader that began before the end of an epoch reads on after it."""
    reading, over = set[str](), set[str]()
    for step in plan:
        match step:
            case Seek(client):
                over.discard(client)
                reading.add(client)
            case Take(client) | Drain(client):
                if client in over:
                    return True
                reading.add(client)
            case Seal() | Together(seals=True):
                over = over | reading
    return False


def has(*kinds: type[Step]) -> Callable[[Plan], bool]:
    """Whether a history has a step of one of these kinds."""
    return lambda plan: any(isinstance(step, kinds) for step in plan)


def _begins_at(places: Callable[[str], bool]) -> Callable[[Plan], bool]:
    return lambda plan: any(isinstance(step, Seek) and places(step.where) for step in plan)


def _has_three_readers(plan: Plan) -> bool:
    return len({step.client for step in plan if isinstance(step, Take | Drain | Seek | Tail)}) > 2  # noqa: PLR2004


RARITIES: Final[Mapping[str, Callable[[Plan], bool]]] = {
    "two appends have one payload": repeats_a_payload,
    "all payloads differ": lambda plan: not repeats_a_payload(plan),
    "appends are under way at once": has(Together),
    "a client gives up before its answer comes": lambda plan: any(getattr(step, "unheard", False) for step in plan),
    "a client tries again what it gave up": tries_again,
    "an answer comes late": has(Hear),
    "an epoch ends while appends are under way": seals_during_appends,
    "a reader begins at the border of epochs": _begins_at("border".__eq__),
    "a reader reads on over the border of epochs": reads_over_a_border,
    "a reader begins in the middle": _begins_at(lambda where: where.startswith("#")),
    "a reader stops before the end": has(Take),
    "three readers read": _has_three_readers,
    "somebody trims": has(Trim),
    "somebody looks at what a node holds": has(Look),
    "a node is hurt": has(Fault),
    "a clock jumps": has(Jump),
}
"""Whether it happens in a history, by name."""


def by_seed(seed: object = 1, steps: int = 30) -> Iterator[Plan]:
    """Histories of a seed, of one guarantee after the other."""
    for number in range(HISTORIES):
        guarantee = GUARANTEES[number % len(GUARANTEES)]
        yield planned(Random(f"{seed} {guarantee.name} {number}"), guarantee.focus, ("log",), steps)


def counted(plans: Iterable[Plan]) -> Counter[str]:
    """In how many histories each happens."""
    return Counter(name for plan in plans for name, happens in RARITIES.items() if happens(plan))
