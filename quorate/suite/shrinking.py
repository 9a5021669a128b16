"""Shrinking: from a history that shows a defect to a small one that shows it, too.

Parts are left out, greatest first, and what stays is made plainer, as long as the defect shows. Source: A. Zeller and
R. Hildebrandt, Simplifying and Isolating Failure-Inducing Input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from quorate.suite.steps import PLACES, Append, Drain, Hear, Plan, Seal, Seek, Step, Tail, Take, Together, Trim

TRIES_MAX: Final = 400
"""How many smaller histories are tried."""


def shrunk(plan: Plan, shows: Callable[[Plan], bool]) -> Plan:
    """A smaller history that shows the same; the plan itself if there is none.

    Args:
        plan: shows it.
        shows: whether a history shows it. A log that does not repeat itself may show it by chance.
    """
    left = TRIES_MAX
    while left:
        for smaller in (*_shorter(plan), *_plainer(plan)):
            left -= 1
            if shows(smaller):
                plan = smaller
                break
            if not left:
                break
        else:
            return plan
    return plan


def _shorter(plan: Plan) -> Iterator[Plan]:
    """The plan without some of its steps, many at once first; the last steps first, for the first make the others."""
    size = len(plan) // 2
    while size:
        for end in range(len(plan), 0, -size):
            yield plan[: max(0, end - size)] + plan[end:]
        size //= 2


def _plainer(plan: Plan) -> Iterator[Plan]:
    for at, step in enumerate(plan):
        for plainer in _plainer_steps(step):
            yield plan[:at] + plainer + plan[at + 1 :]


def _plainer_steps(step: Step) -> Iterator[Plan]:
    """Steps that say less in place of one; none of them can become this one again."""
    match step:
        case Append(unheard=True):
            yield (replace(step, unheard=False),)
        case Together(appends, seals):
            if seals:
                yield (Together(appends),)
            yield (*(Append(*append) for append in appends), *[Seal()] * seals)
        case Seek(where=where) if where != "beginning":
            yield from ((replace(step, where=plainer),) for plainer in _plainer_places(where))
        case Trim(known):
            yield from ((Trim(fewer),) for fewer in range(known))
        case Take(steps=steps):
            yield from ((replace(step, steps=fewer),) for fewer in range(1, steps))
        case Drain(client):
            yield from ((Take(client, steps),) for steps in (1, 2))
    if isinstance(step, Append | Hear | Seek | Take | Drain | Tail) and step.client[1:] != "1":
        yield (replace(step, client=f"{step.client[0]}1"),)


def _plainer_places(where: str) -> Iterator[str]:
    yield "beginning"
    if where not in PLACES:
        yield from (f"#{fewer}" for fewer in range(int(where[1:])))
