"""Strategies of histories: what the suite does to a log, what happens to its nodes, and orders of what several do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from quorate.adapters.driven import ONE_NODE
from quorate.strategies.drawn import Drawn
from quorate.suite.guarantees import BY_NAME
from quorate.suite.planning import Focus, history
from quorate.suite.steps import FAULTS, Fault, Plan, Step

STEPS_MAX: Final = 30
"""Steps of a history at most, but for those at its end."""


def histories(
    about: str | Focus = "", nodes: Sequence[str] = ONE_NODE, *, steps_max: int = STEPS_MAX
) -> SearchStrategy[Plan]:
    """Histories, as the suite runs them: every fault is undone, and a reader reads everything at the end.

    Args:
        about: what they are to have more of, or the name of the guarantee that says so.
        nodes: whom faults may hit.
        steps_max: how many steps they may have, but for those at their end.

    Raises:
        ValueError: no guarantee has this name.
    """
    return _histories(focus_of(about), tuple(nodes), steps_max)


@st.composite
def _histories(draw: DrawFn, focus: Focus, nodes: tuple[str, ...], steps_max: int) -> Plan:
    return history(Drawn(draw), focus, nodes, steps_max)


@st.composite
def faults(draw: DrawFn, nodes: Sequence[str], kinds: Sequence[str] = tuple(FAULTS), *, most: int = 3) -> Plan:
    """Faults, each of which is undone before its node has another one, and before the end.

    Args:
        draw: given by Hypothesis.
        nodes: whom they may hit.
        kinds: which of them may happen: ``crash``, ``pause``, ``partition``.
        most: how many of them.
    """
    chance, hurt, steps = Drawn(draw), dict[str, str](), list[Fault]()
    for _ in range(chance.number(0, 2 * most)):
        node = chance.one_of(nodes)
        if node in hurt:
            steps.append(Fault(FAULTS[hurt.pop(node)], node))
        elif sum(step.what in FAULTS for step in steps) < most:
            hurt[node] = chance.one_of(kinds)
            steps.append(Fault(hurt[node], node))
    return (*steps, *(Fault(FAULTS[what], node) for node, what in hurt.items()))


@st.composite
def schedules(draw: DrawFn, *plans: Plan | SearchStrategy[Plan]) -> Plan:
    """One order of what several do, each of whom keeps an own order.

    Args:
        draw: given by Hypothesis.
        plans: what each of them does: steps, or a strategy of steps.
    """
    chance, steps = Drawn(draw), list[Step]()
    left = [list(draw(plan) if isinstance(plan, SearchStrategy) else plan) for plan in plans]
    while waiting := [own for own in left if own]:
        steps.append(waiting[chance.number(0, len(waiting) - 1)].pop(0))
    return tuple(steps)


def focus_of(about: str | Focus) -> Focus:
    """What histories are to have more of.

    Raises:
        ValueError: no guarantee has this name.
    """
    if isinstance(about, Focus):
        return about
    if not about:
        return Focus()
    if about not in BY_NAME:
        raise ValueError(f"no guarantee is called {about!r}; there are {', '.join(BY_NAME)}")
    return BY_NAME[about].focus
